"""Reports that are equal, where chance hardly ever makes two alike: copies, or users who share their noise.

Whatever the users have, no report y is likelier than M = max P(y | v), so the i-th report repeats one of those before
it with a chance of at most (i-1)M, whatever these are. A sum over all sets of r reports bounds the chance that r of n
repeat an earlier one by μʳ/r!, μ = n(n-1)M/2. For sets of ω values M is p/C(k-1, ω-1), but for the largest ω. Of k bits
the report of nothing but zeros is likely; so only reports of at least kq ones count, half of all or so, of which none
is likelier than those of kq ones: about e^(-kH(q)). With few bits, or an ε so large that hardly any is one, M is so
large that nothing is an alarm.

Copies can be anywhere in a file of any length. So each report gets a fingerprint, equal ones the same, and of the
fingerprints those below a bound are kept, with all their copies. The bound is halved when they become too many.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ldpcore._validate import BoolArray, IntArray
from ldpcore.collected.fit import DOES_NOT_FIT, FIT_ALARM, Fit
from ldpcore.mechanisms import Mechanism
from ldpcore.mechanisms.hashing import SEED_BITS
from ldpcore.mechanisms.reports import BITS, SETS

# A tenth of the alarm's level, looked at beside the counts: both together hold the level, but for that tenth.
COPIES_ALARM = FIT_ALARM / 10
# So many different fingerprints are kept, and so many bits looked at together.
MOST, _BITS = 50_000, 1 << 22
# Where a report can be as likely as this, equal ones say nothing.
_LIKELY = 0.01
_HARDLY = 0.01
# An odd number: multiplied by it, seeds that are near each other are spread evenly, and different ones stay different.
_SPREAD = np.uint64(0x9E3779B97F4A7C15)

_UInt64Array = npt.NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class Prints:
    """The fingerprints below 2^(64 - halvings), and how many reports have each; `settled`, each is there once."""

    values: _UInt64Array
    times: IntArray
    halvings: int = 0

    @classmethod
    def of(cls, reports: Any, m: Mechanism) -> Prints | None:
        """Return those of reports; None where equal ones say nothing."""
        if m.g is not None:
            # The low bits of a seed are those that count, in both families. They are all there is: no two seeds have
            # the same fingerprint.
            return cls._once(np.asarray(reports[0]).astype(np.uint64) * _SPREAD << np.uint64(64 - SEED_BITS))
        fewest = fewest_ones(m)
        if largest_chance(m, fewest) > _LIKELY:
            return None
        n, rows = m.report_kind.length(reports), max(1, _BITS // m.k)
        slices = (slice(start, start + rows) for start in range(0, n, rows))
        blocks = [_of_bits(m.supports(m.report_kind.take(reports, some)), fewest) for some in slices]
        return cls._once(np.concatenate(blocks))

    @classmethod
    def _once(cls, values: _UInt64Array) -> Prints:
        return cls(values, np.ones(values.size, dtype=np.int64))._bounded()

    def merged(self, other: Prints) -> Prints:
        """Return those of all reports of both."""
        values, times = np.concatenate([self.values, other.values]), np.concatenate([self.times, other.times])
        return Prints(values, times, max(self.halvings, other.halvings))._bounded()

    def _bounded(self) -> Prints:
        # Sorting takes its time, so it is done once for many small batches.
        return self.settled() if self.values.size > 2 * MOST else self

    def settled(self) -> Prints:
        """Return the same with each fingerprint once, ascending, and fewer where they are too many."""
        values, place = np.unique(self.values, return_inverse=True)
        times = np.bincount(place, weights=self.times, minlength=values.size).astype(np.int64)
        halvings = self.halvings
        while True:
            size = values.size if halvings == 0 else int(np.searchsorted(values, np.uint64(1 << (64 - halvings))))
            if size <= MOST:
                return Prints(values[:size], times[:size], halvings)
            halvings += 1

    @property
    def n(self) -> int:
        """How many reports have one of them."""
        return int(self.times.sum())

    @property
    def repeats(self) -> int:
        """How many of these are equal to an earlier one; of settled ones."""
        return self.n - self.values.size


def _of_bits(bits: BoolArray, fewest: int) -> _UInt64Array:
    """Return fingerprints of the rows with at least so many ones: of 64 bits after the other, mixed by splitmix64."""
    packed = np.packbits(bits[np.count_nonzero(bits, axis=1) >= fewest], axis=1)
    words = np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8))).view(np.uint64)
    prints = np.zeros(len(words), dtype=np.uint64)
    for word in words.T:
        prints = (prints ^ word) + _SPREAD
        for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
            prints = (prints ^ (prints >> np.uint64(shift))) * np.uint64(factor)
        prints ^= prints >> np.uint64(31)
    return prints


def fewest_ones(m: Mechanism) -> int:
    """Return how many values a report must support to be looked at."""
    return int(m.k * m.q) if m.support_size is None else 0


def largest_chance(m: Mechanism, fewest: int) -> float:
    """Return a bound on the chance of any report of at least so many ones, whatever its user has; 1 if none is known.

    >>> from ldpcore import mechanism
    >>> m = mechanism("SS", k=4, eps=0.1)  # six sets of two: half of them hold the user's value
    >>> round(largest_chance(m, 0), 3), round(m.p / 3, 3)
    (0.175, 0.175)
    """
    if m.report_kind is SETS and m.support_law == "fixed size" and m.support_size is not None:
        with_own = m.p / _sets(m.k - 1, m.support_size - 1)
        return max(with_own, (1 - m.p) / _sets(m.k - 1, m.support_size))
    if m.report_kind is not BITS or m.support_law != "independent" or not 0 < m.q <= 0.5:
        return 1.0
    # With the user's own bit among the ones, and without. More ones are not likelier, for q is at most one half.
    ones = max(fewest, 1)
    with_own = m.p * m.q ** (ones - 1) * (1 - m.q) ** (m.k - ones)
    return float(max(with_own, (1 - m.p) * m.q**fewest * (1 - m.q) ** (m.k - 1 - fewest)))


def _sets(k: int, size: int) -> float:
    """Return how many sets of a size there are, at the most 10³⁰⁰; at least 1."""
    if size > k:
        return 1.0
    return math.exp(min(690.0, math.lgamma(k + 1) - math.lgamma(size + 1) - math.lgamma(k - size + 1)))


def repeats_p_value(repeats: int, mean: float) -> float:
    """Return the bound μʳ/r! on the chance of so many repeats.

    >>> repeats_p_value(0, 0.5), round(repeats_p_value(2, 0.5), 6)
    (1.0, 0.125)
    """
    if repeats == 0 or mean <= 0:
        return 1.0
    return min(1.0, math.exp(min(0.0, repeats * math.log(mean) - math.lgamma(repeats + 1))))


def check_copies(prints: Prints, n: int, m: Mechanism, *others: Mechanism) -> Fit | None:
    """Check that chance explains how many of n unhashed reports are equal; None if it does.

    With `others`, mechanisms that these reports may be of as well, chance must not explain it there either.
    """
    prints, fewest = prints.settled(), fewest_ones(m)
    # Different reports have the same fingerprint with 2⁻⁶⁴.
    means = [n * (n - 1) / 2 * (largest_chance(each, fewest) + 2.0**-64) for each in (m, *others)]
    p_value = max(repeats_p_value(prints.repeats, mean) for mean in means)
    if p_value >= COPIES_ALARM:
        return None
    of = f"these {n:,} reports" if prints.n == n else f"the {prints.n:,} of these {n:,} reports that were compared"
    equal = f"{prints.repeats:,} are equal to others" if prints.repeats > 1 else "one is equal to another"
    chance = "hardly any" if means[0] < _HARDLY else f"at most {means[0]:,.3g} on average"
    again = "" if m.eps_inf is None else ", or the file holds several collections of the same users: count each alone"
    sentence = (
        f"These reports are not those of so many users, each with noise of its own: of {of} {equal}, where {m.name} "
        f"at ε = {m.eps:g} with k = {m.k:,} values makes {chance}. Some are there more than once, or users share their "
        f"noise{again}. The intervals take all reports to be independent, and may be too narrow here."
    )
    return Fit("copies", float(prints.repeats), means[0], 0.0, p_value, None, False, sentence, DOES_NOT_FIT)
