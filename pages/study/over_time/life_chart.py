"""The figure of one user's life."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ldpcore.theory import Chance, Life
from ldpui import theme
from pages.study.over_time import parts

# So many bins are drawn, around the true value: of more, a row would be thinner than a line.
BINS = 40
# What a cell of the raster is, by its number.
_CELLS = ("neither memo nor report", "in the report", "in the memo", "in memo and report")


def life(lived: Life, *, dark: bool) -> go.Figure:
    """Draw which values the memo and each report support, and below what the observer believes."""
    number, k = lived.supports.shape
    bins = window(k, int(lived.values[-1]))
    x = np.arange(1, number + 1)
    fig = make_subplots(rows=2, cols=1, shared_xaxes=True, row_heights=[0.68, 0.32], vertical_spacing=0.06)
    memos = np.zeros_like(lived.supports) if lived.memos is None else lived.memos
    fig.add_trace(_raster((lived.supports + 2 * memos)[:, bins], x, bins, dark), 1, 1)
    fig.add_trace(_key("report", theme.IBU, dark), 1, 1)
    if lived.memos is not None:
        fig.add_trace(_key("memo, not in the report", theme.MI, dark), 1, 1)
    path = {"color": theme.ink(dark), "width": 2, "shape": "hv"}
    fig.add_trace(go.Scatter(x=x, y=lived.values, mode="lines", line=path, name="true value", hoverinfo="skip"), 1, 1)
    own = lived.beliefs[np.arange(number), lived.values]
    for name, belief, look in (
        ("belief in the true value", own, theme.IBU),
        ("in the best guess", lived.beliefs.max(axis=1), theme.OBSERVED),
    ):
        fig.add_trace(_belief(name, 100 * belief, x, look, dark), 2, 1)
    fig.update_layout(_layout(number, bins, dark))
    return fig


def window(k: int, value: int) -> np.ndarray:
    """Return the bins that are drawn: all, or those around a value."""
    low = min(max(0, value - BINS // 2), max(0, k - BINS))
    return np.arange(low, min(k, low + BINS))


def _raster(cells: np.ndarray, x: np.ndarray, bins: np.ndarray, dark: bool) -> go.Heatmap:
    """Return a cell for each report and bin: blue if the report supports it, orange if only the memo does."""
    report, memo = theme.IBU.color(dark), theme.MI.color(dark)
    colors = [theme.layout(dark)["paper_bgcolor"], report, memo, report]
    return go.Heatmap(
        z=cells.T.astype(int).tolist(),
        x=x.tolist(),
        y=bins.tolist(),
        zmin=-0.5,
        zmax=3.5,
        colorscale=[(edge / 4, color) for i, color in enumerate(colors) for edge in (i, i + 1)],
        showscale=False,
        xgap=1,
        ygap=1 if len(bins) <= 20 else 0,
        text=[[_CELLS[cell] for cell in row] for row in cells.T.astype(int).tolist()],
        hovertemplate="report %{x}, bin %{y}: %{text}<extra></extra>",
    )


def _key(name: str, look: theme.Look, dark: bool) -> go.Scatter:
    """Return an entry of the legend that says what a colour of the raster is."""
    marker = {"symbol": "square", "size": 10, "color": look.color(dark)}
    return go.Scatter(x=[None], y=[None], mode="markers", name=name, marker=marker, hoverinfo="skip")


def _belief(name: str, percent: np.ndarray, x: np.ndarray, look: theme.Look, dark: bool) -> go.Scatter:
    return go.Scatter(
        x=x.tolist(),
        y=percent.tolist(),
        mode="lines",
        name=name,
        line={"color": look.color(dark), "dash": look.dash, "width": 2},
        text=[
            f"{name} after {parts.reports(t)}: {parts.share(Chance(p / 100))}" for t, p in zip(x, percent, strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def _layout(number: int, bins: np.ndarray, dark: bool) -> dict[str, Any]:
    play = {
        "label": "▶ Play",
        "method": "animate",
        "args": [
            None,
            {"frame": {"duration": 250, "redraw": False}, "transition": {"duration": 0}, "fromcurrent": False},
        ],
    }
    stop = {"label": "Pause", "method": "animate", "args": [[None], {"mode": "immediate", "frame": {"duration": 0}}]}
    axis = theme.layout(dark)["yaxis"]
    return theme.layout(
        dark,
        xaxis={"range": [0.5, number + 0.5], "showgrid": False, "zeroline": False},
        xaxis2=theme.layout(dark)["xaxis"]
        | {
            "title": {"text": "report", "standoff": 4, "font": {"size": 14}},
            "range": [0.5, number + 0.5],
            "tickvals": [1, 10, 20, 30, 40],
        },
        yaxis={
            "title": {"text": "bin"},
            "range": [bins[0] - 0.5, bins[-1] + 0.5],
            "showgrid": False,
            "tickformat": "d",
        },
        yaxis2=axis | {"title": {"text": "belief (%)", "standoff": 8, "font": {"size": 14}}, "range": [0, 102]},
        height=500,
        margin={"t": 44},
        legend={"y": -0.26, "yanchor": "top"},
        updatemenus=[
            {
                "type": "buttons",
                "direction": "left",
                "x": 0,
                "y": 1.02,
                "xanchor": "left",
                "yanchor": "bottom",
                "pad": {"t": 0, "b": 0},
                "showactive": False,
                "bgcolor": theme.layout(dark)["paper_bgcolor"],
                "font": {"color": theme.ink(dark), "size": 13},
                "buttons": [play, stop],
            }
        ],
    )
