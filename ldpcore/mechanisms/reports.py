"""The four kinds of report: values, bits, sets and pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ldpcore._validate import IntArray, array_of, shown
from ldpcore.errors import Refused

# So many values of a report are written out before an ellipsis.
_SHOWN = 12


class HashedReports(NamedTuple):
    """What n users send: the `seed` that names the hash function, and the randomized cell, `value`.

    Examples
    --------
    >>> HashedReports(np.array([7, 8]), np.array([0, 3])).value
    array([0, 3])
    """

    seed: IntArray
    value: IntArray


@dataclass(frozen=True)
class ReportKind:
    """How reports are written down, whichever mechanism made them.

    Attributes
    ----------
    key : str
        "values", "bits", "sets" or "pairs".
    name : str
        What one report is, in words.

    Examples
    --------
    >>> VALUES.length([3, 1, 2])
    3
    >>> BITS.take([[0, 1], [1, 1], [1, 0]], [2, 0]).tolist()
    [[1, 0], [0, 1]]
    >>> VALUES.join([[3, 1], [2]])
    array([3, 1, 2])
    """

    key: str
    name: str

    def length(self, reports: Any) -> int:
        """Return how many reports there are.

        Examples
        --------
        >>> PAIRS.length(HashedReports(np.array([7, 8]), np.array([0, 3])))
        2
        """
        return _length(reports)

    def take(self, reports: Any, rows: Any) -> Any:
        """Return some of the reports: those of the rows that an index array or a mask names.

        Examples
        --------
        >>> VALUES.take([3, 1, 2], [True, False, True])
        array([3, 2])
        """
        return array_of("reports", reports)[rows]

    def join(self, several: Sequence[Any]) -> Any:
        """Return the reports of several batches as one.

        Examples
        --------
        >>> PAIRS.join([HashedReports(np.array([7]), np.array([0])), HashedReports(np.array([8]), np.array([3]))]).seed
        array([7, 8])
        """
        return np.concatenate([np.asarray(reports) for reports in several])

    def text(self, reports: Any, row: int = 0) -> str:
        """Write one of the reports in words, cut if it is long.

        Examples
        --------
        >>> BITS.text([[0, 1, 1], [0, 0, 0]]), BITS.text([[0, 1, 1], [0, 0, 0]], row=1)
        ('2 of 3 bits are 1 (bins 1, 2)', 'no bit is 1')
        """
        raise NotImplementedError


class _Values(ReportKind):
    def text(self, reports: Any, row: int = 0) -> str:
        return f"bin {int(reports[row])}"


class _Bits(ReportKind):
    def text(self, reports: Any, row: int = 0) -> str:
        bits = np.asarray(reports[row])
        ones = np.flatnonzero(bits)
        if ones.size == 0:
            return "no bit is 1"
        which = f"bits are 1 (bins {_some(ones)})" if ones.size > 1 else f"bits is 1 (bin {ones[0]})"
        return f"{ones.size} of {bits.size} {which}"


class _Sets(ReportKind):
    def text(self, reports: Any, row: int = 0) -> str:
        return f"a set of {len(reports[row])} bins ({_some(np.asarray(reports[row]))})"


class _Pairs(ReportKind):
    def length(self, reports: Any) -> int:
        # Not every tuple of two is a pair of arrays; what else is wrong, support_counts says.
        return _length(reports[0]) if isinstance(reports, tuple) and reports else _length(reports)

    def take(self, reports: Any, rows: Any) -> HashedReports:
        seeds, values = reports
        return HashedReports(array_of("reports.seed", seeds)[rows], array_of("reports.value", values)[rows])

    def join(self, several: Sequence[Any]) -> HashedReports:
        seeds, values = zip(*several, strict=True)
        return HashedReports(np.concatenate(seeds), np.concatenate(values))

    def text(self, reports: Any, row: int = 0) -> str:
        seeds, values = reports
        return f"hash function no. {int(seeds[row])}, cell {int(values[row])}"


def _length(reports: Any) -> int:
    try:
        if not isinstance(reports, (str, bytes)):
            return len(reports)
    except TypeError:
        pass
    raise Refused(f"reports must be those of many users, as privatize returns them; got {shown(reports)}")


def _some(values: npt.NDArray[Any]) -> str:
    words = ", ".join(str(int(v)) for v in values[:_SHOWN])
    return words + (", …" if len(values) > _SHOWN else "")


VALUES = _Values("values", "one value")
BITS = _Bits("bits", "one bit for each value")
SETS = _Sets("sets", "a set of values")
PAIRS = _Pairs("pairs", "the seed of a hash function and a cell")
REPORT_KINDS = {kind.key: kind for kind in (VALUES, BITS, SETS, PAIRS)}
"""The kinds of report by key."""
