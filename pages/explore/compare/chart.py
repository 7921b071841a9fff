"""The figure of Compare: the errors of MI and IBU for several mechanisms."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpui import theme
from ldpui.charts.common import in_two_lines
from ldpui.charts.drawing import Drawing
from ldpui.format import significant
from pages.explore.compare.rows import Row

# On a touch screen the buttons of a chart are always there, and a phone has no room for them beside the legend.
_BUTTONS = 12


def _error_bars(errors: Sequence[ldp.Summary]) -> dict[str, Any]:
    """Return 95 % error bars that stay on a log axis."""
    spread = [1.96 * float(np.nan_to_num(e.se)) for e in errors]
    down = [min(s, 0.9 * e.mean) for s, e in zip(spread, errors, strict=True)]
    return {"type": "data", "symmetric": False, "array": spread, "arrayminus": down, "thickness": 1.5}


def compare(rows: Sequence[Row], *, metric_title: str, dark: bool, y_range: list[float]) -> Drawing:
    """Draw the errors of MI, IBU and, where it was asked for, auto on a log axis, Γ above each mechanism."""
    names = [row.mechanism for row in rows]
    looks = rows[0].drawn if rows else ()
    traces = [
        dict(  # noqa: C408 - reads like the trace that it becomes
            type="scatter",
            x=names,
            y=[e.mean for e in errors],
            mode="markers",
            name=look.name,
            offsetgroup=look.name,
            marker={"symbol": look.symbol, "size": 12, "color": look.color(dark)},
            error_y=_error_bars(errors),
            text=[f"{look.name} {significant(e.mean)} ± {significant(e.se, 2)}" for e in errors],
            hovertemplate="%{x}: %{text}<extra></extra>",
        )
        for look, errors in ((look, [row.drawn[look] for row in rows]) for look in looks)
    ]
    layout = theme.layout(
        dark,
        xaxis={"showgrid": False, "title": {"text": "mechanism (bold: gain Γ)"}},
        yaxis={
            "title": {"text": in_two_lines(metric_title)},
            "type": "log",
            "range": y_range,
            "exponentformat": "power",
            "dtick": 1,
        },
        annotations=[_gain(row, theme.ink(dark)) for row in rows],
        scattermode="group",
        scattergap=0.45,
        hovermode="closest",
        height=420 + _BUTTONS,
        margin=theme.ROOM | {"t": theme.ROOM["t"] + _BUTTONS},
    )
    return Drawing(traces, layout)


def _gain(row: Row, ink: str) -> dict[str, Any]:
    """Return the gain of a mechanism, to be written above its points."""
    return {
        "x": row.mechanism,
        "y": 0.99,
        "yref": "paper",
        "text": f"<b>{row.gain.mean:.0f}%</b>" if row.has_gain else "–",
        "showarrow": False,
        "yanchor": "top",
        "font": {"color": ink, "size": 14},
    }
