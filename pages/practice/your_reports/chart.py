"""The figure of collected reports: estimates for each value, and how far to trust them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

import ldpcore as ldp
from ldpui import theme
from ldpui.charts.common import MANY_BINS, Array
from ldpui.format import significant
from ldpui.theme import Look

NOISE, POPULATION = "noise only, 95%", "noise with sampling, 95%"
LOOKS = {"mi": theme.MI, "ibu": theme.IBU, "limit": theme.LIMIT, "full": theme.FULL}


def lines_of(found: ldp.Collected) -> dict[str, tuple[Look, Array]]:
    """Return the estimates that there are beside MI raw, by the names of their looks."""
    there = {look.name: (look, getattr(found, name)) for name, look in LOOKS.items()}
    return {name: (look, 100 * values) for name, (look, values) in there.items() if values is not None}


def figure(found: ldp.Collected, names: Sequence[str], dark: bool) -> go.Figure:
    """Draw MI raw with its two intervals, one within the other, and the estimates of the given names.

    Where values are few, intervals are bars around points; where they are many, bands around a line.
    """
    x = np.arange(found.counts.size, dtype=float)
    many = x.size > MANY_BINS
    chosen = [line for name, line in lines_of(found).items() if name in names]
    fig = go.Figure(_bands(found, x, dark) if many else _bars(found, x - _shift(0, len(chosen)), dark))
    for place, (look, values) in enumerate(chosen, start=1):
        fig.add_trace(_line(look, x if many else x - _shift(place, len(chosen)), values, dark))
    fig.add_hline(y=0, line={"color": theme.layout(dark)["font"]["color"], "width": 1})
    fig.update_layout(
        theme.layout(
            dark,
            xaxis={
                "title": {"text": "value"},
                "showgrid": False,
                "zeroline": False,
                "tickformat": "d",
                **_ticks(x.size),
            },
            yaxis={"title": {"text": "share of users (%)"}},
            hovermode="x unified" if many else "closest",
            height=460,
        )
    )
    return fig


def how_drawn(found: ldp.Collected) -> str:
    """Say how the two intervals are drawn."""
    inner, outer = ("Thick", "Thin") if found.counts.size <= MANY_BINS else ("Dark band", "Dotted band")
    return (
        f"{inner}: 95% interval for the users who reported (noise only). {outer}: for the population that they are a "
        "sample of (noise with sampling)."
    )


def _ticks(k: int) -> dict[str, Any]:
    return {"dtick": 1, "range": [-0.6, k - 0.4]} if k <= 25 else {"range": [-0.6, k - 0.4]}


def _shift(place: int, others: int) -> float:
    """Return how far left of its value a series stands, so that they stand side by side."""
    return (others / 2 - place) * 0.8 / (others + 1)


def _hover(look: Look, values: Array, more: Sequence[str] | None = None) -> list[str]:
    shown = [f"{look.name} {significant(float(y))}%" for y in values]
    return [a + b for a, b in zip(shown, more, strict=True)] if more else shown


def _interval_words(found: ldp.Collected) -> list[str]:
    ends = [100 * np.asarray(interval) for interval in (found.noise, found.population)]
    return [
        f"<br>noise only {significant(float(a))} to {significant(float(b))}%"
        f"<br>noise with sampling {significant(float(c))} to {significant(float(d))}%"
        for a, b, c, d in zip(*ends[0], *ends[1], strict=True)
    ]


def _bars(found: ldp.Collected, x: Array, dark: bool) -> list[go.Scatter]:
    """Return a thin bar around a thick bar around a point, for each value."""
    look, raw = theme.RAW, 100 * found.raw
    color = look.color(dark)
    traces = [
        _bar(name, x, 100 * interval, color, thin)
        for name, interval, thin in ((POPULATION, found.population, True), (NOISE, found.noise, False))
    ]
    text = [f"<b>value {v}</b><br>{told}" for v, told in enumerate(_hover(look, raw, _interval_words(found)))]
    point = go.Scatter(
        x=x,
        y=raw,
        mode="markers",
        name=look.name,
        marker={"symbol": "circle", "size": 9, "color": color, "line": {"width": 1, "color": _ground(dark)}},
        text=text,
        hovertemplate="%{text}<extra></extra>",
    )
    return [*traces, point]


def _ground(dark: bool) -> str:
    return str(theme.layout(dark)["plot_bgcolor"])


def _bar(name: str, x: Array, interval: Array, color: str, thin: bool) -> go.Scatter:
    """Return the intervals as one line with gaps: error bars have no place in a legend."""
    low, high = interval
    gap = np.full(x.size, np.nan)
    return go.Scatter(
        x=np.stack([x, x, gap], axis=1).ravel(),
        y=np.stack([low, high, gap], axis=1).ravel(),
        mode="lines+markers" if thin else "lines",
        name=name,
        line={"color": color, "width": 1.5 if thin else 6},
        marker={"symbol": "line-ew", "size": 8, "line": {"color": color, "width": 1.5}},
        opacity=1 if thin else 0.55,
        hoverinfo="skip",
    )


def _bands(found: ldp.Collected, x: Array, dark: bool) -> list[go.Scatter]:
    """Return a band within a band around a line."""
    look, raw = theme.RAW, 100 * found.raw
    traces = [
        go.Scatter(
            x=np.concatenate([x, x[::-1]]),
            y=100 * np.concatenate([interval[1], interval[0][::-1]]),
            mode="lines",
            fill="toself",
            fillcolor=look.band(dark),
            line={"width": edge, "color": look.color(dark), "dash": "dot"},
            hoverinfo="skip",
            name=name,
        )
        # The one within is drawn over the other, and so is darker.
        for name, interval, edge in ((POPULATION, found.population, 1), (NOISE, found.noise, 0))
    ]
    line = go.Scatter(
        x=x,
        y=raw,
        mode="lines",
        name=look.name,
        line={"color": look.color(dark), "width": 1},
        text=_hover(look, raw, _interval_words(found)),
        hovertemplate="%{text}<extra></extra>",
    )
    return [*traces, line]


def _line(look: Look, x: Array, values: Array, dark: bool) -> go.Scatter:
    many = x.size > MANY_BINS
    return go.Scatter(
        x=x,
        y=values,
        mode="lines" if many else "markers",
        name=look.name,
        line={"color": look.color(dark), "dash": look.dash, "width": 2},
        marker={"symbol": look.symbol, "size": 9, "color": look.color(dark)},
        text=_hover(look, values),
        hovertemplate="%{text}<extra></extra>",
    )
