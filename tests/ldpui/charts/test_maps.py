"""Maps: which cells take clicks."""

from ldpui.charts import maps


def test_empty_cells_of_a_map_take_no_clicks():
    figure = maps.heat([1, 2], [3], [[None, 5.0]], [["", "5"]], titles=("", "", ""), dark=False)
    (point,) = maps.clickable(figure).data[1].customdata
    assert list(point) == [0, 1]
