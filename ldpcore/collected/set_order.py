"""Sets whose order gives users away: a client that puts the true value first, or last, sends it.

Whatever the users have, a set says nothing by its order where that is random, or the same for all (ascending, say). In
a random order each value of a set is as likely to stand first, so that the values that stand there are held by as many
sets, on average, as all values of the sets are. True values are held by more: what many users have is in more sets. How
far the sum over n independent sets is off is bounded by Bernstein's inequality, given the sets themselves.

An order that is the same for all is no alarm either: there the first value of a set follows from which others it holds.
Sorted sets are left out beforehand, for a file may be put together from parts, of which some are sorted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore._validate import BoolArray, IntArray
from ldpcore.collected.fit import DOES_NOT_FIT, FIT_ALARM, Fit
from ldpcore.mechanisms import Mechanism
from ldpcore.mechanisms.reports import SETS

# A tenth of the alarm's level, looked at beside the counts, as for copies.
ORDER_ALARM = FIT_ALARM / 10
# So many sets, and values in them, show whether their order is the same for all.
_SETS, _VALUES = 2_000, 1 << 18
# It is where the first value follows from the others in so large a share of them. Where true values stand first it does
# not in those sets, about half, that do not hold them.
_SAME_FOR_ALL = 0.85
# As many sorted sets in a row as chance makes with e to the power of minus this are sorted, and no random order.
_SORTED = 30.0


@dataclass(frozen=True, eq=False)
class Ends:
    """How many sets that are not sorted hold each value, and have it first, and last; and the first few of them."""

    held: IntArray
    first: IntArray
    last: IntArray
    some: IntArray

    @classmethod
    def of(cls, reports: Any, m: Mechanism) -> Ends | None:
        """Return those of reports; None where these are not sets of two values or more."""
        if m.report_kind is not SETS or (m.support_size or 0) < 2:
            return None
        sets = np.asarray(reports)
        sets = sets[~_are_sorted(sets)]
        held, first, last = (np.bincount(part.ravel(), minlength=m.k) for part in (sets, sets[:, 0], sets[:, -1]))
        return cls(held, first, last, np.array(sets[: _rows(sets)], dtype=np.int32))

    def merged(self, other: Ends) -> Ends:
        """Return those of all sets of both."""
        some = np.concatenate([self.some, other.some])
        held, first, last = self.held + other.held, self.first + other.first, self.last + other.last
        return Ends(held, first, last, some[: _rows(some)])


def _rows(sets: IntArray) -> int:
    return min(_SETS, max(1, _VALUES // int(sets.shape[1])))


def _are_sorted(sets: IntArray) -> BoolArray:
    """Tell which sets are sorted, up or down, with so many in a row that it is not by chance."""
    steps = sets[:, 1:] > sets[:, :-1]
    # 1 up, -1 down, 0 neither.
    way = np.where(steps.all(axis=1), 1, np.where(steps.any(axis=1), 0, -1))
    begins = np.flatnonzero(np.diff(way, prepend=2))
    lengths = np.diff(begins, append=len(way))
    by_chance = lengths * math.lgamma(sets.shape[1] + 1) < _SORTED
    return np.asarray((way != 0) & ~np.repeat(by_chance, lengths))


def order_p_value(counts: IntArray, ends: IntArray, size: int) -> float:
    """Return a bound on the chance that values at the ends of sets in a random order are held by so many sets.

    Each set adds by how many sets its first value is held, less the mean of that over its values. That is 0 on average;
    the variances add up to at most those of all values of all sets together.

    >>> order_p_value(np.array([20, 10, 10]), np.array([20, 0, 0]), 2) < 0.01  # the commonest is always first
    True
    >>> order_p_value(np.array([20, 10, 10]), np.array([10, 5, 5]), 2)
    1.0
    """
    total, variance = _total(counts, ends, size), _variance(counts, size)
    if total <= 0:
        return 1.0
    return math.exp(-(total**2) / 2 / (variance + float(np.ptp(counts)) * total / 3))


def _total(counts: IntArray, ends: IntArray, size: int) -> float:
    return float(counts.astype(float) @ (ends - counts / size))


def _variance(counts: IntArray, size: int) -> float:
    held = counts.astype(float)
    return float(held @ (held - held @ held / held.sum()) ** 2 / size)


def is_same_for_all(sets: IntArray, counts: IntArray, ends: IntArray, end: int) -> bool:
    """Tell whether it follows from the values of a set which of them stands at its end.

    In an order that is the same for all, values have ranks, and the one that stands there more often than any other of
    its set has, in the sets that hold it, is the first of them.
    """
    ranks = ends / np.maximum(counts, 1)
    guessed = np.take_along_axis(sets, ranks[sets].argmax(axis=1)[:, None], axis=1)[:, 0]
    return bool((guessed == sets[:, end]).mean() >= _SAME_FOR_ALL)


def check_order(ends: Ends, m: Mechanism) -> Fit | None:
    """Check that the order of sets says nothing of what users have; None if nothing speaks against it."""
    counts, n, size = ends.held, int(ends.first.sum()), int(m.support_size or 0)
    if n == 0:
        return None
    both = {"first": (ends.first, 0), "last": (ends.last, -1)}
    p_values = {where: order_p_value(counts, at, size) for where, (at, _) in both.items()}
    where = min(p_values, key=lambda where: p_values[where])
    at, end = both[where]
    p_value = min(1.0, 2 * p_values[where])
    if p_value >= ORDER_ALARM or is_same_for_all(ends.some, counts, at, end):
        return None
    expected, sd = float(counts.astype(float) @ counts) / size / n, math.sqrt(_variance(counts, size)) / n
    observed = expected + _total(counts, at, size) / n
    sentence = (
        f"The order of the values in these sets may give users away: the value that stands {where} is held by "
        f"{observed:,.1f} of the {n:,} sets that are not sorted, on average, where a random order makes it "
        f"{expected:,.1f} ± {sd:,.1f}; nor is the order the same for all. A client that puts the true value {where} "
        "sends it, whatever ε is. Sort each set before it is sent; what is estimated here does not hang on the order."
    )
    return Fit("order", observed, expected, sd, p_value, None, False, sentence, DOES_NOT_FIT)
