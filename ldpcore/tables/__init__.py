"""What a file is: found from its first bytes and rows, the same for an upload and for a file on disk.

An upload comes from a stranger: it is read from memory, and bounded before it is parsed (`read_table`, `paste_table`).
A file on disk is the user's own: it is read in batches, however large it is (`TableFile`).
"""

from ldpcore.tables.files import TableFile, open_table_file
from ldpcore.tables.limits import (
    CSV_SUFFIXES,
    MAX_BYTES,
    MAX_CELL_BYTES,
    MAX_COLUMNS,
    MAX_ROWS,
    PARQUET_SUFFIXES,
    SUFFIXES,
)
from ldpcore.tables.reader import paste_table, read_table
from ldpcore.tables.table import Table

__all__ = [
    "CSV_SUFFIXES",
    "MAX_BYTES",
    "MAX_CELL_BYTES",
    "MAX_COLUMNS",
    "MAX_ROWS",
    "PARQUET_SUFFIXES",
    "SUFFIXES",
    "Table",
    "TableFile",
    "open_table_file",
    "paste_table",
    "read_table",
]
