"""The cells of a table of collected reports, checked one by one, and the reports that they hold."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ldpcore._validate import IntArray, shown
from ldpcore.errors import Refused
from ldpcore.mechanisms import HashedReports, Mechanism
from ldpcore.mechanisms.grr import SingleValueReports
from ldpcore.mechanisms.hashing import HASH_FAMILIES, LocalHashing
from ldpcore.mechanisms.histogram_encoding import THE
from ldpcore.mechanisms.subset import SS
from ldpcore.tables.dialect import has_decimal_commas

_SEPARATORS = r"[\s,;|]+"
# Every whole number up to this is a float64 of its own.
_EXACT_FLOAT = 2**53


def report_size(m: Mechanism) -> int | None:
    """Return how many values every report supports; None if that is left to chance."""
    return 1 if isinstance(m, SingleValueReports) else m.omega if isinstance(m, SS) else None


def wanted(m: Mechanism) -> str:
    """Say which columns the reports of a mechanism take."""
    if isinstance(m, LocalHashing):
        return "two columns, the seed and the value, or one of pairs (value, seed)"
    if isinstance(m, SingleValueReports):
        return "one column of values"
    if isinstance(m, SS):
        return f"ω = {m.omega} columns, or one of {m.omega} separated values"
    if isinstance(m, THE):
        return f"k = {m.k} columns, or one of {m.k} numbers a cell"
    return f"k = {m.k} columns, or one of strings or lists of {m.k} times 0 or 1"


class Cells:
    """The cells of one batch; what is wrong with one is said with file, row and column."""

    def __init__(self, source: str, columns: Sequence[str], batch: Any, numbers: Sequence[int] | IntArray) -> None:
        self._source, self._batch, self._numbers = source, batch, numbers
        self.columns = columns

    def take(self, rows: IntArray) -> Cells:
        """Return some of the rows, under their old numbers."""
        return Cells(self._source, self.columns, self._batch.take(rows), np.asarray(self._numbers)[rows])

    def instead(self, columns: dict[str, Any]) -> Cells:
        """Return the same rows with other columns."""
        import pyarrow as pa

        return Cells(self._source, tuple(columns), pa.RecordBatch.from_pydict(columns), self._numbers)

    def are_whole(self, name: str, high: int) -> bool:
        """Tell whether every cell is a whole number from 0 to `high`."""
        try:
            self.whole(name, high)
        except ValueError:
            return False
        return True

    def refuse(self, row: int, column: str, must: str, got: object) -> Refused:
        number = int(self._numbers[row])
        return Refused(f"{self._source}, row {number:,}, column {column!r}: {must}; got {shown(got)}")

    def column(self, name: str) -> Any:
        """Return a column without missing cells."""
        import pyarrow as pa

        array = self._batch.column(self._batch.schema.get_field_index(name))
        if pa.types.is_dictionary(array.type):
            array = array.dictionary_decode()
        if array.null_count:
            row = int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
            raise self.refuse(row, name, "no cell may be empty", None)
        return array

    def reals(self, name: str) -> npt.NDArray[np.float64]:
        must = "must be a finite number"
        array = self.column(name)
        try:
            numbers = _numbers(array, "float64")
        except _NO_NUMBERS:
            raise self._first_that_fails(array, name, _is_real, must) from None
        return np.asarray(self._checked(array, name, numbers, np.isfinite(numbers), must))

    def whole(self, name: str, high: int, why: str = "") -> IntArray:
        must = f"must be a whole number from 0 to {high:,}{why}"
        array = self.column(name)
        try:
            # Reals go another way, for of large ones the last digits are lost.
            numbers = self._whole_reals(array, name, must) if _is_real_type(array) else _numbers(array, "int64")
        except _NO_NUMBERS:
            numbers = self._whole_reals(array, name, must)
        return np.asarray(self._checked(array, name, numbers, (numbers >= 0) & (numbers <= high), must))

    def _whole_reals(self, array: Any, name: str, must: str) -> IntArray:
        """Read whole numbers that were written as reals: other packages' bits are 0.0 and 1.0."""
        try:
            reals = _numbers(array, "float64")
        except _NO_NUMBERS:
            raise self._first_that_fails(array, name, _is_whole, must) from None
        large = np.abs(reals) >= _EXACT_FLOAT
        if large.any() and np.isfinite(reals[large]).all():
            row = int(np.argmax(large))
            raise self.refuse(row, name, f"{must}, {_DIGITS}", array[row].as_py())
        with np.errstate(invalid="ignore"):
            right = np.trunc(reals) == reals
        return np.asarray(self._checked(array, name, reals, right, must)).astype(np.int64)

    def _checked(self, array: Any, name: str, numbers: Any, right: Any, must: str) -> Any:
        if not right.all():
            row = int(np.argmin(right))
            raise self.refuse(row, name, must, array[row].as_py())
        return numbers

    def _first_that_fails(self, array: Any, name: str, ok: Callable[[Any], bool], must: str) -> Refused:
        for row, cell in enumerate(array.to_pylist()):
            if not ok(cell):
                return self.refuse(row, name, must, cell)
        return Refused(f"{self._source}, column {name!r}: {must}; got a column of type {array.type}")


