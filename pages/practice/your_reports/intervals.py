"""The two 95 % intervals of each value, one within the other: bars for few values, bands for many.

Around raw MI as they are, and cut to 0 to 100 % around every other estimate.
"""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

import ldpcore as ldp
from ldpui import theme
from ldpui.bins import shown
from ldpui.charts.common import MANY_BINS, Array
from ldpui.format import significant
from ldpui.theme import Look

NOISE, POPULATION = "noise only, 95%", "noise with sampling, 95%"


def bars(collected: ldp.Collected, x: Array, dark: bool) -> list[go.Scatter]:
    """Return a thin bar around a thick bar around a point, for each value."""
    look = theme.RAW
    color, ground = look.color(dark), str(theme.layout(dark)["plot_bgcolor"])
    point = go.Scatter(
        x=x,
        y=100 * collected.raw,
        mode="markers",
        name=look.name,
        marker={"symbol": "circle", "size": 9, "color": color, "line": {"width": 1, "color": ground}},
        text=_hover(collected),
        hovertemplate="%{text}<extra></extra>",
    )
    return [
        _bar(POPULATION, x, 100 * collected.population, color, thin=True),
        _bar(NOISE, x, 100 * collected.noise, color, thin=False),
        point,
    ]


def around(collected: ldp.Collected, x: Array, look: Look, dark: bool) -> list[go.Scatter]:
    """Return the same bars around another estimate, cut to what is possible; they come and go with its points."""
    color = look.color(dark)
    parts = [
        _bar(POPULATION, x, 100 * collected.within("population"), color, thin=True),
        _bar(NOISE, x, 100 * collected.within("noise"), color, thin=False),
    ]
    return [part.update(name=f"{look.name}, {part.name}", legendgroup=look.name, showlegend=False) for part in parts]


def _bar(name: str, x: Array, interval: Array, color: str, *, thin: bool) -> go.Scatter:
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


def bands(collected: ldp.Collected, x: Array, dark: bool, *, cut: bool = False) -> list[go.Scatter]:
    """Return a band within a band around a line; cut to what is possible where other estimates share them."""
    look = theme.RAW
    population, noise = (
        collected.within(name) if cut else getattr(collected, name) for name in ("population", "noise")
    )
    line = go.Scatter(
        x=x,
        y=100 * collected.raw,
        mode="lines",
        name=look.name,
        line={"color": look.color(dark), "width": 1},
        text=_hover(collected),
        hovertemplate="%{text}<extra></extra>",
    )
    # The one within is drawn over the other, and so is darker.
    return [
        _band(POPULATION, x, 100 * population, dark, edge=1),
        _band(NOISE, x, 100 * noise, dark, edge=0),
        line,
    ]


def _band(name: str, x: Array, interval: Array, dark: bool, *, edge: int) -> go.Scatter:
    look, (low, high) = theme.RAW, interval
    return go.Scatter(
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        mode="lines",
        fill="toself",
        fillcolor=look.band(dark),
        line={"width": edge, "color": look.color(dark), "dash": "dot"},
        hoverinfo="skip",
        name=name,
    )


def _hover(collected: ldp.Collected) -> list[str]:
    """Say of each value its raw MI estimate and both intervals; of named ones, or where values are few, which it is."""
    few = len(collected.counts) <= MANY_BINS
    which = [f"<b>value {v}</b><br>" if few else "" for v in range(collected.counts.size)]
    if collected.names:
        which = [f"<b>{shown(name)}</b> (value {v})<br>" for v, name in enumerate(collected.names)]
    columns = (collected.raw, *collected.noise, *collected.population)
    shares = [[significant(100 * float(share)) for share in column] for column in columns]
    return [
        f"{first}{theme.RAW.name} {raw}%<br>noise only {a} to {b}%<br>noise with sampling {c} to {d}%"
        for first, raw, a, b, c, d in zip(which, *shares, strict=True)
    ]
