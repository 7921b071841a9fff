"""Tables in text: from memory, bounded before anything is parsed; and the options with which every text is parsed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ldpcore.errors import Refused
from ldpcore.tables.dialect import (
    SAVE,
    Dialect,
    NotInEncodingError,
    RowError,
    check_zeros,
    column_names,
    find_dialect,
    find_encoding,
    find_preamble,
    row_at,
)
from ldpcore.tables.limits import MAX_ROWS

# Pasted values, one to a line, have nothing between cells. pyarrow wants a separator all the same, so it gets a control
# character that nobody types or pastes.
NONE = "\x1f"


def read_csv(data: bytes, header: bool, suffix: str = "") -> Any:
    """Read text in UTF-8 without a mark, of a file whose name ends in `suffix`, as a pyarrow.Table of strings."""
    preamble = find_preamble(data)
    data = data[preamble.length :]
    check_text(data, header)
    data = data.lstrip(b"\r\n").rstrip(b"\r\n") + b"\n"
    dialect = find_dialect(data, header, preamble.separator, suffix)
    table = parse(data, dialect)
    names = column_names(dialect, [str(column[0].as_py()) for column in table.columns])
    return table.slice(int(header)).rename_columns(names)


def check_text(data: bytes, header: bool) -> None:
    """Refuse what is not UTF-8, and more lines than rows are read."""
    check_zeros(data)
    zero = data.find(b"\0")
    if zero >= 0:
        raise zero_byte(row_at([data[:zero]], header))
    try:
        # In pieces, so that the text is never there twice.
        if not data.isascii():
            decode = find_encoding(b"").decoder()
            for start in range(0, len(data), 1 << 20):
                decode(data[start : start + (1 << 20)], start + (1 << 20) >= len(data))
    except NotInEncodingError as problem:
        at = problem.position
        raise not_utf8(row_at([data[:at]], header), data[at]) from None
    lines = max(data.count(b"\n"), data.count(b"\r"))
    if lines > MAX_ROWS + 1:
        raise Refused(f"there may be at most {MAX_ROWS:,} rows; got {lines:,} lines")


def zero_byte(row: int) -> RowError:
    return RowError(row, f"there is a byte 0, which is not text; {SAVE}")


def not_utf8(row: int, byte: int) -> RowError:
    return RowError(row, f"the text must be UTF-8; got the byte 0x{byte:02X}, perhaps from Latin-1: {SAVE}")


def parse(data: bytes, dialect: Dialect, *, pasted: bool = False) -> Any:
    """Parse text of which every row must have so many cells, all as strings; the header is a row too."""
    import pyarrow as pa
    from pyarrow.csv import read_csv

    wrong: list[Any] = []
    # In one block and one thread, rows have numbers.
    options = csv_options(dialect, wrong.append, block=len(data) + 1, threads=False, pasted=pasted)
    header = dialect.header
    try:
        table = read_csv(pa.BufferReader(data), **options)
    except (pa.ArrowException, OSError, MemoryError):
        if wrong:
            raise wrong_width(wrong[0], header) from None
        if not pasted and data.count(b'"') % 2:
            raise unclosed(1 - header) from None
        raise Refused("this text cannot be read as CSV; save it again") from None
    check_width(dialect, table.num_columns)
    if table.num_rows > MAX_ROWS + header:
        raise Refused(f"there may be at most {MAX_ROWS:,} rows; got {table.num_rows - header:,}")
    if not pasted and ends_unclosed(data, table.columns[-1][-1].as_py()):
        raise unclosed(table.num_rows - header)
    return table


def csv_options(
    dialect: Dialect,
    on_wrong_row: Callable[[Any], object],
    *,
    block: int,
    threads: bool,
    columns: Sequence[int] | None = None,
    pasted: bool = False,
) -> dict[str, Any]:
    """Return the options of pyarrow's readers of CSV: every cell is a string, and the columns are f0, f1, ….

    In pasted values quotes have no meaning.
    """
    import pyarrow as pa
    from pyarrow import csv

    def refuse(row: Any) -> str:
        on_wrong_row(row)
        return "error"

    chosen = [f"f{i}" for i in (range(dialect.cells) if columns is None else columns)]
    return {
        "read_options": csv.ReadOptions(use_threads=threads, block_size=block, autogenerate_column_names=True),
        "parse_options": csv.ParseOptions(
            delimiter=dialect.separator,
            quote_char=False if pasted else '"',
            newlines_in_values=not pasted,
            invalid_row_handler=refuse,
            # A blank line is no row; in one column an empty cell can be written as "".
            ignore_empty_lines=True,
        ),
        "convert_options": csv.ConvertOptions(
            column_types=dict.fromkeys(chosen, pa.string()), include_columns=chosen if columns is not None else None
        ),
    }


def check_width(dialect: Dialect, columns: int) -> None:
    if columns != dialect.cells:
        raise Refused("the quotes in the first line are not as in CSV; remove them or save it again")


def ends_unclosed(tail: bytes, last: str) -> bool:
    """Tell whether the last cell was opened by a quote that is never closed, and so takes in the end of its line.

    `tail` is the end of the text, with the end of the last line.
    """
    if last == "\n" and tail.endswith(b'"\n"\n'):
        # A cell of nothing but an end of line, if the quotes before it are in pairs.
        return tail.count(b'"') % 2 == 1
    return last.endswith("\n") and tail.endswith((b'"' + last.replace('"', '""').encode())[-len(tail) :])


def wrong_width(row: Any, header: bool) -> RowError:
    """Return what is wrong with a row that pyarrow has refused."""
    number = row.number - header
    if row.text.count('"') % 2 and ("\n" in row.text or "\r" in row.text):
        return unclosed(number)
    return RowError(
        number,
        f"a row must have {_cells(row.expected_columns)}, as the first line has; got {_cells(row.actual_columns)}",
    )


def unclosed(number: int) -> RowError:
    return RowError(number, 'a quote (") is opened in this row but never closed')


def _cells(count: int) -> str:
    return "1 cell" if count == 1 else f"{count:,} cells"
