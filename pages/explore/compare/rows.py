"""Comparing mechanisms at the same privacy, on the same users."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore.metrics import Metric
from ldpui import theme
from ldpui.auto_choices import brief
from ldpui.charts.common import why_infinite
from ldpui.computing.work import Losses
from ldpui.theme import Look
from pages.explore.compare import controls


@dataclass(frozen=True, eq=False)
class Row:
    """What the chart and the table show of one mechanism; of auto, and what it chose, only where it was asked for."""

    mechanism: str
    mi: ldp.Summary
    ibu: ldp.Summary
    limit: ldp.Summary
    gain: ldp.Summary
    bits: float
    effective_eps: float
    auto: ldp.Summary | None = None
    chosen: Mapping[str, int] = field(default_factory=dict)

    @property
    def drawn(self) -> dict[Look, ldp.Summary]:
        """The errors that are drawn, by the look of their estimator."""
        errors = {theme.MI: self.mi, theme.IBU: self.ibu}
        return errors if self.auto is None else errors | {theme.AUTO: self.auto}

    @property
    def has_gain(self) -> bool:
        """Whether there is an error of MI to gain over: an infinite one says nothing."""
        return bool(np.isfinite(self.mi.mean))


def row(setting: ldp.Setting, losses: Losses, metric: str) -> Row:
    """Return the row of a setting; of a metric whose best is 1 what is missing to it, so that less is always better."""
    m, here = setting.make_mechanism(), losses.by_estimator(metric)
    return Row(
        mechanism=setting.mechanism,
        mi=ldp.Summary(here["mi"]),
        ibu=ldp.Summary(here["ibu"]),
        limit=ldp.Summary(here["limit"]),
        gain=ldp.Summary(ldp.gain(here["mi"], here["ibu"])),
        bits=m.report_bits,
        effective_eps=m.effective_eps,
    )


def average_gain(rows: Sequence[Row]) -> str:
    """Return the mean of the gains in words; an infinite error has no part in it."""
    gains = [r.gain.mean for r in rows if r.has_gain and np.isfinite(r.ibu.mean)]
    return f"{np.mean(gains):.0f}%" if gains else "not defined"


def infinite(rows: Sequence[Row], metric: Metric) -> str | None:
    """Say whose error is infinite, and so not drawn."""
    names = [
        f"{r.mechanism} ({look.name})" for r in rows for look, error in r.drawn.items() if not np.isfinite(error.mean)
    ]
    if not names:
        return None
    reason = why_infinite(metric)
    return (
        f"{f'{reason} So it is here' if reason else f'{metric.loss_name} is infinite here'} for "
        f"{', '.join(names)}: not drawn, and Γ needs a finite error of MI."
    )


def ordered(rows: Sequence[Row], order: str) -> list[Row]:
    """Sort rows; errors ascending, gains descending."""
    keys = {
        controls.SORTS[0]: lambda r: (ldp.ONE_TIME + ldp.LONGITUDINAL).index(r.mechanism),
        controls.SORTS[1]: lambda r: r.mi.mean,
        controls.SORTS[2]: lambda r: r.ibu.mean,
        controls.SORTS[3]: lambda r: -r.gain.mean,
    }
    return sorted(rows, key=keys[order])


def log_range(rows: Sequence[Row]) -> list[float] | None:
    """Return one log axis for all panels; None if there is nothing to draw."""
    values = np.array([error.mean for r in rows for error in r.drawn.values()])
    values = values[np.isfinite(values) & (values > 0)]
    if not values.size:
        return None
    # Room above for the gains.
    low, high = np.log10(values.min()), np.log10(values.max())
    return [float(low - 0.15 * (high - low) - 0.1), float(high + 0.22 * (high - low) + 0.15)]


def flat(r: Row) -> dict[str, Any]:
    """Return a row of the table."""
    return {
        "Mechanism": r.mechanism,
        "MI": r.mi.mean,
        "MI ±": r.mi.se,
        "IBU": r.ibu.mean,
        "IBU ±": r.ibu.se,
        "Γ %": r.gain.mean if r.has_gain else np.nan,
        "Γ ±": r.gain.se if r.has_gain else np.nan,
        "Limit": r.limit.mean,
        **({} if r.auto is None else {"auto": r.auto.mean, "auto ±": r.auto.se, "auto chose": brief(r.chosen)}),
        "Effective ε": r.effective_eps,
        "Bits": r.bits,
    }
