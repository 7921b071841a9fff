"""The chart of the clocks: a line for each mechanism."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

import ldpcore as ldp
from ldpui import theme
from ldpui.charts.common import AXES, TICKS
from ldpui.format import percent
from pages.study.ibu_lab.axes import step_words
from pages.study.ibu_lab.clock_shares import VALUES, Clock

# On a log axis the smallest share that is drawn, in percent.
_LEAST = 1e-4


def figure_of(clocks: Sequence[Clock], s: ldp.Setting, against: str, steps: int, *, log: bool, dark: bool) -> go.Figure:
    """Draw a line for each mechanism: the one of the setting thick, the longitudinal ones dashed."""
    number = len(theme.SERIES)
    lines = []
    for i, clock in enumerate(clocks):
        look = theme.SERIES[i % number]
        is_current = clock.name == s.mechanism
        share = [None if v is None else max(100 * v, _LEAST if log else 0.0) for v in clock.shares]
        lines.append(
            {
                "type": "scatter",
                "x": clock.values,
                "y": share,
                "mode": "lines+markers",
                "name": f"<b>{clock.name}</b>" if is_current else clock.name,
                "line": {
                    "color": look.color(dark),
                    "width": 4 if is_current else 1.5,
                    "dash": "dash" if ldp.mechanism_class(clock.name).longitudinal else "solid",
                },
                "marker": {"symbol": look.symbol, "size": 8, "maxdisplayed": 7},
                "text": ["" if v is None else f"{clock.name}: {percent(v, 3)}" for v in clock.shares],
                "hovertemplate": "%{text}<br>at %{x}<extra></extra>",
            }
        )
    fig = go.Figure(lines, _layout(against, steps, log, dark))
    place = float(getattr(s, against))
    if VALUES[against][0] <= place <= VALUES[against][-1]:
        fig.add_shape(
            type="line", x0=place, x1=place, y0=0, y1=1, yref="paper", line={"color": theme.ink(dark), "dash": "dot"}
        )
        note = {"text": "your setting", "showarrow": False, "yanchor": "bottom", "xanchor": "center"}
        fig.add_annotation(x=np.log10(place), y=1, yref="paper", **note)
    return fig


def _layout(against: str, steps: int, log: bool, dark: bool) -> dict[str, object]:
    yaxis: dict[str, object] = {"title": {"text": f"of the way after {step_words(steps)} steps"}, "ticksuffix": "%"}
    yaxis |= {"type": "log", "exponentformat": "none"} if log else {"range": [-2, 102]}
    return theme.layout(
        dark,
        xaxis={
            "title": {"text": AXES[against]},
            "type": "log",
            "tickvals": TICKS[against],
            "ticktext": [f"{v:,g}" for v in TICKS[against]],
            "showgrid": False,
        },
        yaxis=yaxis,
        hovermode="closest",
        height=500,
        legend={"orientation": "h", "y": -0.2, "yanchor": "top"},
    )