_DIGITS = 'with all its digits, not as a real number (with np.savetxt: fmt="%d")'
# What pyarrow raises where cells are no numbers.
_NO_NUMBERS: Any = (ValueError, NotImplementedError)


def _numbers(array: Any, kind: str) -> Any:
    import pyarrow.compute as pc

    if not _is_text(array):
        return pc.cast(array, kind).to_numpy(zero_copy_only=False)
    trimmed = pc.utf8_trim_whitespace(array)
    try:
        return pc.cast(trimmed, kind).to_numpy(zero_copy_only=False)
    except _NO_NUMBERS:
        if kind != "float64" or not has_decimal_commas(trimmed):
            raise
    return pc.cast(pc.replace_substring(trimmed, ",", "."), kind).to_numpy(zero_copy_only=False)


def _is_real_type(array: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(array.type))


def _is_text(array: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(array.type) or pa.types.is_large_string(array.type))


def _is_whole(cell: Any) -> bool:
    if isinstance(cell, str) and not re.fullmatch(r"\s*-?[0-9.]+(e[+-]?[0-9]+)?\s*", cell, re.ASCII | re.IGNORECASE):
        return False
    return _is_real(cell) and float(cell).is_integer() and abs(float(cell)) < 2**63


def _is_real(cell: Any) -> bool:
    try:
        return math.isfinite(float(cell))
    except (ValueError, TypeError):
        return False


def reports_of(cells: Cells, m: Mechanism) -> Any:
    """Return reports as the mechanism takes them."""
    if isinstance(m, LocalHashing):
        return _hashed(cells, m)
    if isinstance(m, SingleValueReports):
        return cells.whole(cells.columns[0], m.k - 1, _FROM_ZERO)
    if isinstance(m, SS):
        return _subsets(cells, m)
    if len(cells.columns) == 1:
        return _bits(cells, cells.columns[0], m)
    if isinstance(m, THE):
        return np.stack([cells.reals(name) > m.theta for name in cells.columns], axis=1)
    return np.stack([cells.whole(name, 1).astype(np.bool_) for name in cells.columns], axis=1)


# What may be wrong beyond a single cell.
_FROM_ZERO = ", for values count from 0 to k - 1"
_LARGER_SEEDS = " (seeds of splitmix64; those of multi-freq-ldpy and pure-ldp are larger and belong to xxh32)"
_SEVERAL = 9
_SWAPPED = "; seed and value may be the other way round"


def _hashed(cells: Cells, m: LocalHashing) -> HashedReports:
    """Read seeds and cells from two columns, or from pairs in one."""
    has = f" ({m.name} at ε = {m.eps:g} has {m.g} cells)"
    if len(cells.columns) == 1:
        cells = _halves(cells, cells.columns[0], m.g - 1)
    seed, value = cells.columns
    larger = _LARGER_SEEDS if m.hash_family == "splitmix64" else ""
    seeds = cells.whole(seed, 2 ** HASH_FAMILIES[m.hash_family] - 1, larger)
    swapped = _SWAPPED if seeds.size > _SEVERAL and (seeds < m.g).all() else ""
    return HashedReports(seeds, cells.whole(value, m.g - 1, has + swapped))


def _halves(cells: Cells, name: str, high: int) -> Cells:
    """Part a column of pairs in two, first the seeds.

    Pairs are (value, seed), as the peers have them, unless only what comes second can be a value.
    """
    import pyarrow.compute as pc

    must = "must be a pair of whole numbers, the value and the seed"
    lists = _lists(cells, name, must)
    right = pc.list_value_length(lists).to_numpy(zero_copy_only=False) == 2
    if not right.all():
        row = int(np.argmin(right))
        raise cells.refuse(row, name, must, cells.column(name)[row].as_py())
    halves = cells.instead({f"{name}, {half}": pc.list_element(lists, i) for i, half in enumerate(("1st", "2nd"))})
    first, second = halves.columns
    if halves.are_whole(first, high) or not halves.are_whole(second, high):
        halves.columns = (second, first)
    return halves


