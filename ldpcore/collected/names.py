"""Names of the values that reports are about: written down by somebody, or the words of a column."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ldpcore._validate import shown
from ldpcore.errors import Refused
from ldpcore.tables.columns import is_number
from ldpcore.tables.parquet_columns import column_parts, first_rows, one_array

if TYPE_CHECKING:
    from ldpcore.tables import Table

NAME_LENGTH = 60
# Values that nobody reported have no word in a column.
MISSING = "not in the file"
# So many cells show whether a column holds words, in a table with no more columns than these.
_HEAD, _FEW_COLUMNS = 20, 50
# So many different words are counted, where k is not larger; so many cells are looked at together.
_MOST_WORDS, _PIECE = 100_000, 1 << 18


def read_names(text: str) -> tuple[str, ...]:
    r"""Read names that stand in a line each, or in one line with commas between them.

    >>> read_names("red, green ,blue"), read_names("Paris, France\nBern\n")
    (('red', 'green', 'blue'), ('Paris, France', 'Bern'))
    """
    parts = text.strip().splitlines()
    if len(parts) == 1:
        parts = parts[0].split(",")
    return tuple(part.strip() for part in parts)


def check_names(names: Sequence[str], k: int) -> tuple[str, ...]:
    """Return the names, or refuse those that can't be the names of k values.

    >>> check_names(["yes", "no", "yes"], 3)
    Traceback (most recent call last):
    ldpcore.errors.Refused: names must differ; got 'yes' for the values 0 and 2
    """
    if len(names) != k:
        raise Refused(f"there must be a name for each of the k = {k:,} values; got {len(names):,}")
    values: dict[str, int] = {}
    for value, name in enumerate(names):
        if not name:
            raise Refused(f"names must not be empty; that of value {value:,} is")
        if len(name) > NAME_LENGTH:
            raise Refused(f"names may have at most {NAME_LENGTH} characters; that of value {value:,} is {shown(name)}")
        if not name.isprintable():
            raise Refused(f"names must be plain text; that of value {value:,} is {shown(name)}")
        if name in values:
            raise Refused(f"names must differ; got {shown(name)} for the values {values[name]:,} and {value:,}")
        values[name] = value
    return tuple(names)


def words_in(table: Table, column: str, k: int) -> tuple[str, ...]:
    r"""Return the different words of a column, in order, as the names of k values.

    >>> from ldpcore.tables import read_table
    >>> words_in(read_table(b"browser\nSafari\nChrome\nSafari\n", "a.csv"), "browser", 3)
    ('Chrome', 'Safari', 'not in the file')
    """
    table.column_type(column)  # refuses what holds no words
    words, all_of_them = set[str](), True
    for part in column_parts(table.data, column):
        words |= _different(part, max(k, _MOST_WORDS))
        # Names or numbers of persons: they are not all held to be counted.
        all_of_them = len(words) <= max(k, _MOST_WORDS)
        if not all_of_them:
            break
    ordered = sorted(words, key=_order)
    if len(ordered) > k:
        few = ", ".join(shown(word) for word in ordered[:3])
        raise Refused(
            f"{table.name}, column {shown(column)}: there may be at most k = {k:,} different words; got "
            f"{len(ordered):,}{'' if all_of_them else ' or more'} ({few}, …)"
        )
    missing = (MISSING if i == 0 else f"{MISSING} ({i + 1})" for i in range(k - len(ordered)))
    return check_names([*ordered, *missing], k)


def _different(column: Any, most: int) -> set[str]:
    """Return the different words of a column, or as many as are more than `most`."""
    import pyarrow.compute as pc

    cells, words = one_array(column), set[str]()
    for start in range(0, len(cells), _PIECE):
        words.update(word for word in as_words(pc.unique(cells.slice(start, _PIECE))).to_pylist() if word)
        if len(words) > most:
            break
    return words


def as_words(cells: Any) -> Any:
    """Return cells as text without blanks around it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    return pc.utf8_trim_whitespace(cells.cast(pa.string()))


def worded_columns(table: Table) -> tuple[str, ...]:
    r"""Return the columns of which the first cells are words, none of them a number, and not all the same.

    >>> from ldpcore.tables import read_table
    >>> worded_columns(read_table(b"v,w,x\n1,a,1\n2,b,b\n", "a.csv"))
    ('w',)
    """
    if len(table.columns) > _FEW_COLUMNS:
        return ()
    return tuple(name for name in table.columns if _holds_words(first_rows(table.data, name, _HEAD)))


def _holds_words(cells: Any) -> bool:
    from pyarrow import types

    if not (types.is_dictionary(cells.type) or types.is_string(cells.type) or types.is_large_string(cells.type)):
        return False
    words = {cell.strip() for cell in cells.to_pylist() if cell} - {""}
    return len(words) > 1 and not any(map(is_number, words))


def _order(word: str) -> tuple[bool, float, str]:
    """Sort numbers by size, and before words."""
    return (False, float(word), word) if is_number(word) else (True, 0.0, word)
