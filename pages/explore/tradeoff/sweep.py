"""What the page Trade-off sweeps over, and how its results become curves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pandas as pd

import ldpcore as ldp
from ldpcore.metrics import Metric
from ldpui import grids, widgets
from ldpui.charts.common import why_infinite
from ldpui.computing.work import Limits
from ldpui.format import short
from ldpui.sweeps import Measure


@dataclass(frozen=True)
class Reference:
    """A line that theory draws."""

    name: str
    explanation: str
    x: list[float]
    y: list[float]


def chosen_mechanisms(s: ldp.Setting) -> list[str]:
    """Offer the mechanisms; the sidebar's own is always there, so that the link says only what was added."""
    others = [name for name in ldp.ONE_TIME + ldp.LONGITUDINAL if name != s.mechanism]
    return [s.mechanism, *widgets.several(f"{s.mechanism}, and beside it", "beside", others)]


def table(rows: Sequence[Measure], metric: Metric, *fields: str) -> pd.DataFrame:
    """Return the results by a metric as a frame to take away."""
    return pd.DataFrame(
        {
            "mechanism": row.setting.mechanism,
            **{f: getattr(row.setting, f) for f in dict.fromkeys(("eps", "eps_inf", "n", "k", *fields))},
            # Of whole numbers with a bin each, other users or bins have bins of equal width.
            "binning": row.setting.binning,
            "quantity": row.quantity,
            "metric": metric.loss_name,
            "mean": row.mean,
            "standard_error": row.se,
        }
        for row in rows
    )


def reference_settings(s: ldp.Setting, against: str) -> list[ldp.Setting]:
    """Return the settings at which theory is asked; for sets, whose bound takes a second each, every third."""
    settings = sorted(grids.along(s, against, [s.mechanism])[0], key=lambda t: getattr(t, against))
    slow = not ldp.mechanism_class(s.mechanism).counts_come_at_once()
    return settings[::3] + settings[-1:] if slow and len(settings) > 3 else settings


def references(s: ldp.Setting, against: str, limits: Sequence[tuple[ldp.Setting, Limits]]) -> list[Reference]:
    """Return the lines that theory draws for the mean squared error."""
    x = [float(getattr(t, against)) for t, _ in limits]
    lines = []
    for field, (name, what) in _REFERENCES.items():
        y = [float(getattr(limit, field)) for _, limit in limits]
        if y and np.isfinite(y).all():
            lines.append(Reference(name.format(mechanism=s.mechanism), what, x, y))
    return lines


def chosen(choices: Sequence[tuple[ldp.Setting, Mapping[str, int]]], against: str) -> str:
    """Say what auto chose most often along the axis, and in how many of all runs."""
    parts = []
    for name in dict.fromkeys(setting.mechanism for setting, _ in choices):
        here = sorted(
            ((getattr(t, against), kinds) for t, kinds in choices if t.mechanism == name), key=lambda at: at[0]
        )
        stretches: list[tuple[str, list[float]]] = []
        for x, kinds in here:
            most = max(kinds, key=lambda kind: kinds[kind])
            if not stretches or stretches[-1][0] != most:
                stretches.append((most, []))
            stretches[-1][1].append(x)
        words = [f"{kind} {_span(xs)}" for kind, xs in stretches]
        parts.append(f"{name}: {', '.join(words)}")
    sign = {"eps": "ε"}.get(against, against)
    return f"**auto** chose most often, along {sign}. {'; '.join(parts)}."


def _span(xs: Sequence[float]) -> str:
    """Write where a stretch of the axis begins and ends.

    >>> _span([0.5, 1.0, 2.0]), _span([20_000])
    ('(0.5 to 2)', '(20k)')
    """
    first, last = (short(round(x)) if x >= 1_000 else f"{x:g}" for x in (xs[0], xs[-1]))
    return f"({first})" if first == last else f"({first} to {last})"


def infinite(rows: Sequence[Measure], metric: Metric, missing: str = "") -> str | None:
    """Say where an error is infinite, and what is missing there."""
    names = sorted({f"{r.setting.mechanism} with {r.estimator.name}" for r in rows if r.mean == np.inf})
    if not names:
        return None
    reason = why_infinite(metric)
    return (
        f"{f'{reason} It is' if reason else f'{metric.loss_name} is infinite'}, somewhere on this chart, for "
        f"{', '.join(names)}: {missing or 'those points are not drawn, nor are gains over them'}."
    )


def about_k(metric: Metric) -> str:
    """Say what an error against k means: what it counts does not stay the same when there are more bins."""
    if metric.per_bin:
        return (
            "This error is that of one bin, and the more bins, the less each holds: it falls with k by itself. What "
            "more bins cost shows in total variation (TV), an error of the whole histogram."
        )
    if metric.unit == "bins":
        return (
            "This error counts bins, and the more there are, the narrower each is: it rises with k by itself. Divided "
            "by k it is how far users are misplaced, as a share of the whole range."
        )
    return "Fewer bins win back accuracy, at a price of their own: what lies within a bin is not seen."


# The fields of `Limits`, what the lines are called, and what they mean.
_REFERENCES = {
    "cramer_rao": (
        "Cramér–Rao ({mechanism})",
        "No unbiased estimator that reads all reports can have a smaller squared error than this. Estimators that lean "
        "towards something, as clipped MI and IBU lean towards shares of at least 0, may go below.",
    ),
    "sampling": (
        "Sampling",
        "How far the users' own histogram lies from that of the population that they were drawn from, with no privacy "
        "at all. Where privacy costs less than this, it is not what limits you.",
    ),
    "central": (
        "Central model",
        "If a trusted server saw the true values and published a noisy histogram with the same ε.",
    ),
}
