"""Panels of a player, and what a frame shows in them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpcore.arrays import BoolArray
from ldpui import theme
from ldpui.charts.common import Array
from ldpui.theme import Look


def rows(
    title: str,
    labels: Sequence[str],
    looks: Sequence[Look],
    dark: bool,
    *,
    ticks: Sequence[float] = (0, 25, 50, 75, 100),
    truth: Array | None = None,
    truth_name: str = theme.TRUTH.name,
    bar: Look = theme.TRUTH,
    trail: bool = False,
) -> dict[str, Any]:
    """Return a panel with a row for each value: a bar (grey: what is true), a mark for each series; in percent."""
    series = [_series(look, dark) for look in looks]
    truth_entry = {"name": truth_name, "color": bar.color(dark), "symbol": bar.symbol}
    return {
        "kind": "rows",
        "title": title,
        "labels": list(labels),
        "series": series,
        "legend": [*([truth_entry] if truth_name else []), *series],
        "low": ticks[0],
        "high": ticks[-1],
        "ticks": [(tick, f"{tick:g}%".replace("-", "−")) for tick in ticks],
        "truth": None if truth is None else _rounded(truth),
        "truthColor": bar.color(dark),
        "trail": trail,
    }


def marks(*values: Array | None, numbers: Sequence[str] | None = None, truth: Array | None = None) -> dict[str, Any]:
    """Return what a panel of rows shows: a mark for each series and value, and a number for each value.

    A series that is None is not there yet.
    """
    shown: dict[str, Any] = {}
    if values:
        shown["marks"] = [None if series is None else _rounded(series) for series in values]
    return (
        shown | ({"numbers": list(numbers)} if numbers else {}) | ({} if truth is None else {"truth": _rounded(truth)})
    )


def curves(
    title: str,
    x: Sequence[float],
    series: Sequence[tuple[Look, Array]],
    dark: bool,
    *,
    xname: str,
    xticks: Sequence[tuple[float, str]],
    yticks: Sequence[float],
    unit: str = "%",
    whole: bool = False,
) -> dict[str, Any]:
    """Return a panel with curves over a log axis, drawn as far as the frame, or `whole` with a mark at the frame."""
    looks = [_series(look, dark) | {"dash": look.dash, "y": _rounded(y)} for look, y in series]
    return {
        "kind": "curves",
        "title": title,
        "x": list(x),
        "log": True,
        "series": looks,
        "legend": [{key: look[key] for key in ("name", "color", "symbol")} for look in looks] if len(looks) > 1 else [],
        "low": yticks[0],
        "high": yticks[-1],
        "xname": xname,
        "xticks": list(xticks),
        "yticks": [(tick, f"{tick:g}{unit}") for tick in yticks],
        "whole": whole,
    }


def at(place: int) -> dict[str, Any]:
    """Return what a panel of curves shows: the place on the horizontal axis, by its number."""
    return {"at": place}


def tiles(title: str, labels: Sequence[str], look: Look, dark: bool) -> dict[str, Any]:
    """Return a panel with a tile for each value."""
    return {
        "kind": "tiles",
        "title": title,
        "labels": list(labels),
        "color": look.color(dark),
        "ground": look.band(dark),
    }


def on(lit: BoolArray, words: Sequence[str], changed: BoolArray | None = None) -> dict[str, Any]:
    """Return what a panel of tiles shows: which are lit, what is in them, and which the noise has changed."""
    shown: dict[str, Any] = {"on": [bool(one) for one in lit], "words": list(words)}
    return shown | ({} if changed is None else {"changed": [bool(one) for one in changed]})


def _series(look: Look, dark: bool) -> dict[str, Any]:
    return {"name": look.name, "color": look.color(dark), "symbol": look.symbol}


def _rounded(values: Array) -> list[float]:
    """Return numbers as the screen needs them; a figure of all digits would be three times as large."""
    return [float(v) for v in np.round(values, 3)]


def round_ticks(largest: float, number: int = 4) -> list[float]:
    """Return ticks from 0 to a little more than the largest of some numbers.

    >>> round_ticks(17.3), round_ticks(0.9)
    ([0, 5, 10, 15, 20], [0.0, 0.25, 0.5, 0.75, 1.0])
    """
    wanted = largest / number
    power = 10 ** math.floor(math.log10(wanted))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= wanted)
    return [round(step * i, 9) for i in range(math.ceil(largest / step) + 1)]


def share_ticks(shares: Array) -> list[float]:
    """Return ticks of an axis that holds 0 and all of some shares, in percent.

    >>> share_ticks(np.array([-0.12, 0.37]))
    [-20, -10, 0, 10, 20, 30, 40]
    """
    step = 10 if float(np.ptp(shares)) < 0.8 else 20
    low, high = min(float(shares.min()), 0.0), float(shares.max())
    return list(range(step * math.floor(100 * low / step), step * math.ceil(100 * high / step) + 1, step))
