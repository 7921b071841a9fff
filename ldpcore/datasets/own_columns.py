"""The cells of a column of somebody's own table, read as numbers or as categories.

10⁷ rows take up to 2 seconds as numbers, 1 second as categories.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from ldpcore._validate import FloatArray, IntArray, shown
from ldpcore.datasets.merging import DistinctNumbers, merged
from ldpcore.datasets.own import OwnCategories, OwnNumbers, dropped_words
from ldpcore.datasets.own_dates import OwnDates, days_of
from ldpcore.errors import Refused
from ldpcore.tables.dialect import CommaMarks
from ldpcore.tables.parquet_columns import column_parts, first_rows, one_array
from ldpcore.tables.table import Table, check_table

EMPTY = "empty"
NOT_A_NUMBER = "not a number"
COMMA = "not a number (has a comma)"
NOT_FINITE = "not finite"
NOT_A_DATE = "not a date such as 2024-05-31"
# More different values than these are names or numbers of persons, not categories.
CATEGORIES_MAX = 100_000
LABEL_LENGTH = 60

_EXAMPLES = 5
_GUESS_ROWS = 100_000
# So many rows are looked at together.
_PIECE = 1 << 18
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,5})?$"
_WITH_COMMA = r"^[+-]?[0-9.]*,[0-9.,]*([eE][+-]?[0-9]+)?$"
_INFINITE = r"^(?i:[+-]?(nan|inf|infinity))$"


def numbers_from(table: Table, column: str) -> OwnNumbers:
    r"""Read the numbers of a column; cells without a finite number are dropped, and counted by reason.

    Text is a number if it is written like 12, -0.5 or 6.02e23, with or without spaces around it; or like 0,5 if no
    cell of the column has a point and not all commas may mean thousands. 1,234.5 is no number here.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> table = ldp.read_table(b"age,city\n31,A\n45,B\nunknown,A\n62,A\n", "people.csv")
    >>> numbers = numbers_from(table, "age")
    >>> numbers.values, numbers.dropped
    (array([31., 45., 62.]), {'not a number': 1})
    """
    commas = _has_decimal_commas(check_table(table), column)
    reasons, distinct = [], DistinctNumbers(table.rows, np.float64)
    for words, rows in _pieces(table, column):
        why, numbers = _as_numbers(words, commas)
        if why is None:
            raise Refused(
                f"{table.name}: the column {shown(column)} must hold numbers to be used as numbers; got a column of "
                f"type {_type(words)}"
            )
        reasons.append(why[rows])
        persons = np.bincount(rows, minlength=len(words))
        used = (why == 0) & (persons > 0)
        distinct.add(*merged(numbers[used], persons[used]))
    dropped, examples = _reasons(np.concatenate(reasons))
    if not distinct.size:
        raise Refused(
            f"{table.name}: the column {shown(column)} must hold at least 1 number; got none: of "
            f"{dropped_words(dropped)}"
        )
    return OwnNumbers(*distinct.merged(), table.rows, dropped, examples)


def dates_from(table: Table, column: str) -> OwnDates:
    r"""Read the dates of a column; cells without one are dropped, and counted by reason.

    Text is a date if it is written like 2024-05-31, with or without a time after it. Of a time only the date counts,
    as it is written; of a time with a zone in a Parquet file, the date in UTC.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> table = ldp.read_table(b"visit\n2024-05-31\n2024-06-02T12:30\nnever\n2024-06-02\n", "visits.csv")
    >>> visits = dates_from(table, "visit")
    >>> visits.dropped
    {'not a date such as 2024-05-31': 1}
    >>> visits.histogram(2, binning=ldp.OwnBinning(unit="month")).labels
    ('2024-05', '2024-06')
    """
    reasons, distinct = [], DistinctNumbers(check_table(table).rows, np.int64)
    for words, rows in _pieces(table, column):
        known, days = days_of(words)
        if known is None:
            raise Refused(
                f"{table.name}: the column {shown(column)} must hold dates to be used as dates; got a column of type "
                f"{_type(words)}"
            )
        reasons.append(np.where(known, 0, np.where(_are_empty(words), 1, 2)).astype(np.int8)[rows])
        persons = np.bincount(rows, minlength=len(words))
        used = known & (persons > 0)
        distinct.add(*merged(days[used], persons[used]))
    dropped, examples = _reasons(np.concatenate(reasons), (EMPTY, NOT_A_DATE))
    if not distinct.size:
        raise Refused(
            f"{table.name}: the column {shown(column)} must hold at least 1 date; got none: of {dropped_words(dropped)}"
        )
    return OwnDates(*distinct.merged(), table.rows, dropped, examples)


def categories_from(table: Table, column: str) -> OwnCategories:
    r"""Read a column as categories: any text, numbers, truth values, dates or times; empty cells are dropped.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> table = ldp.read_table(b"age,city\n31,A\n45,B\n62,A\n", "people.csv")
    >>> people = categories_from(table, "city").histogram(k=2)
    >>> people.labels, people.counts
    (('A', 'B'), array([2, 1]))
    """
    _check_categories(check_table(table), column)
    words, rows = _words(table, column)
    names = _as_text(table, column, words)
    numbered: dict[str, int] = {}
    places = np.array([numbered.setdefault(name, len(numbered)) if name else -1 for name in names], dtype=np.int64)
    if len(numbered) > CATEGORIES_MAX:
        raise _too_many(table, column, f"{len(numbered):,}")
    dropped, examples = _reasons((places < 0).astype(np.int8)[rows], (EMPTY,))
    # Added up by word, of which there are few: another array with an entry for each row would take the most memory.
    counts = np.zeros(len(numbered), dtype=np.int64)
    np.add.at(counts, places[places >= 0], np.bincount(rows, minlength=places.size)[places >= 0])
    order = sorted((-int(count), name) for name, count in zip(numbered, counts, strict=True) if count)
    if not order:
        raise Refused(f"{table.name}: the column {shown(column)} must hold something; every cell of it is empty")
    persons = np.array([-count for count, _ in order], dtype=np.int64)
    return OwnCategories(_distinct(name for _, name in order), persons, table.rows, dropped, examples)


def kind_of(table: Table, column: str) -> str | None:
    r"""Guess from its first 100,000 rows what a column is.

    Returns
    -------
    {"numbers", "dates", "categories"} or None
        Numbers if at least 90 % of the cells that are not empty are, and more than 20 of them are different; dates if
        at least 90 % are. None if the column cannot be used: it is not in the table, was left out, holds lists, or is
        empty.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.datasets import kind_of
    >>> table = ldp.read_table(b"day,colour\n2024-05-01,red\n2024-05-03,blue\n", "mine.csv")
    >>> kind_of(table, "day"), kind_of(table, "colour"), kind_of(table, "no such column")
    ('dates', 'categories', None)
    """
    import pyarrow as pa

    if not isinstance(column, str) or column not in check_table(table).columns or table.is_list(column):
        return None
    # A table of this column alone: there can be ten thousand columns, and this is done for each.
    data = pa.table({column: first_rows(table.data, column, _GUESS_ROWS)})
    head = Table(table.name, (column,), data.num_rows, data)
    words, rows = _words(head, column)
    if _are_empty(words)[np.unique(rows)].all():
        return None
    reasons, numbers = _as_numbers(words, _has_decimal_commas(head, column))
    empty = np.array([name == "" for name in _as_text(table, column, words)], dtype=np.bool_)
    filled = int((~empty[rows]).sum())
    if not filled:
        return None
    if reasons is None or int((reasons[rows] == 0).sum()) < 0.9 * filled:
        known, _ = days_of(words)
        return "categories" if known is None or int(known[rows].sum()) < 0.9 * filled else "dates"
    return "numbers" if np.unique(numbers[np.unique(rows[reasons[rows] == 0])]).size > 20 else "categories"


# ---- cells ------------------------------------------------------------------------


def _words(table: Table, column: str) -> tuple[Any, IntArray]:
    """Return the different cells of a column, one of them for the missing ones, and which of them each row has."""
    return _different(_whole(table.column(column)))


def _pieces(table: Table, column: str) -> Iterator[tuple[Any, IntArray]]:
    """Yield what `_words` returns for some rows after the other: of all at once, words take ten times their memory.

    Floats are mostly different, and finding that out takes longer than anything else that is done with them: every
    cell is returned as it is.
    """
    import pyarrow as pa

    for part in _parts(table, column):
        whole = _whole(part)
        for start in range(0, len(whole), _PIECE):
            piece = whole.slice(start, _PIECE)
            yield (piece, np.arange(len(piece))) if pa.types.is_floating(whole.type) else _different(piece)


def _parts(table: Table, column: str) -> Iterator[Any]:
    table.column_type(column)  # refuses those that hold no single values
    return column_parts(table.data, column)


def _whole(array: Any) -> Any:
    """Return a column, or a part of it, as one array of a type that can be encoded as a dictionary."""
    import pyarrow as pa

    if pa.types.is_float16(array.type):
        array = array.cast(pa.float32())
    if pa.types.is_null(array.type):
        array = array.cast(pa.string())
    return one_array(array)


def _different(cells: Any) -> tuple[Any, IntArray]:
    import pyarrow as pa

    encoded = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
    words, rows = encoded.dictionary, encoded.indices
    missing = len(words)
    rows = rows.fill_null(missing).to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    if missing > 2 * len(rows):  # of the words of a longer column, those that are here
        used, rows = np.unique(rows, return_inverse=True)
        present = used[used < missing]
        words, missing = words.take(present), len(present)
    return pa.concat_arrays([words, pa.nulls(1, words.type)]), rows


def _has_decimal_commas(table: Table, column: str) -> bool:
    """Tell whether the numbers of a whole column are written as 0,5."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = table.column_type(column)
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if not (pa.types.is_string(kind) or pa.types.is_large_string(kind)):
        return False
    marks = CommaMarks()
    for part in _parts(table, column):
        whole = one_array(part)
        words = whole.dictionary if pa.types.is_dictionary(whole.type) else whole
        for start in range(0, len(words), _PIECE):
            marks.look(pc.utf8_trim_whitespace(words.slice(start, _PIECE)))
    return marks.decimal


