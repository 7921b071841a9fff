"""Sets whose order gives users away: a client that puts the true value first, or last, sends it.

Whatever the users have, a set says nothing by its order where that is random, or the same for all (ascending, say). In
a random order each value of a set is as likely to stand first, so that the values that stand there are held by as many
sets, on average, as all values of the sets are. True values are held by more: what many users have is in more sets. How
far the sum over n independent sets is off is bounded by Bernstein's inequality, given the sets themselves.

An order that is the same for all is no alarm either: there the first value of a set follows from which others it holds.
Nor are orders that are neither, but have nothing to do with who has what: of files of several clients, some of which
sort; of Python's sets where values collide; of a poor shuffle. They show in the rest of a set, too. A client that puts
the true value first has only noise there, in a random order or one that is the same for all. If it shuffles that
poorly, it is not noticed. Of two values there is no rest that could tell.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore._validate import IntArray
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
# The rest of sets has no random order where it is off by so many standard deviations.
_REST_SIGMAS = 4.0
# Where sets are in the file so many times, each value is off by so much more of its variance.
_COPIED = 3


@dataclass(frozen=True, eq=False)
class Ends:
    """How many sets each value stands first in, and last, and beside these, and the first few sets."""

    first: IntArray
    last: IntArray
    second: IntArray
    before_last: IntArray
    some: IntArray

    @classmethod
    def of(cls, reports: Any, m: Mechanism) -> Ends | None:
        """Return those of reports; None where these are not sets of two values or more."""
        if m.report_kind is not SETS or (m.support_size or 0) < 2:
            return None
        sets = np.asarray(reports)
        first, last, second, before_last = (np.bincount(sets[:, place], minlength=m.k) for place in (0, -1, 1, -2))
        return cls(first, last, second, before_last, np.array(sets[: _rows(sets)], dtype=np.int32))

    def merged(self, other: Ends) -> Ends:
        """Return those of all sets of both."""
        some = np.concatenate([self.some, other.some])
        return Ends(
            self.first + other.first,
            self.last + other.last,
            self.second + other.second,
            self.before_last + other.before_last,
            some[: _rows(some)],
        )


def _rows(sets: IntArray) -> int:
    return min(_SETS, max(1, _VALUES // int(sets.shape[1])))


def order_p_value(counts: IntArray, ends: IntArray, size: int) -> float:
    """Return a bound on the chance that values at the ends of sets in a random order are held by so many sets.

    Each set adds by how many sets its first value is held, less the mean of that over its values. That is 0 on average;
    the variances add up to at most those of all values of all sets together.

    >>> order_p_value(np.array([20, 10, 10]), np.array([20, 0, 0]), 2) < 0.01  # the commonest is always first
    True
    >>> order_p_value(np.array([20, 10, 10]), np.array([10, 5, 5]), 2)
    1.0
    """
    total, variance, width = _total(counts, ends, size), _variance(counts, size), float(np.ptp(counts))
    # Where all values are in as many sets the total is 0, or what rounding leaves of it.
    if total <= 0 or width == 0:
        return 1.0
    return math.exp(-(total**2) / 2 / (variance + width * total / 3))


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


def is_random(held: IntArray, ends: IntArray, size: int, scores: IntArray) -> bool:
    """Tell whether chance explains how many of the sets that hold a value it stands at the end of.

    Looked at are all values, each for itself, and whether those stand there more often that are small, or far from the
    middle, or have a small score.

    >>> is_random(np.array([60, 60, 60]), np.array([35, 30, 25]), 2, np.array([9, 8, 7]))
    True
    >>> is_random(np.array([60, 60, 60]), np.array([60, 30, 0]), 2, np.array([9, 8, 7]))
    False
    """
    there = held > 0
    off = (ends - held / size)[there]
    variances = held[there] * (size - 1) / size**2
    sd = math.sqrt(float((2 + 1 / variances).sum()))
    if float((off**2 / variances).sum()) > _COPIED * off.size + _REST_SIGMAS * sd:
        return False
    index = np.flatnonzero(there)
    for trend in (index, (index - np.average(index, weights=held[there])) ** 2, scores[there]):
        around = trend - np.average(trend, weights=held[there])
        if abs(float(off @ around)) > _REST_SIGMAS * math.sqrt(float(held[there] @ around**2) / size):
            return False
    return True


def _rest_is_mixed(ends: Ends, counts: IntArray, end: int, size: int) -> bool:
    """Tell whether sets without the value at one end are in an order that is neither random nor the same for all."""
    if size < 3:
        return False
    if end == 0:
        held, at, sets = counts - ends.first, ends.second, ends.some[:, 1:]
    else:
        held, at, sets = counts - ends.last, ends.before_last, ends.some[:, :-1]
    return not is_random(held, at, size - 1, counts) and not is_same_for_all(sets, held, at, end)


def check_order(ends: Ends, counts: IntArray, n: int, m: Mechanism) -> Fit | None:
    """Check that the order of sets says nothing of what users have; None if nothing speaks against it."""
    size = int(m.support_size or 0)
    both = {"first": (ends.first, 0), "last": (ends.last, -1)}
    p_values = {where: order_p_value(counts, at, size) for where, (at, _) in both.items()}
    where = min(p_values, key=lambda where: p_values[where])
    at, end = both[where]
    p_value = min(1.0, 2 * p_values[where])
    if p_value >= ORDER_ALARM or is_same_for_all(ends.some, counts, at, end):
        return None
    if _rest_is_mixed(ends, counts, end, size):
        return None
    expected, sd = float(counts.astype(float) @ counts) / size / n, math.sqrt(_variance(counts, size)) / n
    observed = expected + _total(counts, at, size) / n
    # Of three values or more the rest of each set has told that it is not so.
    several = ", or the file holds sets in several orders" if size < 3 else ""
    sentence = (
        f"The order of the values in these sets may give users away{several}: the value that stands {where} is held by "
        f"{observed:,.1f} of these {n:,} sets on average, where a random order makes it {expected:,.1f} ± {sd:,.1f}; "
        f"nor is the order the same for all. A client that puts the true value {where} sends it, whatever ε is. Sort "
        "each set before it is sent; what is estimated here does not hang on the order."
    )
    return Fit("order", observed, expected, sd, p_value, None, False, sentence, DOES_NOT_FIT)
