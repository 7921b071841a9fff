"""Numbers of a column, found a piece after the other, and merged in little memory."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from ldpcore._validate import IntArray

Number = TypeVar("Number", np.float64, np.int64)


def merged(numbers: npt.NDArray[Number], persons: IntArray) -> tuple[npt.NDArray[Number], IntArray]:
    """Sort numbers, and add up the persons of equal ones, such as 1 and 1.0."""
    if not numbers.size:
        return numbers, persons
    order = np.argsort(numbers)
    numbers = numbers[order]
    first = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
    return numbers[first], np.add.reduceat(persons[order], first)


class DistinctNumbers:
    """The different numbers of the pieces of a column, and how many persons have each; merged in little memory."""

    def __init__(self, rows: int, kind: type) -> None:
        # Room for all, of which only what is written to takes memory: pieces that are joined would be there twice.
        self._numbers: npt.NDArray[Any] = np.empty(rows, dtype=kind)
        self._persons = np.empty(rows, dtype=np.int32)
        self._rows, self.size = rows, 0

    def add(self, numbers: npt.NDArray[Any], persons: IntArray) -> None:
        """Add those of a piece."""
        place = slice(self.size, self.size + numbers.size)
        self._numbers[place], self._persons[place] = numbers, persons
        self.size = place.stop

    def merged(self) -> tuple[npt.NDArray[Any], IntArray]:
        """Return the different numbers of all pieces, in order, and the persons of each; what was added is given up."""
        numbers, persons = self._numbers[: self.size], self._persons[: self.size]
        del self._numbers, self._persons
        if 2 * self.size < self._rows:
            return merged(numbers, persons.astype(np.int64))
        # When most numbers differ, sort in place to save memory: an order beside them would take several times as much.
        if persons.max() > 1:
            numbers = np.repeat(numbers, persons)
        del persons
        numbers.sort()
        rows, first = numbers.size, np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
        if first.size < rows:
            numbers = numbers[first]
        counts = np.empty(first.size, dtype=np.int64)
        np.subtract(first[1:], first[:-1], out=counts[:-1])
        counts[-1] = rows - first[-1]
        return numbers, counts