def _bits(cells: Cells, name: str, m: Mechanism) -> npt.NDArray[np.bool_]:
    """Read vectors from one column: strings such as 0110, or lists and separated text; those of THE may be reals."""
    array = cells.column(name)
    if _is_text(array) and not re.search(_SEPARATORS, array[0].as_py().strip()):
        return _bit_strings(cells, name, m.k)
    if isinstance(m, THE):
        return np.asarray(_vectors(cells, name, m.k, f"must be {m.k} numbers", np.isfinite) > m.theta)
    must = f"must be {m.k} times 0 or 1"
    return np.asarray(_vectors(cells, name, m.k, must, lambda a: (a == 0) | (a == 1)) == 1)


def _bit_strings(cells: Cells, name: str, k: int) -> npt.NDArray[np.bool_]:
    import pyarrow as pa
    import pyarrow.compute as pc

    array = cells.column(name)
    must = f"must be a string of {k} times 0 or 1"
    array = pc.cast(array, pa.large_string())
    right = pc.match_substring_regex(array, r"\A[01]*\z")
    right = right.to_numpy(zero_copy_only=False) & (pc.binary_length(array).to_numpy(zero_copy_only=False) == k)
    if not right.all():
        row = int(np.argmin(right))
        raise cells.refuse(row, name, must, array[row].as_py())
    start = int(np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset])
    text = np.frombuffer(array.buffers()[2], dtype=np.uint8)[start : start + len(array) * k]
    return np.asarray(text.reshape(-1, k) == ord("1"))


def _subsets(cells: Cells, m: SS) -> IntArray:
    if len(cells.columns) not in (1, m.omega):
        must = f"{m.name} at ε = {m.eps:g} needs {wanted(m)}"
        raise cells.refuse(0, cells.columns[0], must, len(cells.columns))
    if len(cells.columns) > 1 or (m.omega == 1 and not _is_list(cells, cells.columns[0])):
        sets = np.stack([cells.whole(name, m.k - 1) for name in cells.columns], axis=1)
    else:
        must = f"must be {m.omega} different values from 0 to {m.k - 1:,}"
        values = _vectors(cells, cells.columns[0], m.omega, must, lambda a: (a >= 0) & (a < m.k) & (np.trunc(a) == a))
        sets = values.astype(np.int64)
    twice = (np.diff(np.sort(sets, axis=1), axis=1) == 0).any(axis=1)
    if twice.any():
        row = int(np.argmax(twice))
        raise cells.refuse(row, cells.columns[0], "a set must not hold a value twice", sets[row].tolist())
    return np.asarray(sets)


def _is_list(cells: Cells, name: str) -> bool:
    import pyarrow as pa

    kind = cells.column(name).type
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _vectors(cells: Cells, name: str, width: int, must: str, ok: Callable[[Any], Any]) -> npt.NDArray[np.float64]:
    """Read so many numbers a cell."""
    import pyarrow.compute as pc

    array, lists = cells.column(name), _lists(cells, name, must)
    right = pc.list_value_length(lists).to_numpy(zero_copy_only=False) == width
    if right.all():
        try:
            # An element that is missing becomes NaN, which no check lets through.
            flat = _numbers(pc.list_flatten(lists), "float64").astype(np.float64)
            right = ok(flat.reshape(-1, width)).all(axis=1)
        except _NO_NUMBERS:
            right = np.array([all(_is_real(part) for part in cell) for cell in lists.to_pylist()])
    if not right.all():
        row = int(np.argmin(right))
        raise cells.refuse(row, name, must, array[row].as_py())
    return np.asarray(flat.reshape(-1, width))


def _lists(cells: Cells, name: str, must: str) -> Any:
    """Return a column of lists as it is, or text such as 3 7 9, 3;7;9 or [3, 7, 9] as lists of text."""
    import pyarrow.compute as pc

    array = cells.column(name)
    if _is_text(array):
        return pc.split_pattern_regex(pc.utf8_trim(array, " \t\n[](){}"), _SEPARATORS)
    if not _is_list(cells, name):
        raise cells.refuse(0, name, must, array[0].as_py())
    return array
