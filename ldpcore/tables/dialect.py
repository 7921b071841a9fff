"""How a text is written, as its first bytes say: encoding, separator, cells in a line, names of the columns.

The same is found of an upload and of a file on disk, so that both mean the same.
"""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ldpcore._validate import shown
from ldpcore.errors import Refused
from ldpcore.tables.limits import HEAD_BYTES, MAX_COLUMNS, TOO_LONG

SEPARATORS = ",;\t"
# So many decide which separator a text has.
FIRST_LINES = 20
_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}")
# NumPy writes the numbers in a list or a tuple as np.int64(3), and truth values as np.True_.
SCALAR = r"\bnp\.(?:\w+\(([^()]*)\)|(True|False)_)"
BARE = r"\1\2"
SAVE = 'save it again as "CSV UTF-8"'
_UTF8 = "utf-8"
_MARKS = (
    (codecs.BOM_UTF32_LE, None),
    (codecs.BOM_UTF32_BE, None),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
    (codecs.BOM_UTF8, _UTF8),
)


class RowError(Refused):
    """Something wrong in a row; the name of the file comes in front of it with a comma."""

    def __init__(self, row: int, sentence: str, column: str | None = None) -> None:
        self._arguments = (row, sentence, column)
        at = f"row {row:,}" if row else "the header"
        super().__init__(f"{at}: {sentence}" if column is None else f"{at}, column {shown(column)}: {sentence}")

    def __reduce__(self) -> tuple[type[RowError], tuple[int, str, str | None]]:
        # As `ldpcore.errors.InfeasibleError`: one that a worker raises arrives where it was asked.
        return type(self), self._arguments


# ---- encoding ---------------------------------------------------------------------


@dataclass(frozen=True)
class Encoding:
    """The name of an encoding, and how many bytes of mark come before the text."""

    name: str
    mark: int = 0

    @property
    def is_utf8(self) -> bool:
        return self.name == _UTF8

    def decode(self, data: bytes) -> bytes:
        """Return the whole text as UTF-8, without its mark."""
        if self.is_utf8:
            return data[self.mark :]
        decoder = self.decoder()
        places = range(self.mark, len(data), HEAD_BYTES)
        return b"".join(decoder(data[at : at + HEAD_BYTES]) for at in places) + decoder(b"", True)

    def decoder(self) -> Callable[..., bytes]:
        """Return a function of a piece, and whether it is the last, that gives the piece in UTF-8."""
        incremental = codecs.getincrementaldecoder(self.name)()
        read = 0

        def decode(piece: bytes, final: bool = False) -> bytes:
            nonlocal read
            before = len(incremental.getstate()[0])
            try:
                text = incremental.decode(piece, final)
            except UnicodeDecodeError as problem:
                raise NotInEncodingError(read - before + problem.start, self) from None
            read += len(piece)
            return piece if self.is_utf8 else text.encode()

        return decode


class NotInEncodingError(Refused):
    """A byte that is not text; `position` counts from 0, without the mark."""

    def __init__(self, position: int, encoding: Encoding) -> None:
        super().__init__(
            f"the text must be {encoding.name[:6].upper()}, as its first bytes say; the byte at position "
            f"{position + encoding.mark + 1:,} is not: {SAVE}"
        )
        self.position, self._encoding = position, encoding

    def __reduce__(self) -> tuple[type[NotInEncodingError], tuple[int, Encoding]]:
        return type(self), (self.position, self._encoding)


def find_encoding(head: bytes) -> Encoding:
    r"""Find the encoding of a text by its mark; without one it is UTF-8.

    >>> find_encoding("x\n1\n".encode("utf-16")).name
    'utf-16-le'
    """
    for mark, name in _MARKS:
        if head.startswith(mark):
            if name is None:
                raise Refused(f"this text is UTF-32, not UTF-8; {SAVE}")
            return Encoding(name, len(mark))
    return Encoding(_UTF8)


def check_zeros(head: bytes) -> None:
    """Refuse UTF-16 without a mark, and what is no text."""
    if head[:4096].count(b"\0") > len(head[:4096]) // 8:
        raise Refused(f"every few bytes one is 0, as in UTF-16 without a mark and in files that are not text; {SAVE}")


