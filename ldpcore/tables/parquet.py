"""Parquet from a stranger: everything that could fill memory is bounded before anything is unpacked.

What a Parquet file says of itself may be a lie, and a few kilobytes can unpack to terabytes. So the footer is
walked here first, then the header of every page that would be read; only then does pyarrow see the file. A page's
own header cannot lie: pyarrow unpacks into a buffer of the size that it states. Nor is pyarrow asked what the footer
says of the columns' chunks: of some that are damaged it cannot tell without ending the process.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from ldpcore.errors import Refused

# Bounds on what a file may unpack to: all pages together, one page, and the columns in memory.
MAX_UNPACKED = 512 * 2**20
MAX_PAGE = 128 * 2**20
MAX_DECODED = 512 * 2**20
# Bounds on what is walked in Python (one or two seconds each), and on the objects that pyarrow makes of a footer.
MAX_PAGES = 100_000
MAX_FOOTER = 8 * 2**20
_MAX_VALUES = 1_000_000
_MAX_STRUCTS = 300_000
_MAX_DEPTH = 32

# none, snappy, gzip, brotli, lz4, zstd, lz4_raw; the one between is LZO, which pyarrow does not read.
_CODECS = (0, 1, 2, 4, 5, 6, 7)
DAMAGED = "this Parquet file is damaged or not complete; save or upload it again"
_NOT_READ = "the kinds of column that are read are numbers, text, yes/no, dates, times and lists of numbers"

# Bytes in memory for a value of each physical type. Text is read as dictionaries: a number for each row, and each
# different text once, with its place in a hash table. That number has four bytes, and twice as many while it is read.
_WIDTHS = {"BOOLEAN": 1, "INT32": 4, "FLOAT": 4, "INT64": 8, "DOUBLE": 8, "INT96": 16, "FIXED_LEN_BYTE_ARRAY": 48}
_INDEX, _TEXT = 8, 40
_LISTED = ("INT32", "INT64", "FLOAT", "DOUBLE")
# An element of a list has its two levels beside it, in 16 bits each, and a place in the list.
_ELEMENT = 16
_LONGEST_NUMBER = 16
_DATA, _DICTIONARY, _DATA_V2 = 0, 2, 3
_DICTIONARY_ENCODINGS = (2, 8)
# A value of these can repeat the one before it, or claim a length, without a byte of its own.
_DELTA_TEXT = (6, 7)


def read_parquet(data: bytes, max_rows: int, max_columns: int) -> tuple[Any, tuple[str, ...]]:
    """Return the table, and the names of the columns that were left out: structs, bytes and the like."""
    groups = _row_groups(data, max_rows, max_columns)
    import pyarrow as pa
    import pyarrow.parquet as pq

    # The least that the footer needs: strings and lists longer than itself are lies.
    options = {
        "thrift_string_size_limit": MAX_FOOTER,
        "thrift_container_size_limit": _MAX_STRUCTS,
        "pre_buffer": False,
    }
    with explained(DAMAGED):
        file = pq.ParquetFile(pa.BufferReader(data), **options)
        names = [field.name for field in file.schema_arrow]
        leaves = _columns(file.schema)
        text = [leaf.name for leaf in leaves.values() if leaf.physical_type == "BYTE_ARRAY"]
        file = pq.ParquetFile(pa.BufferReader(data), metadata=file.metadata, read_dictionary=text, **options)
        kinds = {field.name: field.type for field in file.schema_arrow}
    twice = [name for name in names if names.count(name) > 1] if len(kinds) < len(names) else []
    if twice:
        raise Refused(f"the column {twice[0]!r:.60} is there more than once; give every column its own name")
    leaves = {i: leaf for i, leaf in leaves.items() if leaf.name in kinds and _is_read(kinds[leaf.name], leaf)}
    if not leaves:
        raise Refused(f"there is no column that can be used; {_NOT_READ}")
    with explained(DAMAGED):
        _check_pages(data, groups, leaves)
        chosen = [leaf.name for leaf in leaves.values()]
        table = file.read(columns=chosen, use_threads=False).select(chosen).replace_schema_metadata(None)
    for name in chosen:
        with explained(f"the column {name!r:.60} holds damaged values or text that is not UTF-8; save the file again"):
            table.column(name).validate(full=True)
    return table, tuple(name for name in names if name not in set(chosen))


class RefusedError(Exception):
    """A sentence about a file, on its way out of pyarrow's errors, some of which are ValueErrors too."""


