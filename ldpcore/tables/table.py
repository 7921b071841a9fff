"""A table that was read."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, cast

from ldpcore._validate import shown
from ldpcore.errors import Refused
from ldpcore.tables.limits import MAX_NAME

# What controls a screen, but for lines and tabs, and what turns the direction of all that stands behind it: a name with
# those is shown as another one.
_HIDDEN = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


@dataclass(frozen=True, eq=False)
class Table:
    r"""A table that was read.

    Attributes
    ----------
    name : str
        Name of the file, for messages: only its last part, cut if long, without control characters.
    columns : tuple of str
        Names of the columns, each once. One without a name is called by its number, as "column 3".
    rows : int
        Number of rows, without the header and without blank lines.
    data : pyarrow.Table or ParquetColumns
        From CSV every column is one of strings, with "" for an empty cell: numbers are read later, where a wrong
        cell can be named. From Parquet the types are as stored, but text is dictionary-encoded, unless a
        large file has millions of different words; the columns of a large file are read whenever they are asked for.
    left_out : tuple of str
        Columns of a Parquet file that are structs, maps or bytes, or have other types that hold neither numbers,
        text, truth values, dates, times nor lists of numbers or truth values.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> table = ldp.read_table(b"age;city\n31;A\n45;B\n", "people.csv")
    >>> table.columns, table.rows
    (('age', 'city'), 2)
    """

    name: str
    columns: tuple[str, ...]
    rows: int
    data: Any
    left_out: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for number, name in enumerate((*self.columns, *self.left_out), 1):
            if len(name) > MAX_NAME:
                raise Refused(
                    f"the name of a column must have at most {MAX_NAME:,} characters; got {len(name):,}, {shown(name)}"
                )
            if hidden := _HIDDEN.search(name):
                raise Refused(
                    f"the name of column {number:,} has a character that cannot be seen, U+{ord(hidden[0]):04X}; "
                    "give it another name"
                )

    def refuse(self, row: int, column: str, must: str, got: object) -> Refused:
        r"""Return the error about a cell; rows count from 1.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> table = ldp.read_table(b"age;city\n31;A\n45;B\n", "people.csv")
        >>> print(table.refuse(2, "age", "a number is needed", "old"))
        people.csv, row 2, column 'age': a number is needed; got 'old'
        """
        return Refused(f"{self.name}, row {row:,}, column {shown(column)}: {must}; got {shown(got)}")

    def is_list(self, name: str) -> bool:
        r"""Tell whether every cell of a column is a list.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> table = ldp.read_table(b"age;city\n31;A\n45;B\n", "people.csv")
        >>> table.is_list("age")
        False
        """
        from pyarrow import types

        return self._has(name) and bool(types.is_nested(self.data.schema.field(self.columns.index(name)).type))

    def column(self, name: str) -> Any:
        r"""Return a column that has one value in a cell, as a pyarrow.ChunkedArray.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> table = ldp.read_table(b"age;city\n31;A\n45;B\n", "people.csv")
        >>> table.column("city").to_pylist()
        ['A', 'B']
        """
        return self.data.column(self._place(name))

    def column_type(self, name: str) -> Any:
        r"""Return the pyarrow.DataType of a column that has one value in a cell.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> table = ldp.read_table(b"age;city\n31;A\n45;B\n", "people.csv")
        >>> print(table.column_type("age"))  # of CSV all columns are text
        string
        """
        return self.data.schema.field(self._place(name)).type

    def _has(self, name: Any) -> bool:
        return isinstance(name, str) and name in self.columns  # an array would be compared with each of them

    def _place(self, name: str) -> int:
        """Return the number of a column that has one value in a cell."""
        if (isinstance(name, str) and name in self.left_out) or self.is_list(name):
            raise Refused(
                f"{self.name}: the column {shown(name)} holds lists, structs or bytes; choose one of numbers, text, "
                "truth values, dates or times"
            )
        if self._has(name):
            return self.columns.index(name)
        few = ", ".join(shown(other) for other in self.columns[:4]) + (", …" if len(self.columns) > 4 else "")
        raise Refused(f"{self.name}: there is no column {shown(name)}; there are {few}")


def check_table(table: Any) -> Table:
    """Return `table` if it is one, asked by what it has: one may come from elsewhere than a file."""
    if not hasattr(table, "columns") or not hasattr(table, "rows"):
        raise Refused(f"table must be an ldpcore.Table, as read_table returns it; got {shown(table)}")
    return cast(Table, table)
