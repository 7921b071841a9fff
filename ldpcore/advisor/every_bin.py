"""How far the bins of raw MI are off at once, without taking the noise for normal.

With n users, c of them in a bin, its count is Bin(c, p) + Bin(n - c, q). For unary encodings, hashing and THE the bins
are independent, so the chance that all are within ±x is a product of exact chances. For GRR and SS the counts pull each
other down, and the chance is at least the product, at a level of 95 % by less than a point (Bonferroni's bound is 0.13
points below it); with k = 2 their two errors are the same number, so that one bin counts.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.roots import bisect
from ldpcore.theory.count_law import sum_window, upper_tail

# Up to this variance a count's law is added up; above, its tails are computed by saddle points.
EXACT_BELOW = 30.0
# Bins whose laws are added up at once: sorted, so that they are about as wide.
_BLOCK = 200
# A count that is exactly at the bound is inside, whatever the last digits of the mean are; in counts.
_SLACK = 1e-7


def users_in_bins(frequencies: FloatArray, n: int) -> IntArray:
    """Return whole numbers of users in the bins, as near to the frequencies as n users allow; they sum to n."""
    exact = frequencies * n
    counts = np.floor(exact + 1e-9).astype(np.int64)
    most_left = np.argsort(counts - exact, kind="stable")
    counts[most_left[: n - int(counts.sum())]] += 1
    return counts


@dataclass(frozen=True, eq=False)
class BinErrors:
    """The errors of raw MI in all bins of a histogram.

    Attributes
    ----------
    users : IntArray
        Different numbers of users in a bin, ascending.
    times : IntArray
        How many bins have each.
    n : int
        Number of users.
    p, q : float
        Of the mechanism.
    """

    users: IntArray
    times: IntArray
    n: int
    p: float
    q: float

    @classmethod
    def of(cls, histogram: IntArray, p: float, q: float, *, same: bool = False) -> BinErrors:
        """Take the errors of a histogram's bins; only of the first if all of them are the `same` number."""
        users, times = np.unique(histogram[:1] if same else histogram, return_counts=True)
        return cls(users, times, int(histogram.sum()), p, q)

    @property
    def unit(self) -> float:
        """How many counts an error of 1 is."""
        return self.n * (self.p - self.q)

    @cached_property
    def mean(self) -> FloatArray:
        return np.asarray(self.users * self.p + (self.n - self.users) * self.q)

    @cached_property
    def variance(self) -> FloatArray:
        spread = self.users * self.p * (1 - self.p) + (self.n - self.users) * self.q * (1 - self.q)
        return np.asarray(np.maximum(spread, 0.0))

    @cached_property
    def _laws(self) -> list[tuple[IntArray, IntArray, FloatArray, FloatArray]]:
        """Bins whose law is added up: their places, the first count, its chances, and these added up from below."""
        small = np.flatnonzero(self.variance < EXACT_BELOW)
        laws = []
        for rows in np.array_split(small, small.size // _BLOCK + 1) if small.size else []:
            first, chances = sum_window(self.users[rows], self.p, self.n - self.users[rows], self.q)
            below = np.concatenate([np.zeros((rows.size, 1)), np.cumsum(chances, axis=1)], axis=1)
            laws.append((rows, first, chances, below))
        return laws

    def share_within(self, x: float) -> float:
        """Return the share of all collections in which every bin is within ±x."""
        reach = x * self.unit + _SLACK
        low, high = np.ceil(self.mean - reach), np.floor(self.mean + reach)
        inside = np.ones(self.users.size)
        for rows, first, _chances, below in self._laws:
            end = below.shape[1] - 1
            start = np.clip(low[rows] - first, 0, end).astype(np.int64)
            stop = np.clip(high[rows] - first + 1, 0, end).astype(np.int64)
            each = np.arange(rows.size)
            inside[rows] = np.maximum(below[each, stop] - below[each, start], 0.0)
        large = self.variance >= EXACT_BELOW
        if large.any():
            c, rest = self.users[large], self.n - self.users[large]
            above = upper_tail(c, self.p, rest, self.q, high[large] + 1)
            # The same from below: n - C counts what is not supported.
            under = upper_tail(c, 1 - self.p, rest, 1 - self.q, self.n - low[large] + 1)
            inside[large] = np.maximum(1 - above - under, 0.0)
        if (inside <= 0).any():
            return 0.0
        return float(math.exp(self.times @ np.log(inside)))

    def bound(self, level: float) -> float:
        """Return the x that all bins keep in a share of collections as near to the level as whole counts allow.

        The least x that is kept in at least that share; the next smaller one, if that is nearer to the level and not
        more than a fifth of 1 - level below it.
        """
        most = self._enough(level)
        x = bisect(lambda v: self.share_within(v) < level, 0.0, most)
        share, less = self.share_within(x), self.share_within(x * (1 - 1e-9) - _SLACK / self.unit)
        if level - less < share - level and less >= level - (1 - level) / 5:
            x = bisect(lambda v: self.share_within(v) < less * (1 - 1e-12), 0.0, x)
        # The slack is part of the answer: an error that is just x must not be above it in the last digit.
        return x + 2 * _SLACK / self.unit

    def _enough(self, level: float) -> float:
        x = (6 * float(np.sqrt(self.variance.max())) + 1) / self.unit
        while self.share_within(x) < level:
            x *= 2
        return x

    def total_variation(self) -> float:
        """Return the expected total variation, half the sum of the mean absolute errors."""
        absolute = np.sqrt(2 / math.pi * self.variance)
        for rows, first, chances, _below in self._laws:
            counts = first[:, None] + np.arange(chances.shape[1])
            absolute[rows] = (chances * np.abs(counts - self.mean[rows, None])).sum(axis=1)
        return float(self.times @ absolute / self.unit / 2)


def round_up(x: float, digits: int = 3) -> float:
    """Round a number above 0 up to so many digits: what is needed must not be rounded down.

    Examples
    --------
    >>> round_up(1.2301), round_up(1.23), round_up(98_765.0)
    (1.24, 1.23, 98800.0)
    """
    return _rounded(x, digits, math.ceil, 1 - 1e-9)


def round_down(x: float, digits: int = 3) -> float:
    """Round a number above 0 down to so many digits: the lower end of what is not known.

    Examples
    --------
    >>> round_down(1.2399), round_down(1.24), round_down(98_765.0)
    (1.23, 1.24, 98700.0)
    """
    return _rounded(x, digits, math.floor, 1 + 1e-9)


def _rounded(x: float, digits: int, whole: Callable[[float], int], slack: float) -> float:
    if isinstance(x, float) and not math.isfinite(x):
        return x
    x, digits = check.real("x", x), check.integer("digits", digits, 1, 17)
    if x <= 0:
        return x
    places = digits - 1 - math.floor(math.log10(x))
    # Powers of ten are exact upwards only, so places behind the point are divided by.
    scaled = x * 10.0**places if places >= 0 else x / 10.0**-places
    # A number that has so few digits already stays, though its binary form may be a little beside it.
    number = whole(slack * scaled)
    return number / 10.0**places if places >= 0 else number * 10.0**-places
