"""What Trade-off says of its curves and maps: what they show, and what they do not, such as errors of 0 and losses."""

from __future__ import annotations

from collections.abc import Sequence

import ldpcore as ldp
from ldpcore.metrics import Metric
from ldpui.charts.common import NO_ZERO
from ldpui.format import times
from ldpui.sweeps import Measure
from pages.explore.tradeoff.sweep import about_k

LOSS = "A run with a loss counts as 0: Γ does not show how much an estimator loses to MI."
_CLICK = "**Click a cell** to open it in Estimate."


def sentences(shown: Sequence[Measure], metric: Metric, against: str, gain: bool) -> list[str]:
    """Return what is to be said of curves of gains, or of errors."""
    if gain:
        return [LOSS]
    return [*([about_k(metric)] if against == "k" else []), *filter(None, [zero(shown, metric)])]


def zero(shown: Sequence[Measure], metric: Metric) -> str | None:
    """Say where an error is 0, and so not drawn."""
    names = sorted({f"{r.setting.mechanism} with {r.estimator.name}" for r in shown if r.mean == 0 and not r.is_gain})
    if not names:
        return None
    return f"{metric.loss_name} is 0, the best there is, somewhere along the axis for {', '.join(names)}: {NO_ZERO}."


def about_map(s: ldp.Setting, metric_title: str, best: bool) -> str:
    """Say what a map shows."""
    if not best:
        mean = f"Γ of IBU over MI for {s.mechanism}, in percent, mean over {times(s.runs, 'run')}."
        return f"{mean} {LOSS} {_CLICK}"
    close = "≈: too close to call, noise decides which one is named."
    if s.runs == 1:  # nothing says how much another run would differ
        close = "A single run does not tell a difference from noise: with more, ≈ marks what is too close to call."
    return (
        f"The mechanism with the smallest {metric_title} at IBU's limit, mean over {times(s.runs, 'run')}. Point "
        f"at a cell for the runners-up. {close} {_CLICK}"
    )
