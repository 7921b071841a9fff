"""Dates of a column of somebody's own table, in bins of days, weeks or months."""

from __future__ import annotations

import datetime
import math
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ldpcore import _validate as check
from ldpcore._validate import IntArray
from ldpcore.datasets.binning import Histogram
from ldpcore.datasets.own_base import OwnBase, Sorted
from ldpcore.datasets.own_binning import UNITS, OwnBinning, check_binning
from ldpcore.errors import Refused

# Without a unit that is asked for, the smallest of which there are no more than these.
_READABLE = 100
# A date as ISO 8601 writes it, perhaps with a time, which is not looked at.
_TIME = r"[0-9]{2}:[0-9]{2}(:[0-9]{2}([.,][0-9]{1,9})?)?( ?(Z|[+-][0-9]{2}:?[0-9]{2}))?"
_DATE = rf"^[0-9]{{4}}-[0-9]{{2}}-[0-9]{{2}}([T ]{_TIME})?$"
_LETTERS = len("2024-05-31")


@dataclass(frozen=True, eq=False)
class OwnDates(Sorted, OwnBase):
    r"""The dates of a column.

    Attributes
    ----------
    days : ndarray of int64
        The different dates as days since 1970-01-01, in increasing order.
    persons : ndarray of int64
        How many rows have each.
    rows_read : int
        Number of rows of the table.
    dropped : dict
        How many rows have no date, by reason.
    examples : dict
        The first few of those rows, by reason; they count from 1.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> own = ldp.dates_from(ldp.read_table(b"day\n2024-05-01\n2024-05-03\n", "days.csv"), "day")
    >>> own.days.tolist(), own.unit()
    ([19844, 19846], 'day')
    """

    kind: ClassVar[str] = "dates"

    days: IntArray
    persons: IntArray
    rows_read: int
    dropped: dict[str, int]
    examples: dict[str, tuple[int, ...]] = field(default_factory=dict)
    _sums: IntArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        self._add_up()

    @property
    def nbytes(self) -> int:
        """How many bytes the dates take in memory, with how many rows have each."""
        return self.days.nbytes + self.persons.nbytes

    def usable(self, binning: OwnBinning | None = None) -> tuple[int, dict[str, int]]:
        r"""Return how many rows are used, and how many are not, by reason.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.dates_from(ldp.read_table(b"day\n2024-05-01\n2024-05-03\n2024-06-01\n", "days.csv"), "day")
        >>> own.usable()
        (3, {})
        """
        if binning is not None:
            check_binning(binning)
        return self._before(self.days.size), dict(self.dropped)

    def unit(self, binning: OwnBinning | None = None) -> str:
        r"""Return the unit of the bins: that which is asked for, or the smallest of which there are not too many.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.dates_from(ldp.read_table(b"day\n2024-05-01\n2024-05-03\n2024-06-01\n", "days.csv"), "day")
        >>> own.unit(), own.unit(ldp.OwnBinning(unit="month"))
        ('day', 'month')
        """
        asked = None if binning is None else check_binning(binning).unit
        return asked or next((unit for unit in UNITS if self._units(unit) <= _READABLE), UNITS[-1])

    def k_max(self, binning: OwnBinning | None = None) -> int:
        r"""Return how many days, weeks or months there are from the first date to the last.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.dates_from(ldp.read_table(b"day\n2024-05-01\n2024-05-03\n2024-06-01\n", "days.csv"), "day")
        >>> own.k_max(), own.k_max(ldp.OwnBinning(unit="week"))
        (32, 5)
        """
        return self._units(self.unit(binning))

    def bins(self, wanted: int, binning: OwnBinning | None = None) -> int:
        r"""Return how many bins there are if there may be so many: all of the same number of units, but the last.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.dates_from(ldp.read_table(b"day\n2024-05-01\n2024-05-03\n2024-06-01\n", "days.csv"), "day")
        >>> own.bins(10)  # eight of four days
        8
        """
        units, wanted = self.k_max(binning), check.integer("wanted", wanted, 1, check.K_MAX)
        return math.ceil(units / math.ceil(units / wanted))

    def histogram(self, k: int, n: int | None = None, seed: int = 0, binning: OwnBinning | None = None) -> Histogram:
        r"""Count the dates in k bins, each of one or more days, weeks or months.

        The edges are days since 1970-01-01; the labels say the dates. `k` must be a number that `bins` returns; the
        others are as for `OwnNumbers.histogram`.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.dates_from(ldp.read_table(b"day\n2024-05-01\n2024-05-03\n2024-06-01\n", "days.csv"), "day")
        >>> people = own.histogram(k=2, binning=ldp.OwnBinning(unit="month"))
        >>> people.labels, people.counts
        (('2024-05', '2024-06'), array([2, 1]))
        """
        unit = self.unit(binning)
        units = self._units(unit)
        if units < 2:
            raise Refused(f"the dates must lie in at least 2 {unit}s; got 1")
        k = check.integer("k", k, 2, min(units, check.K_MAX))
        each = math.ceil(units / k)
        if math.ceil(units / each) != k:
            raise Refused(f"k must be a number of bins that {units:,} {unit}s can have; got {k:,}")
        first = int(_number_of(self.days[:1], unit)[0])
        starts = first + each * np.arange(k + 1)
        starts[-1] = first + units
        edges = _first_days(starts, unit)
        counts = self._counted(np.searchsorted(self.days, edges), n, seed)
        labels = tuple(_label(int(low), int(high), unit, each) for low, high in pairwise(edges))
        return Histogram(counts, edges.astype(np.float64), labels)

    def _units(self, unit: str) -> int:
        first, last = _number_of(self.days[[0, -1]], unit)
        return int(last - first) + 1


