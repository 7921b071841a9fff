"""What several charts are made of: bands over the runs, the grey bars of the truth, axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import plotly.graph_objects as go

import ldpcore as ldp
from ldpcore.arrays import FloatArray
from ldpcore.metrics import Metric
from ldpui import theme
from ldpui.bins import Bins
from ldpui.format import significant
from ldpui.theme import Look

Array = FloatArray  # what charts draw
BAND = (0.05, 0.95)
# Up to FEW_BINS bins a line between them would draw what is not there; beyond MANY_BINS marks would hide it.
FEW_BINS, MANY_BINS = 12, 60
TICKS: dict[str, list[float]] = {
    "eps": [0.1, 0.2, 0.5, 1, 2, 5, 10],
    "n": [10**p for p in range(2, 10)],
    "k": [2, 5, 10, 20, 50, 100, 200, 500, 1000],
}
AXES = {"eps": "privacy budget ε (log scale)", "n": "users n (log scale)", "k": "bins k (log scale)"}

# Why an error of 0 is not drawn.
NO_ZERO = "a log axis has no 0, so it is not drawn"

_UNITS = {"share": " (share of the users)", "share²": " (share of the users, squared)"}


def error_axis(metric: Metric) -> str:
    """Return what an axis of errors says: the measure (1 less a score), and in which unit.

    >>> from ldpcore.metrics import RECORDS
    >>> error_axis(RECORDS["tv"])
    'total variation distance (share of the users)'
    """
    return metric.loss_title + _UNITS.get(metric.unit, "")  # the other titles name their unit


def in_two_lines(title: str) -> str:
    """Put the unit of an axis below its name: in large type, or on a phone, one line is longer than the axis.

    >>> in_two_lines("total variation distance (share of the users)")
    'total variation distance<br>(share of the users)'
    """
    return title.replace(" (", "<br>(", 1)


@lru_cache(maxsize=32)
def why_infinite(metric: Metric) -> str:
    """Say when a metric is infinite, if it is so where an estimate gives 0 to a bin that has users; nothing if not.

    >>> from ldpcore.metrics import RECORDS
    >>> why_infinite(RECORDS["kl"]), why_infinite(RECORDS["mse"])
    ('KL is infinite where an estimate gives 0 to a bin that has users.', '')
    """
    with np.errstate(all="ignore"):
        loss = metric.loss(metric([1.0, 0.0], [0.5, 0.5]))
    sentence = f"{metric.loss_name} is infinite where an estimate gives 0 to a bin that has users."
    return sentence if np.isinf(loss) else ""


def sourced(fig: go.Figure, lines: Sequence[str]) -> go.Figure:
    """Put small lines below the horizontal axis that say what is drawn, so that a saved picture says it too."""
    # Plotly's way to change several things at once takes ten times as long.
    fig.layout.xaxis.title.text = (fig.layout.xaxis.title.text or "") + small_print(lines)
    fig.layout.height += 16 * len(lines)
    fig.layout.margin.b += 16 * len(lines)
    return fig


def small_print(lines: Sequence[str]) -> str:
    """Return lines that stand below the title of an axis."""
    return "".join(f'<br><span style="font-size:11px">{line}</span>' for line in lines)


def as_points(bins: Bins) -> bool:
    """Tell whether estimates are points: of few bins, and of categories, which nothing joins."""
    return bins.categories or len(bins.labels) <= FEW_BINS


@dataclass(frozen=True, eq=False)
class Band:
    """What the runs of an estimator are in each bin: their mean, and between which ends most of them lie."""

    mean: Array
    low: Array
    high: Array


def band(estimates: Array) -> Band:
    """Return mean and band over the runs."""
    low, high = np.quantile(estimates, BAND, axis=0)
    return Band(estimates.mean(axis=0), low, high)


def area(look: Look, group: str, x: Array, low: Array, high: Array, dark: bool) -> dict[str, Any]:
    """Return the band between two curves; it comes and goes with its line in the legend."""
    return dict(  # noqa: C408 - reads like the trace that it becomes
        type="scatter",
        x=np.concatenate([x, x[::-1]]),
        y=np.concatenate([high, low[::-1]]),
        mode="lines",
        fill="toself",
        fillcolor=look.band(dark),
        line={"width": 0},
        hoverinfo="skip",
        showlegend=False,
        legendgroup=group,
        name=f"{group}, band",
    )


def histogram(data: ldp.Histogram, bins: Bins, *, dark: bool) -> go.Figure:
    """Draw a histogram alone."""
    layout = theme.layout(
        dark,
        xaxis=bins.axis | {"range": list(bins.ends)},
        yaxis={"title": {"text": "share of rows (%)"}, "rangemode": "tozero"},
        bargap=0,
        showlegend=False,
        height=320,
    )
    return go.Figure([truth(data.frequencies, bins, dark)], layout)


def truth(shares: Array, bins: Bins, dark: bool) -> dict[str, Any]:
    """Return the shares as grey bars."""
    return dict(  # noqa: C408 - reads like the trace that it becomes
        type="bar",
        x=bins.centres,
        y=100 * shares,
        width=(1 - bins.gap) * np.diff(bins.edges),
        name=theme.TRUTH.name,
        marker={"color": theme.TRUTH.color(dark), "line": {"width": 0}},
        text=[f"<b>{label}</b><br>Truth {significant(100 * s)}%" for label, s in zip(bins.labels, shares, strict=True)],
        textposition="none",
        hovertemplate="%{text}<extra></extra>",
    )
