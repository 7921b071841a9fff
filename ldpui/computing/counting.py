"""How much counting a page asks for: what would keep a core busy for more than a minute is refused before it begins."""

from __future__ import annotations

import math

import ldpcore as ldp
from ldpcore.collected.columns import Columns
from ldpcore.mechanisms.reports import BITS, PAIRS, SETS
from ldpcore.tables import Table
from ldpui.computing.worker import TooLongError

# What one core counts in a minute, and a little more: rows times bits; rows times values of a set, as numbers and as
# text that is taken apart; rows times k where pairs are hashed. Measured in November 2026 with tables in memory, the
# best of three, when a loop of 3,000,000 additions took 0.12 s. In a second, in millions: 140 to 365 bits (40 of text
# in columns of their own, 4 of reals as text), 34 to 47 values of sets (3.5 to 4.8 of text), 90 to 139 hashes of either
# family. Single values never take so long: 25 to 150. So nothing is refused that takes less than a minute.
MINUTE = {BITS.key: 24_000_000_000, SETS.key: 3_000_000_000, PAIRS.key: 9_000_000_000}
MINUTE_OF_TEXT = {SETS.key: 320_000_000}
# What nobody knows beforehand, such as how long it takes where each report has an ε of its own, ends here: seconds of
# one core in all.
SECONDS = 120.0


def check(table: Table, m: ldp.Mechanism, columns: Columns) -> None:
    """Refuse to count more reports than a core counts in about a minute."""
    if table.rows * _cells(m, columns) > _most(table, m, columns):
        raise too_long(table.name, m, table.rows)


def too_long(name: str, m: ldp.Mechanism, rows: int) -> TooLongError:
    """Return the refusal; whoever shows it knows the command that it speaks of."""
    return TooLongError(
        f"{name}: to count {rows:,} reports of {m.name} with k = {m.k:,} would take more than a minute of one core, "
        "where this page stops. On your own machine the command below does it, on all cores"
    )


def _cells(m: ldp.Mechanism, columns: Columns) -> int:
    """Return how many cells a report has to be looked at; of sets whose size is their own ε's nobody knows."""
    if m.report_kind is not SETS:
        return m.k
    return 0 if columns.eps is not None else m.support_size or m.k


def _most(table: Table, m: ldp.Mechanism, columns: Columns) -> float:
    """Return how many cells are counted in about a minute."""
    kind, most = m.report_kind.key, MINUTE
    if len(columns.reports) == 1 and _is_text(table, columns.reports[0]):
        most = MINUTE | MINUTE_OF_TEXT
    return most.get(kind, math.inf)


def _is_text(table: Table, column: str) -> bool:
    from pyarrow import types

    kind = table.data.schema.field(column).type
    kind = kind.value_type if types.is_dictionary(kind) else kind
    return bool(types.is_string(kind) or types.is_large_string(kind))
