"""Figures of one setting: the histogram with its estimates, and the error of each bin."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpui import theme
from ldpui.bins import Bins
from ldpui.charts.common import BAND, FEW_BINS, MANY_BINS, Array, area, as_points, band, truth
from ldpui.charts.drawing import Drawing
from ldpui.format import significant
from ldpui.theme import Look
from pages.explore.estimate.whiskers import Whiskers
from pages.explore.estimate.window import log_range, shown_window


def _series(
    look: Look, x: Array, estimates: Array, dark: bool, floor: float | None, shift: float, points: bool
) -> list[dict[str, Any]]:
    """Return an estimator's mean over the runs and its band: a line, or points with bars."""
    runs = band(100 * estimates)
    color = look.color(dark)
    spread = len(estimates) > 1
    hover = [
        f"{look.name} {significant(m)}%" + (f" ({significant(a)} to {significant(b)})" if spread else "")
        for m, a, b in zip(runs.mean, runs.low, runs.high, strict=True)
    ]
    line: dict[str, Any] = dict(  # noqa: C408 - reads like the trace that it becomes
        type="scatter",
        x=x + shift if points else x,
        y=runs.mean,
        mode="markers" if points else "lines" if len(x) > MANY_BINS else "lines+markers",
        name=look.name,
        legendgroup=look.name,
        line={"color": color, "dash": look.dash, "width": 2},
        marker={"symbol": look.symbol, "size": 11 if len(x) <= FEW_BINS else 7, "color": color},
        text=hover,
        hovertemplate="%{text}<extra></extra>",
    )
    if not spread:
        return [line]
    if points:
        up, down = runs.high - runs.mean, runs.mean - runs.low
        line["error_y"] = {"type": "data", "symmetric": False, "array": up, "arrayminus": down}
        return [line]
    if look not in (theme.MI, theme.IBU):
        return [line]  # more than two bands could not be told apart; the hover text has the numbers
    # On a log axis a band that reaches 0 has no lower end: it is cut where the axis ends.
    bottom = runs.low if floor is None else np.maximum(runs.low, floor)
    return [area(look, look.name, x, bottom, np.maximum(runs.high, bottom), dark), line]


def _all_series(
    series: Sequence[tuple[Look, Array]], bins: Bins, dark: bool, floor: float | None = None
) -> list[dict[str, Any]]:
    """Return the traces of all estimators; where bins are few or categories, their points stand side by side."""
    x, edges = bins.centres, bins.edges
    points = as_points(bins)
    step = float(edges[1] - edges[0]) / (len(series) + 2)
    middle = (len(series) - 1) / 2
    return [
        trace
        for i, (look, estimates) in enumerate(series)
        for trace in _series(look, x, estimates, dark, floor, (i - middle) * step, points)
    ]


def _reach(series: Sequence[tuple[Look, Array]], every: bool = False) -> tuple[list[Array], list[Array]]:
    """Return how far down and up the series go in each bin, in percent: mean and band, or every single run."""
    lows = [100 * (e.min(axis=0) if every else e.mean(axis=0)) for _, e in series]
    return lows, [100 * np.quantile(e, 1 if every else BAND[1], axis=0) for _, e in series]


def estimate(
    result: ldp.Result,
    series: Sequence[tuple[Look, Array]],
    bins: Bins,
    *,
    dark: bool,
    log: bool,
    window: tuple[float, float] | None = None,
    among: Sequence[tuple[Look, Array]] | None = None,
    intervals: Whiskers | None = None,
    source: Sequence[str] = (),
) -> Drawing:
    """Draw the true histogram as bars, and estimates over it with their bands over the runs.

    `window` is the part of the horizontal axis to show; if none is given, all, or the bins that hold nearly everybody.
    Where the series are one run `among` several, the vertical axis is the same for all of those.
    `intervals` are drawn below the estimates.
    `source` are lines below the axis that say what is drawn, so that a saved picture says it too.
    """
    edges = bins.edges
    lows, tops = _reach(series) if among is None else _reach(among, every=True)
    tops += [] if intervals is None else [100 * intervals.top]
    shares = 100 * result.true
    window = shown_window(result, bins, window)
    yaxis: dict[str, Any] = {"title": {"text": "share of users (%)"}, "rangemode": "tozero"}
    floor = None
    if not log:
        seen = (edges[1:] > window[0]) & (edges[:-1] < window[1])
        top = max(float(t[seen].max(initial=0)) for t in (shares, *tops))
        yaxis["range"] = [1.05 * min(float(low[seen].min(initial=0)) for low in lows), 1.08 * top]
    if log:
        yaxis |= {"type": "log", "exponentformat": "power", "range": log_range(shares, tops)}
        floor = 10 ** yaxis["range"][0]
    layout = theme.layout(
        dark,
        xaxis=bins.axis | {"range": list(window)},
        yaxis=yaxis,
        hovermode="x unified",
        bargap=0,
        height=430,
        margin=theme.ROOM,
        # A drag along the axis zooms: see `ldpui.charts.show.zoomable`.
        dragmode="select",
        selectdirection="h",
    )
    below = [truth(result.true, bins, dark), *([intervals.trace(bins, dark, floor)] if intervals else [])]
    return Drawing([*below, *_all_series(series, bins, dark, floor)], layout).sourced(source)


def signed_error(
    result: ldp.Result,
    series: Sequence[tuple[Look, Array]],
    bins: Bins,
    *,
    dark: bool,
    window: tuple[float, float] | None = None,
) -> Drawing:
    """Draw estimate minus truth for each bin, mean and band over the runs, in the window of the chart above."""
    zero = {"type": "line", "xref": "x domain", "x0": 0, "x1": 1, "y0": 0, "y1": 0}
    layout = theme.layout(
        dark,
        xaxis=bins.axis | {"range": list(shown_window(result, bins, window))},
        yaxis={"title": {"text": "estimate − truth (% points)"}},
        hovermode="x unified",
        height=340,
        margin=theme.ROOM,
        shapes=[zero | {"line": {"color": theme.TRUTH.color(dark), "width": 2}}],
    )
    return Drawing(_all_series([(look, e - result.true) for look, e in series], bins, dark), layout)
