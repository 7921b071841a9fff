"""The figures of Over time that go along a number of reports."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ldpui import theme
from ldpui.charts.common import Array
from ldpui.format import short
from pages.study.over_time import log_scale
from pages.study.over_time.controls import FRESH, MEMO
from pages.study.over_time.followed import Followed

_DASH = {True: "solid", False: "dot"}
_TICKS = [1, 10, 100, 1_000, 10_000]
# The size of a mark on a curve, in pixels.
_MARK = 7


@dataclass(frozen=True, eq=False)
class Line:
    """A curve: whose, with a memo or without, its points, standard errors where it is simulated, and what they say."""

    of: Followed
    memo: bool
    x: Sequence[float]
    y: Sequence[float]
    words: Sequence[str]
    se: Sequence[float] = field(default_factory=list)

    @property
    def simulated(self) -> bool:
        return any(error > 0 for error in self.se)


@dataclass(frozen=True)
class Axes:
    """What the axes say, whether the vertical one is logarithmic, and lines across it with their names.

    `floor` tells that all curves lie above the first of those lines: then its name stands below it, clear of them.
    """

    x: str
    y: str
    log: bool
    across: tuple[tuple[str, float], ...] = ()
    suffix: str = ""
    floor: bool = False


def curves(lines: Sequence[Line], axes: Axes, *, dark: bool) -> go.Figure:
    """Draw curves against a number of reports: one colour for each mechanism, solid with a memo, dotted without."""
    traces = []
    named: set[str] = set()
    for line in lines:
        if line.simulated:
            traces.append(_band(line, axes.log, dark))
        traces.append(_trace(line, dark, line.of.label not in named))
        named.add(line.of.label)
    traces += [_key(memo, dark) for memo in sorted({line.memo for line in lines}, reverse=True)]
    most = max((max(line.x) for line in lines), default=10_000)
    yaxis: dict[str, Any] = {"title": {"text": axes.y}, "ticksuffix": axes.suffix, "separatethousands": True}
    yaxis |= {"type": "log", "exponentformat": "none", **_log_axis(lines, axes)} if axes.log else {}
    layout = theme.layout(
        dark,
        xaxis={
            "title": {"text": axes.x},
            "type": "log",
            "tickvals": [tick for tick in _TICKS if tick <= most],
            "ticktext": [short(tick) for tick in _TICKS if tick <= most],
        },
        yaxis=yaxis if axes.log else yaxis | {"rangemode": "tozero"},
        hovermode="closest",
        height=400,
        margin={"t": 10},
        legend={"y": -0.28, "yanchor": "top"},
    )
    # Made at once: to change a figure takes Plotly ten times as long.
    return go.Figure(traces, layout | _across(axes, dark))


def _log_axis(lines: Sequence[Line], axes: Axes) -> dict[str, Any]:
    """Return what a logarithmic vertical axis says of these curves."""
    heights = [y for line in lines for y in line.y if y > 0]
    if not axes.floor:
        return log_scale.ticks(heights)
    floor = axes.across[0][1]
    return log_scale.ticks([floor, *heights]) | log_scale.room(heights, floor)


def _across(axes: Axes, dark: bool) -> dict[str, Any]:
    """Return the lines across the chart, and their names."""
    line = {"color": theme.OBSERVED.color(dark), "dash": "dash", "width": 1}
    ends = {"type": "line", "x0": 0, "x1": 1, "xref": "x domain", "line": line}
    name = {"x": 1, "xref": "paper", "showarrow": False, "xanchor": "right", "font": {"size": 12}}
    clear = (_MARK + 1) // 2  # pixels between a line and its name: a curve with marks may run along the line
    return {
        "shapes": [ends | {"y0": height, "y1": height} for _, height in axes.across],
        "annotations": [
            name
            | {"y": np.log10(height) if axes.log else height, "text": text}
            | ({"yanchor": "top", "yshift": -clear} if i or axes.floor else {"yanchor": "bottom", "yshift": clear})
            for i, (text, height) in enumerate(axes.across)
        ],
    }


def _trace(line: Line, dark: bool, first: bool) -> go.Scatter:
    color = line.of.look.color(dark)
    symbol = line.of.look.symbol
    return go.Scatter(
        x=list(line.x),
        y=list(line.y),
        mode="lines+markers",
        name=line.of.label,
        legendgroup=line.of.label,
        showlegend=first,
        line={"color": color, "dash": _DASH[line.memo], "width": 2},
        marker={"symbol": symbol if line.memo else f"{symbol}-open", "size": _MARK, "color": color},
        text=[f"<b>{line.of.label}</b>, {MEMO if line.memo else FRESH}<br>{word}" for word in line.words],
        hovertemplate="%{text}<extra></extra>",
    )


def _band(line: Line, log: bool, dark: bool) -> go.Scatter:
    """Return the 95 % band of what was simulated."""
    x, y, spread = np.array(line.x, dtype=float), np.array(line.y, dtype=float), 1.96 * np.array(line.se, dtype=float)
    low: Array = np.maximum(y - spread, y / 50) if log else y - spread
    return go.Scatter(
        x=np.concatenate([x, x[::-1]]).tolist(),
        y=np.concatenate([y + spread, low[::-1]]).tolist(),
        mode="lines",
        fill="toself",
        fillcolor=line.of.look.band(dark),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
        legendgroup=line.of.label,
    )


def _key(memo: bool, dark: bool) -> go.Scatter:
    """Return an entry of the legend that says what solid and dotted lines are."""
    line = {"color": theme.ink(dark), "dash": _DASH[memo], "width": 2}
    return go.Scatter(x=[None], y=[None], mode="lines", name=MEMO if memo else FRESH, line=line, hoverinfo="skip")
