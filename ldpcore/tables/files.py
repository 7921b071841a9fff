"""Tables in files on disk, of any size: read in batches of bounded memory, with the same meaning as an upload."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from ldpcore import _validate as check
from ldpcore.errors import Refused
from ldpcore.tables.dialect import (
    Dialect,
    Encoding,
    NotInEncodingError,
    check_zeros,
    column_names,
    find_dialect,
    find_encoding,
    find_preamble,
    row_at,
)
from ldpcore.tables.kinds import check_content, suffix_of
from ldpcore.tables.limits import CSV_SUFFIXES, HEAD_BYTES, HEAD_ROWS
from ldpcore.tables.parquet import NOT_UTF8, explained, open_parquet, plain_kinds, readable_columns
from ldpcore.tables.reader import check_blank, named
from ldpcore.tables.table import Table
from ldpcore.tables.text import (
    check_width,
    csv_options,
    ends_unclosed,
    not_utf8,
    unclosed,
    wrong_width,
    zero_byte,
)
from ldpcore.tables.thrift import DAMAGED

# So much text is parsed at a time, or a few lines if they are long.
BLOCK = 1 << 20
_LINES = 4
# The end of a text is kept to see whether its last quote is closed.
_TAIL = 1 << 18


@dataclass(frozen=True)
class TableFile:
    r"""A table on disk: all that is needed to read it, small enough to send to another process.

    Attributes
    ----------
    path : str
        Where it is.
    columns : tuple of str
        Names of the columns, as `Table` has them.
    groups : tuple of int
        How many rows each row group of a Parquet file has; empty for text.
    encoding, dialect, block
        How a text is written, and how many bytes of it are parsed at a time.
    preamble : int
        How many bytes of the text come before the first line of the table.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> from ldpcore.tables import open_table_file
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "ages.csv"
    ...     _ = path.write_text("age\n30\n41\n")
    ...     file, _ = open_table_file(path)
    ...     sizes = [batch.num_rows for batch in file.batches(["age"], rows=10)]
    >>> file.columns, file.is_text, sizes
    (('age',), True, [2])
    """

    path: str
    columns: tuple[str, ...]
    groups: tuple[int, ...] = ()
    encoding: Encoding | None = None
    dialect: Dialect | None = None
    block: int = BLOCK
    preamble: int = 0

    @property
    def is_text(self) -> bool:
        return self.dialect is not None

    def batches(self, columns: Sequence[str], rows: int, group: int | None = None) -> Iterator[Any]:
        r"""Yield record batches of some columns, of at most so many rows; of Parquet, of one or all row groups.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "ages.csv"
        ...     _ = path.write_text("age\n30\n41\n52\n")
        ...     file, _ = open_table_file(path)
        ...     [batch.to_pydict() for batch in file.batches(["age"], rows=2)]
        [{'age': ['30', '41']}, {'age': ['52']}]
        """
        batches = self._texts(columns, rows) if self.is_text else self._values(columns, rows, group)
        with named(self.path), _explained():
            yield from batches

    def _values(self, columns: Sequence[str], rows: int, group: int | None) -> Iterator[Any]:
        import pyarrow as pa

        groups = list(range(len(self.groups)) if group is None else [group])
        left = sum(self.groups[i] for i in groups)
        with open_parquet(lambda: self.path) as file:
            for batch in file.iter_batches(rows, row_groups=groups, columns=list(columns)):
                _check_utf8(batch)
                left -= batch.num_rows
                yield from plain_kinds(pa.Table.from_batches([batch])).to_batches()
        # pyarrow stops without a word where a column ends before its time.
        if left:
            raise Refused(DAMAGED)

    def _texts(self, columns: Sequence[str], rows: int) -> Iterator[Any]:
        assert self.dialect is not None  # noqa: S101 - it is text
        assert self.encoding is not None  # noqa: S101
        numbers = {name: i for i, name in enumerate(self.columns)}
        places = [numbers[name] for name in columns]
        header = int(self.dialect.header)
        for block in text_blocks(self.path, self.encoding, self.dialect, self.block, places, preamble=self.preamble):
            named_block = block.rename_columns(list(columns)).slice(header)
            header = 0
            for start in range(0, named_block.num_rows, rows):
                yield named_block.slice(start, rows)


def open_table_file(path: str | Path, *, header: bool = True) -> tuple[TableFile, Table]:
    r"""Find what a file is, and return it with a table of its first 1,000 rows.

    Parameters
    ----------
    path : str or Path
        Its ending says what it is: one of `SUFFIXES`, in capitals or not.
    header : bool
        Whether the first line of a text has the names of the columns. Without, they are "column 1", ….

    Examples
    --------
    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "reports.TSV")
    ...     _ = path.write_text("seed\tvalue\n4318\t1\n77\t0\n")
    ...     file, head = open_table_file(path)
    ...     print(file.columns, [batch.to_pydict() for batch in file.batches(["value"], rows=100)])
    ('seed', 'value') [{'value': ['1', '0']}]
    """
    place, header = check.path("path", path), check.truth("header", header)
    with named(str(path)), _explained():
        check_is_file(place)
        with place.open("rb") as file:
            # Of UTF-16 the first bytes are half as much text.
            first = file.read(2 * HEAD_BYTES + 4)
        suffix = suffix_of(place.name)
        if suffix in CSV_SUFFIXES:
            return _open_text(str(path), first, suffix, header)
        check_blank(first)
        check_content(first, suffix)
        return _open_parquet(str(path))


def check_is_file(place: Path) -> None:
    """Refuse what is no file.

    >>> check_is_file(Path("."))
    Traceback (most recent call last):
    ldpcore.errors.Refused: this is a folder, not a file: name the files in it
    """
    if place.is_dir():
        raise Refused("this is a folder, not a file: name the files in it")
    if not place.is_file():
        raise Refused("there is no such file")


@contextmanager
def _explained() -> Iterator[None]:
    """Turn what pyarrow says about a file into a sentence."""
    import pyarrow as pa

    try:
        yield
    except (pa.ArrowException, OSError) as problem:
        # pyarrow has errors of its own and plain OSErrors for the same damage; what the system refuses (a file that
        # may not be read) keeps its own words.
        if not isinstance(problem, pa.ArrowException) and type(problem) is not OSError:
            raise
        raise Refused(f"this file cannot be read: {str(problem).splitlines()[0]}") from None


def _open_parquet(path: str) -> tuple[TableFile, Table]:
    import pyarrow as pa

    # With a buffer, of a large row group only the first pages are read.
    with open_parquet(lambda: path, buffer_size=1 << 16) as file:
        columns = readable_columns(file)
        meta = file.metadata
        groups = tuple(meta.row_group(i).num_rows for i in range(meta.num_row_groups))
        if sum(groups) != meta.num_rows:
            raise Refused(DAMAGED)
        # pyarrow builds the schema anew at every access.
        whole = file.schema_arrow
        schema = pa.schema([whole.field(name) for name in columns.names])
        first = _first_rows(file.iter_batches(HEAD_ROWS, columns=list(columns.names)))
        data = pa.Table.from_batches([batch.select(list(columns.names)) for batch in first], schema=schema)
        data = plain_kinds(data)
    return TableFile(path, columns.names, groups), Table(path, columns.names, data.num_rows, data, columns.left_out)


def _check_utf8(batch: Any) -> None:
    """Refuse text that is not UTF-8, which pyarrow does not look for when it reads."""
    import pyarrow as pa

    for name, column in zip(batch.schema.names, batch.columns, strict=True):
        if pa.types.is_dictionary(column.type):
            with explained(NOT_UTF8.format(name)):
                column.validate(full=True)


def _open_text(path: str, first: bytes, suffix: str, header: bool) -> tuple[TableFile, Table]:
    import pyarrow as pa

    encoding = find_encoding(first)
    text = first[encoding.mark :] if encoding.is_utf8 else encoding.decoder()(first[encoding.mark :])
    check_blank(text)
    check_content(text, suffix)
    check_zeros(text)
    preamble = find_preamble(text)
    text = text[preamble.length :].lstrip(b"\r\n")
    dialect = find_dialect(text, header, preamble.separator, suffix)
    block = max(BLOCK, _LINES * max(len(line) for line in text.splitlines()))
    try:
        lines = text_blocks(path, encoding, dialect, block, threads=False, preamble=preamble.length)
        blocks = _first_rows(lines, HEAD_ROWS + header)
    except pa.ArrowInvalid:
        if text.count(b'"') % 2:
            raise unclosed(1 - header) from None
        raise
    if not blocks:
        raise Refused("there are only blank lines in it")
    data = pa.Table.from_batches(blocks)
    check_width(dialect, data.num_columns)
    names = column_names(dialect, [str(column[0].as_py()) for column in data.columns])
    data = data.slice(int(header), HEAD_ROWS).rename_columns(names)
    file = TableFile(path, names, (), encoding, dialect, block, preamble.length)
    return file, Table(path, names, data.num_rows, data)


def _first_rows(batches: Iterator[Any], rows: int = HEAD_ROWS) -> list[Any]:
    """Return the first batches that have so many rows together."""
    some: list[Any] = []
    while sum(batch.num_rows for batch in some) < rows and (batch := next(batches, None)) is not None:
        some.append(batch)
    return some


# ---- text -------------------------------------------------------------------------


def text_blocks(
    path: str,
    encoding: Encoding,
    dialect: Dialect,
    block: int,
    places: Sequence[int] | None = None,
    *,
    threads: bool = True,
    preamble: int = 0,
) -> Iterator[Any]:
    """Yield the columns at these places, or all, as strings; the header is the first row."""
    import pyarrow as pa
    from pyarrow.csv import open_csv

    # The last column shows whether the last quote is closed.
    wide = places is not None and dialect.cells - 1 not in places
    columns = places if places is None or not wide else [*places, dialect.cells - 1]
    wrong: list[Any] = []
    options = csv_options(dialect, wrong.append, block=block, threads=threads, columns=columns)
    rows, last = 0, ""
    reader: Any = None
    with Path(path).open("rb") as file:
        stream = _TextStream(file, encoding, dialect.header, preamble)
        try:
            with open_csv(stream, **options) as reader:
                for batch in reader:
                    if batch.num_rows:
                        rows, last = rows + batch.num_rows, batch.column(batch.num_columns - 1)[-1].as_py()
                        yield batch.select(range(len(places or ()))) if wide else batch
        except pa.ArrowInvalid as problem:
            if wrong and wrong[0].number is not None:
                raise wrong_width(wrong[0], dialect.header) from None
            if wrong:
                # With threads rows have no numbers.
                for _ in text_blocks(path, encoding, dialect, block, places, threads=False, preamble=preamble):
                    pass
            if "straddl" in str(problem):
                raise Refused(
                    f"there is a row of more than {block >> 20} MB, or a quote that is opened but never closed"
                ) from None
            raise
        finally:
            # An exception keeps what is named here for as long as somebody keeps the exception. And a reader that was
            # left before its end and lives until Python ends makes the process hang there, or abort: its threads ask
            # for more text.
            del reader
    if ends_unclosed(stream.tail, last):
        raise unclosed(rows - dialect.header)


class _TextStream(io.RawIOBase):
    """A text as pyarrow takes it: UTF-8, without a mark and without blank lines at both ends, a piece at a time."""

    def __init__(self, file: BinaryIO, encoding: Encoding, header: bool, preamble: int = 0) -> None:
        super().__init__()
        self._file, self._encoding, self._header, self._preamble = file, encoding, header, preamble
        self._pieces = self._trimmed()
        self._rest = self.tail = b""

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, fewer only at the end: pyarrow parses what it gets at once as one block."""
        pieces, length = [self._rest], len(self._rest)
        while (size < 0 or length < size) and (piece := next(self._pieces, b"")):
            pieces.append(piece)
            length += len(piece)
        text = b"".join(pieces)
        text, self._rest = (text, b"") if size < 0 else (text[:size], text[size:])
        self.tail = (self.tail + text)[-_TAIL:]
        return text

    def _trimmed(self) -> Iterator[bytes]:
        ends = b""
        started = False
        above = self._preamble
        for whole in self._checked():
            piece, above = whole[above:], max(above - len(whole), 0)
            text = ends + (piece if started else piece.lstrip(b"\r\n"))
            trimmed = text.rstrip(b"\r\n")
            # Blank lines are held back, as they may end the file; but not more bytes than this, to bound memory.
            trimmed = trimmed if len(text) - len(trimmed) < HEAD_BYTES else text
            ends = text[len(trimmed) :]
            if trimmed:
                started = True
                yield trimmed
        if started:
            yield b"\n"

    def _checked(self) -> Iterator[bytes]:
        position = 0
        for piece in self._decoded():
            zero = piece.find(b"\0")
            if zero >= 0:
                raise zero_byte(self._row_at(position + zero))
            yield piece
            position += len(piece)

    def _decoded(self) -> Iterator[bytes]:
        self._file.seek(self._encoding.mark)
        decode = self._encoding.decoder()
        try:
            while raw := self._file.read(BLOCK):
                yield decode(raw)
            yield decode(b"", True)
        except NotInEncodingError as problem:
            if not self._encoding.is_utf8:
                raise
            self._file.seek(problem.position + self._encoding.mark)
            byte = self._file.read(1)[0]
            raise not_utf8(self._row_at(problem.position), byte) from None

    def _row_at(self, position: int) -> int:
        """Return the row of a byte of the decoded text."""
        return row_at(self._before(position), self._header) - bool(self._preamble)

    def _before(self, position: int) -> Iterator[bytes]:
        self._file.seek(self._encoding.mark)
        decode = None if self._encoding.is_utf8 else self._encoding.decoder()
        while position > 0 and (raw := self._file.read(BLOCK)):
            piece = (raw if decode is None else decode(raw))[:position]
            position -= len(piece)
            yield piece
