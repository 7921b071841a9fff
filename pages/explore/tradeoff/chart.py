"""Curves of error or gain against ε, n or k, with what theory allows."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ldpui import theme
from ldpui.charts.common import AXES, TICKS, area, in_two_lines
from ldpui.format import short, significant
from ldpui.sweeps import Measure
from ldpui.theme import Look
from pages.explore.tradeoff import controls
from pages.explore.tradeoff.sweep import Reference

# An estimator keeps its colour on every page; mechanisms differ in shape and dash.
_SHAPES = ("circle", "diamond", "square", "triangle-up", "x", "star", "cross")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid")


def lines(
    rows: Sequence[Measure],
    *,
    against: str,
    gain: bool,
    title: str,
    references: Sequence[Reference],
    here: float,
    dark: bool,
) -> go.Figure:
    """Draw a line with a 95 % band for each mechanism and estimator, reference lines, and where the setting stands."""
    traces: list[Any] = []
    names = list(dict.fromkeys(row.setting.mechanism for row in rows))
    for i, name in enumerate(names):
        for key in controls.DRAWN.values():
            look = theme.of_estimator(key)
            wanted = f"gain_{key}" if gain else key
            points = sorted(
                (getattr(r.setting, against), r.mean, r.se)
                for r in rows
                if r.setting.mechanism == name and r.quantity == wanted and np.isfinite(r.mean) and (gain or r.mean > 0)
            )
            if points:
                traces += _line(look, name, i, points, dark, alone=len(names) == 1, gain=gain)
    for dash, reference in zip(_DASHES[1:], references, strict=False):
        traces.append(_reference(reference, dash, dark))
    yaxis: dict[str, Any] = {"title": {"text": in_two_lines(title)}}
    yaxis |= {"rangemode": "tozero", "ticksuffix": "%"} if gain else {"type": "log", "exponentformat": "power"}
    layout = theme.layout(
        dark,
        xaxis={
            "title": {"text": axis_words(against, any(row.setting.eps_inf for row in rows))},
            "type": "log",
            "tickvals": TICKS[against],
            "ticktext": [short(int(v)) if v >= 1000 else f"{v:g}" for v in TICKS[against]],
            "showgrid": False,
        },
        yaxis=yaxis,
        hovermode="closest",
        dragmode="zoom",
        height=480,
        # At the foot of the picture, below the lines that say what is drawn, however low the plot becomes on a phone.
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom"},
        uirevision=f"tradeoff-{against}-{gain}",
    )
    # Made at once, while results come: to change a figure takes Plotly ten times as long.
    return go.Figure(traces, layout | _where(here, dark))


def axis_words(against: str, repeated: bool) -> str:
    """Return what the horizontal axis says; of users who report repeatedly ε is that of the first report.

    >>> axis_words("eps", True), axis_words("eps", False), axis_words("n", True)
    ('budget of the first report ε₁ (log scale)', 'privacy budget ε (log scale)', 'users n (log scale)')
    """
    return "budget of the first report ε₁ (log scale)" if repeated and against == "eps" else AXES[against]


def _where(here: float, dark: bool) -> dict[str, Any]:
    """Return the line at the reader's own setting, and its name."""
    line = {"color": theme.OBSERVED.color(dark), "dash": "dot"}
    name = {"text": "your setting", "showarrow": False, "yanchor": "top", "xanchor": "left"}
    return {
        "shapes": [{"type": "line", "x0": here, "x1": here, "y0": 0, "y1": 1, "yref": "y domain", "line": line}],
        "annotations": [name | {"x": np.log10(here), "y": 1, "yref": "paper"}],
    }


def _line(
    look: Look, name: str, i: int, points: list[tuple[float, float, float]], dark: bool, *, alone: bool, gain: bool
) -> list[go.Scatter]:
    x, mean, se = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    spread = 1.96 * np.nan_to_num(se)
    low, high = mean - spread, mean + spread
    if not gain:
        low = np.maximum(low, mean / 50)  # a log axis has no 0
    label = look.name if alone else f"{name}, {look.name}"
    unit = "%" if gain else ""
    hover = [f"{label}: {significant(m)}{unit} ± {significant(s, 2)}" for m, s in zip(mean, se, strict=True)]
    line = go.Scatter(
        x=x,
        y=mean,
        mode="lines+markers",
        name=label,
        legendgroup=label,
        line={"color": look.color(dark), "dash": _DASHES[i % len(_DASHES)], "width": 2},
        marker={"symbol": look.symbol if alone else _SHAPES[i % len(_SHAPES)], "size": 8},
        text=hover,
        customdata=[[name]] * len(x),  # what a click opens
        hovertemplate="%{text}<br>at %{x}<extra></extra>",
    )
    return [area(look, label, x, low, high, dark), line]


def _reference(line: Reference, dash: str, dark: bool) -> go.Scatter:
    return go.Scatter(
        x=line.x,
        y=line.y,
        mode="lines",
        name=line.name,
        line={"color": theme.OBSERVED.color(dark), "dash": dash, "width": 1.5},
        text=[f"{line.name}: {significant(v)}<br>{line.explanation}" for v in line.y],
        hovertemplate="%{text}<extra></extra>",
    )
