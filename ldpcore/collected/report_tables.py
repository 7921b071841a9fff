"""Collected reports in a table in memory, as an upload is: read, counted and estimated."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.collected.cells import Cells
from ldpcore.collected.columns import EPS_NAMES, choose_columns
from ldpcore.collected.estimates import Collected, estimate, estimate_mixed, estimate_reports
from ldpcore.collected.fit import FIT_ALARM
from ldpcore.collected.formats import takes
from ldpcore.collected.full import FULL_STEPS, steps_of
from ldpcore.collected.parts import Part, batch_parts, batch_rows, comma_columns, joined
from ldpcore.collected.tally import Tally, some_eps, worst_fit, worst_verdict
from ldpcore.errors import Refused
from ldpcore.estimators import FULL_MAX_ENTRIES
from ldpcore.mechanisms import Mechanism
from ldpcore.tables.columns import header_seems_a_row as header_seems_a_report
from ldpcore.tables.columns import numbering_columns as other_columns
from ldpcore.tables.table import check_table

if TYPE_CHECKING:
    from ldpcore.tables import Table

__all__ = [
    "EPS_NAMES",
    "FIT_ALARM",
    "FULL_STEPS",
    "count_table",
    "counts_of_table",
    "estimate_counts",
    "estimate_table",
    "full_steps",
    "header_seems_a_report",
    "other_columns",
    "some_eps",
    "table_batches",
    "table_parts",
    "takes",
    "worst_fit",
    "worst_verdict",
]

COUNT_NAMES = ("count", "counts", "support")


def table_parts(
    table: Table,
    m: Mechanism,
    columns: Sequence[str] | None = None,
    eps_column: str | None = None,
    *,
    leave_out: Sequence[str] = (),
    words: Sequence[str] = (),
) -> Iterator[Part]:
    """Yield the reports with their mechanism, in batches of bounded memory.

    Parameters
    ----------
    table : Table
        With one report a row.
    m : Mechanism
        That made them; all but its ε where there is a column of ε.
    columns, eps_column, leave_out, words
        Which columns hold the reports and their ε, and in which words, as `choose_columns` takes them.
    """
    yield from chain.from_iterable(table_batches(table, m, columns, eps_column, leave_out=leave_out, words=words))


def table_batches(
    table: Table,
    m: Mechanism,
    columns: Sequence[str] | None = None,
    eps_column: str | None = None,
    *,
    leave_out: Sequence[str] = (),
    words: Sequence[str] = (),
    first: int = 0,
) -> Iterator[Iterator[Part]]:
    """Yield the parts of one batch after the other, as `table_parts` does of all; not of those with the `first` rows.

    So many rows are those of whole batches.
    """
    chosen = choose_columns(table, m, columns, eps_column, leave_out=leave_out, words=words)
    commas, row = comma_columns(table, m, chosen), 0
    for batch in table.data.select(chosen.needed).to_batches(max_chunksize=batch_rows(m)):
        if row >= first:
            yield batch_parts([batch], table.name, chosen, commas, m, first_row=row + 1)
        row += batch.num_rows


def estimate_table(
    table: Table,
    m: Mechanism,
    *,
    columns: Sequence[str] | None = None,
    eps_column: str | None = None,
    leave_out: Sequence[str] = (),
    words: Sequence[str] = (),
    full_entries: int = FULL_MAX_ENTRIES,
    progress: Callable[[int], object] | None = None,
) -> Collected:
    r"""Estimate from a table of reports.

    Parameters
    ----------
    table, m, columns, eps_column, leave_out, words
        As `table_parts` takes them; with `words` the result has these names.
    full_entries : int
        Full-report IBU up to this n·k.
    progress : callable, optional
        Is told after every batch how many reports are counted.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> table = ldp.read_table(b"report\n0\n2\n2\n1\n2\n", "reports.csv")
    >>> ldp.estimate_table(table, ldp.mechanism("GRR", k=3, eps=2.0)).counts
    array([1, 1, 3])
    """
    check.mechanism(m)
    check_table(table)
    words = check.sequence("words", words, "names", str)
    full_entries, progress = check.integer("full_entries", full_entries, 0), check.function("progress", progress)
    _check_reports(table)
    which: dict[str, Any] = {"columns": columns, "eps_column": eps_column, "leave_out": leave_out, "words": words}
    if table.rows * m.k <= full_entries:
        whole = joined(table_parts(table, m, **which))
        if eps_column is None:
            return estimate_reports(whole[0].reports, whole[0].m).named(words)
        return estimate_mixed([(part.reports, part.m) for part in whole]).named(words)
    tally = Tally()
    for part in table_parts(table, m, **which):
        tally.add(part.m, part.reports)
        if progress is not None:
            progress(tally.n)
    return tally.estimate(mixed=eps_column is not None).named(words)


def count_table(table: Table, m: Mechanism, tally: Tally, stop: Callable[[int], bool], **which: Any) -> bool:
    """Count the reports behind those that a tally has already; tell whether these are all.

    After every batch `stop` is told how many are counted, and says whether to stop there: who goes on later with the
    same tally gets what `estimate_table` gets. `which` columns are read, `table_parts` says.
    """
    _check_reports(table)
    for batch in table_batches(table, m, first=tally.n, **which):
        for part in batch:
            tally.add(part.m, part.reports)
        if stop(tally.n):
            break
    return tally.n == table.rows


def _check_reports(table: Table) -> None:
    if table.rows == 0:
        raise Refused(f"{table.name}: there are no reports in it")


def full_steps(
    table: Table,
    m: Mechanism,
    columns: Sequence[str] | None = None,
    eps_column: str | None = None,
    start: FloatArray | None = None,
    *,
    leave_out: Sequence[str] = (),
    words: Sequence[str] = (),
) -> Iterator[tuple[FloatArray, bool]]:
    """Take the steps of full-report IBU a hundred at a time; yield where it is, and whether it is at rest.

    `start` goes on from where it was before. What comes out at rest is what `estimate_table` gives.
    """
    parts = table_parts(table, m, columns, eps_column, leave_out=leave_out, words=words)
    yield from steps_of(joined(parts), start)


# ---- support counts ---------------------------------------------------------------


def find_column(table: Table, names: Sequence[str]) -> str | None:
    """Return the column that has one of these names, in capitals or not."""
    return next((column for column in table.columns if column.strip().lower() in names), None)


def counts_of_table(table: Table, m: Mechanism, n: int | None = None) -> tuple[IntArray, int]:
    r"""Read support counts and the number of reports.

    The table has one row for each value: a column `count`, or only one column; and a column `value` where
    the rows are not in the order 0..k-1. Where every report supports the same number of values, the counts say
    how many reports there were, and `n` may be left out.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> table = ldp.read_table(b"value,count\n2,30\n0,10\n1,20\n", "counts.csv")
    >>> ldp.counts_of_table(table, ldp.mechanism("GRR", k=3, eps=1.0))
    (array([10, 20, 30]), 60)
    """
    check.mechanism(m)
    n = None if n is None else check.integer("n", n, 1, check.N_MAX)
    check_table(table)
    column = table.columns[0] if len(table.columns) == 1 else find_column(table, COUNT_NAMES)
    if column is None:
        raise Refused(f"{table.name}: support counts need a column named count; got {len(table.columns):,} columns")
    if table.rows != m.k:
        raise Refused(f"{table.name}: there must be a row for each of the k = {m.k:,} values; got {table.rows:,}")
    (batch,) = table.data.combine_chunks().to_batches(max_chunksize=m.k)
    cells = Cells(table.name, (column,), batch, range(1, m.k + 1))
    size = m.support_size
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
    r"""Estimate from a table of support counts, as `counts_of_table` reads it.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> table = ldp.read_table(b"count\n60\n20\n20\n", "counts.csv")
    >>> ldp.estimate_counts(table, ldp.mechanism("GRR", k=3, eps=2.0)).raw.round(3)
    array([0.725, 0.137, 0.137])
    """
    return estimate(*counts_of_table(table, m, n), m)
