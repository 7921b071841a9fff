"""Grids: what is crossed, what is left out, what is refused."""

import pytest

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.mechanisms.subset import SS
from ldpcore.sweep import cross


def test_lists_are_crossed():
    grid = {"mechanism": ["GRR", "L-OUE"], "eps": [1, 1.9], "eps_inf": [2, 1.5], "k": 5, "n": 100}
    settings, left_out = cross(grid)
    # L-OUE: 1.9 is above what ε∞ = 2 allows and above 1.5; 1 under ε∞ = 1.5 can be reached. GRR: ε∞ is of no effect.
    assert [(s.mechanism, s.eps, s.eps_inf) for s in settings] == [
        ("GRR", 1.0, None),
        ("GRR", 1.9, None),
        ("L-OUE", 1.0, 2.0),
        ("L-OUE", 1.0, 1.5),
    ]
    assert len(left_out) == 2
    settings, _ = cross({"data": "poisson", "params": {"rate": [3, 5, 7]}})
    assert [s.params for s in settings] == [(("rate", 3.0),), (), (("rate", 7.0),)]


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ({"epsilon": 1}, "a grid may hold data, .* got 'epsilon'"),
        ({"k": []}, "k must hold at least one value"),
        ({"k": [1, 2]}, "k must be .* got 1"),
        ({"params": 3}, "params must be a table"),
        ({"mechanism": "L-GRR", "eps": 2, "eps_inf": 1}, "no setting that is possible: eps must be below"),
        ({"mechanism": "L-GRR", "eps": "x", "eps_inf": 1}, "eps must be .* got 'x'"),
    ],
)
def test_bad_grids_say_what_is_wrong(grid, says):
    with pytest.raises(ValueError, match=says):
        cross(grid)


class Picky(SS):
    def __init__(self, *, k, eps, omega=None):
        super().__init__(k=k, eps=eps, omega=omega)
        if self.k < 3:
            raise ldp.Refused(f"k of SS must be at least 3; got {self.k}")


def test_what_a_mechanism_refuses_is_a_corner_that_is_left_out(monkeypatch):
    monkeypatch.setitem(mechanisms._CLASSES, "SS", Picky)
    settings, left_out = cross({"mechanism": ["GRR", "SS"], "k": [2, 4]})
    assert [(s.mechanism, s.k) for s in settings] == [("GRR", 2), ("GRR", 4), ("SS", 4)]
    assert left_out == ["k of SS must be at least 3; got 2"]
    # What is wrong for all of them is refused still.
    with pytest.raises(ldp.Refused, match="k must be a whole number from 2"):
        cross({"mechanism": ["SS", "GRR"], "k": [4, 1]})
    with pytest.raises(ldp.Refused, match="calibration must be one of"):
        cross({"mechanism": "SS", "k": 4, "calibration": ["published", "loose"]})