def _type(words: Any) -> str:
    from pyarrow import types

    if types.is_boolean(words.type):
        return "true or false"
    return "dates or times" if types.is_temporal(words.type) else str(words.type)


_REASONS = (EMPTY, NOT_A_NUMBER, COMMA, NOT_FINITE)


def _as_numbers(words: Any, commas: bool) -> tuple[npt.NDArray[np.int8] | None, FloatArray]:
    """Return for each word 0 or the number of the reason why it is no number, and the numbers."""
    import pyarrow as pa

    kind = words.type
    if pa.types.is_string(kind) or pa.types.is_large_string(kind):
        return _text_as_numbers(words, commas)
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)):
        return None, np.empty(0)
    numbers = words.cast(pa.float64(), safe=False).fill_null(0.0).to_numpy(zero_copy_only=False)
    missing = words.is_null().to_numpy(zero_copy_only=False)
    finite = np.isfinite(numbers)
    reasons = np.where(missing, 1 + _REASONS.index(EMPTY), np.where(finite, 0, 1 + _REASONS.index(NOT_FINITE)))
    return reasons.astype(np.int8), np.where(finite, numbers, 0.0)


def _text_as_numbers(words: Any, commas: bool) -> tuple[npt.NDArray[np.int8], FloatArray]:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pc.utf8_trim_whitespace(words).fill_null("")
    if commas:
        text = pc.replace_substring(text, ",", ".")

    def matches(pattern: str) -> npt.NDArray[np.bool_]:
        return np.asarray(pc.match_substring_regex(text, pattern).to_numpy(zero_copy_only=False))

    good = matches(_NUMBER)
    numbers = np.zeros(len(text))
    numbers[good] = _parsed(text.filter(pa.array(good)))  # a NumPy mask is too new for PyArrow 16
    reasons = np.zeros(len(text), dtype=np.int8)
    if not good.all():
        reasons[~good] = 1 + _REASONS.index(NOT_A_NUMBER)
        reasons[pc.equal(text, "").to_numpy(zero_copy_only=False)] = 1 + _REASONS.index(EMPTY)
        reasons[matches(_WITH_COMMA)] = 1 + _REASONS.index(COMMA)
        reasons[matches(_INFINITE)] = 1 + _REASONS.index(NOT_FINITE)
    infinite = ~np.isfinite(numbers)
    reasons[infinite] = 1 + _REASONS.index(NOT_FINITE)
    numbers[infinite] = 0.0
    return reasons, numbers


