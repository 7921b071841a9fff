"""The reports of one batch of a table, with the mechanism that made them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpcore.collected.cells import Cells
from ldpcore.collected.columns import Columns
from ldpcore.collected.formats import reports_of
from ldpcore.collected.tally import check_eps_groups
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism
from ldpcore.mechanisms.histogram_encoding import of_reals
from ldpcore.mechanisms.reports import PAIRS
from ldpcore.tables.columns import decimal_comma_columns

if TYPE_CHECKING:
    from ldpcore.tables import Table

# About so many cells are in memory at a time, in each process.
CELLS = 1 << 21
# Hashed pairs are counted in blocks of their own.
_PAIR_CELLS = 200


@dataclass(frozen=True, eq=False)
class Part:
    """Reports that one mechanism made, as it takes them."""

    m: Mechanism
    reports: Any

    @property
    def n(self) -> int:
        """How many there are."""
        return self.m.report_kind.length(self.reports)


def batch_rows(m: Mechanism) -> int:
    """Return how many reports are read and counted at a time."""
    return max(1, CELLS // _width(m))


def _width(m: Mechanism) -> int:
    """Return how many cells a report takes, as it is read and as it is counted."""
    return min(m.k, _PAIR_CELLS) if m.report_kind is PAIRS else m.support_size or m.k


def joined(parts: Iterable[Part]) -> list[Part]:
    """Return the reports of several batches as one part for each ε, ascending."""
    by_eps: dict[float, list[Part]] = {}
    for part in parts:
        by_eps.setdefault(part.m.eps, []).append(part)
        check_eps_groups(len(by_eps))
    each = [by_eps[eps] for eps in sorted(by_eps)]
    return [Part(same[0].m, same[0].m.report_kind.join([part.reports for part in same])) for same in each]


def comma_columns(table: Table, m: Mechanism, columns: Columns) -> frozenset[str]:
    """Return which columns of reals have decimal commas, as the first rows say."""
    reals = columns.needed if m.threshold is not None else columns.needed[len(columns.reports) :]
    return decimal_comma_columns(table, reals)


def batch_parts(
    batches: Iterable[Any],
    name: str,
    columns: Columns,
    commas: frozenset[str],
    m: Mechanism,
    *,
    first_row: int = 1,
    part: int = 0,
    of: int = 1,
) -> Iterator[Part]:
    """Yield the reports of record batches: of every `of`-th batch, from number `part` on; messages count all rows."""
    row = first_row
    for number, batch in enumerate(batches):
        if batch.num_rows and number % of == part:
            numbers = range(row, row + batch.num_rows)
            yield from parts_of(Cells(name, columns.reports, batch, numbers, commas, columns.words), m, columns.eps)
        row += batch.num_rows


def parts_of(cells: Cells, m: Mechanism, eps_column: str | None = None) -> Iterator[Part]:
    """Yield the reports of a batch: all at once, or apart for each ε of a column, ascending."""
    if eps_column is None:
        yield Part(_as_they_came(m, cells), reports_of(cells, m))
        return
    eps = cells.reals(eps_column)
    different, which = np.unique(eps, return_inverse=True)
    check_eps_groups(different.size)
    order = np.argsort(which, kind="stable")
    for rows in np.split(order, np.cumsum(np.bincount(which))[:-1]):
        some, one = cells.take(rows), float(eps[rows[0]])
        try:
            own = m.with_eps(one)
        except Refused as problem:
            raise some.refuse(0, eps_column, str(problem).split("; got ")[0], one) from None
        yield Part(_as_they_came(own, some), reports_of(some, own))


def _as_they_came(m: Mechanism, cells: Cells) -> Mechanism:
    return of_reals(m) if m.takes_reals and cells.are_reals() else m
