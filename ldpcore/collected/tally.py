"""Support counts of reports as they come in."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpcore._validate import IntArray
from ldpcore.collected.estimates import Collected, estimate, estimate_groups
from ldpcore.collected.fit import FIT_ALARM, Fit
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism, max_eps, mechanism_class

# More groups than this would each be too small to say anything, and make the check of their fit endless.
MAX_EPS = 1_000


def check_eps_groups(different: int) -> None:
    """Refuse more different ε than can be told apart."""
    if different > MAX_EPS:
        raise Refused(f"there must be at most {MAX_EPS:,} different ε; got {different:,} or more")


class Tally:
    """Adds up the support counts of reports, apart for each ε."""

    def __init__(self) -> None:
        self._groups: dict[float, tuple[IntArray, int, Mechanism]] = {}

    @property
    def n(self) -> int:
        """Return how many reports were counted."""
        return sum(n for _, n, _ in self._groups.values())

    def groups(self) -> list[tuple[IntArray, int, Mechanism]]:
        """Return counts, number of reports and mechanism for each ε, ascending."""
        return [self._groups[eps] for eps in sorted(self._groups)]

    def add(self, m: Mechanism, reports: Any) -> None:
        """Count reports of one mechanism."""
        n = len(reports[0]) if isinstance(reports, tuple) else len(reports)
        self._add_counts(m.support_counts(reports), n, m)

    def merge(self, other: Tally) -> None:
        """Add what another one has counted."""
        for group in other.groups():
            self._add_counts(*group)

    def _add_counts(self, counts: IntArray, n: int, m: Mechanism) -> None:
        before = self._groups.get(m.eps, (np.zeros(m.k, dtype=np.int64), 0, m))
        self._groups[m.eps] = (before[0] + counts, before[1] + n, m)
        check_eps_groups(len(self._groups))

    def estimate(self, *, mixed: bool = False) -> Collected:
        """Estimate from the counts: by MI alone where every report has an ε of its own (`mixed`)."""
        groups = self.groups()
        if mixed:
            return estimate_groups(groups)
        ((counts, n, m),) = groups
        return estimate(counts, n, m)


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
    if p_value >= FIT_ALARM:
        return f"The reports of all {len(fits):,} different ε fit.", p_value
    off = sum(fit.p_value * len(fits) < FIT_ALARM for fit in fits)
    return f"Of {len(fits):,} different ε {off:,} do not fit. The worst: {worst.sentence}", p_value