def row_at(pieces: Iterable[bytes], header: bool) -> int:
    """Return the row that comes after these pieces of a text, by the lines that end in them; 0 is the header."""
    rows, quoted, carry, filled = 0, False, b"", False
    for piece in filter(None, pieces):
        data = np.frombuffer(carry + piece, dtype=np.uint8)
        # An odd number of quotes before an end of line says that it is within a cell. Only the parity counts, so
        # that the sum may overflow.
        within = (np.cumsum(data == ord('"'), dtype=np.uint8) + quoted) % 2 == 1
        ends = np.flatnonzero((data == ord("\n")) & ~within)
        lengths = np.diff(ends, prepend=-1)
        lines = (lengths > 2) | ((lengths == 2) & (data[ends - 1] != ord("\r")))
        if ends.size:
            rows += int(lines.sum()) + (filled and not lines[0])
        rest = bytes(data[ends[-1] + 1 :]) if ends.size else bytes(data)
        filled = (filled and not ends.size) or len(rest) > 1
        # A line of one byte may be the first half of an end of line; of a longer one its length is enough.
        carry = rest if not filled else b""
        quoted = bool(within[-1]) if not carry else False
    return rows + (not header)


# ---- separator and names ----------------------------------------------------------


@dataclass(frozen=True)
class Dialect:
    """How the rows of a text are written.

    Attributes
    ----------
    separator : str
        Between the cells of a row.
    cells : int
        How many there are in a row.
    header : bool
        Whether the first row has the names of the columns.
    """

    separator: str
    cells: int
    header: bool


@dataclass(frozen=True)
class Preamble:
    """What stands before a table: a line that says which separator it has, as Excel writes it, and how long it is."""

    separator: str = ""
    length: int = 0


_PREAMBLE = re.compile(rb'[\r\n]*"?sep=([^\r\n]?)"?[ \t]*(?:\r\n|\r|\n|\Z)', re.IGNORECASE)


def find_preamble(text: bytes) -> Preamble:
    r"""Find whether the first line says which separator the table has.

    >>> find_preamble(b"sep=;\nseed;value\n"), find_preamble(b"seed;value\n")
    (Preamble(separator=';', length=6), Preamble(separator='', length=0))
    """
    match = _PREAMBLE.match(text)
    if match is None:
        return Preamble()
    separator = match[1].decode(errors="replace")
    if separator not in tuple(SEPARATORS):
        raise Refused(
            "the first line, sep=, must name a comma, a semicolon or a tab, which stand between the cells; "
            f"got {shown(separator)}"
        )
    if not text[match.end() : match.end() + HEAD_BYTES].strip():
        raise Refused("there is nothing below its first line, which only names the separator")
    return Preamble(separator, match.end())


def find_dialect(text: bytes, header: bool, separator: str = "", suffix: str = "") -> Dialect:
    r"""Find the separator in the first line, and how many cells it makes; of two that fit, the first lines decide.

    Where the first line is one cell, the commas of cells such as "(1, 43)" below it are none between cells; nor are
    any commas of a file whose name ends in .tsv, unless it has no tabs, and all of the first lines have as many commas.

    Parameters
    ----------
    text : bytes
        The text from its first line on, in UTF-8 without a mark: all of it, or more than `HEAD_BYTES`.
    header : bool
        Whether the first line has the names of the columns.
    separator : str
        The separator, where it is known.
    suffix : str
        The ending of the file's name.

    Examples
    --------
    >>> find_dialect(b"seed;value\n7;1\n", header=True)
    Dialect(separator=';', cells=2, header=True)
    """
    head = text[:HEAD_BYTES].decode(errors="ignore")
    if suffix == ".tsv" and not separator and _is_tsv(head):
        separator = "\t"
    best = (-1, 0, "")
    for each in separator or SEPARATORS:
        widths = _widths(head, each)
        if len(text) > HEAD_BYTES and len(widths) == 1:
            raise Refused(f"the first line may be at most {HEAD_BYTES >> 20} MB long, with every quote closed")
        if widths:
            rank = (sum(width == widths[0] for width in widths) if widths[0] > 1 else 0, widths[0], each)
            best = max(best, rank, key=lambda r: r[:2])
    if not best[2]:
        raise Refused(f"in the first line, {TOO_LONG}")
    _, cells, chosen = best
    if cells > MAX_COLUMNS:
        raise Refused(f"there may be at most {MAX_COLUMNS:,} columns; got {cells:,} in the first line")
    if cells == 1 and not separator:
        chosen = next((each for each in SEPARATORS[1:] if _has_lists(head, each)), chosen)
    return Dialect(chosen, cells, header)