def _parsed(text: Any) -> FloatArray:
    """Return what is written like a number as float64; pyarrow does not take every way of writing."""
    import pyarrow as pa

    try:
        return np.asarray(text.cast(pa.float64()).to_numpy(zero_copy_only=False))
    except pa.ArrowInvalid:
        return np.array([float(word) for word in text.to_pylist()])


def _as_text(table: Table, column: str, words: Any) -> list[str]:
    """Return each word as text without spaces around it; what is missing or NaN is empty."""
    import pyarrow as pa
    import pyarrow.compute as pc

    try:
        if pa.types.is_timestamp(words.type) and words.type.tz is not None:
            words = words.cast(pa.timestamp(words.type.unit))
        if pa.types.is_floating(words.type):
            # What was rounded from below 0 is -0.0, which is the same number as 0.0.
            words = pc.add(pc.if_else(pc.is_nan(words), pa.scalar(None, words.type), words), pa.scalar(0, words.type))
        text = pc.utf8_trim_whitespace(words.cast(pa.string())).fill_null("")
    except pa.ArrowException:
        raise Refused(
            f"{table.name}: the column {shown(column)} cannot be used as categories; got a column of type {words.type}"
        ) from None
    return [str(word) for word in text.to_pylist()]


def _are_empty(words: Any) -> npt.NDArray[np.bool_]:
    """Tell which words are missing, or text of nothing but spaces."""
    import pyarrow as pa
    import pyarrow.compute as pc

    empty = words.is_null()
    if pa.types.is_string(words.type) or pa.types.is_large_string(words.type):
        empty = pc.equal(pc.utf8_trim_whitespace(words).fill_null(""), "")
    return np.asarray(empty.to_numpy(zero_copy_only=False))


