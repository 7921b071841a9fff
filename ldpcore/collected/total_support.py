"""The total support: how many values all reports support together, where chance decides it.

A report supports its own value with probability p and each of the k - 1 others with q, all independently, so the total
is Bin(n, p) + Bin(n(k-1), q) whatever the data are.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ldpcore import _validate as check
from ldpcore.mechanisms import Mechanism
from ldpcore.roots import bisect
from ldpcore.theory.count_law import sum_window

# Up to this variance the total's law is added up exactly; beyond it is so nearly normal that a p-value of 0.001 is
# right to a fifth.
EXACT_UP_TO = 2_000.0
# The test "had power" if it would have missed reports made at ε + 1 (or ε - 1, where ε is above 1) with this chance.
MISSED = 0.001
_GRID = 100


@dataclass(frozen=True)
class TotalLaw:
    """What the total support of n reports must be."""

    expected: float
    sd: float


def total_law(m: Mechanism, n: int) -> TotalLaw:
    """Return mean and standard deviation of the total support of n reports."""
    spread = m.p * (1 - m.p) + (m.k - 1) * m.q * (1 - m.q)
    return TotalLaw(n * mean_support(m), math.sqrt(n * max(spread, 0.0)))


def mean_support(m: Mechanism) -> float:
    """Return how many values a report supports on average, p + (k-1)q."""
    return m.p + (m.k - 1) * m.q


def total_p_value(total: int, n: int, m: Mechanism) -> float:
    """Return the chance of a total at least this far off, on both sides."""
    law = total_law(m, n)
    if law.sd**2 > EXACT_UP_TO:
        return math.erfc(max(0.0, abs(total - law.expected) - 0.5) / law.sd / math.sqrt(2))
    first, rows = sum_window(n, m.p, n * (m.k - 1), m.q)
    pmf, place = rows[0], total - int(first[0])
    tail = min(float(pmf[: max(place + 1, 0)].sum()), float(pmf[max(place, 0) :].sum()))
    return min(1.0, 2 * tail)


def total_has_power(m: Mechanism, n: int, alarm: float) -> bool:
    """Return whether the total would have shown that reports were made at ε + 1 or, where ε is above 1, at ε - 1.

    Both must raise the alarm with a chance of at least 99.9 %. A longitudinal ε₁ can't reach ε∞: where ε + 1 is too
    much, three quarters of the way there are asked for.
    """
    most = largest_eps(m)
    larger = m.eps + 1 if m.eps + 1 < most else m.eps + 0.75 * (most - m.eps)
    others = [larger] + ([max(m.eps - 1, m.eps / 10)] if m.eps > 1 else [])
    law, z, missed = total_law(m, n), -NormalDist().inv_cdf(alarm / 2), -NormalDist().inv_cdf(MISSED)
    for eps in others:
        other = total_law(m.with_eps(eps, same_shape=True), n)
        if abs(other.expected - law.expected) < z * law.sd + missed * other.sd + 1:
            return False
    return True


def largest_eps(m: Mechanism) -> float:
    """Return the largest ε that the mechanism can have; ε∞ stays as it is."""
    return min(check.EPS_MAX, m.max_eps(m.eps_inf)) * (1 - 1e-9)


def eps_of_total(total: int, n: int, m: Mechanism) -> float | None:
    """Return the ε at which the total would be the expected one; reports keep their shape: cells, size of sets."""
    return nearest_root(lambda eps: mean_support(m.with_eps(eps, same_shape=True)), total / n, m.eps, largest_eps(m))


def nearest_root(mean: Callable[[float], float], target: float, near: float, largest: float) -> float | None:
    """Return the ε nearest to `near` at which `mean` is the target, by bisection; None if there is none."""
    grid = np.geomspace(check.EPS_MIN, largest, _GRID)
    means = np.array([mean(float(e)) for e in grid])
    above = means > target
    changes = np.flatnonzero(above[1:] != above[:-1])
    # SUE with two values supports one of them on average at every ε: differences are rounding.
    if changes.size == 0 or np.ptp(means) < 1e-9:
        return None
    nearest = changes[np.argmin(np.abs(np.log(grid[changes] / near)))]
    left = bool(above[nearest])
    return bisect(lambda e: (mean(e) > target) == left, float(grid[nearest]), float(grid[nearest + 1]))
