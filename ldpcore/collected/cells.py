"""The cells of a table of collected reports, checked one by one: numbers, and lists in text."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from ldpcore._validate import IntArray, shown
from ldpcore.collected.names import as_words
from ldpcore.errors import Refused
from ldpcore.tables.dialect import BARE, SCALAR, has_decimal_commas
from ldpcore.tables.limits import mb

# Between the values of a list in a cell of text.
SEPARATORS = r"[\s,;|]+"
# Every whole number up to this is a float64 of its own.
_EXACT_FLOAT = 2**53
# So much text is read at a time: 48 bytes for each of the cells that a batch may have, see `parts.CELLS`. A dictionary
# of one long text is small, and its rows written out are not.
MAX_TEXT = 96 * 2**20
_DIGITS = 'with all its digits, not as a real number (with np.savetxt: fmt="%d")'


class Cells:
    """The cells of one batch; what is wrong with one is said with file, row and column.

    Parameters
    ----------
    source : str
        Name of the file, for messages.
    columns : sequence of str
        That hold the reports.
    batch : pyarrow.RecordBatch
        These columns, and perhaps others.
    numbers : sequence of int
        The number of each row in its file, for messages.
    commas : collection of str
        The columns of which the first rows say that numbers are written as 0,5.
    words : tuple of str
        The names of the values 0, 1, …, where these stand in the cells; none where numbers do.
    """

    def __init__(
        self,
        source: str,
        columns: Sequence[str],
        batch: Any,
        numbers: Sequence[int] | IntArray,
        commas: frozenset[str] = frozenset(),
        words: tuple[str, ...] = (),
    ) -> None:
        self._source, self._batch, self._numbers, self._commas = source, batch, numbers, commas
        self.columns, self.words = tuple(columns), words

    def take(self, rows: IntArray) -> Cells:
        """Return some of the rows, under their old numbers."""
        numbers = np.asarray(self._numbers)[rows]
        return Cells(self._source, self.columns, self._batch.take(rows), numbers, self._commas, self.words)

    def instead(self, columns: dict[str, Any]) -> Cells:
        """Return the same rows with other columns."""
        import pyarrow as pa

        return Cells(self._source, tuple(columns), pa.RecordBatch.from_pydict(columns), self._numbers)

    def in_order(self, columns: Sequence[str]) -> Cells:
        """Return the same cells with the columns of the reports in another order."""
        return Cells(self._source, columns, self._batch, self._numbers, self._commas)

    def are_whole(self, name: str, high: int) -> bool:
        """Tell whether every cell is a whole number from 0 to `high`."""
        try:
            self.whole(name, high)
        except Refused:
            return False
        return True

    def refuse(self, row: int, column: str, must: str, got: object) -> Refused:
        """Return what is wrong with a cell; rows count from 0 within the batch."""
        number = int(self._numbers[row])
        return Refused(f"{self._source}, row {number:,}, column {column!r}: {must}; got {shown(got)}")

    def check(self, right: npt.NDArray[np.bool_], name: str, must: str) -> None:
        """Refuse the first cell of a column that is not right."""
        if not right.all():
            row = int(np.argmin(right))
            raise self.refuse(row, name, must, self.column(name)[row].as_py())

    def column(self, name: str) -> Any:
        """Return a column without missing cells."""
        import pyarrow as pa

        array = self._batch.column(self._batch.schema.get_field_index(name))
        if pa.types.is_dictionary(array.type):
            size = _text_size(array)
            if size > MAX_TEXT:
                raise Refused(
                    f"{self._source}, column {name!r}: the cells of {len(array):,} rows may have at most "
                    f"{mb(MAX_TEXT)} of text; got {mb(size)}"
                )
            array = array.dictionary_decode()
        if pa.types.is_temporal(array.type):  # as text: Python has no dates before the year 1 or after 9999
            array = array.cast(pa.string())
        if array.null_count:
            row = int(np.argmax(array.is_null().to_numpy(zero_copy_only=False)))
            raise self.refuse(row, name, "no cell may be empty", None)
        return array

    # ---- numbers ------------------------------------------------------------------

    def reals(self, name: str) -> npt.NDArray[np.float64]:
        """Return a column of finite numbers."""
        must = "must be a finite number"
        array = self.column(name)
        numbers = _numbers(array, "float64", commas=name in self._commas)
        if numbers is None:
            raise self._first_that_fails(array, name, _is_real, must)
        self.check(np.isfinite(numbers), name, must)
        return np.asarray(numbers)

    def whole(self, name: str, high: int, why: str = "") -> IntArray:
        """Return a column of whole numbers from 0 to `high`."""
        must = f"must be a whole number from 0 to {high:,}{why}"
        array = self.column(name)
        # Reals go another way, for of large ones the last digits are lost.
        numbers = None if _is_real_type(array) else _numbers(array, "int64")
        if numbers is None:
            numbers = self._whole_reals(array, name, high, must)
        self.check((numbers >= 0) & (numbers <= high), name, must)
        return np.asarray(numbers)

    def truths(self, name: str) -> npt.NDArray[np.bool_] | None:
        """Return a column of 0 and 1, or of True and False as pandas writes them; None where a cell is neither."""
        return _truths(self.column(name))

    def are_reals(self) -> bool:
        """Tell whether the first report holds a number that is neither 0 nor 1; strings such as 0110 hold none."""
        for name in self.columns:
            text = re.sub(SCALAR, BARE, str(self._batch.column(name)[0].as_py()))
            for part in re.split(r"[\s,;|\[\](){}]+", text):
                if part.strip("01") and _is_real(part) and float(part) not in (0, 1):
                    return True
        return False

    def named(self, name: str) -> IntArray:
        """Return the values of a column that holds their names."""
        import pyarrow as pa
        import pyarrow.compute as pc

        values = pc.index_in(as_words(self.column(name)), value_set=pa.array(self.words, pa.string()))
        known = values.is_valid().to_numpy(zero_copy_only=False)
        self.check(known, name, f"must be one of the names of the {len(self.words):,} values")
        return np.asarray(values.to_numpy(zero_copy_only=False)).astype(np.int64)

    def _whole_reals(self, array: Any, name: str, high: int, must: str) -> IntArray:
        """Read whole numbers that were written as reals: other packages' bits are 0.0 and 1.0."""
        reals = _numbers(array, "float64", commas=name in self._commas)
        if reals is None:
            raise self._first_that_fails(array, name, _is_whole, must)
        large = np.abs(reals) >= _EXACT_FLOAT
        if large.any() and np.isfinite(reals[large]).all():
            rows = np.flatnonzero(large).tolist()
            beyond = next((row for row in rows if _is_beyond(array[row].as_py(), high)), None)
            if beyond is not None:
                raise self.refuse(beyond, name, must, array[beyond].as_py())
            raise self.refuse(rows[0], name, f"{must}, {_DIGITS}", array[rows[0]].as_py())
        right = np.isfinite(reals) & (np.trunc(reals) == reals)
        self.check(right, name, must)
        return np.asarray(reals).astype(np.int64)

    def _first_that_fails(self, array: Any, name: str, ok: Callable[[Any], bool], must: str) -> Refused:
        # A cell at a time: as objects of Python, all of them would take ten times their own memory.
        for row, cell in enumerate(array):
            if not ok(cell.as_py()):
                return self.refuse(row, name, must, cell.as_py())
        return Refused(f"{self._source}, column {name!r}: {must}; got a column of type {array.type}")

    # ---- lists --------------------------------------------------------------------

    def is_text(self, name: str) -> bool:
        """Tell whether a column is one of text."""
        from pyarrow import types

        kind = self._batch.schema.field(name).type
        return bool(types.is_dictionary(kind) or types.is_string(kind) or types.is_large_string(kind))

    def is_list(self, name: str) -> bool:
        """Tell whether every cell of a column is a list."""
        from pyarrow import types

        kind = self._batch.schema.field(name).type
        return bool(types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind))

    def lists(self, name: str, must: str) -> Any:
        """Return a column of lists as it is, or text such as 3 7 9, 3;7;9 or [3, 7, 9] as lists of text."""
        import pyarrow.compute as pc

        array = self.column(name)
        if _is_text(array):
            # Python writes a tuple of one value as (2,).
            if pc.any(pc.match_substring(array, "np.")).as_py():
                array = pc.replace_substring_regex(array, SCALAR, BARE)
            array = pc.replace_substring_regex(array, r",\s*([\])}])\s*\z", r"\1")
            return pc.split_pattern_regex(pc.utf8_trim(array, " \t\n[](){}"), SEPARATORS)
        if not self.is_list(name):
            raise self.refuse(0, name, must, array[0].as_py())
        return array

    def vectors(
        self, name: str, width: int, must: str, ok: Callable[[Any], Any], *, truths: bool = False
    ) -> npt.NDArray[np.float64]:
        """Read lists of so many numbers each, or `truths`, which are 0 and 1; `ok` tells which numbers are right."""
        import pyarrow.compute as pc

        lists = self.lists(name, must)
        self.check(pc.list_value_length(lists).to_numpy(zero_copy_only=False) == width, name, must)
        flat = pc.list_flatten(lists)
        numbers = _numbers(flat, "float64")
        if numbers is None and truths:
            numbers = _truths(flat)
        if numbers is None:
            self.check(np.array([all(map(_is_real, cell.as_py())) for cell in lists]), name, must)
            raise Refused(f"{self._source}, column {name!r}: {must}; got lists of type {lists.type}")
        # An element that is missing becomes NaN, which no check lets through.
        rows = numbers.astype(np.float64).reshape(-1, width)
        self.check(ok(rows).all(axis=1), name, must)
        return np.asarray(rows)


