"""How columns of text are read from Parquet: with a table of their different words, or cell by cell.

pyarrow finds the words of a column by a hash table, which takes some 200 bytes for each beside several copies of the
word, of all row groups that are read together, whether they come from dictionaries or not. That is little where words
repeat. Where millions are different it is more than the file itself, and cells read one by one take less; but there a
long word that all rows refer to would be written out for each. So of dictionaries that are large it is found out first
how long their longest word is.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field

from ldpcore.errors import Refused
from ldpcore.tables.limits import MAX_AT_ONCE, MAX_DECODED, MAX_WALKED, TOO_MUCH, mb
from ldpcore.tables.thrift import DAMAGED

# Bytes in memory. Read with its words, a column has a number for each row (four bytes, and twice as many while it is
# read), and each different word once. Read by cells, each has its place, and more where its words are looked for.
INDEX, TEXT = 8, 40
# While words are looked for, each has its place in a hash table, and is there so many times.
_PLACE, _COPIES = 200, 6
# So much text is looked at together to see how dense it is; and longer than this, in bytes, texts are long.
_RUN, _LONG = 8 * 2**20, 64
# A word of a dictionary while cells are written out from it: where it is, and how long.
_ENTRY = 20
# How pyarrow calls the codecs that have a number in Parquet. Number 5 is LZ4 in a frame of one writer's.
_CODECS = {1: "snappy", 2: "gzip", 4: "brotli", 6: "zstd", 7: "lz4_raw"}


@dataclass(frozen=True)
class Dictionary:
    """A page that is a dictionary: where its body is, how it is packed, and how many words it has."""

    at: int
    packed: int
    unpacked: int
    entries: int
    codec: int

    @property
    def nbytes(self) -> int:
        """How many bytes it takes while it is read from."""
        return self.entries * _ENTRY + self.unpacked


@dataclass
class TextPages:
    """What the pages of a column of text hold; `typed` where the file says that it is to be read with its words."""

    typed: bool = False
    with_words: int = 0
    """Bytes in memory, if it is read with its words."""
    by_cells: int = 0
    """Bytes in memory, if it is read cell by cell; but for what dictionaries hold."""
    at_once: Counter[int] = field(default_factory=Counter)
    """Bytes in memory while words are looked for, by the number of the row groups that are read together."""
    dictionaries: list[Dictionary] = field(default_factory=list)
    referring: list[int] = field(default_factory=list)
    """How many cells refer to each dictionary."""
    dense: float = 0.0
    """How many bytes a cell has where they are densest; of dictionaries, once these were looked at."""
    long: int = 0
    """How many bytes of long texts there are."""
    _run: tuple[int, int] = (0, 0)

    def add_dictionary(self, page: Dictionary, span: int) -> None:
        """Count a dictionary."""
        self.with_words += page.entries * TEXT + page.unpacked
        self._look_for(page.entries, page.unpacked, span)
        self.dictionaries.append(page)
        self.referring.append(0)

    def add_references(self, values: int) -> None:
        """Count cells that refer to the last dictionary."""
        if not self.dictionaries:
            raise Refused(DAMAGED)
        self.with_words += values * INDEX
        self.by_cells += values * TEXT
        self.referring[-1] += values

    def add_texts(self, values: int, unpacked: int, span: int) -> None:
        """Count cells that stand for themselves."""
        self.with_words += values * TEXT + unpacked
        self.by_cells += values * TEXT + unpacked
        self._look_for(values, unpacked, span)
        cells, size = self._run[0] + values, self._run[1] + unpacked
        if size >= _RUN:
            self.dense = max(self.dense, size / max(1, cells))
        self._run = (0, 0) if size >= _RUN else (cells, size)

    def _look_for(self, words: int, size: int, span: int) -> None:
        self.at_once[span] += words * _PLACE + size * _COPIES
        self.long += max(0, size - words * _LONG)

    @property
    def most_at_once(self) -> int:
        """How many bytes are in memory while words are looked for; 0 where none are."""
        return max(self.at_once.values(), default=0) if self.dictionaries or self.typed else 0


def columns_with_words(data: bytes, texts: Mapping[str, TextPages], others: int) -> set[str]:
    """Choose the columns that are read with their words, and refuse what takes too much memory either way.

    Parameters
    ----------
    data : bytes
        The file.
    texts : mapping of str to TextPages
        Its columns of text.
    others : int
        How many bytes all other columns take.
    """
    by_words = {name: text for name, text in texts.items() if text.most_at_once}
    sizes = {name: text.by_cells for name, text in texts.items()}
    if sum(text.most_at_once for text in by_words.values()) > MAX_AT_ONCE:
        sizes |= _written_out(data, {name: text for name, text in by_words.items() if not text.typed})
    chosen, taken = set[str](), 0
    # First those that must be, then those that gain most.
    for name, text in sorted(by_words.items(), key=lambda item: (not item[1].typed, -sizes[item[0]])):
        if taken + text.most_at_once <= MAX_AT_ONCE:
            chosen.add(name)
            taken += text.most_at_once
        elif text.typed:
            raise Refused(
                f"words of columns that are saved as categories may take {mb(MAX_AT_ONCE)} of memory together; those "
                f"of column {name!r:.60} take up to {mb(text.most_at_once)}: save it as plain text, or as CSV"
            )
    if others + sum(text.with_words if name in chosen else sizes[name] for name, text in texts.items()) > MAX_DECODED:
        raise Refused(TOO_MUCH)
    return chosen


def _written_out(data: bytes, texts: Mapping[str, TextPages]) -> dict[str, int]:
    """Return how many bytes columns take at most, read cell by cell."""
    entries = sum(page.entries for text in texts.values() for page in text.dictionaries)
    if entries > MAX_WALKED:
        raise Refused(
            f"dictionaries of a Parquet file may have at most {MAX_WALKED:,} words together; got {entries:,}: save it "
            "with smaller dictionaries, or as CSV"
        )
    sizes = {}
    for name, text in texts.items():
        largest = max(page.nbytes for page in text.dictionaries)
        written = 0
        for page, cells in zip(text.dictionaries, text.referring, strict=True):
            longest = _longest(data, page) if cells else 0
            written += cells * longest
            text.dense = max(text.dense, longest)
        sizes[name] = text.by_cells + largest + written
    return sizes


def _longest(data: bytes, page: Dictionary) -> int:
    """Return the length of the longest word of a dictionary, or of the whole where that can't be known."""
    import pyarrow as pa

    body = data[page.at : page.at + page.packed]
    if page.codec:
        if page.codec not in _CODECS:
            return page.unpacked
        body = pa.Codec(_CODECS[page.codec]).decompress(body, page.unpacked, asbytes=True)
    longest = at = 0
    for _ in range(page.entries):
        length = int.from_bytes(body[at : at + 4], "little")
        at += 4 + length
        if length > longest:
            longest = length
    if at > len(body):
        raise Refused(DAMAGED)
    return longest
