"""Figures of the Advisor: lines of equal error over ε and n, and how the ranking moves with the data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from ldpui import theme
from ldpui.charts.common import AXES
from ldpui.charts.maps import heat
from ldpui.format import short, significant

Array = npt.NDArray[np.float64]
_LEVELS = [digit * 10.0**power for power in range(-5, 4) for digit in (1, 2, 5)]
_FINE = 80


def finer(x: Array, y: Array, z: Array) -> tuple[Array, Array, Array]:
    """Return a grid of logarithms between the points; errors are powers of ε and n, nearly, so straight lines fit."""
    u, v = np.log10(x), np.log10(y)
    fine_u, fine_v = np.linspace(u[0], u[-1], _FINE), np.linspace(v[0], v[-1], _FINE)
    across = np.array([np.interp(fine_u, u, line) for line in np.log10(z)])
    down = np.array([np.interp(fine_v, v, column) for column in across.T]).T
    return fine_u, fine_v, 10.0**down


def contours(
    x: Sequence[float],
    y: Sequence[float],
    z: Array,
    *,
    bound: float,
    here: tuple[float, float],
    points: bool,
    title: str,
    dark: bool,
) -> go.Figure:
    """Draw lines of equal error over ε (x) and n (y), the part that is accurate enough, and the reader's point."""
    u, v, errors = finer(np.asarray(x, float), np.asarray(y, float), z)
    ink = theme.layout(dark)["font"]["color"]
    fig = go.Figure(_enough(u, v, errors, bound, points, dark))
    for level in _LEVELS:
        if np.nanmin(errors) < level < np.nanmax(errors) and not np.isclose(level, bound):
            fig.add_trace(_level(u, v, errors, level, line={"color": ink, "width": 1}, labels=ink))
    wanted = _level(u, v, errors, bound, line={"color": theme.LIMIT.color(dark), "width": 3}, labels=ink)
    fig.add_trace(wanted.update(name="accurate enough beyond this line", showlegend=True))
    fig.add_trace(
        go.Scatter(
            x=[np.log10(here[0])],
            y=[np.log10(here[1])],
            mode="markers+text",
            marker={"symbol": "star", "size": 16, "color": theme.MI.color(dark), "line": {"width": 1, "color": ink}},
            text=["you"],
            textposition="top center",
            textfont={"color": ink, "size": 14},
            name="your setting",
            hoverinfo="skip",
        )
    )
    return fig.update_layout(_layout(u, v, here, title, dark))


def _enough(u: Array, v: Array, errors: Array, bound: float, points: bool, dark: bool) -> go.Heatmap:
    """Shade the part that is accurate enough, and answer wherever the reader points."""
    sign, word = ("±", " points") if points else ("TV ", "")

    def told(a: float, b: float, error: float) -> str:
        n = float(f"{10**b:.3g}")
        return f"ε = {significant(10**a)}, n = {n:,.0f}:<br>{sign}{significant(error)}{word}"

    return go.Heatmap(
        x=u,
        y=v,
        z=np.where(errors <= bound, 1.0, 0.0),
        zmin=0,
        zmax=1,
        colorscale=[(0, "rgba(0,0,0,0)"), (1, theme.LIMIT.band(dark))],
        showscale=False,
        text=[[told(a, b, e) for a, e in zip(u, row, strict=True)] for b, row in zip(v, errors, strict=True)],
        hovertemplate="%{text}<extra></extra>",
    )


def _level(u: Array, v: Array, errors: Array, level: float, line: dict[str, Any], labels: str) -> go.Contour:
    """Draw the line of one error, with the number on it."""
    return go.Contour(
        x=u,
        y=v,
        z=errors,
        autocontour=False,
        contours={
            "start": level,
            "end": level,
            "size": 1,
            "coloring": "none",
            "showlabels": True,
            "labelfont": {"color": labels, "size": 12},
            "labelformat": "~g",
        },
        line=line,
        showscale=False,
        showlegend=False,
        hoverinfo="skip",
    )


def _layout(u: Array, v: Array, here: tuple[float, float], title: str, dark: bool) -> dict[str, Any]:
    eps_ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10]
    n_ticks = [10**p for p in range(2, 10)]
    a, b = np.log10(here[0]), np.log10(here[1])
    return theme.layout(
        dark,
        xaxis={
            "title": {"text": f"{title} (log scale)"},
            "tickvals": np.log10(eps_ticks).tolist(),
            "ticktext": [f"{t:g}" for t in eps_ticks],
            "range": [min(u[0], a - 0.05), max(u[-1], a + 0.05)],
            "showgrid": False,
        },
        yaxis={
            "title": {"text": AXES["n"]},
            "tickvals": np.log10(n_ticks).tolist(),
            "ticktext": [short(t) for t in n_ticks],
            "range": [min(v[0], b - 0.2), max(v[-1], b + 0.2)],
            "showgrid": False,
        },
        hovermode="closest",
        height=480,
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )


def ranks(
    labels: Sequence[str],
    names: Sequence[str],
    places: Sequence[Sequence[int]],
    told: Sequence[Sequence[str]],
    dark: bool,
) -> go.Figure:
    """Draw the rank of every mechanism (rows) for every distribution (columns)."""
    fig = heat(
        labels,
        names,
        [[-p for p in row] for row in places],
        [[str(p) for p in row] for row in places],
        titles=("if the data were", "", "rank"),
        hover=told,
        dark=dark,
    )
    fig.update_traces(showscale=False)
    return fig.update_layout(height=90 + 40 * len(names))


def undecided(figure: go.Figure, told: Sequence[Sequence[str]]) -> go.Figure:
    """Mark in a map of the best mechanism, with ≈, the cells that are too close to call."""
    names = figure.data[0].text
    marked = [
        [f"≈ {name}" if text.startswith("too close") else name for name, text in zip(line, texts, strict=True)]
        for line, texts in zip(names, told, strict=True)
    ]
    return figure.update_traces(text=marked)
