"""Tables that somebody uploads or pastes, read from memory and checked before they are parsed.

Nothing here writes or reads a file of the machine. Size, rows and columns are bounded before anything is parsed;
what is wrong with a file is a ValueError of one sentence that names the file and, where it can, row and column. Rows
count from 1, without the header and without blank lines. The worst files of 50 MB take some 5 seconds and 0.6 GB of
memory beside the file itself; see `ldpcore._parquet` for how Parquet is kept from unpacking to more.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore._parquet import read_parquet
from ldpcore._validate import shown

MAX_BYTES = 50 * 2**20
MAX_ROWS = 10_000_000
MAX_COLUMNS = 10_000
# A cell is a number or the name of a category; a longer one is a file that went wrong.
MAX_CELL_BYTES = 100_000
CSV_SUFFIXES = (".csv", ".tsv", ".txt")
PARQUET_SUFFIXES = (".parquet", ".pq")
SUFFIXES = (*CSV_SUFFIXES, *PARQUET_SUFFIXES)

_SEPARATORS = ",;\t"
# The separator of pasted values, one to a line: none, that is a character which no text has.
_NONE = "\x1f"
_SPACE_TO_LINE = bytes.maketrans(b" \t\v\f", b"\n\n\n\n")
_HEAD_BYTES = 1 << 20
_NAME_LENGTH = 60
_TOO_LONG = f"a cell must have at most {MAX_CELL_BYTES:,} bytes"
_SAVE = 'save it again as "CSV UTF-8"'


@dataclass(frozen=True, eq=False)
class Table:
    """A table that was read.

    Attributes
    ----------
    name : str
        Name of the file, for messages: only its last part, cut if long, without control characters.
    columns : tuple of str
        Names of the columns, each once. One without a name is called by its number, as "column 3".
    rows : int
        Number of rows, without the header and, where there are several columns, without blank lines.
    data : pyarrow.Table
        From CSV every column is one of strings, with "" for an empty cell: numbers are read later, where a wrong
        cell can be named. From Parquet the types are as stored, but text is dictionary-encoded.
    left_out : tuple of str
        Columns of a Parquet file that are structs, maps or bytes, or have other types that hold neither numbers,
        text, truth values, dates, times nor lists of whole numbers.
    """

    name: str
    columns: tuple[str, ...]
    rows: int
    data: Any
    left_out: tuple[str, ...] = ()

    def refuse(self, row: int, column: str, must: str, got: object) -> ValueError:
        """Return the error about a cell; rows count from 1."""
        return ValueError(f"{self.name}, row {row:,}, column {shown(column)}: {must}; got {shown(got)}")

    def is_list(self, name: str) -> bool:
        """Tell whether every cell of a column is a list."""
        from pyarrow import types

        return name in self.columns and bool(types.is_nested(self.data.column(self.columns.index(name)).type))

    def column(self, name: str) -> Any:
        """Return a column that has one value in a cell, as a pyarrow.ChunkedArray."""
        if name in self.left_out or self.is_list(name):
            raise ValueError(
                f"{self.name}: the column {shown(name)} holds lists, structs or bytes; choose one of numbers, text, "
                "truth values, dates or times"
            )
        if name in self.columns:
            return self.data.column(self.columns.index(name))
        few = ", ".join(shown(other) for other in self.columns[:4]) + (", …" if len(self.columns) > 4 else "")
        raise ValueError(f"{self.name}: there is no column {shown(name)}; there are {few}")


def read_table(data: bytes, name: str, *, header: bool = True) -> Table:
    """Read an uploaded CSV or Parquet file.

    Parameters
    ----------
    data : bytes
        The file, up to 50 MB. CSV is UTF-8, with comma, semicolon or tab between the cells.
    name : str
        Name of the file; its ending says what it is: one of `SUFFIXES`.
    header : bool
        Whether the first line of a CSV file has the names of the columns. Without, they are "column 1", ….
    """
    file = _clean(name)
    with _Named(file):
        _check_size(data)
        suffix = _suffix(name)
        _check_content(data, suffix)
        left_out: tuple[str, ...] = ()
        if suffix in CSV_SUFFIXES:
            table = _read_csv(data, header)
        else:
            table, left_out = read_parquet(data, MAX_ROWS, MAX_COLUMNS)
        return _checked(Table(file, tuple(table.column_names), table.num_rows, table, left_out))


def paste_table(text: str) -> Table:
    """Read values that were pasted into a text box.

    One value to a line, or all on one line between commas, semicolons, tabs or spaces, become one column called
    "value". Several lines with several cells are read as CSV. A first line in which no cell is a number, above lines
    that are numbers, is the header.
    """
    file = "the pasted text"
    with _Named(file):
        try:
            data = text.strip().encode()
        except UnicodeEncodeError as problem:
            raise ValueError(f"the character at position {problem.start + 1:,} is no text; remove it") from None
        _check_size(data)
        table = _read_pasted(data)
        return _checked(Table(file, tuple(table.column_names), table.num_rows, table))


class _Named:
    """Put the name of the file in front of what is wrong with it."""

    def __init__(self, file: str) -> None:
        self._file = file

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: Any, problem: BaseException | None, at: Any) -> None:
        if isinstance(problem, _RowError):
            raise ValueError(f"{self._file}, {problem}") from None
        if isinstance(problem, ValueError):
            raise ValueError(f"{self._file}: {problem}") from None


class _RowError(ValueError):
    def __init__(self, row: int, sentence: str, column: str | None = None) -> None:
        at = f"row {row:,}" if row else "the header"
        super().__init__(f"{at}: {sentence}" if column is None else f"{at}, column {shown(column)}: {sentence}")


def _clean(name: str) -> str:
    last = re.split(r"[\\/]", name)[-1]
    # Of a very long name only both ends are looked at.
    last = last if len(last) <= 1000 else last[:500] + last[-500:]
    printable = "".join(c for c in last if c.isprintable()).strip()
    if len(printable) > _NAME_LENGTH:
        printable = printable[: _NAME_LENGTH - 16] + "…" + printable[-15:]
    return printable or "the file"


def _suffix(name: str) -> str:
    found = re.search(r"\.[^.\\/]*\Z", name.strip())
    return found.group().lower() if found else ""


def _check_size(data: bytes) -> None:
    if not isinstance(data, bytes):
        raise ValueError(f"data must be the bytes of a file; got {shown(type(data).__name__)}")
    if len(data) > MAX_BYTES:
        raise ValueError(f"there may be at most {MAX_BYTES >> 20} MB; got {len(data) / 2**20:,.1f} MB")
    if not data.strip(b"\r\n\t ,;\xef\xbb\xbf"):
        raise ValueError("there is nothing in it" if not data else "there are only blank lines in it")


# ---- what a file is ---------------------------------------------------------------

_UNPACK = "unpack it first, and upload the CSV or Parquet file that is in it"
_EXPORT = "export the table as CSV first"
# How files begin, what they are then, and what to do.
_KINDS = (
    (b"PAR1", "a Parquet file", "let its name end in .parquet"),
    (b"PARE", "an encrypted Parquet file", "save it without encryption"),
    (b"PK\x03\x04", "a zip archive", _UNPACK),
    (b"PK\x05\x06", "an empty zip archive", _UNPACK),
    (b"\xd0\xcf\x11\xe0", "an old Excel workbook", 'in Excel choose "Save as" and "CSV UTF-8"'),
    (b"\x1f\x8b", "a gzip archive", _UNPACK),
    (b"BZh", "a bzip2 archive", _UNPACK),
    (b"\xfd7zXZ", "an xz archive", _UNPACK),
    (b"7z\xbc\xaf", "a 7z archive", _UNPACK),
    (b"Rar!", "a rar archive", _UNPACK),
    (b"\x28\xb5\x2f\xfd", "a zstd archive", _UNPACK),
    (b"%PDF", "a PDF document", _EXPORT),
    (b"\x89PNG", "an image", _EXPORT),
    (b"\xff\xd8\xff", "an image", _EXPORT),
    (b"GIF8", "an image", _EXPORT),
    (b"II*\x00", "an image", _EXPORT),
    (b"RIFF", "an image or a recording", _EXPORT),
    (b"SQLite format 3", "an SQLite database", _EXPORT),
    (b"ARROW1", "an Arrow (Feather) file", "save it as Parquet"),
    (b"ORC", "an ORC file", "save it as Parquet"),
    (b"Obj\x01", "an Avro file", "save it as Parquet"),
    (b"\x89HDF", "an HDF5 file", "save the table as Parquet"),
    (b"\x93NUMPY", "a NumPy file", _EXPORT),
    (b"\x80\x04", "a Python pickle", "save the table as Parquet"),
    (b"\x80\x05", "a Python pickle", "save the table as Parquet"),
    (b"\x7fELF", "a program", "choose a table"),
    (b"MZ\x90", "a program", "choose a table"),
    (b"{\\rtf", "an RTF document", _EXPORT),
)
_WORKBOOK = ("an Excel workbook", 'in Excel choose "Save as" and "CSV UTF-8"')
_MARKS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
_MARKUP = re.compile(rb"\s*(?:<!doctype|<html|<head|<body|<table|<\?xml|<svg)", re.IGNORECASE)
_JSON = re.compile(rb'\s*(?:\{\s*["}]|\[\s*[\[{"\]\d-])')


def _seems(data: bytes) -> tuple[str, str] | None:
    """Say what a file is if it is neither CSV nor text of another kind, and what to do with it."""
    head = data[:4096].removeprefix(codecs.BOM_UTF8)
    for start, what, advice in _KINDS:
        if head.startswith(start):
            office = start == b"PK\x03\x04" and (b"[Content_Types].xml" in head or b"opendocument" in head)
            return _WORKBOOK if office else (what, advice)
    if _MARKUP.match(head):
        return "a web page or XML", _EXPORT
    return ("JSON", _EXPORT) if _JSON.match(head) else None


def _check_content(data: bytes, suffix: str) -> None:
    """Refuse a file that is not what its name says."""
    found = _seems(data)
    is_parquet = data.startswith(b"PAR1")
    if suffix not in SUFFIXES:
        what, advice = found or ("text", "if it is a table, let its name end in .csv")
        raise ValueError(f"the name must end in {', '.join(SUFFIXES)}; this seems to be {what}: {advice}")
    if suffix in PARQUET_SUFFIXES and not is_parquet:
        what, advice = found or _text_or_damage(data)
        raise ValueError(f"this is not the Parquet file that its name says; it seems to be {what}: {advice}")
    if suffix in CSV_SUFFIXES and found:
        raise ValueError(f"this is not the text that its name says; it seems to be {found[0]}: {found[1]}")


def _text_or_damage(data: bytes) -> tuple[str, str]:
    if data.endswith((b"PAR1", b"PARE")) or b"\0" in data[:4096]:
        return "damaged", "save or upload it again"
    return "text", "if it is a table, let its name end in .csv"


# ---- CSV --------------------------------------------------------------------------


def _read_csv(data: bytes, header: bool) -> Any:
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
            raise ValueError(f"this text is {encoding}, not UTF-8; {_SAVE}")
    head = data[:4096]
    if head.count(b"\0") > len(head) // 8:
        raise ValueError(f"every few bytes one is 0, as in UTF-16 and in files that are not text; {_SAVE}")
    zero = data.find(b"\0")
    if zero >= 0:
        raise _RowError(_row_at(data, zero, header), f"there is a byte 0, which is not text; {_SAVE}")
    at = _first_not_utf8(data)
    if at is not None:
        got = f"the byte 0x{data[at]:02X}"
        raise _RowError(_row_at(data, at, header), f"the text must be UTF-8; got {got}, perhaps from Latin-1: {_SAVE}")
    lines = max(data.count(b"\n"), data.count(b"\r"))
    if lines > MAX_ROWS + 1:
        raise ValueError(f"there may be at most {MAX_ROWS:,} rows; got {lines:,} lines")


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
            raise ValueError(f"the first line may be at most {_HEAD_BYTES >> 20} MB long, with every quote closed")
        if widths:
            rank = (sum(width == widths[0] for width in widths) if widths[0] > 1 else 0, widths[0], separator)
            best = max(best, rank, key=lambda r: r[:2])
    if not best[2]:
        raise ValueError(f"in the first line, {_TOO_LONG}")
    cells = best[1]
    if cells > MAX_COLUMNS:
        raise ValueError(f"there may be at most {MAX_COLUMNS:,} columns; got {cells:,} in the first line")
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
        raise ValueError("this text cannot be read as CSV; save it again") from None
    if table.num_columns != cells:
        raise ValueError("the quotes in the first line are not as in CSV; remove them or save it again")
    if table.num_rows > MAX_ROWS + header:
        raise ValueError(f"there may be at most {MAX_ROWS:,} rows; got {table.num_rows - header:,}")
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


def _wrong_width(row: Any, header: bool) -> ValueError:
    number = row.number - header
    if row.text.count('"') % 2 and ("\n" in row.text or "\r" in row.text):
        return _unclosed(number)
    return _RowError(
        number,
        f"a row must have {_cells(row.expected_columns)}, as the first line has; got {_cells(row.actual_columns)}",
    )


def _unclosed(number: int) -> ValueError:
    return _RowError(number, 'a quote (") is opened in this row but never closed')


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count:,} cells"


def _column_names(names: list[str]) -> tuple[str, ...]:
    if not any(names):
        raise ValueError("the first line must have the names of the columns; it is empty")
    named = tuple(name or f"column {i + 1}" for i, name in enumerate(names))
    name, times = Counter(named).most_common(1)[0]
    if times > 1:
        raise ValueError(f"every column must have a name of its own; {times:,} are called {shown(name)}")
    return named


def _checked(table: Table) -> Table:
    """Refuse a table without rows, and cells that are longer than a number or a name can be."""
    if not table.rows:
        raise ValueError("there are columns but no rows; at least one is needed")
    for name, column in zip(table.columns, table.data.columns, strict=True):
        first = 1
        for chunk in column.chunks:
            row = _too_long(chunk)
            if row is not None:
                raise _RowError(first + row, f"{_TOO_LONG}; got {shown(chunk[row].as_py())}", name)
            first += len(chunk)
    return table


def _too_long(chunk: Any) -> int | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    text = chunk.dictionary if pa.types.is_dictionary(chunk.type) else chunk
    if not (pa.types.is_string(text.type) or pa.types.is_large_string(text.type)):
        return None
    lengths = pc.binary_length(text)
    if (pc.max(lengths).as_py() or 0) <= MAX_CELL_BYTES:
        return None
    if text is not chunk:
        lengths = lengths.take(chunk.indices)
    # What no row refers to is no cell.
    row = pc.index(pc.fill_null(pc.greater(lengths, MAX_CELL_BYTES), False), True).as_py()
    return int(row) if row >= 0 else None


# ---- pasted -----------------------------------------------------------------------


def _read_pasted(data: bytes) -> Any:
    _check_text(data, header=False)
    lines = data[:_HEAD_BYTES].decode(errors="ignore").splitlines()[:200]
    several = len(lines) > 1
    if several and any(separator in lines[0] for separator in _SEPARATORS):
        return _read_csv(data, header=not any(_is_number(cell) for cell in re.split(r"[,;\t]", lines[0])))
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