def _reasons(
    reasons: npt.NDArray[np.int8], names: tuple[str, ...] = _REASONS
) -> tuple[dict[str, int], dict[str, tuple[int, ...]]]:
    """Count the rows that are dropped, and name the first of each reason."""
    dropped, examples = {}, {}
    if reasons.any():
        for number, name in enumerate(names, 1):
            places = np.flatnonzero(reasons == number)
            if places.size:
                dropped[name] = int(places.size)
                examples[name] = tuple(int(row) + 1 for row in places[:_EXAMPLES])
    return dropped, examples


def _check_categories(table: Table, column: str) -> None:
    """Refuse far too many words before all of them are in memory once more; " a" and "a" are the same later."""
    import pyarrow as pa
    import pyarrow.compute as pc

    words = None
    for part in _parts(table, column):
        whole = _whole(part)
        if pa.types.is_dictionary(whole.type):
            whole = whole.dictionary
        words = whole.slice(0, 0) if words is None else words
        for start in range(0, len(whole), _PIECE):
            words = pc.unique(pa.concat_arrays([words, pc.unique(whole.slice(start, _PIECE))]))
            if len(words) > 2 * CATEGORIES_MAX:
                raise _too_many(table, column, f"{len(words):,} or more")


def _too_many(table: Table, column: str, got: str) -> Refused:
    return Refused(
        f"{table.name}: the column {shown(column)} may have at most {CATEGORIES_MAX:,} different values as "
        f"categories; got {got}, as of names or numbers of persons"
    )


# ---- labels -----------------------------------------------------------------------


def _distinct(names: Iterable[str]) -> tuple[str, ...]:
    """Cut names for show, but keep different ones apart."""
    labels: dict[str, None] = {}
    times: dict[str, int] = {}
    for name in names:
        # Line ends and the like would break a chart's axis.
        flat = "".join(c if c.isprintable() else " " for c in name[: LABEL_LENGTH + 1])
        label = short = flat if len(flat) <= LABEL_LENGTH else flat[: LABEL_LENGTH - 1] + "…"
        while label in labels:
            times[short] = times.get(short, 1) + 1
            mark = f" ({times[short]})"
            label = short[: LABEL_LENGTH - len(mark)] + mark
        labels[label] = None
    return tuple(labels)
