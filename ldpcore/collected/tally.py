"""Support counts of reports as they come in."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpcore.collected.counted import Counted
from ldpcore.collected.estimates import Collected, estimate_counted, estimate_groups
from ldpcore.collected.fit import DOES_NOT_FIT, FIT_ALARM, FITS, UNCHECKED, Fit
from ldpcore.collected.hashed_fit import RECOUNTED
from ldpcore.collected.total_support import EXACT_UP_TO
from ldpcore.errors import Refused
from ldpcore.mechanisms import HashedReports, Mechanism, max_eps, mechanism_class

# More groups than this would each be too small to say anything, and make the check of their fit endless.
MAX_EPS = 1_000
# The total support of all groups together is looked at beside each alone: a tenth of the alarm's level, as for copies.
TOGETHER_ALARM = FIT_ALARM / 10


def check_eps_groups(different: int) -> None:
    """Refuse more different ε than can be told apart."""
    if different > MAX_EPS:
        raise Refused(f"there must be at most {MAX_EPS:,} different ε; got {different:,} or more")


class Tally:
    """Adds up the support counts of reports, apart for each ε.

    >>> from ldpcore import mechanism
    >>> tally = Tally()
    >>> tally.add(mechanism("GRR", k=3, eps=1.0), [0, 2, 2])
    >>> tally.add(mechanism("GRR", k=3, eps=1.0), [2])
    >>> tally.n, tally.groups()[0].counts.tolist()
    (4, [1, 0, 3])
    """

    def __init__(self) -> None:
        self._groups: dict[float, Counted] = {}

    @property
    def n(self) -> int:
        """How many reports were counted."""
        return sum(group.n for group in self._groups.values())

    def groups(self) -> list[Counted]:
        """Return what was counted for each ε, ascending."""
        return [self._groups[eps] for eps in sorted(self._groups)]

    def add(self, m: Mechanism, reports: Any) -> None:
        """Count reports of one mechanism."""
        self._add(Counted.of_reports(reports, m))

    def merge(self, other: Tally) -> None:
        """Add what another one has counted."""
        for group in other.groups():
            self._add(group)

    def _add(self, group: Counted) -> None:
        before = self._groups.get(group.m.eps)
        if before is not None:
            # The first pairs are enough to see how many cells there are; copies can be anywhere.
            pairs = _some_pairs(before.pairs, group.pairs)
            prints = None if before.prints is None or group.prints is None else before.prints.merged(group.prints)
            ends = None if before.ends is None or group.ends is None else before.ends.merged(group.ends)
            group = Counted(before.counts + group.counts, before.n + group.n, group.m, pairs, prints, ends)
        self._groups[group.m.eps] = group
        check_eps_groups(len(self._groups))

    def estimate(self, *, mixed: bool = False) -> Collected:
        """Estimate from the counts: by MI alone where every report has an ε of its own (`mixed`)."""
        groups = self.groups()
        if mixed:
            return estimate_groups(groups)
        (group,) = groups
        return estimate_counted(group)


def some_eps(name: str, eps_inf: float | None) -> float:
    """Return an ε with which a mechanism can be made where every report brings its own."""
    if not mechanism_class(name).longitudinal:
        return 1.0
    if eps_inf is None:
        raise Refused(f"{name} needs its eps_inf where every report has an ε of its own")
    return max_eps(name, eps_inf) / 2


def worst_fit(fits: Sequence[Fit]) -> tuple[str, float]:
    """Return the sentence on the group that fits least, and the p-value of all: its own times their number."""
    worst = min(fits, key=lambda fit: fit.p_value)
    p_value = min(1.0, worst.p_value * len(fits))
    if len(fits) == 1:
        return worst.sentence, p_value
    if p_value < FIT_ALARM:
        off = sum(fit.p_value * len(fits) < FIT_ALARM for fit in fits)
        return f"Of {len(fits):,} different ε {off:,} do not fit. The worst: {worst.sentence}", p_value
    total, expected, sd, p_together = _together(fits)
    if p_together < TOGETHER_ALARM:
        return (
            f"The reports of {len(fits):,} different ε do not fit: all together their total support is {total:,.0f} "
            f"where their ε imply {expected:,.0f} ± {sd:,.0f}. No ε alone has enough reports to show it."
        ), p_together
    if worst_verdict(fits) == FITS:
        return f"The reports of all {len(fits):,} different ε fit.", p_value
    open_ones = sum(fit.verdict != FITS for fit in fits)
    return (
        f"Nothing speaks against the reports of {len(fits):,} different ε, but {open_ones:,} of them can't be checked.",
        p_value,
    )


def worst_verdict(fits: Sequence[Fit]) -> str:
    """Return the verdict on all groups: no fit if one of them is off, and only a fit if all of them are."""
    if min(fit.p_value for fit in fits) * len(fits) < FIT_ALARM or _together(fits)[-1] < TOGETHER_ALARM:
        return DOES_NOT_FIT
    return FITS if all(fit.verdict == FITS for fit in fits) else UNCHECKED


def _together(fits: Sequence[Fit]) -> tuple[float, float, float, float]:
    """Return the total support of all groups, what it must be, its standard deviation, and the p-value.

    Where every user has an ε of their own no group alone shows anything. The p-value is 1 for a single group, and where
    the sum is not surely as good as normal.
    """
    some = [fit for fit in fits if fit.statistic == "total support"]
    total, expected = sum(fit.observed for fit in some), sum(fit.expected for fit in some)
    sd = math.sqrt(sum(fit.sd**2 for fit in some))
    if len(some) < 2 or sd**2 <= EXACT_UP_TO:
        return total, expected, sd, 1.0
    return total, expected, sd, math.erfc(max(0.0, abs(total - expected) - 0.5) / sd / math.sqrt(2))


def _some_pairs(first: HashedReports | None, second: HashedReports | None) -> HashedReports | None:
    if first is None or second is None or len(first.value) >= RECOUNTED:
        return first
    both = zip(first, second, strict=True)
    return HashedReports(*(np.concatenate(parts)[:RECOUNTED] for parts in both))