def _text_size(array: Any) -> int:
    """Return how many bytes the text of a dictionary array takes once every row has its own copy.

    Only the entries that rows refer to are looked at: a batch may be small, and its dictionary that of a large file.
    """
    import pyarrow as pa

    words, places = array.dictionary, array.indices.drop_null().to_numpy(zero_copy_only=False)
    kind = np.int64 if pa.types.is_large_string(words.type) else np.int32
    if not len(words):
        return 0
    ends = np.frombuffer(words.buffers()[1], dtype=kind)[words.offset : words.offset + len(words) + 1]
    return int((ends[places + 1].astype(np.int64) - ends[places]).sum())


def _numbers(array: Any, kind: str, *, commas: bool = False) -> Any:
    """Return an array of numbers, or None where a cell is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if _is_text(array):
        array = pc.utf8_trim_whitespace(array)
    try:
        return pc.cast(array, kind).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        if kind != "float64" or not _is_text(array) or not (commas or has_decimal_commas(array)):
            return None
    try:
        return pc.cast(pc.replace_substring(array, ",", "."), kind).to_numpy(zero_copy_only=False)
    except pa.ArrowInvalid:
        return None


def _truths(array: Any) -> npt.NDArray[np.bool_] | None:
    """Return cells of text as truth values: True, TRUE and 1 are one; None where a cell is none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not _is_text(array):
        return None
    try:
        return np.asarray(pc.cast(pc.utf8_trim_whitespace(array), pa.bool_()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        return None


def _is_real_type(array: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(array.type))


def _is_text(array: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(array.type) or pa.types.is_large_string(array.type))


def _is_beyond(cell: Any, high: int) -> bool:
    """Tell whether a cell has all its digits, and is not from 0 to `high`."""
    written = isinstance(cell, int) or (isinstance(cell, str) and re.fullmatch(r"\s*[+-]?[0-9]{1,40}\s*", cell))
    return bool(written) and not 0 <= int(cell) <= high


def _is_whole(cell: Any) -> bool:
    if isinstance(cell, str) and not re.fullmatch(r"\s*-?[0-9.]+(e[+-]?[0-9]+)?\s*", cell, re.ASCII | re.IGNORECASE):
        return False
    return _is_real(cell) and float(cell).is_integer() and abs(float(cell)) < 2**63


def _is_real(cell: Any) -> bool:
    try:
        return math.isfinite(float(cell))
    except (ValueError, TypeError):
        return False
