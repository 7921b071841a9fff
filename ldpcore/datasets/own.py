"""A column of somebody's own table as the data of experiments: numbers or categories, in bins, for any number of users.

A histogram of 10⁷ rows takes milliseconds, whether they are counted or other numbers of users drawn from them. What
reads a column is in `ldpcore.datasets.own_columns`.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import ClassVar

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.datasets.binning import Histogram, bin_edges, whole_values
from ldpcore.datasets.own_base import STEP, OwnBase, Sorted
from ldpcore.datasets.own_binning import OwnBinning, check_binning
from ldpcore.datasets.sampling import drawn_users
from ldpcore.errors import Refused

OUTSIDE = "outside the range"
NOT_POSITIVE = "not above 0, as a logarithm needs"


_PLAIN = OwnBinning()


@dataclass(frozen=True, eq=False)
class OwnNumbers(Sorted, OwnBase):
    r"""The numbers of a column.

    Attributes
    ----------
    values : ndarray of float64
        The different numbers, in increasing order.
    persons : ndarray of int64
        How many rows have each.
    rows_read : int
        Number of rows of the table.
    dropped : dict
        How many rows have no number, by reason.
    examples : dict
        The first few of those rows, by reason; they count from 1.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> own = ldp.numbers_from(ldp.read_table(b"age\n30\n41\n30\n", "ages.csv"), "age")
    >>> own.values.tolist(), own.persons.tolist(), own.whole
    ([30.0, 41.0], [2, 1], True)
    """

    kind: ClassVar[str] = "numbers"

    values: FloatArray
    persons: IntArray
    rows_read: int
    dropped: dict[str, int]
    examples: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _sums: IntArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._add_up()

    @property
    def nbytes(self) -> int:
        """How many bytes the numbers take in memory, with how many rows have each."""
        return self.values.nbytes + self.persons.nbytes

    def usable(self, binning: OwnBinning = _PLAIN) -> tuple[int, dict[str, int]]:
        r"""Return how many rows are used, and how many are not, by reason.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.numbers_from(ldp.read_table(b"age,city\n30,A\n,B\n33,A\n30,B\n", "people.csv"), "age")
        >>> own.usable(), own.usable(OwnBinning(low=31))
        ((3, {'empty': 1}), (1, {'empty': 1, 'outside the range': 2}))
        """
        first, last = self._range(binning)
        rows, used = self._before(self.values.size), self._before(last) - self._before(first)
        not_positive = self._before(self._positive(binning))
        lost = {NOT_POSITIVE: not_positive, OUTSIDE: rows - not_positive - used}
        return used, self.dropped | {reason: count for reason, count in lost.items() if count}

    @cached_property
    def whole(self) -> bool:
        """Whether all numbers are whole ones."""
        # Some after the other: most columns that are not whole show it at once, and no copy of all of them is made.
        parts = (self.values[at : at + 64 * STEP] for at in range(0, self.values.size, 64 * STEP))
        return all(bool((part == np.floor(part)).all()) for part in parts)

    @property
    def different_numbers(self) -> int:
        """How many different numbers there are."""
        return self.values.size

    @cached_property
    def whole_range(self) -> tuple[float, float] | None:
        """The first and the last number where all are whole ones; None elsewhere."""
        return (float(self.values[0]), float(self.values[-1])) if self.whole else None

    def whole_edges(self, binning: OwnBinning) -> FloatArray | None:
        r"""Return the edges of one bin for each whole number; None where not all are whole numbers.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.numbers_from(ldp.read_table(b"age,city\n30,A\n,B\n33,A\n30,B\n", "people.csv"), "age")
        >>> own.whole_edges(OwnBinning())
        array([29.5, 30.5, 31.5, 32.5, 33.5])
        """
        return self.value_edges(binning) if self.whole else None

    def k_max(self, binning: OwnBinning = _PLAIN) -> int | None:
        r"""Return None: there may be as many bins of numbers as anywhere. With one bin per value, their number.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.numbers_from(ldp.read_table(b"age,city\n30,A\n,B\n33,A\n30,B\n", "people.csv"), "age")
        >>> own.k_max(), own.k_max(OwnBinning(values=True))
        (None, 4)
        """
        if not check_binning(binning).values:
            return None
        return self.value_edges(binning).size - 1

    def value_edges(self, binning: OwnBinning) -> FloatArray:
        r"""Return the edges of one bin for each whole number, in the range that the binning says.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.numbers_from(ldp.read_table(b"age,city\n30,A\n,B\n33,A\n30,B\n", "people.csv"), "age")
        >>> own.value_edges(OwnBinning(high=31))
        array([29.5, 30.5, 31.5])
        """
        return self._edges(None, replace(check_binning(binning), values=True))

    def bins(self, wanted: int, binning: OwnBinning = _PLAIN) -> int:
        r"""Return how many bins there are if so many are wanted; with one bin per value, there are as many as values.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.numbers_from(ldp.read_table(b"age,city\n30,A\n,B\n33,A\n30,B\n", "people.csv"), "age")
        >>> own.bins(50), own.bins(50, OwnBinning(values=True))
        (50, 4)
        """
        wanted = check.integer("wanted", wanted, 1, check.K_MAX)
        return self.k_max(binning) or wanted

    def histogram(self, k: int, n: int | None = None, seed: int = 0, binning: OwnBinning = _PLAIN) -> Histogram:
        r"""Count the numbers in k bins.

        Parameters
        ----------
        k : int
            Number of bins, at least 2.
        n : int or None
            Number of users. None, or the number of usable rows: the data themselves. Any other: so many users drawn
            from the data with replacement, into the bins of the data. All k share the same users where there are
            at most 10,000 different numbers; of more the bins are drawn at once, with exactly the same distribution.
        seed : int
            The same seed draws the same users.
        binning : OwnBinning
            Range and kind of the bins; `rare` is not used.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.numbers_from(ldp.read_table(b"age,city\n30,A\n,B\n33,A\n30,B\n", "people.csv"), "age")
        >>> own.histogram(k=3).counts, own.histogram(k=3, n=1_000).n
        (array([2, 0, 1]), 1000)
        """
        edges = self._edges(check.integer("k", k, 2, check.K_MAX), check_binning(binning))
        first, last = self._range(binning)
        # Only the inner edges are looked up, so that what is clipped lies in the first and the last bin.
        inner = first + np.searchsorted(self.values[first:last], edges[1:-1], side="left")
        ends = np.concatenate([[first], inner, [last]])
        return Histogram(self._counted(ends, n, seed), edges)

    def _edges(self, k: int | None, binning: OwnBinning) -> FloatArray:
        first, last = self._range(binning)
        if first >= last:
            raise Refused(f"no number is left; of {dropped_words(self.usable(binning)[1])}")
        if binning.values and not self.whole:
            whole_values("one bin per value", self.values[first:last])
        return _edges(*self._ends(first, last, binning), k, binning)

    def _ends(self, first: int, last: int, binning: OwnBinning) -> tuple[float, float]:
        """Return where the bins begin and end: so many rows are clipped at each side, unless the binning says where."""
        before, after = self._before(first), self._before(last)
        cut = int(binning.clip * (after - before))
        low = float(self.values[self._place(before + cut)]) if binning.low is None else float(binning.low)
        high = float(self.values[self._place(after - 1 - cut)]) if binning.high is None else float(binning.high)
        return low, high

    def _range(self, binning: OwnBinning) -> tuple[int, int]:
        """Return the places of the first number that is used, and of the first after it that is not."""
        first, last = self._positive(check_binning(binning)), self.values.size
        if binning.low is not None:
            first = max(first, int(np.searchsorted(self.values, binning.low, side="left")))
        if binning.high is not None:
            last = int(np.searchsorted(self.values, binning.high, side="right"))
        return first, max(first, last)

    def _positive(self, binning: OwnBinning) -> int:
        """Return the place of the first number that there is a logarithm of, if the binning takes them."""
        return int(np.searchsorted(self.values, 0.0, side="right")) if binning.log else 0


@dataclass(frozen=True, eq=False)
class OwnCategories(OwnBase):
    r"""The categories of a column.

    Attributes
    ----------
    labels : tuple of str
        Names of the categories, the most frequent first and those of the same frequency in order of name. Names
        longer than 60 characters are cut; if two are the same then, the later ones get a number.
    persons : ndarray of int64
        How many rows have each.
    rows_read : int
        Number of rows of the table.
    dropped : dict
        How many rows are not used, by reason: the empty ones.
    examples : dict
        The first few of those rows, by reason; they count from 1.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> own = ldp.categories_from(ldp.read_table(b"colour\nred\nblue\nred\n", "colours.csv"), "colour")
    >>> own.labels, own.persons.tolist()
    (('red', 'blue'), [2, 1])
    """

    kind: ClassVar[str] = "categories"

    labels: tuple[str, ...]
    persons: IntArray
    rows_read: int
    dropped: dict[str, int]
    examples: dict[str, tuple[int, ...]] = field(default_factory=dict)

    @property
    def nbytes(self) -> int:
        """How many bytes the names take in memory, about, with how many rows have each."""
        return self.persons.nbytes + sum(map(sys.getsizeof, self.labels))

    def usable(self, binning: OwnBinning = _PLAIN) -> tuple[int, dict[str, int]]:
        r"""Return how many rows are used, and how many are not, by reason.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.categories_from(ldp.read_table(b"colour\nred\nblue\nred\npink\n", "colours.csv"), "colour")
        >>> own.usable()
        (4, {})
        """
        check_binning(binning)
        return int(self.persons.sum()), dict(self.dropped)

    def k_max(self, binning: OwnBinning = _PLAIN) -> int | None:
        r"""Return how many bins there are if no more categories are pooled than `rare` says.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.categories_from(ldp.read_table(b"colour\nred\nblue\nred\npink\n", "colours.csv"), "colour")
        >>> own.k_max(), own.k_max(OwnBinning(rare=0.3))
        (3, 2)
        """
        own = self._frequent(binning)
        return own + (own < len(self.labels))

    def bins(self, wanted: int, binning: OwnBinning = _PLAIN) -> int:
        r"""Return how many bins there are if there may be so many: no more than there are categories.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.categories_from(ldp.read_table(b"colour\nred\nblue\nred\npink\n", "colours.csv"), "colour")
        >>> own.bins(2), own.bins(50)
        (2, 3)
        """
        wanted = check.integer("wanted", wanted, 1, check.K_MAX)
        return min(wanted, self.k_max(binning) or wanted)

    def histogram(self, k: int, n: int | None = None, seed: int = 0, binning: OwnBinning = _PLAIN) -> Histogram:
        r"""Count the categories in k bins: the k - 1 most frequent, and one that says how many others it holds.

        Parameters
        ----------
        k : int
            Number of bins, from 2 to `k_max`, at which there are no others but the rare ones.
        n, seed
            As for `OwnNumbers.histogram`.
        binning : OwnBinning
            Which categories are rare; its other fields are not used.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.categories_from(ldp.read_table(b"colour\nred\nblue\nred\npink\n", "colours.csv"), "colour")
        >>> people = own.histogram(k=2)
        >>> people.labels, people.counts
        (('red', '2 other categories'), array([2, 2]))
        """
        most = self.k_max(check_binning(binning)) or 0
        if len(self.labels) < 2:
            raise Refused(f"there must be at least 2 different values; every row has the same, {self.labels[0]!r}")
        if most < 2:
            raise Refused(f"there must be at least 2 categories after pooling the rare ones; got {most}")
        k = check.integer("k", k, 2, most)
        own = min(self._frequent(binning), k)
        if own < len(self.labels):
            own = min(own, k - 1)
        counts, labels = drawn_users(self.persons, n, seed), self.labels[:own]
        if own < len(self.labels):
            counts = np.append(counts[:own], counts[own:].sum())
            labels = (*labels, _pooled(labels, len(self.labels) - own))
        return Histogram(counts, np.arange(-0.5, k), labels=labels)

    def _frequent(self, binning: OwnBinning) -> int:
        """Return how many categories are not rare."""
        return int((self.persons >= check_binning(binning).rare * self.persons.sum()).sum())


def dropped_words(dropped: dict[str, int]) -> str:
    """Say how many rows were dropped, and why."""
    return f"{sum(dropped.values()):,} rows, " + ", ".join(f"{count:,} {reason}" for reason, count in dropped.items())


def _pooled(labels: tuple[str, ...], others: int) -> str:
    """Name the bin of the others, as no category is named."""
    name = f"{others:,} other {'category' if others == 1 else 'categories'}"
    while name in labels:
        name = f"all {name}"
    return name


# ---- edges ------------------------------------------------------------------------


def _edges(low: float, high: float, k: int | None, binning: OwnBinning) -> FloatArray:
    if binning.values:
        # A range may end between two whole numbers; no number lies beyond the last one within it.
        first = math.ceil(low)
        return bin_edges(first, max(first, math.floor(high)), k, "values")
    if k is None or not binning.log:
        return bin_edges(low, high, k)
    if low >= high:
        raise Refused(f"values must differ for bins of equal width in log10; got only {low!r}")
    edges = np.logspace(np.log10(low), np.log10(high), k + 1)
    edges[0], edges[-1] = low, high
    if not np.all(edges[1:] > edges[:-1]):
        raise Refused(
            "k must be small enough for float64 to tell the bins apart; "
            f"got k = {k:,} for values from {low!r} to {high!r}"
        )
    return edges
