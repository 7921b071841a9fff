"""The footer and the pages of a Parquet file, walked before pyarrow sees them; see THREATS.md beside this file.

What a Parquet file says of itself may be a lie, and a few kilobytes can unpack to terabytes. So the footer is walked
first, then the header of every page that would be read. A page's own header cannot lie: pyarrow unpacks into a
buffer of the size that it states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ldpcore.errors import Refused
from ldpcore.tables.limits import (
    MAX_DECODED,
    MAX_DEPTH,
    MAX_FOOTER,
    MAX_PAGE,
    MAX_PAGES,
    MAX_UNPACKED,
    MAX_WORDS,
    TOO_MUCH,
    mb,
)
from ldpcore.tables.parquet_columns import spans
from ldpcore.tables.thrift import BINARY, DAMAGED, I32, I64, LIST, STRUCT, Struct, Thrift
from ldpcore.tables.words import Dictionary, TextPages

# none, snappy, gzip, brotli, lz4, zstd, lz4_raw; the one between is LZO, which pyarrow does not read.
_CODECS = (0, 1, 2, 4, 5, 6, 7)
_ENCRYPTED = "columns of this Parquet file are encrypted; save it without encryption"

# Bytes in memory for a value of each physical type; see `words` for text.
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 16, "FIXED_LEN_BYTE_ARRAY": 48}
# An element of a list has its two levels beside it, in 16 bits each, and a place in the list.
_ELEMENT = 16
_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
_DICTIONARY_ENCODINGS = (2, 8)
# A value of these can repeat the one before it, or claim a length, without a byte of its own.
_DELTA_TEXT = (6, 7)


@dataclass(frozen=True)
class Column:
    """A column by its name in the table, with the type of its values, or of the elements of its lists.

    `categories` are read with their words, whatever the pages say.
    """

    name: str
    physical_type: str
    length: int
    listed: bool
    categories: bool = False

    @property
    def is_text(self) -> bool:
        return self.physical_type == "BYTE_ARRAY"


# ---- the footer -------------------------------------------------------------------


def row_groups(data: bytes, max_rows: int, max_columns: int) -> list[Struct]:
    """Check the footer, and return what it says of the row groups."""
    if data[-4:] == b"PARE":
        raise Refused("this Parquet file is encrypted; save it without encryption")
    size = int.from_bytes(data[-8:-4], "little")
    if len(data) < 12 or data[-4:] != b"PAR1" or size > len(data) - 12:
        raise Refused(DAMAGED)
    if size > MAX_FOOTER:
        raise Refused(f"the description of this Parquet file may take at most {mb(MAX_FOOTER)}; got {mb(size)}")
    footer = Thrift(data[len(data) - 8 - size : -8]).struct()
    rows, columns = footer[3, I64], _leaves(footer[2, LIST])
    if rows > max_rows:
        raise Refused(f"there may be at most {max_rows:,} rows; got {rows:,}")
    if columns > max_columns:
        raise Refused(f"there may be at most {max_columns:,} columns; got {columns:,}")
    if (8, STRUCT) in footer:
        raise Refused(_ENCRYPTED)
    groups: list[Struct] = footer[4, LIST]
    lengths = [group[3, I64] for group in groups]
    if min(lengths, default=0) < 0 or sum(lengths) != rows:
        raise Refused(DAMAGED)
    for group in groups:
        _check_chunks(group[1, LIST], columns)
    return groups


def _check_chunks(chunks: list[Struct], columns: int) -> None:
    if len(chunks) != columns:
        raise Refused(DAMAGED)
    for chunk in chunks:
        if (8, STRUCT) in chunk:
            raise Refused(_ENCRYPTED)
        if (1, BINARY) in chunk:
            raise Refused("this Parquet file keeps its columns in other files; save it as one file")
        codec = chunk[3, STRUCT][4, I32]
        if codec not in _CODECS:
            what = "LZO" if codec == 3 else f"a method of number {codec}"
            raise Refused(
                f"this Parquet file is compressed with {what}, which is not read; save it with snappy, gzip or zstd"
            )


def _leaves(schema: list[Struct]) -> int:
    """Count the columns of a schema, that is a tree written in depth-first order, and bound its depth.

    pyarrow descends it by recursion, and would crash in a tree that is very deep.
    """
    open_groups: list[int] = []
    leaves = 0
    for element in schema:
        while open_groups and open_groups[-1] == 0:
            open_groups.pop()
        if open_groups:
            open_groups[-1] -= 1
        children = element.get((5, I32), 0)
        open_groups.append(children)
        leaves += children == 0 and element is not schema[0]
        if children < 0 or len(open_groups) > MAX_DEPTH:
            raise Refused(f"columns within columns may be {MAX_DEPTH} deep at most")
    return leaves


# ---- the pages --------------------------------------------------------------------


@dataclass
class _Totals:
    pages: int = 0
    unpacked: int = 0
    decoded: int = 0
    texts: dict[str, TextPages] = field(default_factory=dict)

    def add(self, unpacked: int, decoded: int) -> None:
        self.pages += 1
        self.unpacked += unpacked
        self.decoded += decoded
        if self.pages > MAX_PAGES:
            raise Refused(
                f"a Parquet file may have at most {MAX_PAGES:,} pages (columns times row groups, at least); this one "
                "has more: save it with fewer row groups or columns"
            )
        if unpacked > MAX_PAGE:
            raise Refused(f"a page of a Parquet file may unpack to {mb(MAX_PAGE)} at most; got {mb(unpacked)}")
        if self.unpacked > MAX_UNPACKED or self.decoded > MAX_DECODED:
            raise Refused(TOO_MUCH)


@dataclass(frozen=True)
class _Page:
    """A page by its header: where its body is, what it unpacks to, and how many values it has (0 of a dictionary)."""

    kind: int
    at: int
    packed: int
    unpacked: int
    values: int
    entries: int
    encoding: int


def check_pages(data: bytes, groups: list[Struct], columns: Mapping[int, Column]) -> tuple[int, dict[str, TextPages]]:
    """Bound what the pages of the chosen columns unpack to.

    Return about how many bytes numbers take in memory, and what there is of text, by column.
    """
    totals = _Totals(texts={leaf.name: TextPages(leaf.categories) for leaf in columns.values() if leaf.is_text})
    for span, together in enumerate(spans([group[3, I64] for group in groups])):
        for group in (groups[i] for i in together):
            chunks = group[1, LIST]
            if max(columns) >= len(chunks):  # pyarrow sees more columns than were counted here
                raise Refused(DAMAGED)
            for i, column in columns.items():
                _check_chunk(data, chunks[i][3, STRUCT], column, group[3, I64], span, totals)
    return totals.decoded, totals.texts


def _check_chunk(data: bytes, chunk: Struct, column: Column, rows: int, span: int, totals: _Totals) -> None:
    """Walk the pages of a column in a row group, from where pyarrow starts to where it stops.

    A plain column stops when it has a value for each row. Nobody knows beforehand how many elements lists have, so of
    a column of lists all pages are walked.
    """
    at = chunk[9, I64]
    if 0 < chunk.get((11, I64), 0) < at:
        at = chunk[11, I64]
    end = at + chunk[7, I64]
    if not 0 <= at <= end <= len(data) or (chunk[5, I64] != rows and not column.listed):
        raise Refused(DAMAGED)
    values_read = 0
    while at < end if column.listed else values_read < rows:
        reader = Thrift(data, at, end)
        page = _page(reader.struct(), column, reader)
        at = page.at + page.packed
        if at > end or (page.values > rows - values_read and not column.listed):
            raise Refused(DAMAGED)
        totals.add(page.unpacked, 0 if column.is_text else _decoded(page, column))
        if column.is_text:
            _add_text(totals.texts[column.name], page, span, chunk[4, I32])
        values_read += page.values


def _page(header: Struct, column: Column, reader: Thrift) -> _Page:
    """Return what a header, of which the reader is at the end, says of its page."""
    kind, packed, unpacked = header[1, I32], header[3, I32], header[2, I32]
    values = entries = encoding = 0
    if kind == _DICTIONARY:
        entries = header[7, STRUCT][1, I32]
        # pyarrow makes room for the entries before it looks for them; text has four bytes of length each.
        if not 0 <= entries <= (unpacked // 4 if column.is_text else unpacked):
            raise Refused(DAMAGED)
        if column.is_text and entries > MAX_WORDS:
            raise Refused(
                f"a dictionary of a Parquet file may have at most {MAX_WORDS:,} words; column {column.name!r:.60} has "
                f"one of {entries:,}: save it with smaller dictionaries, or as CSV"
            )
    elif kind in (_DATA, _DATA_V2):
        details = header[(5 if kind == _DATA else 8), STRUCT]
        values, encoding = details[1, I32], details[(2 if kind == _DATA else 4), I32]
    if min(packed, unpacked, values) < 0:
        raise Refused(DAMAGED)
    if column.is_text and encoding in _DELTA_TEXT:
        raise Refused(
            f"the text of column {column.name!r:.60} is saved in a Parquet encoding that is not read (DELTA); "
            "save it with plain or dictionary encoding, or as CSV"
        )
    return _Page(kind, reader.at, packed, unpacked, values, entries, encoding)


def _decoded(page: _Page, column: Column) -> int:
    """Return about how many bytes a page of numbers takes in memory."""
    if page.kind == _DICTIONARY:
        return page.entries * _WIDTHS[column.physical_type] + page.unpacked
    return page.values * (_ELEMENT if column.listed else _WIDTHS[column.physical_type])


def _add_text(text: TextPages, page: _Page, span: int, codec: int) -> None:
    if page.kind == _DICTIONARY:
        text.add_dictionary(Dictionary(page.at, page.packed, page.unpacked, page.entries, codec), span)
    elif page.encoding in _DICTIONARY_ENCODINGS:
        text.add_references(page.values)
    elif page.kind in (_DATA, _DATA_V2):
        text.add_texts(page.values, page.unpacked, span)
