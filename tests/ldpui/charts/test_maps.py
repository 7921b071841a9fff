"""Maps: which cells take clicks."""

import ldpcore as ldp
from ldpui.charts import maps
from ldpui.grids import Best


def test_empty_cells_of_a_map_take_no_clicks():
    figure = maps.heat([1, 2], [3], [[None, 5.0]], [["", "5"]], titles=("", "", ""), dark=False)
    (point,) = maps.clickable(figure).data[1].customdata
    assert list(point) == [0, 1]


def test_mechanisms_that_are_added_have_grounds_of_their_own(monkeypatch):
    monkeypatch.setattr(ldp, "ONE_TIME", (*ldp.ONE_TIME, "eighth", "ninth", "tenth"))
    names = list(ldp.ONE_TIME)
    best = Best([float(i) for i in range(len(names))], [1.0], [names], [[""] * len(names)])
    (cells,) = maps.best_map(best, titles=("", "", ""), dark=False).data
    assert len(set(cells.z[0])) == len(names) == len({maps.GROUNDS[int(z)] for z in cells.z[0]})
    assert list(cells.text[0]) == names
