"""The columns of a Parquet file that are read when they are asked for.

All columns of an upload together may take ten times the memory of the one that is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from typing import Any

from ldpcore.errors import Refused
from ldpcore.tables.limits import HEAD_ROWS
from ldpcore.tables.thrift import DAMAGED

# So many rows are read at a time, and so many cells. Fewer would be slower: the words of a column come anew with every
# batch.
ROWS, CELLS = 1 << 20, 1 << 23


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
    """

    def __init__(self, file: Any, schema: Any, groups: Sequence[int], clean: Callable[[Any], Any]) -> None:
        self._file, self._stored, self._groups, self._clean = file, schema, groups, clean
        self.column_names: list[str] = schema.names
        self.schema = clean(schema.empty_table()).schema
        self.num_rows = sum(groups)

    def select(self, names: Sequence[str]) -> ParquetColumns:
        """Return some of the columns, still in the file."""
        import pyarrow as pa

        chosen = pa.schema([self._stored.field(name) for name in names])
        return ParquetColumns(self._file, chosen, self._groups, self._clean)

    def to_batches(self, max_chunksize: int = ROWS) -> Iterator[Any]:
        """Read record batches of at most so many rows; one that is done with is not kept."""
        left = self.num_rows
        for batch in self._batches(max(1, min(max_chunksize, CELLS // len(self.column_names)))):
            left -= batch.num_rows
            yield from self._table([batch]).to_batches()
        # pyarrow stops without a word where a column ends before its time.
        if left:
            raise Refused(DAMAGED)

    def parts(self) -> Iterator[Any]:
        """Read tables of about `ROWS` rows: batches can be as small as the row groups, and each costs time."""
        import pyarrow as pa

        batches, rows = list[Any](), 0
        for batch in self.to_batches():
            batches.append(batch)
            rows += batch.num_rows
            if rows >= ROWS:
                yield pa.Table.from_batches(batches)
                batches, rows = [], 0
        if batches:
            yield pa.Table.from_batches(batches)

    def first(self, rows: int) -> Any:
        """Read the first rows of all columns."""
        batches, rows_read = list[Any](), 0
        for batch in self._batches(rows):
            batches.append(batch)
            rows_read += batch.num_rows
            if rows_read >= rows:
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

        return pa.Table.from_batches(self.to_batches(), self.schema)

    def combine_chunks(self) -> Any:
        """Read all columns, each in one piece."""
        return self.whole().combine_chunks()

    def _batches(self, rows: int) -> Iterator[Any]:
        """Read what is stored, some row groups after the other: a reader keeps all words that it comes across."""
        groups, size = list[int](), 0
        for group, length in enumerate(self._groups):
            groups.append(group)
            size += length
            if size >= ROWS or group == len(self._groups) - 1:
                yield from self._file.iter_batches(rows, groups, columns=self.column_names, use_threads=False)
                groups, size = [], 0

    def _table(self, batches: list[Any]) -> Any:
        import pyarrow as pa

        # pyarrow returns columns in the order of the file.
        return self._clean(pa.Table.from_batches(batches, None if batches else self._stored).select(self.column_names))


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
