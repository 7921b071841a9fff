"""Tables that somebody uploads or pastes, read from memory and checked before they are parsed."""

from ldpcore.tables.kinds import CSV_SUFFIXES, PARQUET_SUFFIXES, SUFFIXES
from ldpcore.tables.table import MAX_BYTES, Table, paste_table, read_table
from ldpcore.tables.text import MAX_CELL_BYTES, MAX_COLUMNS, MAX_ROWS

__all__ = [
    "CSV_SUFFIXES",
    "MAX_BYTES",
    "MAX_CELL_BYTES",
    "MAX_COLUMNS",
    "MAX_ROWS",
    "PARQUET_SUFFIXES",
    "SUFFIXES",
    "Table",
    "paste_table",
    "read_table",
]
