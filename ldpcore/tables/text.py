"""Tables in text, from a stranger: bounded before anything is parsed, and with every cell a string."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from typing import Any

import numpy as np

from ldpcore._validate import shown
from ldpcore.errors import Refused

MAX_ROWS = 10_000_000
MAX_COLUMNS = 10_000
# A cell is a number or the name of a category; a longer one is a file that went wrong.
MAX_CELL_BYTES = 100_000
TOO_LONG = f"a cell must have at most {MAX_CELL_BYTES:,} bytes"

_SEPARATORS = ",;\t"
# The separator of pasted values, one to a line: none, that is a character which no text has.
_NONE = "\x1f"
_HEAD_BYTES = 1 << 20
_SAVE = 'save it again as "CSV UTF-8"'
_SPACE_TO_LINE = bytes.maketrans(b" \t\v\f", b"\n\n\n\n")

_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)


class RowError(Refused):
    """Something wrong in a row; the name of the file comes in front of it with a comma."""

    def __init__(self, row: int, sentence: str, column: str | None = None) -> None:
        at = f"row {row:,}" if row else "the header"
        super().__init__(f"{at}: {sentence}" if column is None else f"{at}, column {shown(column)}: {sentence}")


def read_csv(data: bytes, header: bool) -> Any:
    _check_text(data, header)
    data = data.removeprefix(codecs.BOM_UTF8).lstrip(b"\r\n").rstrip(b"\r\n") + b"\n"
    separator, cells = _separator(data)
    table = _parse(data, separator, cells, header)
    if not header:
        return table.rename_columns([f"column {i + 1}" for i in range(cells)])
    names = [str(column[0].as_py()).strip() for column in table.columns]
    return table.slice(1).rename_columns(_column_names(names))


def _check_text(data: bytes, header: bool) -> None:
    for mark, encoding in _MARKS:
        if data.startswith(mark):
            raise Refused(f"this text is {encoding}, not UTF-8; {_SAVE}")
    head = data[:4096]
    if head.count(b"\0") > len(head) // 8:
        raise Refused(f"every few bytes one is 0, as in UTF-16 and in files that are not text; {_SAVE}")
    zero = data.find(b"\0")
    if zero >= 0:
        raise RowError(_row_at(data, zero, header), f"there is a byte 0, which is not text; {_SAVE}")
    at = _first_not_utf8(data)
    if at is not None:
        got = f"the byte 0x{data[at]:02X}"
        raise RowError(_row_at(data, at, header), f"the text must be UTF-8; got {got}, perhaps from Latin-1: {_SAVE}")
    lines = max(data.count(b"\n"), data.count(b"\r"))
    if lines > MAX_ROWS + 1:
        raise Refused(f"there may be at most {MAX_ROWS:,} rows; got {lines:,} lines")


def _first_not_utf8(data: bytes) -> int | None:
    """Return the position of the first byte that is not UTF-8, decoding a piece at a time."""
    if data.isascii():
        return None
    decoder = codecs.getincrementaldecoder("utf-8")()
    for start in range(0, len(data), _HEAD_BYTES):
        piece = data[start : start + _HEAD_BYTES]
        held = len(decoder.getstate()[0])
        try:
            decoder.decode(piece, final=start + _HEAD_BYTES >= len(data))
        except UnicodeDecodeError as problem:
            return start - held + problem.start
    return None


def _row_at(data: bytes, position: int, header: bool) -> int:
    """Return the row of a byte; 0 is the header."""
    before = np.frombuffer(data[:position], dtype=np.uint8)
    # An odd number of quotes before an end of line says that it is within a cell. Only the parity counts, so that
    # the sum may overflow.
    quoted = np.cumsum(before == ord('"'), dtype=np.uint8) % 2 == 1
    ends = np.flatnonzero((before == ord("\n")) & ~quoted)
    filled = np.diff(ends, prepend=-1) > 1
    filled &= (np.diff(ends, prepend=-1) > 2) | (before[ends - 1] != ord("\r"))
    return int(filled.sum()) + (not header)


def _separator(data: bytes) -> tuple[str, int]:
    """Find the separator in the first line, and how many cells it makes; of two that fit, the first lines decide."""
    head = data[:_HEAD_BYTES].decode(errors="ignore")
    best = (-1, 0, "")
    for separator in _SEPARATORS:
        widths = _widths(head, separator)
        if len(data) > _HEAD_BYTES and len(widths) == 1:
            raise Refused(f"the first line may be at most {_HEAD_BYTES >> 20} MB long, with every quote closed")
        if widths:
            rank = (sum(width == widths[0] for width in widths) if widths[0] > 1 else 0, widths[0], separator)
            best = max(best, rank, key=lambda r: r[:2])
    if not best[2]:
        raise Refused(f"in the first line, {TOO_LONG}")
    cells = best[1]
    if cells > MAX_COLUMNS:
        raise Refused(f"there may be at most {MAX_COLUMNS:,} columns; got {cells:,} in the first line")
    return best[2], cells


def _widths(head: str, separator: str) -> list[int]:
    """Return how many cells the first lines have; -1 for a line with a cell that is too long for this module."""
    widths = []
    try:
        for record in csv.reader(io.StringIO(head, newline=""), delimiter=separator):
            widths.append(len(record))
            if len(widths) == 20:
                break
    except csv.Error:
        return [*widths, -1] if widths else []
    return widths


def _parse(data: bytes, separator: str, cells: int, header: bool, *, pasted: bool = False) -> Any:
    """Parse text of which every row must have so many cells, all as strings; the header is a row too.

    In pasted values quotes have no meaning, and blank lines are no values.
    """
    import pyarrow as pa
    from pyarrow.csv import read_csv

    wrong: list[Any] = []

    def refuse(row: Any) -> str:
        wrong.append(row)
        return "error"

    reading, parsing, converting = _csv_options(separator, cells, refuse, len(data), pasted)
    try:
        table = read_csv(pa.BufferReader(data), read_options=reading, parse_options=parsing, convert_options=converting)
    except (pa.ArrowException, OSError, MemoryError):
        if wrong:
            raise _wrong_width(wrong[0], header) from None
        if not pasted and data.count(b'"') % 2:
            raise _unclosed(1 - header) from None
        raise Refused("this text cannot be read as CSV; save it again") from None
    if table.num_columns != cells:
        raise Refused("the quotes in the first line are not as in CSV; remove them or save it again")
    if table.num_rows > MAX_ROWS + header:
        raise Refused(f"there may be at most {MAX_ROWS:,} rows; got {table.num_rows - header:,}")
    last = table.columns[-1][-1].as_py()
    # A quote that is never closed takes in all the rest, the end of the last line too.
    if not pasted and last.endswith("\n") and data.endswith(b'"' + last.replace('"', '""').encode()):
        raise _unclosed(table.num_rows - header)
    return table


def _csv_options(separator: str, cells: int, refuse: Any, size: int, pasted: bool) -> tuple[Any, Any, Any]:
    import pyarrow as pa
    from pyarrow import csv as pacsv

    return (
        # In one block and one thread, rows have numbers and cells may span lines.
        pacsv.ReadOptions(use_threads=False, block_size=size + 1, autogenerate_column_names=True),
        pacsv.ParseOptions(
            delimiter=separator,
            quote_char=False if pasted else '"',
            newlines_in_values=not pasted,
            invalid_row_handler=refuse,
            # In a table of one column a blank line is an empty cell.
            ignore_empty_lines=cells > 1 or pasted,
        ),
        pacsv.ConvertOptions(column_types={f"f{i}": pa.string() for i in range(cells)}),
    )


def _wrong_width(row: Any, header: bool) -> Refused:
    number = row.number - header
    if row.text.count('"') % 2 and ("\n" in row.text or "\r" in row.text):
        return _unclosed(number)
    return RowError(
        number,
        f"a row must have {_cells(row.expected_columns)}, as the first line has; got {_cells(row.actual_columns)}",
    )


def _unclosed(number: int) -> Refused:
    return RowError(number, 'a quote (") is opened in this row but never closed')


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count:,} cells"


def _column_names(names: list[str]) -> tuple[str, ...]:
    if not any(names):
        raise Refused("the first line must have the names of the columns; it is empty")
    named = tuple(name or f"column {i + 1}" for i, name in enumerate(names))
    name, times = Counter(named).most_common(1)[0]
    if times > 1:
        raise Refused(
            f"every column must have a name of its own; {times:,} are called {shown(name)} in the first line, "
            "unless it is no header: then say so"
        )
    return named


# ---- pasted -----------------------------------------------------------------------


def read_pasted(data: bytes) -> Any:
    _check_text(data, header=False)
    lines = data[:_HEAD_BYTES].decode(errors="ignore").splitlines()[:200]
    several = len(lines) > 1
    if several and any(separator in lines[0] for separator in _SEPARATORS):
        return read_csv(data, header=not any(_is_number(cell) for cell in re.split(r"[,;\t]", lines[0])))
    if not several:
        data = _one_line(data)
    elif all(_is_number(part) for line in lines for part in line.split()):
        data = data.translate(_SPACE_TO_LINE)
    header = several and not _is_number(lines[0]) and _mostly_numbers(lines[1:])
    table = _parse(data + b"\n", _NONE, 1, header, pasted=True)
    return table.slice(int(header)).rename_columns([lines[0].strip() if header else "value"])


def _one_line(data: bytes) -> bytes:
    """Put the values of a line on lines of their own."""
    for separator in b";", b"\t", b",":
        if separator in data:
            return data.replace(separator, b"\n")
    return data.translate(_SPACE_TO_LINE)


def _mostly_numbers(lines: list[str]) -> bool:
    filled = [line for line in lines if line.strip()]
    return sum(_is_number(line) for line in filled) >= 0.9 * max(len(filled), 1)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


# ---- numbers ----------------------------------------------------------------------


def has_decimal_commas(text: Any) -> bool:
    """Tell whether numbers are written as 0,5; not where they may as well be thousands, as 1,000 or 1,234.5."""
    import pyarrow.compute as pc

    with_comma = text.filter(pc.match_substring(text, ","))
    decimals = pc.all(pc.match_substring_regex(with_comma, r"^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$")).as_py()
    thousands = pc.all(pc.match_substring_regex(with_comma, r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$")).as_py()
    return bool(decimals and not thousands and not pc.any(pc.match_substring(text, ".")).as_py())