def _widths(head: str, separator: str) -> list[int]:
    """Return how many cells the first lines have; -1 for a line with a cell that is too long for this module."""
    widths = []
    try:
        for record in csv.reader(io.StringIO(head, newline=""), delimiter=separator):
            widths.append(len(record))
            if len(widths) == FIRST_LINES:
                break
    except csv.Error:
        return [*widths, -1] if widths else []
    return widths


def _is_tsv(head: str) -> bool:
    """Tell whether the first lines are rows with tabs; or one column, for nothing else divides them alike.

    Where a line has a quote or a tab too many, nothing tells which.
    """
    lines = head.splitlines()[:FIRST_LINES]
    if any(mark in line for line in lines for mark in '\t"'):
        return _is_even(head, "\t")
    return not any(_is_even(head, each) for each in SEPARATORS)


def _is_even(head: str, separator: str) -> bool:
    """Tell whether all of the first lines have as many cells, and more than one."""
    widths = _widths(head, separator)
    return len(set(widths)) == 1 and widths[0] > 1


def _has_lists(head: str, separator: str) -> bool:
    """Tell whether each of the first lines is one cell, and commas are there but in brackets: (1, 43) or [3, 7, 9].

    Without brackets 1,5 may be a number or two cells below a name too few, and nothing tells which.
    """
    lines = csv.reader(io.StringIO(head, newline=""), delimiter=separator, quoting=csv.QUOTE_NONE)
    try:
        first = list(islice(lines, FIRST_LINES))
    except csv.Error:
        return False
    with_comma = [re.sub(SCALAR, BARE, cell.strip()) for line in first for cell in line if "," in cell]
    return bool(with_comma) and max(map(len, first)) == 1 and all(map(_BRACKETS.fullmatch, with_comma))


def column_names(dialect: Dialect, first: Sequence[str]) -> tuple[str, ...]:
    """Return the names of the columns, each once: those of the first row, without blanks around, or numbers.

    >>> column_names(Dialect(",", 3, True), [" seed ", "", "value"])
    ('seed', 'column 2', 'value')
    """
    if not dialect.header:
        return tuple(f"column {i + 1}" for i in range(dialect.cells))
    names = [name.strip() for name in first]
    if not any(names):
        raise Refused("the first line must have the names of the columns; it is empty")
    named = tuple(name or f"column {i + 1}" for i, name in enumerate(names))
    name, times = Counter(named).most_common(1)[0]
    if times > 1:
        raise Refused(
            f"every column must have a name of its own; {times:,} are called {shown(name)} in the first line, "
            "unless it is no header: then say so"
        )
    return named


# ---- numbers ----------------------------------------------------------------------


def has_decimal_commas(text: Any) -> bool:
    """Tell whether numbers are written as 0,5; not where they may as well be thousands, as 1,000 or 1,234.5.

    >>> import pyarrow as pa
    >>> has_decimal_commas(pa.array(["0,5", "1,234"])), has_decimal_commas(pa.array(["1,234", "5,678"]))
    (True, False)
    """
    marks = CommaMarks()
    marks.look(text)
    return marks.decimal


class CommaMarks:
    """What the commas and points of text say of its numbers, looked at a piece after the other."""

    def __init__(self) -> None:
        self._commas = self._points = False
        self._decimals = self._thousands = True

    def look(self, text: Any) -> None:
        """Look at a piece."""
        import pyarrow.compute as pc

        def all_like(pattern: str) -> bool:
            return pc.all(pc.match_substring_regex(with_comma, pattern)).as_py() is not False

        with_comma = text.filter(pc.match_substring(text, ","))
        self._points = self._points or bool(pc.any(pc.match_substring(text, ".")).as_py())
        if len(with_comma):
            self._commas = True
            self._decimals = self._decimals and all_like(r"^[+-]?[0-9]*,[0-9]+([eE][+-]?[0-9]+)?$")
            self._thousands = self._thousands and all_like(r"^[+-]?[1-9][0-9]{0,2},[0-9]{3}$")

    @property
    def decimal(self) -> bool:
        """Whether numbers are written as 0,5, and not in a way that may as well be thousands."""
        return self._commas and self._decimals and not self._thousands and not self._points
