"""The figure of collected reports: estimates for each value, and how far to trust them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import plotly.graph_objects as go

import ldpcore as ldp
from ldpui import theme
from ldpui.bins import shown
from ldpui.charts.common import MANY_BINS, Array
from ldpui.format import significant
from ldpui.theme import Look
from pages.practice.your_reports import intervals

# So many values have a tick each.
_TICKS = 25
# So much of a name is below the chart.
_LETTERS = 18


@dataclass(frozen=True, eq=False)
class Line:
    """An estimate that is drawn beside raw MI: how it looks, and the share of users of each value in percent."""

    look: Look
    shares: Array


def lines_of(collected: ldp.Collected, keys: Sequence[str]) -> list[Line]:
    """Return the estimates of these keys that there are."""
    estimates = collected.estimates()
    return [Line(theme.of_estimator(key), 100 * estimates[key]) for key in keys if key in estimates]


def figure(collected: ldp.Collected, lines: Sequence[Line], dark: bool) -> go.Figure:
    """Draw raw MI with its two intervals, one within the other, and other estimates.

    Where values are few, intervals are bars around points, of the other estimates too; where they are many, one band
    for all of them, which is cut to what is possible unless raw MI is alone.
    """
    x = np.arange(collected.counts.size, dtype=float)
    many = x.size > MANY_BINS
    if many:
        fig = go.Figure(intervals.bands(collected, x, dark, cut=bool(lines)))
    else:
        fig = go.Figure(intervals.bars(collected, x - _shift(0, len(lines)), dark))
    for place, line in enumerate(lines, start=1):
        at = x if many else x - _shift(place, len(lines))
        fig.add_traces([*([] if many else intervals.around(collected, at, line.look, dark)), _trace(line, at, dark)])
    fig.add_hline(y=0, line={"color": theme.layout(dark)["font"]["color"], "width": 1})
    return fig.update_layout(_layout(x.size, collected.names, dark))


def how_drawn(collected: ldp.Collected, others: bool = True) -> str:
    """Say how the two intervals are drawn, and whose shares they hold; `others` are drawn beside raw MI, or none."""
    several_eps, many = len(collected.fit) > 1, collected.counts.size > MANY_BINS
    inner, outer = ("Dark band", "Dotted band") if many else ("Thick", "Thin")
    whose = " Each user counts once, whatever their ε; nobody's ε may depend on their value." if several_eps else ""
    return (
        f"{inner}: 95% interval for the users who reported (noise only). {outer}: for the population that they are a "
        f"sample of (noise with sampling).{whose} {_whole_or_cut(many, others)}"
    )


def _whole_or_cut(many: bool, others: bool) -> str:
    """Say whether the intervals are cut to what is possible."""
    if many and others:
        return (
            "The bands are cut to 0 to 100%, as for every estimate but raw MI, which noise can make negative and whose "
            "own are in the table: they belong to the truth of a value, not to an estimator."
        )
    if not others:
        return "Raw MI, which noise can make negative, has them whole."
    return (
        "Raw MI, which noise can make negative, has them whole; for every other estimate they are cut to 0 to 100%, "
        "and else the same: they belong to the truth of a value, not to an estimator."
    )


def _layout(k: int, names: tuple[str, ...], dark: bool) -> dict[str, Any]:
    ticks: dict[str, Any] = {"dtick": 1} if k <= _TICKS else {}
    if names:
        step = math.ceil(k / _TICKS)
        ticks = {"tickvals": list(range(0, k, step)), "ticktext": [shown(name, _LETTERS) for name in names[::step]]}
        # A long name at the end is turned, not left out.
        ticks |= {"ticklabeloverflow": "allow", "automargin": True}
    axis = {"title": {"text": "value"}, "showgrid": False, "zeroline": False, "tickformat": "d"}
    return theme.layout(
        dark,
        xaxis=axis | ticks | {"range": [-0.6, k - 0.4]},
        yaxis={"title": {"text": "share of users (%)"}},
        hovermode="x unified" if k > MANY_BINS else "closest",
        height=460,
    )


def _shift(place: int, others: int) -> float:
    """Return how far left of its value a series stands, so that they stand side by side."""
    return (others / 2 - place) * 0.8 / (others + 1)


def _trace(line: Line, x: Array, dark: bool) -> go.Scatter:
    look = line.look
    return go.Scatter(
        x=x,
        y=line.shares,
        mode="lines" if x.size > MANY_BINS else "markers",
        name=look.name,
        legendgroup=look.name,
        line={"color": look.color(dark), "dash": look.dash, "width": 2},
        marker={"symbol": look.symbol, "size": 9, "color": look.color(dark)},
        text=[f"{look.name} {significant(float(share))}%" for share in line.shares],
        hovertemplate="%{text}<extra></extra>",
    )
