"""What a click on the tables and figures of the paper opens in Estimate."""

from __future__ import annotations

from functools import partial
from typing import Any

import ldpcore as ldp
from ldpui.address import opening
from pages.study.results import LABELS, Grid

# A cell is an average over several n, k and ε: of these, the ones of the middle panel of Figures 1 and 2.
N, K, EPS = 20_000, 100, 2.0


def setting(table: int, data: str, mechanism: str, value: str, eps: float = EPS) -> ldp.Setting:
    """Return one of the paper's own settings, with the channel that a value of the tables stands for."""
    own = ldp.paper.OTHER_CHANNEL if value in ("published", "as published") else ()
    channel = "published" if mechanism in own else "exact"
    wanted = (data, mechanism, N, K, eps, channel)
    every = ldp.paper.settings(table)
    return next(s for s in every if (s.data, s.mechanism, s.n, s.k, s.eps, s.channel) == wanted)


def on_cell(table: int, value: str, shown: Grid) -> dict[str, Any]:
    """Return what makes the cells of a table open; averages have no setting of their own."""
    return opening.on_click(partial(_open_cell, table, value, shown))


def on_bar(key: str, table: int, value: str, eps: float) -> dict[str, Any]:
    """Return what makes the bars of a panel open."""
    return opening.on_click(partial(_open_bar, key, table, value, eps))


def _open_cell(table: int, value: str, shown: Grid) -> None:
    point = opening.clicked("paper_table")
    names = {label: name for name, label in LABELS.items()}
    if point and point.get("y") in names and point.get("x") in shown.columns[:-1]:
        _open(setting(table, names[point["y"]], point["x"], value), value)


def _open_bar(key: str, table: int, value: str, eps: float) -> None:
    point = opening.clicked(key)
    if point and point.get("x") in ldp.paper.TABLES[table].mechanisms:
        _open(setting(table, "acs-income", point["x"], value, eps), value)


def _open(s: ldp.Setting, value: str) -> None:
    opening.in_estimate(s, limit=value == "at convergence")
