"""Tables that somebody uploads or pastes, read from memory and checked before they are parsed.

Nothing here writes or reads a file of the machine. Size, rows and columns are bounded before anything is parsed;
what is wrong with a file is a `Refused` of one sentence that names the file and, where it can, row and column. Rows
count from 1, without the header and without blank lines. The worst files of 50 MB take some 10 seconds and, with
what is made of them, at most 700 MiB of memory in all, as a test measures; THREATS.md says how
Parquet is kept from unpacking to more.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from ldpcore._validate import shown, truth
from ldpcore.errors import Refused
from ldpcore.tables.dialect import RowError, find_encoding
from ldpcore.tables.kinds import check_content, suffix_of
from ldpcore.tables.limits import CSV_SUFFIXES, HEAD_BYTES, MAX_BYTES, MAX_CELL_BYTES, TOO_LONG
from ldpcore.tables.parquet import checked_cells, read_parquet
from ldpcore.tables.pasted import read_pasted
from ldpcore.tables.table import Table
from ldpcore.tables.text import read_csv

_NAME_LENGTH = 60


def read_table(data: bytes, name: str, *, header: bool = True) -> Table:
    r"""Read an uploaded CSV or Parquet file.

    Parameters
    ----------
    data : bytes
        The file, up to 50 MB. CSV is UTF-8, or UTF-16 with its mark, with comma, semicolon or tab between the cells.
    name : str
        Name of the file; its ending says what it is: one of `SUFFIXES`, in capitals or not.
    header : bool
        Whether the first line of a CSV file has the names of the columns. Without, they are "column 1", ….

    Examples
    --------
    >>> table = read_table(b"seed; value\n4318;1\n77;0\n", "Reports.CSV")
    >>> table.columns, table.rows, table.column("value").to_pylist()
    (('seed', 'value'), 2, ['1', '0'])
    >>> read_table(b"PK\x03\x04", "a.csv")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ldpcore.errors.Refused: a.csv: this is not the text that its name says; it seems to be a zip archive: unpack ...
    """
    file, header = _clean(name), truth("header", header)
    with named(file):
        _check_size(data)
        suffix, left_out = suffix_of(name), tuple[str, ...]()
        if suffix in CSV_SUFFIXES:
            data = find_encoding(data).decode(data)
            check_blank(data)
            check_content(data[:HEAD_BYTES], suffix)
            table = read_csv(data, header, suffix)
            cells = _text_cells(table)
        else:
            check_blank(data)
            check_content(data, suffix)
            table, left_out = read_parquet(data)
            cells = checked_cells(table)
        return _checked(Table(file, tuple(table.column_names), table.num_rows, table, left_out), cells)


def paste_table(text: str) -> Table:
    r"""Read values that were pasted into a text box.

    One value to a line, or all on one line between commas, semicolons, tabs or spaces, become one column called
    "value". Several lines with several cells are read as CSV. A first line in which no cell is a number, above lines
    that are numbers, is the header.

    Examples
    --------
    >>> paste_table("age\n31\n44").column("age").to_pylist()
    ['31', '44']
    """
    file = "the pasted text"
    if not isinstance(text, str):
        raise Refused(f"text must be a text; got {shown(text)}")
    with named(file):
        try:
            data = text.strip().encode()
        except UnicodeEncodeError as problem:
            raise Refused(f"the character at position {problem.start + 1:,} is no text; remove it") from None
        _check_size(data)
        check_blank(data)
        table = read_pasted(data)
        return _checked(Table(file, tuple(table.column_names), table.num_rows, table), _text_cells(table))


@contextmanager
def named(file: str) -> Iterator[None]:
    """Put the name of the file in front of what is wrong with it."""
    try:
        yield
    except RowError as problem:
        raise Refused(f"{file}, {problem}") from None
    except Refused as problem:
        raise Refused(f"{file}: {problem}") from None


def _clean(name: str) -> str:
    if not isinstance(name, str):
        raise Refused(f"name must be the name of a file; got {shown(name)}")
    last = re.split(r"[\\/]", name)[-1]
    # Of a very long name only both ends are looked at.
    last = last if len(last) <= 1000 else last[:500] + last[-500:]
    printable = "".join(c for c in last if c.isprintable()).strip()
    if len(printable) > _NAME_LENGTH:
        printable = printable[: _NAME_LENGTH - 16] + "…" + printable[-15:]
    return printable or "the file"


def _check_size(data: bytes) -> None:
    if not isinstance(data, bytes):
        raise Refused(f"data must be the bytes of a file; got {shown(type(data).__name__)}")
    if len(data) > MAX_BYTES:
        raise Refused(f"there may be at most {MAX_BYTES >> 20} MB; got {len(data) / 2**20:,.1f} MB")


def check_blank(data: bytes) -> None:
    """Refuse a file without anything in it."""
    if not data.strip(b"\r\n\t ,;"):
        raise Refused("there is nothing in it" if not data else "there are only blank lines in it")


def _checked(table: Table, cells: Iterable[tuple[str, int, Any]]) -> Table:
    """Refuse a table without rows, and cells that are longer than a number or a name can be."""
    if not table.rows:
        raise Refused("there are columns but no rows; at least one is needed")
    for name, first, chunk in cells:
        row = _too_long(chunk)
        if row is not None:
            raise RowError(first + row, f"{TOO_LONG}; got {shown(chunk[row].as_py())}", name)
    return table


def _text_cells(table: Any) -> Iterator[tuple[str, int, Any]]:
    """Yield name, first row and cells of each chunk of a table."""
    for name, column in zip(table.column_names, table.columns, strict=True):
        first = 1
        for chunk in column.chunks:
            yield name, first, chunk
            first += len(chunk)


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
    # Words of the dictionary that no row uses are not checked.
    row = pc.index(pc.fill_null(pc.greater(lengths, MAX_CELL_BYTES), False), True).as_py()
    return int(row) if row >= 0 else None
