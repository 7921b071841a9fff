"""The player: IBU's steps as frames that the browser plays by itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ldpui import theme
from ldpui.bins import Bins, long_tail
from ldpui.charts.common import FEW_BINS, MANY_BINS, Array, as_points, small_print, truth
from ldpui.format import points as in_points
from ldpui.theme import Look
from pages.study.ibu_lab import player_controls
from pages.study.ibu_lab.axes import count_words, error_axis, on_axis, positive, step_axis, step_words, step_x
from pages.study.ibu_lab.following import PAPER_STEPS
from pages.study.ibu_lab.paths import Path

FRAMES = 60
# The traces that the frames change: the last two.
_MOVING = [4, 5]


def player(path: Path, bins: Bins, *, dark: bool, source: Sequence[str] = ()) -> go.Figure:
    """Draw the estimate against the truth, and below it the error, at the start and in a frame for each of many steps.

    Buttons and a slider play the frames in the browser.
    """
    first = _moving(path, 0)
    still = [
        truth(path.truth, bins, dark),
        _estimate(theme.LIMIT, bins, path.limit, dark),
        _error_line(path, dark),
        _level(path, path.mi, theme.MI, dark),
    ]
    moving = [
        _estimate(theme.IBU, bins, path.start, dark) | first[0],
        {
            "type": "scatter",
            "xaxis": "x2",
            "yaxis": "y2",
            "mode": "markers+text",
            "marker": {"color": theme.IBU.color(dark), "size": 13, "symbol": "diamond"},
            "showlegend": False,
            "hoverinfo": "skip",
            "cliponaxis": False,
        }
        | first[1],
    ]
    shown = frames_shown(path)
    frames = [{"name": str(i), "data": _moving(path, i), "traces": _MOVING} for i in shown]
    return go.Figure([*still, *moving], _layout(path, bins, shown, dark, source), frames)


def frames_shown(path: Path) -> list[int]:
    """Return the places of the trace that have a frame: evenly spaced on a log scale, with the marks that matter."""
    logs = np.log1p(path.steps)
    spaced = [int(np.abs(logs - at).argmin()) for at in np.linspace(0, logs[-1], FRAMES)]
    return sorted({*spaced, path.nearest(PAPER_STEPS), int(path.errors.argmin())})


def _moving(path: Path, i: int) -> list[dict[str, Any]]:
    """Return what a frame changes: the estimate, and where it is on the curve of errors."""
    percent = 100 * path.trace.estimates[i]
    # As many digits as a screen can show, so that the frames are small.
    digits = 4 - int(np.ceil(np.log10(max(float(percent.max()), 1e-9))))
    shares = np.round(percent, digits).tolist()
    off = float(path.errors[i])
    words = f"off by {in_points(off, 2)} points"
    # The words stand where the chart has room for them.
    side = "top right" if 2 * np.log1p(path.steps[i]) < np.log1p(path.steps[-1]) else "top left"
    place = {"x": [step_x(path.steps[i])], "y": positive(np.array([off]))}
    return [{"y": shares}, place | {"text": [words], "textposition": side}]


def _estimate(look: Look, bins: Bins, estimate: Array, dark: bool) -> dict[str, Any]:
    alone = as_points(bins)
    few = len(bins.labels) <= FEW_BINS
    color = look.color(dark)
    return {
        "type": "scatter",
        "x": bins.centres,
        "y": 100 * estimate,
        "mode": "markers" if alone else "lines" if len(bins.labels) > MANY_BINS else "lines+markers",
        "name": look.name,
        "line": {"color": color, "dash": look.dash, "width": 2.5 if look is theme.IBU else 1.5},
        "marker": {"symbol": look.symbol, "size": 12 if few else 6, "color": color},
        "hovertemplate": f"{look.name} %{{y:.3g}}%<extra></extra>",
    }


def _error_line(path: Path, dark: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "xaxis": "x2",
        "yaxis": "y2",
        "x": on_axis(path.steps),
        "y": positive(path.errors),
        "mode": "lines",
        "showlegend": False,
        "line": {"color": theme.IBU.color(dark), "width": 2},
        "text": [
            f"{count_words(t)}: off by {in_points(e)} points" for t, e in zip(path.steps, path.errors, strict=True)
        ],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _level(path: Path, estimate: Array, look: Look, dark: bool) -> dict[str, Any]:
    """Return a horizontal line at the error of an estimate that takes no steps."""
    off = path.error_of(estimate)
    return {
        "type": "scatter",
        "xaxis": "x2",
        "yaxis": "y2",
        "x": [step_x(0), float(path.steps[-1])],
        "y": positive(np.array([off, off])),
        "mode": "lines",
        "name": f"error of {look.name}",
        "line": {"color": look.color(dark), "dash": look.dash, "width": 2},
        "hovertemplate": f"{look.name}: off by {in_points(off)} points<extra></extra>",
    }


def _layout(path: Path, bins: Bins, shown: list[int], dark: bool, source: Sequence[str]) -> dict[str, Any]:
    top = 100 * max(float(a.max()) for a in (path.truth, path.limit, path.trace.estimates))
    last = long_tail(path.truth)
    small, room = small_print(source), 16 * max(0, len(source) - 2)
    axis = step_axis(path.steps[-1])
    axis["title"] |= {"text": axis["title"]["text"] + small}
    plain, errors = theme.layout(dark), error_axis([*path.errors, path.error_of(path.mi)], room=0.35)
    return theme.layout(
        dark,
        xaxis=bins.axis | {"range": [float(bins.edges[0]), float(bins.edges[-1 if last is None else last])]},
        yaxis={"title": {"text": "share of users (%)"}, "range": [0, 1.08 * top], "domain": [0.45, 1]},
        xaxis2=plain["xaxis"] | axis | {"anchor": "y2"},
        yaxis2=plain["yaxis"] | errors | {"anchor": "x2", "domain": [0, 0.28]},
        bargap=0,
        hovermode="closest",
        height=640 + room,
        margin={"t": 105, "b": 140 + room},
        legend={"yref": "container", "y": 0, "yanchor": "bottom"},
        updatemenus=[player_controls.buttons(dark)],
        sliders=[player_controls.slider([step_words(path.steps[i]) for i in shown], shown, dark)],
    )
