"""What any column of somebody's own table says of itself, whatever it holds."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from ldpcore._validate import FloatArray, IntArray
from ldpcore.datasets.own_binning import OwnBinning
from ldpcore.datasets.sampling import drawn_users

# Up to so many different values users are drawn value by value, so that all k share them.
SHARED_VALUES = 10_000
# The rows are added up at every so many values: what lies between two of these is added up when it is asked for.
STEP = 1_024


class OwnBase:
    """A column that was read; what only numbers or only dates have, the others do not."""

    kind: ClassVar[str]
    """What it holds, in the words of `ldpcore.datasets.kind_of`."""

    @property
    def different_numbers(self) -> int | None:
        """How many different numbers there are; None where there are none."""
        return None

    @property
    def whole_range(self) -> tuple[float, float] | None:
        """The first and the last number where all are whole ones; None elsewhere."""
        return None

    def whole_edges(self, binning: OwnBinning) -> FloatArray | None:
        r"""Return the edges of one bin for each whole number; None where not all are whole numbers.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.categories_from(ldp.read_table(b"colour\nred\nblue\n", "colours.csv"), "colour")
        >>> print(own.whole_edges(ldp.OwnBinning()))
        None
        """
        return None

    def unit(self, binning: OwnBinning | None = None) -> str | None:
        r"""Return the unit that bins have several of; None where they have none.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> own = ldp.categories_from(ldp.read_table(b"colour\nred\nblue\n", "colours.csv"), "colour")
        >>> print(own.unit())
        None
        """
        return None


class Sorted:
    """How many rows have each of some values in increasing order, added up once: then no bin looks at all of them."""

    persons: IntArray
    _sums: IntArray

    def _add_up(self) -> None:
        """Remember how many rows come before every so many of the values."""
        each = np.add.reduceat(self.persons, np.arange(0, self.persons.size, STEP)) if self.persons.size else ()
        object.__setattr__(self, "_sums", np.concatenate([[0], np.cumsum(each)]).astype(np.int64))

    def _before(self, place: int) -> int:
        """Return how many rows have one of the values before a place."""
        step = place // STEP
        return int(self._sums[step]) + int(self.persons[step * STEP : place].sum())

    def _place(self, row: int) -> int:
        """Return which of the values a row has, where rows are numbered from 0 in the order of their values."""
        step = int(np.searchsorted(self._sums, row, side="right")) - 1
        inside = np.cumsum(self.persons[step * STEP : (step + 1) * STEP])
        return step * STEP + int(np.searchsorted(inside, row - int(self._sums[step]), side="right"))

    def _counted(self, ends: IntArray, n: int | None, seed: int) -> IntArray:
        """Return how many users lie between these places: all rows there, or n users drawn from them."""
        first, last = int(ends[0]), int(ends[-1])
        if n is not None and last - first <= SHARED_VALUES:
            users = np.concatenate([[0], np.cumsum(drawn_users(self.persons[first:last], n, seed))])
            return np.diff(users[ends - first])
        if ends.size > self._sums.size:
            before = np.concatenate([[0], np.cumsum(self.persons)])[ends]
        else:
            before = np.array([self._before(int(end)) for end in ends])
        # To draw the bins at once has the same distribution, and takes no longer than there are bins.
        return drawn_users(np.diff(before), n, seed)
