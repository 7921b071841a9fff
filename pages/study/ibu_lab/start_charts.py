"""Figures of the starts: each beside the others, and their errors on one chart."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import plotly.graph_objects as go

from ldpui import theme
from ldpui.bins import Bins, long_tail
from ldpui.charts.common import Array, as_points, sourced, truth
from ldpui.format import points as in_points
from ldpui.theme import Look
from pages.study.ibu_lab.axes import count_words, error_axis, on_axis, positive, step_axis
from pages.study.ibu_lab.paths import Path


def side(path: Path, start: Array, estimate: Array, look: Look, bins: Bins, *, dark: bool) -> go.Figure:
    """Draw the truth, one start, and what IBU has made of it."""
    mode = "markers" if as_points(bins) else "lines"
    lines = [
        {
            "type": "scatter",
            "x": bins.centres,
            "y": 100 * y,
            "mode": mode,
            "name": name,
            "line": {"color": color, "dash": dash, "width": width},
            "marker": {"color": color, "symbol": symbol, "size": 9},
            "hovertemplate": f"{name} %{{y:.3g}}%<extra></extra>",
        }
        for name, y, color, dash, width, symbol in (
            ("start", start, theme.ink(dark), "dot", 1.5, "line-ew-open"),
            ("now", estimate, look.color(dark), "solid", 2.5, look.symbol),
        )
    ]
    last = long_tail(path.truth)
    top = 108 * max(float(a.max()) for a in (path.truth, estimate, start))
    layout = theme.layout(
        dark,
        xaxis=bins.axis
        | {"range": [float(bins.edges[0]), float(bins.edges[-1 if last is None else last])], "nticks": 4},
        yaxis={"range": [0, top], "ticksuffix": "%", "nticks": 5},
        bargap=0,
        height=260,
        margin={"t": 30},
        hovermode="closest",
    )
    return go.Figure([truth(path.truth, bins, dark), *lines], layout)


@dataclass(frozen=True, eq=False)
class Curve:
    """What a bin is off by after each of the steps, from one start."""

    start: str
    look: Look
    off: Array


def errors(path: Path, curves: Sequence[Curve], at: int, *, dark: bool, source: Sequence[str] = ()) -> go.Figure:
    """Draw what a bin is off by against the steps, a line for each start, and where they are looked at."""
    x = on_axis(path.steps)
    lines = [
        {
            "type": "scatter",
            "x": x,
            "y": positive(curve.off),
            "mode": "lines",
            "name": f"from {curve.start}",
            "line": {"color": curve.look.color(dark), "dash": curve.look.dash, "width": 2.5},
            "text": [
                f"from {curve.start}, after {count_words(t)}<br>off by {in_points(float(e))} points"
                for t, e in zip(path.steps, curve.off, strict=True)
            ],
            "hovertemplate": "%{text}<extra></extra>",
        }
        for curve in curves
    ]
    layout = theme.layout(
        dark,
        xaxis=step_axis(path.steps[-1]),
        yaxis=error_axis([float(error) for curve in curves for error in curve.off]),
        hovermode="closest",
        height=380,
        margin={"t": 60},
    )
    fig = go.Figure(lines, layout)
    place, ink = float(x[at]), theme.ink(dark)
    fig.add_shape(
        type="line", x0=place, x1=place, y0=0, y1=1, yref="paper", line={"color": ink, "width": 1, "dash": "dot"}
    )
    side = "right" if at > len(x) / 2 else "left"
    note = {"text": "shown above", "showarrow": False, "yanchor": "bottom", "xanchor": side}
    fig.add_annotation(x=np.log10(place), y=1, yref="paper", **note)
    return sourced(fig, source)