@contextmanager
def explained(sentence: str) -> Iterator[None]:
    """Say the sentence in place of anything that pyarrow, or a walk over damaged bytes, may raise."""
    try:
        yield
    except RefusedError as problem:
        raise Refused(str(problem)) from None
    # pyarrow's own errors are of these types, and what its C++ lets through is a RuntimeError.
    except (ValueError, TypeError, AttributeError, LookupError, ArithmeticError, OSError, RuntimeError, MemoryError):
        raise Refused(sentence) from None


# ---- which columns ----------------------------------------------------------------


@dataclass(frozen=True)
class _Column:
    """A column by its name in the table, with the type of its values, or of the elements of its lists."""

    name: str
    physical_type: str
    length: int
    listed: bool


def _columns(schema: Any) -> dict[int, _Column]:
    """Return the columns that are plain, or lists of plain values, by their number."""
    leaves = [schema.column(i) for i in range(len(schema))]
    flat = {i for i, leaf in enumerate(leaves) if leaf.path == leaf.name and leaf.max_repetition_level == 0}
    # pyarrow chooses columns by path, where a column "a.b" and the b within a struct a are the same.
    nested = {leaf.path for i, leaf in enumerate(leaves) if i not in flat}
    prefixes = {".".join(path.split(".")[:n]) for path in nested for n in range(1, path.count(".") + 2)}
    columns = {}
    for i, leaf in enumerate(leaves):
        if i in flat and leaf.name not in prefixes:
            columns[i] = _Column(leaf.name, leaf.physical_type, leaf.length, listed=False)
        elif leaf.max_repetition_level == 1 and leaf.physical_type in _LISTED:
            columns[i] = _Column(leaf.path.split(".")[0], leaf.physical_type, leaf.length, listed=True)
    return columns


def _is_read(kind: Any, leaf: _Column) -> bool:
    from pyarrow import types

    if leaf.listed:
        listed = types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)
        return bool(listed and (types.is_integer(value := kind.value_type) or types.is_floating(value)))
    if leaf.physical_type == "BYTE_ARRAY":
        value = kind.value_type if types.is_dictionary(kind) else None
        return bool(value is not None and (types.is_string(value) or types.is_large_string(value)))
    if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY" and leaf.length > _LONGEST_NUMBER:
        return False
    number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    return bool(number or types.is_boolean(kind) or types.is_null(kind) or types.is_temporal(kind))


# ---- the footer -------------------------------------------------------------------


_Struct = dict[tuple[int, int], Any]


def _row_groups(data: bytes, max_rows: int, max_columns: int) -> list[_Struct]:
    """Check the footer, and return what it says of the row groups."""
    if data[-4:] == b"PARE":
        raise Refused("this Parquet file is encrypted; save it without encryption")
    size = int.from_bytes(data[-8:-4], "little")
    if len(data) < 12 or data[-4:] != b"PAR1" or size > len(data) - 12:
        raise Refused(DAMAGED)
    if size > MAX_FOOTER:
        raise Refused(f"the description of this Parquet file may take at most {_mb(MAX_FOOTER)}; got {_mb(size)}")
    with explained(DAMAGED):
        footer = _Thrift(data[len(data) - 8 - size : -8]).struct()
        rows, columns = footer[3, _I64], _leaves(footer[2, _LIST])
        if rows > max_rows:
            raise RefusedError(f"there may be at most {max_rows:,} rows; got {rows:,}")
        if columns > max_columns:
            raise RefusedError(f"there may be at most {max_columns:,} columns; got {columns:,}")
        if (8, _STRUCT) in footer:
            raise RefusedError("columns of this Parquet file are encrypted; save it without encryption")
        groups: list[_Struct] = footer[4, _LIST]
        lengths = [group[3, _I64] for group in groups]
        if min(lengths, default=0) < 0 or sum(lengths) != rows:
            raise RefusedError(DAMAGED)
        for group in groups:
            _check_chunks(group[1, _LIST], columns)
    return groups


def _check_chunks(chunks: list[_Struct], columns: int) -> None:
    if len(chunks) != columns:
        raise RefusedError(DAMAGED)
    for chunk in chunks:
        if (8, _STRUCT) in chunk:
            raise RefusedError("columns of this Parquet file are encrypted; save it without encryption")
        if (1, _BINARY) in chunk:
            raise RefusedError("this Parquet file keeps its columns in other files; save it as one file")
        codec = chunk[3, _STRUCT][4, _I32]
        if codec not in _CODECS:
            what = "LZO" if codec == 3 else f"a method of number {codec}"
            raise RefusedError(
                f"this Parquet file is compressed with {what}, which is not read; save it with snappy, gzip or zstd"
            )


