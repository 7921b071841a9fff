"""Collected reports in a table in memory, as an upload is: read, counted and estimated."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.collected.cells import Cells, report_size
from ldpcore.collected.estimates import Collected, estimate, estimate_mixed, estimate_reports
from ldpcore.collected.files import Hints, batch_rows, choose, parts, takes
from ldpcore.collected.fit import FIT_ALARM
from ldpcore.collected.tally import Tally, some_eps, worst_fit
from ldpcore.errors import Refused
from ldpcore.estimators import FULL_MAX_ENTRIES, ibu_supports
from ldpcore.estimators.full import TOL_FULL
from ldpcore.mechanisms import Mechanism

if TYPE_CHECKING:
    from ldpcore.tables import Table

__all__ = [
    "EPS_NAMES",
    "FIT_ALARM",
    "FULL_STEPS",
    "counts_of_table",
    "estimate_counts",
    "estimate_table",
    "full_steps",
    "header_seems_a_report",
    "other_columns",
    "report_size",
    "some_eps",
    "table_parts",
    "takes",
    "worst_fit",
]

COUNT_NAMES = ("count", "counts", "support")
EPS_NAMES = ("eps", "epsilon", "ε")
ID_NAMES = ("id", "index", "user", "user_id", "userid", "user id", "uid", "unnamed: 0", "__index_level_0__")
# An index is known by its first rows.
_INDEX_ROWS = 1_000
# So many steps of full-report IBU are taken before anybody is told.
FULL_STEPS = 100
# IBU can start from anything above 0.
_LEAST = 1e-300
_HINTS = Hints(
    "choose the columns that hold the reports: an index or the number of a user is none",
    "or two columns that you choose",
)


def other_columns(table: Table) -> tuple[str, ...]:
    """Return the columns that seem to number the rows or name the users, by what they hold or how they are called."""
    unnamed = "column 1" if table.columns[1:2] != ("column 2",) else ""
    names = {*ID_NAMES, unnamed}
    return tuple(name for name in table.columns if name.strip().lower() in names or _counts_up(table.data.column(name)))


def header_seems_a_report(columns: Sequence[str]) -> bool:
    """Tell whether the names of columns are numbers, and not those that pandas gives, which count from 0."""
    names = [name for name in columns if name != "column 1"]
    parts = [part for name in names for part in re.split(r"[\s,;|]+", name.strip("[](){} "))]
    return bool(parts) and all(map(_is_number, parts)) and names != [str(i) for i in range(len(names))]


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _counts_up(column: Any) -> bool:
    """Tell whether the cells count from 0 or 1."""
    # There can be ten thousand columns, of which a few cells tell nearly all apart.
    for rows in (3, _INDEX_ROWS):
        head = [str(cell) for cell in column.slice(0, rows).to_pylist()]
        if len(head) < 3 or not any(head == [str(i + start) for i in range(len(head))] for start in (0, 1)):
            return False
    return True


def find_column(table: Table, names: Sequence[str]) -> str | None:
    """Return the column that has one of these names, in capitals or not."""
    return next((column for column in table.columns if column.strip().lower() in names), None)


def table_parts(
    table: Table,
    m: Mechanism,
    columns: Sequence[str] | None = None,
    eps_column: str | None = None,
    rows: int | None = None,
) -> Iterator[tuple[Mechanism, Any]]:
    """Yield mechanism and reports, in batches of so many rows, or of bounded memory.

    Parameters
    ----------
    table : Table
        With one report a row.
    m : Mechanism
        That made them; all but its ε where there is a column of ε.
    columns : sequence of str, optional
        That hold the reports (of hashed pairs first the seed); all but `eps_column` if not given.
    eps_column : str, optional
        That holds the ε of each report.
    rows : int, optional
        How many rows come at a time.
    """
    chosen = choose(table.name, table.columns, m, columns, eps_column, _HINTS)
    needed = list(chosen) if eps_column is None else [*chosen, eps_column]
    row = 1
    data = table.data.select(needed)
    if rows is not None:
        data = data.combine_chunks()
    for batch in data.to_batches(max_chunksize=rows or batch_rows(m)):
        if batch.num_rows:
            cells = Cells(table.name, chosen, batch, range(row, row + batch.num_rows))
            yield from parts(cells, m, eps_column)
        row += batch.num_rows


def estimate_table(
    table: Table,
    m: Mechanism,
    *,
    columns: Sequence[str] | None = None,
    eps_column: str | None = None,
    full_entries: int = FULL_MAX_ENTRIES,
    progress: Callable[[int], object] | None = None,
) -> Collected:
    """Estimate from a table of reports.

    Parameters
    ----------
    table, m, columns, eps_column
        As `table_parts` takes them.
    full_entries : int
        Full-report IBU up to this n·k.
    progress : callable, optional
        Is told after every batch how many reports are counted.
    """
    if table.rows == 0:
        raise Refused(f"{table.name}: there are no reports in it")
    if table.rows * m.k <= full_entries:
        whole = [(reports, one) for one, reports in table_parts(table, m, columns, eps_column, table.rows)]
        return estimate_reports(*whole[0]) if eps_column is None else estimate_mixed(whole)
    tally = Tally()
    for one, reports in table_parts(table, m, columns, eps_column):
        tally.add(one, reports)
        if progress is not None:
            progress(tally.n)
    return tally.estimate(mixed=eps_column is not None)


def full_steps(
    table: Table,
    m: Mechanism,
    columns: Sequence[str] | None = None,
    eps_column: str | None = None,
    start: FloatArray | None = None,
) -> Iterator[tuple[FloatArray, bool]]:
    """Take the steps of full-report IBU a hundred at a time; yield where it is, and whether it is at rest.

    `start` goes on from where it was before. What comes out at rest is what `estimate_table` gives.
    """
    collections = list(table_parts(table, m, columns, eps_column, table.rows))
    bits = np.concatenate([one.supports(reports) for one, reports in collections])
    ratios = np.concatenate([np.full(_length(reports), one.likelihood_ratio) for one, reports in collections])
    place = start
    while True:
        began = None if place is None else np.maximum(place, _LEAST) / np.maximum(place, _LEAST).sum()
        further = ibu_supports(bits, ratios, max_iter=FULL_STEPS, start=began)
        if place is not None and np.abs(further - place).max() < TOL_FULL:
            yield place, True
            return
        place = further
        yield place, False


def _length(reports: Any) -> int:
    return len(reports[0]) if isinstance(reports, tuple) else len(reports)


def counts_of_table(table: Table, m: Mechanism, n: int | None = None) -> tuple[IntArray, int]:
    """Read support counts and the number of reports.

    The table has one row for each value: a column `count`, or only one column; and a column `value` where
    the rows are not in the order 0..k-1. Where every report supports the same number of values, the counts say
    how many reports there were, and `n` may be left out.
    """
    column = table.columns[0] if len(table.columns) == 1 else find_column(table, COUNT_NAMES)
    if column is None:
        raise Refused(f"{table.name}: support counts need a column named count; got {len(table.columns):,} columns")
    if table.rows != m.k:
        raise Refused(f"{table.name}: there must be a row for each of the k = {m.k:,} values; got {table.rows:,}")
    (batch,) = table.data.combine_chunks().to_batches(max_chunksize=m.k)
    cells = Cells(table.name, (column,), batch, range(1, m.k + 1))
    size = report_size(m)
    if size is None and n is None:
        raise Refused(f"{m.name} leaves the number of supported values to chance, so n must be given")
    high, why = (check.N_MAX, "") if size is not None or n is None else (n, ", the number of reports")
    counts = cells.whole(column, high, why)
    if size is not None:
        n = _implied(table.name, int(counts.sum()), size, n, m)
    assert n is not None  # noqa: S101 - said above
    named = find_column(table, ("value",))
    if named is None or named == column:
        return counts, n
    ordered = np.empty_like(counts)
    ordered[_each_once(cells, named, m.k)] = counts
    return ordered, n


def _implied(source: str, total: int, size: int, n: int | None, m: Mechanism) -> int:
    implied, left = divmod(total, size)
    if left:
        raise Refused(
            f"{source}: the counts must sum to a multiple of {size}, because every report of {m.name} supports "
            f"{size} values; got {total:,}"
        )
    if n is not None and n != implied:
        raise Refused(f"{source}: the counts are those of n = {implied:,} reports of {m.name}; got n = {n:,}")
    return implied


def _each_once(cells: Cells, name: str, k: int) -> IntArray:
    values = cells.whole(name, k - 1)
    _, first = np.unique(values, return_index=True)
    if first.size < k:
        row = int(np.setdiff1d(np.arange(k), first)[0])
        raise cells.refuse(row, name, "every value must be there once", int(values[row]))
    return values


def estimate_counts(table: Table, m: Mechanism, n: int | None = None) -> Collected:
    """Estimate from a table of support counts."""
    return estimate(*counts_of_table(table, m, n), m)
