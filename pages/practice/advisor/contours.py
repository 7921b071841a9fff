"""Lines of equal error over ε and the number of users."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

import ldpcore as ldp
from ldpcore.advisor import Accuracy
from ldpui import theme
from ldpui.charts import finished
from ldpui.charts.common import AXES
from ldpui.format import short, significant
from ldpui.own import Upload
from pages.practice.advisor import phrases
from pages.practice.advisor.errors import ErrorGrid
from pages.practice.advisor.fine_grid import Fine, finer, without_zeros

_LEVELS = [digit * 10.0**power for power in range(-5, 4) for digit in (1, 2, 5)]


@finished.by_setting(60, 10)
def figure(
    here: ldp.Setting, data: Upload | None, grid: ErrorGrid, accuracy: Accuracy, title: str, dark: bool, large: bool
) -> go.Figure:
    """Draw lines of equal error over ε (x) and n (y), the part that is accurate enough, and the reader's point.

    The `data` are in the grid already: they say who may see the figure.
    """
    unit = phrases.unit(accuracy)
    bound = unit * accuracy.bound
    users = np.asarray(grid.users, float)
    fine = finer(np.asarray(grid.eps, float), users, without_zeros(users, unit * np.asarray(grid.errors), unit))
    low, high = np.nanmin(fine.errors), np.nanmax(fine.errors)
    ink = theme.ink(dark)
    levels = [
        _level(fine, level, line={"color": ink, "width": 1}, labels=ink)
        for level in _LEVELS
        if low < level < high and not np.isclose(level, bound)
    ]
    wanted = _level(fine, bound, line={"color": theme.LIMIT.color(dark), "width": 3}, labels=ink)
    wanted |= {"name": "accurate enough beyond this line", "showlegend": True}
    traces = [_enough(fine, accuracy, dark), *levels, wanted, _you(here, dark)]
    drawn = go.Figure(traces, _layout(fine, here, title, dark))
    return theme.enlarged(drawn) if large else drawn


def _you(here: ldp.Setting, dark: bool) -> dict[str, Any]:
    """Mark where the reader is."""
    ink = theme.ink(dark)
    return dict(  # noqa: C408 - reads like the trace that it becomes
        type="scatter",
        x=[np.log10(here.eps)],
        y=[np.log10(here.n)],
        mode="markers+text",
        marker={"symbol": "star", "size": 16, "color": theme.MI.color(dark), "line": {"width": 1, "color": ink}},
        text=["you"],
        textposition="top center",
        textfont={"color": ink, "size": 14},
        name="your setting",
        hoverinfo="skip",
    )


def _enough(fine: Fine, accuracy: Accuracy, dark: bool) -> dict[str, Any]:
    """Shade the part that is accurate enough, and answer wherever the reader points."""
    unit = phrases.unit(accuracy)

    columns = [f"ε = {significant(10**a)}, n = " for a in fine.log_eps]
    rows = [f"{float(f'{10**b:.3g}'):,.0f}:<br>" for b in fine.log_users]
    return dict(  # noqa: C408 - reads like the trace that it becomes
        type="heatmap",
        x=fine.log_eps,
        y=fine.log_users,
        z=np.where(fine.errors <= unit * accuracy.bound, 1.0, 0.0),
        zmin=0,
        zmax=1,
        colorscale=[(0, "rgba(0,0,0,0)"), (1, theme.LIMIT.band(dark))],
        showscale=False,
        text=[
            [f"{column}{row}{phrases.error(e / unit, accuracy)}" for column, e in zip(columns, line, strict=True)]
            for row, line in zip(rows, fine.errors, strict=True)
        ],
        hovertemplate="%{text}<extra></extra>",
    )


def _level(fine: Fine, level: float, line: dict[str, Any], labels: str) -> dict[str, Any]:
    """Draw the line of one error, with the number on it."""
    return dict(  # noqa: C408 - reads like the trace that it becomes
        type="contour",
        x=fine.log_eps,
        y=fine.log_users,
        z=fine.errors,
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


def _layout(fine: Fine, here: ldp.Setting, title: str, dark: bool) -> dict[str, Any]:
    eps_ticks = [0.1, 0.2, 0.5, 1, 2, 5, 10]
    n_ticks = [10**p for p in range(2, 10)]
    u, v = fine.log_eps, fine.log_users
    a, b = np.log10(here.eps), np.log10(here.n)
    return theme.layout(
        dark,
        xaxis={
            "title": {"text": f"{title} (log scale)"},
            "tickvals": np.log10(eps_ticks).tolist(),
            "ticktext": [f"{t:g}" for t in eps_ticks],
            "range": [min(u[0], a - 0.05), max(u[-1], a + 0.05)],
            "showgrid": False,
            "zeroline": False,
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
