"""Error, what IBU climbs, and the size of its steps, against the number of steps."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ldpui import theme
from ldpui.charts.common import Array, sourced
from ldpui.format import points as in_points
from ldpui.format import significant
from ldpui.theme import Look
from pages.study.ibu_lab.axes import START_X, count_words, error_axis, on_axis, positive, step_axis, step_x
from pages.study.ibu_lab.markers import Marker, together
from pages.study.ibu_lab.paths import Path

# Below this a gap or a step is the rounding of the numbers, not IBU's.
FLOAT_NOISE = 1e-15
_ROWS = ((0.7, 1.0), (0.36, 0.64), (0.0, 0.3))
_LABEL = 20  # pixels for the name of a mark, each in a line of its own


def curves(path: Path, marks: Sequence[Marker], *, dark: bool, source: Sequence[str] = ()) -> go.Figure:
    """Draw three curves over one axis of steps, with a line through all of them at every mark."""
    x = on_axis(path.steps)
    ibu = theme.IBU
    rows = [
        _curve(ibu, "IBU", x, path.errors, 1, dark, "off by", " points"),
        _level("error of MI", theme.MI, path.error_of(path.mi), path.steps[-1], 1, dark),
        _level("error of IBU's limit", theme.LIMIT, path.error_of(path.limit), path.steps[-1], 1, dark),
        _curve(ibu, "below its maximum", x, path.gaps, 2, dark, "below its maximum by", "", legend=False),
        _curve(ibu, "step", x, path.trace.steps, 3, dark, "size of the step", "", legend=False),
    ]
    if path.setting.tol > 0:
        rows.append(_level("tolerance", theme.OBSERVED, path.setting.tol, path.steps[-1], 3, dark))
    groups = [group for group in together(marks) if (group[0].steps or 0) <= 1.01 * path.steps[-1]]
    fig = go.Figure(rows, _layout(path, len(groups), dark))
    lines = _rows([step_x(group[0].steps or 0) for group in groups], path.steps[-1])
    for group, (line, on_left) in zip(groups, lines, strict=True):
        _mark(fig, group, line, on_left, dark)
    return sourced(fig, source)


def _curve(
    look: Look, name: str, x: Array, y: Array, row: int, dark: bool, words: str, unit: str, legend: bool = True
) -> dict[str, Any]:
    number = in_points if unit else significant
    steps = [0.0 if at == START_X else float(at) for at in x]
    return {
        "type": "scatter",
        "x": x,
        "y": positive(y, FLOAT_NOISE),
        "yaxis": f"y{row}",
        "mode": "lines",
        "name": name,
        "showlegend": legend,
        "line": {"color": look.color(dark), "width": 2.5},
        "text": [f"after {count_words(t)}<br>{words} {number(float(v))}{unit}" for t, v in zip(steps, y, strict=True)],
        "hovertemplate": "%{text}<extra></extra>",
    }


def _level(name: str, look: Look, value: float, last: float, row: int, dark: bool) -> dict[str, Any]:
    return {
        "type": "scatter",
        "x": [step_x(0), last],
        "y": positive(np.array([value, value])),
        "yaxis": f"y{row}",
        "mode": "lines",
        "name": name,
        "line": {"color": look.color(dark), "dash": look.dash, "width": 1.5},
        "hovertemplate": f"{name}: {significant(value)}<extra></extra>",
    }


# What the stopping rule looks at: how a step changes the bins.
_CHANGES = {
    "max_abs": "largest change",
    "mae": "mean change",
    "mse": "mean squared change",
    "max_squared": "largest change²",
}


def _layout(path: Path, lines: int, dark: bool) -> dict[str, Any]:
    plain = theme.layout(dark)["yaxis"]
    log = {"type": "log", "exponentformat": "power", "nticks": 6, "tickfont": {"size": 12}}
    errors = error_axis([*path.errors, path.error_of(path.mi), path.error_of(path.limit)])
    titles = ("off by (points)", "below maximum by", _CHANGES.get(path.setting.stop, "size of a step"))
    axes = {
        f"yaxis{row}" if row > 1 else "yaxis": plain
        | (errors if row == 1 else log)
        | {"domain": list(domain), "title": {"text": title, "font": {"size": 13}}}
        for row, (domain, title) in enumerate(zip(_ROWS, titles, strict=True), 1)
    }
    return theme.layout(
        dark,
        **axes,
        xaxis=step_axis(path.steps[-1]) | {"anchor": "y3"},
        hovermode="closest",
        height=680 + _LABEL * lines,
        margin={"t": 24 + _LABEL * lines, "b": 150},
        legend={"yref": "container", "y": 0, "yanchor": "bottom"},
    )


def _rows(places: Sequence[float], last: float) -> list[tuple[int, bool]]:
    """Return for each mark, from left to right, the line that its name stands in, from 0, and whether left of it.

    A name on the left of its mark must not cross the lines of marks that are farther left, and the other way round.
    """
    ends = np.log10([START_X, last])
    left = [bool((np.log10(at) - ends[0]) / (ends[1] - ends[0]) > 0.5) for at in places]
    right_half = sum(left)
    before = len(places) - right_half
    return [(i - before, True) if on_left else (len(places) - 1 - i, False) for i, on_left in enumerate(left)]


def _mark(fig: go.Figure, group: list[Marker], line: int, on_left: bool, dark: bool) -> None:
    """Draw a line through all curves, with the names in a line of their own above them."""
    at, ink = step_x(group[0].steps or 0), theme.ink(dark)
    names = " · ".join(f"{mark.name} {mark.words}" if mark.name != "T" else f"T = {mark.words}" for mark in group)
    fig.add_shape(type="line", x0=at, x1=at, y0=0, y1=1, yref="paper", line={"color": ink, "width": 1, "dash": "dot"})
    fig.add_annotation(
        x=np.log10(at),
        y=1,
        yref="paper",
        text=names,
        showarrow=True,
        arrowhead=0,
        arrowwidth=1,
        arrowcolor=ink,
        ax=0,
        ay=-(_LABEL * line + 12),
        xanchor="right" if on_left else "left",
        yanchor="middle",
        bgcolor=theme.layout(dark)["paper_bgcolor"],
        font={"size": 12, "color": ink},
    )
