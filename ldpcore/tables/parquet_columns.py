"""The columns of a Parquet file that are read when they are asked for.

All columns of an upload together may take ten times the memory of the one that is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

from ldpcore.errors import Refused
from ldpcore.tables.limits import HEAD_ROWS, MAX_LONG, mb
from ldpcore.tables.thrift import DAMAGED

# So many rows are read at a time, and so many cells. Fewer would be slower: the words of a column come anew with every
# batch.
ROWS, CELLS = 1 << 20, 1 << 23
# And about so many bytes of text, but not fewer rows than these. Fewer bytes are enough for a first look.
TEXT_BYTES, FEWEST, FIRST_BYTES = 64 * 2**20, 1 << 10, 16 * 2**20


def spans(groups: Sequence[int]) -> Iterator[list[int]]:
    """Yield the numbers of the row groups that are read together, of groups of so many rows.

    >>> list(spans([600_000, 600_000, 100]))
    [[0, 1], [2]]
    """
    together, rows = list[int](), 0
    for group, length in enumerate(groups):
        together.append(group)
        rows += length
        if rows >= ROWS or group == len(groups) - 1:
            yield together
            together, rows = [], 0


class ParquetColumns:
    """A table that stays in its file; of what a pyarrow.Table can do, that which is needed here.

    Parameters
    ----------
    file : pyarrow.parquet.ParquetFile
        Where it stays.
    schema : pyarrow.Schema
        The columns, as they are in the file.
    groups : sequence of int
        How many rows each row group has.
    clean : callable
        What is done to each pyarrow.Table that was read.
    dense, long : mapping of str to int
        How many bytes the cells of a column of text have where they are densest, and all that are long together.
    """

    def __init__(
        self,
        file: Any,
        schema: Any,
        groups: Sequence[int],
        clean: Callable[[Any], Any],
        dense: Mapping[str, float],
        long: Mapping[str, int],
    ) -> None:
        self._file, self._stored, self._groups, self._clean = file, schema, groups, clean
        self._dense, self._long = dense, long
        self.column_names: list[str] = schema.names
        self.schema = clean(schema.empty_table()).schema
        self.num_rows = sum(groups)

    def select(self, names: Sequence[str]) -> ParquetColumns:
        """Return some of the columns, still in the file."""
        import pyarrow as pa

        chosen = pa.schema([self._stored.field(name) for name in names])
        return ParquetColumns(self._file, chosen, self._groups, self._clean, self._dense, self._long)

    def to_batches(self, max_chunksize: int = ROWS) -> Iterator[Any]:
        """Read record batches of at most so many rows; one that is done with is not kept."""
        left = self.num_rows
        for batch in self._batches(max_chunksize, TEXT_BYTES):
            left -= batch.num_rows
            yield from self._table([batch]).to_batches()
        # pyarrow stops without a word where a column ends before its time.
        if left:
            raise Refused(DAMAGED)

    def parts(self) -> Iterator[Any]:
        """Read tables of about `ROWS` rows, or `TEXT_BYTES`: single batches can be small, and each costs time."""
        import pyarrow as pa

        for name in self.column_names:
            if self._long.get(name, 0) > MAX_LONG:
                raise Refused(
                    f"the column {name!r:.60} has {mb(self._long[name])} of long texts; of one that is used there may "
                    f"be {mb(MAX_LONG)} at most"
                )
        batches, rows, size = list[Any](), 0, 0
        for batch in self.to_batches():
            batches.append(batch)
            rows, size = rows + batch.num_rows, size + batch.nbytes
            if rows >= ROWS or size >= TEXT_BYTES:
                yield pa.Table.from_batches(batches)
                batches, rows, size = [], 0, 0
        if batches:
            yield pa.Table.from_batches(batches)

    def first(self, rows: int) -> Any:
        """Read the first rows of all columns; fewer, where they have much text."""
        batches, rows_read, size = list[Any](), 0, 0
        for batch in self._batches(rows, FIRST_BYTES):
            batches.append(batch)
            rows_read, size = rows_read + batch.num_rows, size + batch.nbytes
            if rows_read >= rows or size >= FIRST_BYTES:
                break
        return self._table(batches).slice(0, rows)

    @cached_property
    def head(self) -> Any:
        """The first rows of all columns, read once."""
        return self.first(HEAD_ROWS)

    def column(self, which: int | str) -> Any:
        """Read a column, as a pyarrow.ChunkedArray."""
        name = which if isinstance(which, str) else self.column_names[which]
        return self.select([name]).whole().column(0)

    @property
    def columns(self) -> Iterator[Any]:
        """Read one column after the other."""
        return map(self.column, self.column_names)

    def whole(self) -> Any:
        """Read all columns, as a pyarrow.Table."""
        import pyarrow as pa

        return pa.Table.from_batches(_sharing_words(self.to_batches()), self.schema)

    def combine_chunks(self) -> Any:
        """Read all columns, each in one piece."""
        return self.whole().combine_chunks()

    def _batches(self, rows: int, text: int) -> Iterator[Any]:
        """Read what is stored, some row groups after the other: a reader keeps all words that it comes across."""
        import pyarrow as pa

        dense = sum(self._dense.get(name, 0.0) for name in self.column_names)
        rows = min(rows, CELLS // len(self.column_names), max(FEWEST, int(text / max(1.0, dense))))
        for groups in spans(self._groups):
            yield from self._file.iter_batches(max(1, rows), groups, columns=self.column_names, use_threads=False)
            # What was read is mostly given back by now, and would stay with the process for a while.
            pa.default_memory_pool().release_unused()

    def _table(self, batches: list[Any]) -> Any:
        import pyarrow as pa

        # pyarrow returns columns in the order of the file.
        return self._clean(pa.Table.from_batches(batches, None if batches else self._stored).select(self.column_names))


def _sharing_words(batches: Iterator[Any]) -> Iterator[Any]:
    """Let columns of a batch have the words of the batch before, where they are the same: they come as a copy."""
    import pyarrow as pa

    known: dict[int, Any] = {}
    for batch in batches:
        columns = list[Any]()
        for place, column in enumerate(batch.columns):
            words = column.dictionary if pa.types.is_dictionary(column.type) else None
            if words is not None and place in known and known[place].equals(words):
                ordered = column.type.ordered
                column = pa.DictionaryArray.from_arrays(column.indices, known[place], ordered=ordered)
            else:
                known[place] = words
            columns.append(column)
        yield pa.RecordBatch.from_arrays(columns, schema=batch.schema)


def first_rows(data: Any, name: str, rows: int) -> Any:
    """Return the first cells of a column of a pyarrow.Table, or of one that stays in its file."""
    if not isinstance(data, ParquetColumns):
        return data.column(name).slice(0, rows)
    if rows <= HEAD_ROWS:
        return data.head.column(name).slice(0, rows)
    return data.select([name]).first(rows).column(0)


def column_parts(data: Any, name: str) -> Iterator[Any]:
    """Yield a column as it is where it is in memory already, or some rows after the other from its file."""
    if not isinstance(data, ParquetColumns):
        yield data.column(name)
        return
    for part in data.select([name]).parts():
        yield part.column(0)


def one_array(column: Any) -> Any:
    """Return a pyarrow.ChunkedArray as one array, with one dictionary if it has any."""
    import pyarrow as pa

    whole = column.unify_dictionaries().combine_chunks()
    return whole.chunk(0) if isinstance(whole, pa.ChunkedArray) else whole