def _leaves(schema: list[Any]) -> int:
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
        children = element.get((5, _I32), 0)
        open_groups.append(children)
        leaves += children == 0 and element is not schema[0]
        if children < 0 or len(open_groups) > _MAX_DEPTH:
            raise RefusedError(f"columns within columns may be {_MAX_DEPTH} deep at most")
    return leaves


# ---- the pages --------------------------------------------------------------------


@dataclass
class _Totals:
    pages: int = 0
    unpacked: int = 0
    decoded: int = 0

    def add(self, unpacked: int, decoded: int) -> None:
        self.pages += 1
        self.unpacked += unpacked
        self.decoded += decoded
        if self.pages > MAX_PAGES:
            raise RefusedError(
                f"a Parquet file may have at most {MAX_PAGES:,} pages (columns times row groups, at least); this one "
                "has more: save it with fewer row groups or columns"
            )
        if unpacked > MAX_PAGE:
            raise RefusedError(f"a page of a Parquet file may unpack to {_mb(MAX_PAGE)} at most; got {_mb(unpacked)}")
        if self.unpacked > MAX_UNPACKED or self.decoded > MAX_DECODED:
            raise RefusedError(
                f"unpacked, a file may take {_mb(MAX_DECODED)} of memory at most; this one takes more: save only the "
                "columns and rows that you need"
            )


def _check_pages(data: bytes, groups: list[_Struct], leaves: dict[int, _Column]) -> None:
    """Bound what the pages of the chosen columns unpack to."""
    totals = _Totals()
    for group in groups:
        for i, leaf in leaves.items():
            _check_chunk(data, group[1, _LIST][i][3, _STRUCT], leaf, group[3, _I64], totals)


def _check_chunk(data: bytes, chunk: _Struct, leaf: _Column, rows: int, totals: _Totals) -> None:
    """Walk the pages of a column in a row group, from where pyarrow starts to where it stops.

    A plain column stops when it has a value for each row. Nobody knows beforehand how many elements lists have, so of
    a column of lists all pages are walked.
    """
    at = chunk[9, _I64]
    if 0 < chunk.get((11, _I64), 0) < at:
        at = chunk[11, _I64]
    end = at + chunk[7, _I64]
    if not 0 <= at <= end <= len(data) or (chunk[5, _I64] != rows and not leaf.listed):
        raise RefusedError(DAMAGED)
    seen = 0
    while at < end if leaf.listed else seen < rows:
        reader = _Thrift(data, at, end)
        header = reader.struct()
        packed, unpacked = header[3, _I32], header[2, _I32]
        values, decoded = _page(header, leaf, unpacked)
        at = reader.at + packed
        if packed < 0 or unpacked < 0 or at > end or values < 0 or (values > rows - seen and not leaf.listed):
            raise RefusedError(DAMAGED)
        totals.add(unpacked, decoded)
        seen += values


