"""What the names and the first rows of columns say of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from ldpcore.tables.dialect import BARE, SCALAR, has_decimal_commas
from ldpcore.tables.limits import HEAD_ROWS
from ldpcore.tables.parquet_columns import first_rows
from ldpcore.tables.table import Table

ID_NAMES = ("id", "index", "user", "user_id", "userid", "user id", "uid", "unnamed: 0", "__index_level_0__")


def numbering_columns(table: Table) -> tuple[str, ...]:
    r"""Return the columns that seem to number the rows or name the users, by what they hold or how they are called.

    >>> from ldpcore.tables import read_table
    >>> numbering_columns(read_table(b"user,v,n\nann,3,1\nbob,3,2\neve,0,3\n", "a.csv"))
    ('user', 'n')
    """
    unnamed = "column 1" if table.columns[1:2] != ("column 2",) else ""
    names = {*ID_NAMES, unnamed}
    return tuple(name for name in table.columns if name.strip().lower() in names or _counts_up(table, name))


def empty_last_column(table: Table) -> str | None:
    r"""Return the last column if it has no name and nothing in its first rows: every line ends in a separator.

    >>> from ldpcore.tables import read_table
    >>> empty_last_column(read_table(b"v;\n3;\n0;\n", "a.csv"))
    'column 2'
    """
    from pyarrow import types

    last = table.columns[-1]
    if len(table.columns) == 1 or last != f"column {len(table.columns)}":
        return None
    cells = first_rows(table.data, last, HEAD_ROWS)
    return last if types.is_string(cells.type) and not any(cell.strip() for cell in cells.to_pylist() if cell) else None


def list_columns(table: Table) -> tuple[str, ...]:
    r"""Return the columns of which the first cell holds several numbers, as a list or in text.

    >>> from ldpcore.tables import read_table
    >>> list_columns(read_table(b"user;v;w\nann lee;(1, 43);7\n", "a.csv"))
    ('v',)
    """
    return tuple(name for name in table.columns if _holds_list(first_rows(table.data, name, 1)))


def _holds_list(cells: Any) -> bool:
    from pyarrow import types

    if types.is_list(cells.type) or types.is_large_list(cells.type) or types.is_fixed_size_list(cells.type):
        return True
    if types.is_temporal(cells.type) or not len(cells):
        return False
    text = str(cells[0].as_py())
    return len(_parts(text)) > 1 and _holds_numbers(text)


def _holds_numbers(text: str) -> bool:
    """Tell whether a text is a number, or several of them, or of truth values."""
    parts = _parts(text)
    return all(is_number(part) or (len(parts) > 1 and part in ("True", "False")) for part in parts)


def _counts_up(table: Table, name: str) -> bool:
    """Tell whether the cells count from 0 or 1."""
    from pyarrow import types

    column = first_rows(table.data, name, HEAD_ROWS)
    if types.is_temporal(column.type):  # no numbers; and Python has no dates before the year 1 or after 9999
        return False
    # There can be ten thousand columns, of which a few cells tell nearly all apart.
    for rows in (3, HEAD_ROWS):
        head = [str(cell) for cell in column.slice(0, rows).to_pylist()]
        if len(head) < 3 or not any(head == [str(i + start) for i in range(len(head))] for start in (0, 1)):
            return False
    return True


def decimal_comma_columns(table: Table, names: Sequence[str]) -> frozenset[str]:
    """Return which of these columns have numbers such as 0,5 in their first rows."""
    import pyarrow as pa
    import pyarrow.compute as pc

    commas = set()
    for name in names:
        column = first_rows(table.data, name, HEAD_ROWS)
        if pa.types.is_dictionary(column.type):
            column = column.cast(column.type.value_type)
        text = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
        if text and has_decimal_commas(pc.utf8_trim_whitespace(column)):
            commas.add(name)
    return frozenset(commas)


def header_seems_a_row(columns: Sequence[str]) -> bool:
    """Tell whether the names of columns are numbers, or lists of them, and not those of pandas, which count from 0.

    >>> header_seems_a_row(["2", "4318013899"]), header_seems_a_row(["0", "1", "2"])
    (True, False)
    """
    names = [name for name in columns if name != "column 1"]
    return bool(names) and all(map(_holds_numbers, names)) and names != [str(i) for i in range(len(names))]


def _parts(text: str) -> list[str]:
    """Return what stands between separators, without brackets around all of it, and without NumPy's words."""
    return re.split(r"[\s,;|]+", re.sub(SCALAR, BARE, text).strip("[](){} "))


def is_number(word: str) -> bool:
    """Tell whether a word is a number for Python."""
    try:
        float(word)
    except ValueError:
        return False
    return True