def days_of(words: Any) -> tuple[npt.NDArray[np.bool_] | None, IntArray]:
    """Return which words are dates, and these as days since 1970-01-01; None where the column can hold none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = words.type
    if pa.types.is_date(kind) or pa.types.is_timestamp(kind):
        known = words.is_valid().to_numpy(zero_copy_only=False)
        if pa.types.is_timestamp(kind):
            # pyarrow has times with a zone in UTC: their day is that of UTC.
            words = pc.floor_temporal(words.cast(pa.timestamp(kind.unit)), unit="day")
        dates = words.cast(pa.date32(), safe=False).cast(pa.int32()).fill_null(0)
        days = dates.to_numpy(zero_copy_only=False).astype(np.int64)
        # The years that dates in text can have too.
        return known & (days >= _day("0001-01-01")) & (days <= _day("9999-12-31")), days
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return None, np.empty(0, dtype=np.int64)
    text = pc.utf8_trim_whitespace(words).fill_null("")
    written = pc.match_substring_regex(text, _DATE)
    # Cut to the date before the dictionary is made: there are far fewer dates than times.
    dates = pc.if_else(written, pc.utf8_slice_codeunits(text, 0, _LETTERS), "").dictionary_encode()
    each = np.array([_day(word) for word in dates.dictionary.to_pylist()], dtype=np.int64)
    days = each[dates.indices.to_numpy(zero_copy_only=False)]
    return days != _NO_DAY, days


_NO_DAY = np.iinfo(np.int64).min
_EPOCH = datetime.date(1970, 1, 1)


def _day(word: str) -> int:
    try:
        return (datetime.date.fromisoformat(word) - _EPOCH).days
    except ValueError:  # no date, such as 30 February
        return int(_NO_DAY)


def _number_of(days: IntArray, unit: str) -> IntArray:
    """Return the number of the day, week or month that each day lies in."""
    if unit == "day":
        return days
    if unit == "week":  # from Monday; the first of all days was a Thursday
        return (days + 3) // 7
    return days.astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)


def _first_days(numbers: IntArray, unit: str) -> IntArray:
    """Return the first day of each day, week or month."""
    if unit == "day":
        return numbers
    if unit == "week":
        return 7 * numbers - 3
    return numbers.astype("datetime64[M]").astype("datetime64[D]").astype(np.int64)


def _label(low: int, high: int, unit: str, each: int) -> str:
    """Write the days from `low` to before `high` as a reader does."""
    letters = len("2024-05") if unit == "month" else _LETTERS
    first, last = (str(np.datetime64(day, "D"))[:letters] for day in (low, high - 1))
    if unit == "week" and each == 1:
        return f"week of {first}"
    return first if first == last else f"{first} to {last}"
