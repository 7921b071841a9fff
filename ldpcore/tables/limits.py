"""Which files are read, and the bounds on what somebody may upload. Pages and messages take them from here."""

from __future__ import annotations

CSV_SUFFIXES = (".csv", ".tsv", ".txt")
"""Endings of files of text, in small letters; a name may have them in capitals."""
PARQUET_SUFFIXES = (".parquet", ".pq")
"""Endings of Parquet files."""
SUFFIXES = (*CSV_SUFFIXES, *PARQUET_SUFFIXES)
"""Endings of all files that are read."""

MAX_BYTES = 50 * 2**20
"""The largest upload, in bytes."""
MAX_ROWS = 10_000_000
"""The largest number of rows of an upload."""
MAX_COLUMNS = 10_000
"""The largest number of columns of an upload."""
MAX_CELL_BYTES = 100_000
"""The largest cell, in bytes: it is a number or the name of a category, and a longer one is a mistake."""
TOO_LONG = f"a cell must have at most {MAX_CELL_BYTES:,} bytes"

# The name of a column stands in menus, messages and exports.
MAX_NAME = 1_000

# These first bytes decide for the whole text: encoding, separator, number of cells.
HEAD_BYTES = 1 << 20
# These first rows decide for the whole file which columns number the rows, and which have decimal commas.
HEAD_ROWS = 1_000

# Parquet: bounds on what a file may unpack to: all pages together, one page, and the columns in memory.
MAX_UNPACKED = 512 * 2**20
MAX_PAGE = 128 * 2**20
MAX_DECODED = 512 * 2**20
TOO_MUCH = (
    f"unpacked, a file may take {MAX_DECODED >> 20} MB of memory at most; this one takes more: save only the columns "
    "and rows that you need"
)
# And on the words of one dictionary: writers stop at 1 MB of them. On the memory that words take while they are looked
# for; columns that need more are read cell by cell. And on the words whose lengths are looked at before that.
MAX_WORDS = 2_000_000
MAX_AT_ONCE = 192 * 2**20
MAX_WALKED = 10_000_000
# And on the texts of a column that is used that are longer than names, numbers and dates are.
MAX_LONG = 64 * 2**20
# And on what is walked in Python (one or two seconds each), and on the objects that pyarrow makes of a footer.
MAX_PAGES = 100_000
MAX_FOOTER = 8 * 2**20
MAX_VALUES = 1_000_000
MAX_STRUCTS = 300_000
MAX_DEPTH = 32


def mb(size: int) -> str:
    """Write a number of bytes for a message.

    >>> mb(MAX_BYTES), mb(50 * 2**20 + 100_000)
    ('50 MB', '50.1 MB')
    """
    return f"{size / 2**20:,.1f} MB".replace(".0 MB", " MB")