def _page(header: _Struct, leaf: _Column, unpacked: int) -> tuple[int, int]:
    """Return how many values a page has, and about how many bytes it takes in memory."""
    kind, text = header[1, _I32], leaf.physical_type == "BYTE_ARRAY"
    if kind == _DICTIONARY:
        entries = header[7, _STRUCT][1, _I32]
        # pyarrow makes room for the entries before it looks for them; text has four bytes of length each.
        if not 0 <= entries <= (unpacked // 4 if text else unpacked):
            raise RefusedError(DAMAGED)
        return 0, entries * (_TEXT if text else _WIDTHS[leaf.physical_type]) + unpacked
    if kind not in (_DATA, _DATA_V2):
        return 0, 0
    details = header[(5 if kind == _DATA else 8), _STRUCT]
    values, encoding = details[1, _I32], details[(2 if kind == _DATA else 4), _I32]
    if not text:
        return values, values * (_ELEMENT if leaf.listed else _WIDTHS[leaf.physical_type])
    if encoding in _DELTA_TEXT:
        raise RefusedError(
            f"the text of column {leaf.name!r:.60} is saved in a Parquet encoding that is not read (DELTA); "
            "save it with plain or dictionary encoding, or as CSV"
        )
    return values, values * _INDEX if encoding in _DICTIONARY_ENCODINGS else values * _TEXT + unpacked


# ---- Thrift -----------------------------------------------------------------------

_TRUE, _FALSE, _BYTE, _I16, _I32, _I64, _DOUBLE, _BINARY, _LIST, _SET, _MAP, _STRUCT = range(1, 13)


_Path = tuple[int, ...]
# What the lists of a footer hold, by the numbers of the fields that lead to them.
_LISTS: dict[int, list[_Path]] = {
    _STRUCT: [(2,), (4,), (5,), (7,), (4, 1), (4, 4), (4, 1, 3, 8), (4, 1, 3, 13)],
    _I32: [(4, 1, 3, 2), (4, 1, 3, 17, 2)],
    _I64: [(4, 1, 3, 16, 2), (4, 1, 3, 16, 3)],
    _BINARY: [(4, 1, 3, 3)],
}
_ELEMENTS = {path: kind for kind, paths in _LISTS.items() for path in paths}


class _Thrift:
    """A reader of Thrift's compact protocol, of bounded depth and size.

    It must see in a file what pyarrow sees, or refuse it. A struct becomes a dict from (number, type) of a field: one
    of the wrong type is not found, as pyarrow, which skips it, does not find it either. The type of a list's elements
    pyarrow takes for granted, so that here it must be right. Damage shows as any error that `explained` catches.
    """

    def __init__(self, data: bytes, at: int = 0, end: int | None = None) -> None:
        self._data, self.at = data, at
        self._end = len(data) if end is None else end
        self._values, self._structs = _MAX_VALUES, _MAX_STRUCTS

    def struct(self, path: _Path = ()) -> _Struct:
        self._structs -= 1
        self._check_bounds(path, self._structs)
        fields: _Struct = {}
        number, numbers = 0, set()
        while kind := self._byte():
            step, kind = kind >> 4, kind & 15
            number = number + step if step else self._zigzag()
            # Of two fields of one number pyarrow might take the other; no honest file has them.
            if not 0 < number < 2**15 or number in numbers:
                raise ValueError
            numbers.add(number)
            fields[number, kind] = kind == _TRUE if kind in (_TRUE, _FALSE) else self._value(kind, (*path, number))
        return fields

    def _value(self, kind: int, path: _Path) -> Any:
        self._values -= 1
        if kind == _STRUCT:
            return self.struct(path)
        if kind in (_I16, _I32, _I64):
            return self._integer(kind)
        if kind == _BINARY:
            return self._take(self._varint())
        if kind in (_LIST, _SET):
            return self._list(path)
        if kind == _MAP:
            return self._map(path)
        return self._take({_TRUE: 1, _FALSE: 1, _BYTE: 1, _DOUBLE: 8}[kind])

    def _list(self, path: _Path) -> list[Any]:
        head = self._byte()
        size, kind = head >> 4, head & 15
        if size == 15:
            size = self._varint()
        if size and _ELEMENTS.get(path, kind) != kind:
            raise ValueError
        self._check_bounds(path, self._values - size)
        # Lists within lists have no field number of their own, but are one deeper.
        inner = path if kind == _STRUCT else (*path, 0)
        return [self._value(kind, inner) for _ in range(self._present(size))]

    def _map(self, path: _Path) -> list[Any]:
        size = self._varint()
        kinds = self._byte() if size else 0
        self._check_bounds(path, self._values - size)
        inner = (*path, 0)
        return [(self._value(kinds >> 4, inner), self._value(kinds & 15, inner)) for _ in range(self._present(size))]

    def _check_bounds(self, path: _Path, left: int) -> None:
        """Refuse what takes long to walk, or much memory for pyarrow."""
        if len(path) > _MAX_DEPTH or left < 0:
            raise RefusedError(
                "the description of this Parquet file has too many parts; save it with fewer row groups or columns"
            )

    def _present(self, size: int) -> int:
        """Return the size of a list if there are bytes for its elements."""
        if size > self._end - self.at:
            raise ValueError
        return size

    def _integer(self, kind: int) -> int:
        value = self._zigzag()
        bits = {_I16: 15, _I32: 31, _I64: 63}[kind]
        if not -(2**bits) <= value < 2**bits:
            raise ValueError
        return value

    def _zigzag(self) -> int:
        value = self._varint()
        return (value >> 1) ^ -(value & 1)

    def _varint(self) -> int:
        value = shift = 0
        while (byte := self._byte()) >= 128:
            value |= (byte & 127) << shift
            shift += 7
            if shift > 63:
                raise ValueError
        return value | byte << shift

    def _byte(self) -> int:
        if self.at >= self._end:
            raise ValueError
        self.at += 1
        return self._data[self.at - 1]

    def _take(self, size: int) -> bytes:
        if size > self._end - self.at:
            raise ValueError
        self.at += size
        return self._data[self.at - size : self.at]


def _mb(size: int) -> str:
    return f"{size / 2**20:,.1f} MB".replace(".0 MB", " MB")
