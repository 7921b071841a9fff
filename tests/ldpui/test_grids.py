"""What cells a map has."""

from dataclasses import replace

import numpy as np

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.mechanisms.subset import SS
from ldpui import grids, sweeps
from ldpui.charts import maps

BASE = ldp.Setting(data="gaussian", mechanism="OUE", eps=2.0, n=1000, k=10, runs=2, max_iter=10)


def row(name, eps, n, quantity, mean):
    eps_inf = 2 * eps if "-" in name else None
    setting = ldp.Setting(data="gaussian", mechanism=name, eps=eps, eps_inf=eps_inf, n=n)
    return sweeps.Measure(setting, quantity, mean, 0.0)


def test_best_cells_of_rows_made_by_hand():
    rows = [
        row("GRR", 1.0, 1000, "limit", 3.0), row("OUE", 1.0, 1000, "limit", 2.0), row("OUE", 1.0, 1000, "mi", 0.0),
        row("GRR", 2.0, 1000, "limit", 1.0), row("OUE", 2.0, 1000, "limit", np.inf),
        row("GRR", 1.0, 10**8, "limit", np.inf), row("OUE", 1.0, 10**8, "limit", np.inf),
    ]  # fmt: skip
    best = grids.best_cells(rows, BASE, "n")
    found = {(best.x[j], best.y[i]): name for i, line in enumerate(best.names) for j, name in enumerate(line) if name}
    # Where all errors are infinite, none is best.
    assert found == {(1, 1000): "OUE", (2, 1000): "GRR"}


def test_a_tie_on_the_map_is_marked():
    tie = [row("GRR", 1.0, 1000, "limit", 2.0), row("OUE", 1.0, 1000, "limit", 2.0)]
    clear = [row("GRR", 2.0, 1000, "limit", 2.0), row("OUE", 2.0, 1000, "limit", 1.0)]
    (heat,) = maps.best_map(grids.best_cells(tie + clear, BASE, "n"), titles=("", "", ""), dark=False).data
    assert [word for line in heat.text for word in line if word] == ["≈ GRR", "OUE"]


def test_gain_cells_of_rows_made_by_hand():
    rows = [
        row("OUE", 1.0, 1000, "gain_ibu", 12.6), row("OUE", 8.0, 10**8, "gain_ibu", 0.0),
        row("OUE", 2.0, 1000, "ibu", 7.0), row("GRR", 2.0, 1000, "gain_ibu", 7.0),
    ]  # fmt: skip
    cells = grids.gain_cells(rows, BASE, "n")
    at = {
        (x, y): value
        for y, line in zip(cells.y, cells.gains, strict=True)
        for x, value in zip(cells.x, line, strict=True)
    }
    found = {place: value for place, value in at.items() if value is not None}
    assert found == {(1, 1000): 12.6, (8, 10**8): 0.0}
    assert sorted(word for line in cells.words for word in line if word) == ["0", "13"]


class Picky(SS):
    """One that wants at least three values, and at most so much ε."""

    def __init__(self, *, k, eps, omega=None):
        super().__init__(k=k, eps=eps, omega=omega)
        if self.k < 3:
            raise ldp.Refused(f"k of SS must be at least 3; got {self.k}")
        if self.k == 5 and self.eps > 4:
            raise ldp.Refused(f"eps of SS must be at most 4; got {self.eps:g}")


def test_what_a_mechanism_refuses_is_named_by_what_decides_it(monkeypatch):
    monkeypatch.setitem(mechanisms._CLASSES, "SS", Picky)
    settings, notes = grids.along(replace(BASE, eps=1.25), "k", ("GRR", "SS"))
    assert notes == ["SS is left out at k = 2: k of SS must be at least 3; got 2."]
    assert {s.k for s in settings if s.mechanism == "SS"} == {s.k for s in settings if s.mechanism == "GRR"} - {2}
    _, notes = grids.along(replace(BASE, k=5), "eps", ("SS",))
    assert notes == ["SS is left out at ε = 5, 7, 10: eps of SS must be at most 4; got 10."]
    _, notes = grids.grid(BASE, "k", ("SS",))  # of 8 ε and 7 k: all at k = 2, and two at k = 5
    assert notes[0].startswith("SS is left out at 10 of 56 places: ")
