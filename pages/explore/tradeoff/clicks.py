"""What a click on the charts of Trade-off opens in Estimate."""

from __future__ import annotations

from functools import partial
from typing import Any

import ldpcore as ldp
from ldpui import grids
from ldpui.address import opening


def on_point(s: ldp.Setting, against: str) -> dict[str, Any]:
    """Return what makes the points of the curves open."""
    return opening.on_click(partial(_open_point, s, against))


def on_cell(s: ldp.Setting, other: str, cells: grids.Gains | grids.Best) -> dict[str, Any]:
    """Return what makes the cells of a map open."""
    return opening.on_click(partial(_open_cell, s, other, cells))


def _open_point(s: ldp.Setting, against: str) -> None:
    point = opening.clicked("curves")
    if point and point.get("customdata"):  # the lines of theory have nothing to open
        (name,) = point["customdata"]
        value = float(point["x"])
        opening.in_estimate(grids.at(s, name, **{against: value if against == "eps" else round(value)}))


def _open_cell(s: ldp.Setting, other: str, cells: grids.Gains | grids.Best) -> None:
    point = opening.clicked("map")
    if point and point.get("customdata"):
        row, column = point["customdata"]
        opening.in_estimate(grids.at_cell(s, other, cells, int(row), int(column)))
