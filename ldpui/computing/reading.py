"""What workers do with the files that visitors bring: the server reads none of them. Nothing here needs Streamlit."""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

import ldpcore as ldp
from ldpcore.collected.columns import Head, choose_columns
from ldpcore.collected.full import FULL_MOST_STEPS, FULL_STEPS
from ldpcore.collected.names import words_in
from ldpcore.collected.report_tables import count_table, full_steps, other_columns
from ldpcore.collected.tally import Tally
from ldpcore.datasets import OwnCategories, OwnDates, OwnNumbers, categories_from, dates_from, kind_of, numbers_from
from ldpcore.sweep.workers import tell
from ldpcore.tables import Table, paste_table
from ldpui import own
from ldpui.computing import counting

OwnColumn = OwnNumbers | OwnDates | OwnCategories
# How a column is read, by what it is taken as.
READERS: dict[str, Callable[[Table, str], OwnColumn]] = {
    own.NUMBERS: numbers_from,
    own.DATES: dates_from,
    own.CATEGORIES: categories_from,
}


@dataclass(frozen=True, eq=False)
class File:
    """A file as it came, and whether its first line holds names; or a text that was pasted."""

    data: bytes | str = field(repr=False)  # whoever writes a record into a log does not write somebody's file
    name: str = "the pasted text"
    header: bool = True

    @property
    def nbytes(self) -> int:
        """How many bytes it takes."""
        return sys.getsizeof(self.data) if isinstance(self.data, str) else len(self.data)

    def table(self) -> Table:
        """Read the table in it."""
        if isinstance(self.data, str):
            return paste_table(self.data)
        return ldp.read_table(self.data, self.name, header=self.header)


# ---- reports ----------------------------------------------------------------------


@dataclass(frozen=True)
class FileSummary:
    """What is known of a file of reports; `unreadable` are columns of structs, bytes or the like."""

    head: Head
    rows: int
    unreadable: tuple[str, ...]


@dataclass(frozen=True)
class Selection:
    """Which columns hold the reports, and in which words; `counts` where they are support counts, of `n` reports."""

    columns: tuple[str, ...] | None = None
    eps_column: str | None = None
    leave_out: tuple[str, ...] = ()
    words: tuple[str, ...] = ()
    counts: bool = False
    n: int | None = None

    @property
    def which(self) -> dict[str, Any]:
        """The columns and words, as functions of the library take them."""
        return {name: getattr(self, name) for name in ("columns", "eps_column", "leave_out", "words")}


@dataclass(frozen=True)
class Place:
    """Where full-report IBU is after so many steps."""

    estimate: npt.NDArray[np.float64]
    steps: int
    at_rest: bool


@dataclass(frozen=True, eq=False)
class CountPlace:
    """How far counting is: what was counted, and how many seconds of one core that has taken."""

    tally: Tally
    seconds: float


def look(file: File) -> FileSummary:
    """Return what is known of the columns of a file."""
    table = file.table()
    return FileSummary(Head.of(table), table.rows, table.left_out)


def words(file: File, column: str, k: int) -> tuple[str, ...]:
    """Return the words of a column."""
    return words_in(file.table(), column, k)


def count(
    file: File,
    m: ldp.Mechanism,
    selection: Selection,
    begun: CountPlace | None = None,
    seconds: float = math.inf,
) -> ldp.Collected | CountPlace:
    """Count reports until the time is up, telling how many are counted; estimate what counts can say after the last.

    A file is read again, up to the place, whenever counting goes on: a slice counts for at least twice as long as that.
    """
    start, spent = time.perf_counter(), -time.thread_time()
    table = file.table()
    if selection.counts:
        return ldp.estimate_counts(table, m, selection.n)
    if begun is None and table.rows:
        counting.check(table, m, choose_columns(table, m, **selection.which))
    place = begun or CountPlace(Tally(), 0.0)
    end: float | None = None

    def stop(rows: int) -> bool:
        nonlocal end
        tell(rows)
        now = time.perf_counter()
        if end is None:  # with the first batch that was counted
            end = now + max(seconds, 2 * (now - start)) if seconds > 0 else now
        return now >= end

    if count_table(table, m, place.tally, stop, **selection.which):
        return place.tally.estimate(mixed=selection.eps_column is not None).named(selection.words)
    spent += place.seconds + time.thread_time()
    if spent > counting.SECONDS:
        raise counting.too_long(table.name, m, table.rows)
    return CountPlace(place.tally, spent)


def climb(file: File, m: ldp.Mechanism, selection: Selection, begun: Place | None, seconds: float) -> Place:
    """Take steps of full-report IBU until it is at rest or the time is up, telling where it is."""
    until, steps = time.perf_counter() + seconds, 0 if begun is None else begun.steps
    start = None if begun is None else begun.estimate
    for estimate, at_rest in full_steps(file.table(), m, start=start, **selection.which):
        steps += FULL_STEPS
        place = Place(estimate, steps, at_rest or steps >= FULL_MOST_STEPS)
        if place.at_rest or time.perf_counter() > until:
            break
        tell(place)
    return place


# ---- data -------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class UploadedTable:
    """A table that was read elsewhere: the file as it came, and what is known of it."""

    file: File
    name: str
    columns: tuple[str, ...]
    rows: int

    @property
    def nbytes(self) -> int:
        """How many bytes the names of the columns take; the file counts for itself."""
        return sum(map(sys.getsizeof, self.columns))


@dataclass(frozen=True, eq=False)
class OpenedData:
    """What is known of a file of own data: the name, columns and rows of its table, and a column that can be used."""

    name: str
    columns: tuple[str, ...]
    rows: int
    column: str
    data: OwnColumn


def open_data(file: File) -> OpenedData:
    """Read a file, and its first column that can be used."""
    table = file.table()
    return OpenedData(table.name, table.columns, table.rows, *first_usable(table))


def first_usable(table: Table) -> tuple[str, OwnColumn]:
    """Return the first column that can be used; an index only if there is nothing else."""
    refusal, numbering = None, other_columns(table)
    for column in sorted(table.columns, key=lambda name: name in numbering):
        kind = kind_of(table, column)
        if kind is not None:
            try:
                return column, READERS[kind](table, column)
            except ldp.Refused as refused:
                refusal = refusal or refused
    raise refusal or ldp.Refused(f"{table.name} has no column of numbers, dates or words")


def column_of(file: File, column: str, kind: str) -> OwnColumn:
    """Return a column, taken as a kind."""
    return READERS[kind](file.table(), column)


def kind_in(file: File, column: str) -> str | None:
    """Return what a column seems to be."""
    return kind_of(file.table(), column)
