"""Parquet: which columns are read, the same from memory and from a path; and whole uploads, checked beforehand.

What an upload says of itself is walked by `ldpcore.tables.pages` before pyarrow sees it; THREATS.md beside this file
says why. pyarrow is not asked what the footer says of the columns' chunks: of some that are damaged it cannot tell
without ending the process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ldpcore.errors import Refused
from ldpcore.tables.limits import MAX_COLUMNS, MAX_FOOTER, MAX_ROWS, MAX_STRUCTS
from ldpcore.tables.pages import Column, check_pages, row_groups
from ldpcore.tables.parquet_columns import ParquetColumns
from ldpcore.tables.thrift import DAMAGED, I64
from ldpcore.tables.words import columns_with_words

_NOT_READ = "the kinds of column that are read are numbers, text, yes/no, dates, times, and lists of numbers or yes/no"
_NO_MEMORY = "there is not enough memory to read it here; save only the columns and rows that you need"
NOT_UTF8 = "the column {!r:.60} holds damaged values or text that is not UTF-8; save the file again"
_LISTED = ("BOOLEAN", "INT32", "INT64", "FLOAT", "DOUBLE")
_LONGEST_NUMBER = 16
# A table that takes no more bytes is read at once; of a larger one, every column whenever it is used.
_WHOLE = 64 * 2**20


def read_parquet(data: bytes) -> tuple[Any, tuple[str, ...]]:
    """Return the table, and the names of the columns that were left out: structs, bytes and the like.

    The table is a pyarrow.Table, or `ParquetColumns` where all columns together are large. See `checked_cells`.
    """
    groups = row_groups(data, MAX_ROWS, MAX_COLUMNS)
    import pyarrow as pa
    import pyarrow.parquet as pq

    # As little as a footer needs: a string or a list that claims to be longer than the footer is wrong.
    options: dict[str, Any] = {
        "thrift_string_size_limit": MAX_FOOTER,
        "thrift_container_size_limit": MAX_STRUCTS,
        "pre_buffer": False,
    }
    with explained(DAMAGED):
        file = pq.ParquetFile(pa.BufferReader(data), **options)
    columns = readable_columns(file)
    size, texts = check_pages(data, groups, columns.leaves)
    with explained(DAMAGED):
        whole = size + sum(text.with_words for text in texts.values()) <= _WHOLE
        # To find the different words of text takes many times its memory, where most are different.
        repeated = texts if whole else columns_with_words(data, texts, size)
        file = pq.ParquetFile(pa.BufferReader(data), metadata=file.metadata, read_dictionary=[*repeated], **options)
        if whole:
            table = file.read(columns=list(columns.names), use_threads=False).select(columns.names)
            return _clean(table), columns.left_out
        schema = file.schema_arrow
        stored = pa.schema([schema.field(name) for name in columns.names])
        dense = {name: text.dense for name, text in texts.items() if name not in repeated}
        long = {name: text.long for name, text in texts.items()}
        lengths = [group[3, I64] for group in groups]
        return ParquetColumns(file, stored, lengths, _clean, dense, long), columns.left_out


def _clean(table: Any) -> Any:
    return plain_kinds(table.replace_schema_metadata(None))


def checked_cells(table: Any) -> Iterator[tuple[str, int, Any]]:
    """Yield name, first row and cells of each chunk of a table that was read from Parquet; refuse damaged ones."""
    batches, row = iter(table.to_batches()), 1
    while True:
        with explained(DAMAGED):
            batch = next(batches, None)
        if batch is None:
            return
        for name, cells in zip(table.column_names, batch.columns, strict=True):
            with explained(NOT_UTF8.format(name)):
                cells.validate(full=True)
            yield name, row, cells
        row += batch.num_rows


def open_parquet(source: Callable[[], Any], **options: Any) -> Any:
    """Return a pyarrow.parquet.ParquetFile that reads text as dictionaries, so that a long one is there once."""
    import pyarrow.parquet as pq

    with pq.ParquetFile(source(), **options) as file:
        text = [leaf.name for leaf in _columns(file.schema).values() if leaf.is_text]
    return pq.ParquetFile(source(), metadata=file.metadata, read_dictionary=text, **options)


def plain_kinds(table: Any) -> Any:
    """Return a table whose times are those of UTC, for a file may name zones that nobody here knows, and its text text.

    Who writes text as views (DataFusion does) says so in the file, and it comes back as such. So do short decimals, of
    which pyarrow cannot find the different ones.
    """
    import pyarrow as pa

    def plain(kind: Any) -> Any:
        if pa.types.is_timestamp(kind):
            return pa.timestamp(kind.unit)
        if pa.types.is_decimal(kind) and kind.bit_width < 128:
            return pa.decimal128(kind.precision, kind.scale)
        return pa.string() if pa.types.is_string_view(kind) else kind

    return table.cast(pa.schema([field.with_type(plain(field.type)) for field in table.schema]))


@contextmanager
def explained(sentence: str) -> Iterator[None]:
    """Say the sentence in place of what pyarrow raises about a file; nothing but calls of pyarrow belongs within."""
    import pyarrow as pa

    try:
        yield
    except MemoryError:  # pyarrow's is one too
        raise Refused(_NO_MEMORY) from None
    # Names that are not UTF-8 are found in Python; what pyarrow's C++ does not catch itself is a RuntimeError.
    except (pa.ArrowException, UnicodeDecodeError, OSError, RuntimeError):
        raise Refused(sentence) from None


# ---- which columns ----------------------------------------------------------------


@dataclass(frozen=True)
class Readable:
    """The columns that are read, by name and by their number among the leaves of the schema; and the others."""

    names: tuple[str, ...]
    leaves: dict[int, Column]
    left_out: tuple[str, ...]


def readable_columns(file: Any) -> Readable:
    """Find the columns of a pyarrow.parquet.ParquetFile that can be read; one opened without `read_dictionary`."""
    from pyarrow.types import is_dictionary

    with explained(DAMAGED):
        fields = list(file.schema_arrow)
        names = [field.name for field in fields]
        kinds = {field.name: field.type for field in fields}
        leaves = _columns(file.schema)
    if len(kinds) < len(names):
        twice = Counter(names).most_common(1)[0][0]
        raise Refused(f"the column {twice!r:.60} is there more than once; give every column its own name")
    leaves = {
        i: replace(leaf, categories=is_dictionary(kinds[leaf.name]))
        for i, leaf in leaves.items()
        if leaf.name in kinds and _is_read(kinds[leaf.name], leaf)
    }
    if not leaves:
        raise Refused(f"there is no column that can be used; {_NOT_READ}")
    chosen = {leaf.name: None for leaf in leaves.values()}
    return Readable(tuple(chosen), leaves, tuple(name for name in names if name not in chosen))


def _columns(schema: Any) -> dict[int, Column]:
    """Return the columns that are plain, or lists of plain values, by their number."""
    leaves = [schema.column(i) for i in range(len(schema))]
    flat = {i for i, leaf in enumerate(leaves) if leaf.path == leaf.name and leaf.max_repetition_level == 0}
    # pyarrow chooses columns by path, where a column "a.b" and the b within a struct a are the same.
    nested = {leaf.path for i, leaf in enumerate(leaves) if i not in flat}
    prefixes = {".".join(path.split(".")[:n]) for path in nested for n in range(1, path.count(".") + 2)}
    columns = {}
    for i, leaf in enumerate(leaves):
        if i in flat and leaf.name not in prefixes:
            columns[i] = Column(leaf.name, leaf.physical_type, leaf.length, listed=False)
        elif leaf.max_repetition_level == 1 and leaf.physical_type in _LISTED:
            columns[i] = Column(leaf.path.split(".")[0], leaf.physical_type, leaf.length, listed=True)
    return columns


def _is_read(kind: Any, leaf: Column) -> bool:
    from pyarrow import types

    if leaf.listed:
        if not (types.is_list(kind) or types.is_large_list(kind) or types.is_fixed_size_list(kind)):
            return False
        value = kind.value_type
        return bool(types.is_integer(value) or types.is_floating(value) or types.is_boolean(value))
    if leaf.is_text:
        value = kind.value_type if types.is_dictionary(kind) else kind
        return bool(types.is_string(value) or types.is_large_string(value) or types.is_string_view(value))
    if leaf.physical_type == "FIXED_LEN_BYTE_ARRAY" and leaf.length > _LONGEST_NUMBER:
        return False
    number = types.is_integer(kind) or types.is_floating(kind) or types.is_decimal(kind)
    return bool(number or types.is_boolean(kind) or types.is_null(kind) or types.is_temporal(kind))
