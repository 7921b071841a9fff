"""Which columns of a table hold the reports: one rule, for the page and the command line alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ldpcore import _validate as check
from ldpcore.collected.formats import SEED, VALUE, allowed_columns, is_named_pair, takes, wanted
from ldpcore.collected.names import check_names, worded_columns
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism
from ldpcore.mechanisms.reports import BITS, PAIRS, SETS, VALUES
from ldpcore.tables.columns import empty_last_column, list_columns, numbering_columns

if TYPE_CHECKING:
    from ldpcore.tables import Table

EPS_NAMES = ("eps", "epsilon", "ε")


class Hints(NamedTuple):
    """What to do where columns are not clear: where there are too many, and with hashed pairs under other names."""

    columns: str
    pair: str


COMMAND_LINE = Hints("see --columns", "or --columns SEED,VALUE")
LIBRARY = Hints(
    "choose the columns that hold the reports: an index or the number of a user is none",
    "or two columns that you choose",
)


@dataclass(frozen=True)
class Head:
    """What is known of the columns of a table that is no longer there.

    Attributes
    ----------
    name : str
        Of the table, for messages.
    columns : tuple of str
        Their names.
    numbering : tuple of str
        Those that seem to number the rows or to name the users.
    worded : tuple of str
        Those that seem to hold words, not numbers.
    empty : str or None
        The last one, where it has no name and nothing in it.
    lists : tuple of str
        Those of which a cell holds several numbers.
    """

    name: str
    columns: tuple[str, ...]
    numbering: tuple[str, ...]
    worded: tuple[str, ...] = ()
    empty: str | None = None
    lists: tuple[str, ...] = ()

    @classmethod
    def of(cls, table: Table) -> Head:
        words, empty, lists = worded_columns(table), empty_last_column(table), list_columns(table)
        return cls(table.name, table.columns, numbering_columns(table), words, empty, lists)


@dataclass(frozen=True)
class Columns:
    """Which columns are read.

    Attributes
    ----------
    reports : tuple of str
        Those that hold the reports; of hashed pairs first the seed, then the value.
    eps : str or None
        The one that holds the ε of each report.
    numbering : tuple of str
        Not used, for they seem to number the rows or to name the users.
    unused_eps : str or None
        Not used, though it is named like ε: ε is said to be the same for all.
    words : tuple of str
        The names of the values, where these stand in the cells; none where numbers do.
    """

    reports: tuple[str, ...]
    eps: str | None = None
    numbering: tuple[str, ...] = ()
    unused_eps: str | None = None
    words: tuple[str, ...] = ()

    @property
    def needed(self) -> list[str]:
        """All that are read."""
        return [*self.reports, *(() if self.eps is None else (self.eps,))]


def eps_column_of(columns: Sequence[str]) -> str | None:
    """Return the first column that is named like ε.

    >>> eps_column_of(["bits", " Eps"])
    ' Eps'
    """
    return next((name for name in columns if name.strip().lower() in EPS_NAMES), None)


def choose_columns(
    table: Table | Head,
    m: Mechanism,
    columns: Sequence[str] | None = None,
    eps_column: str | None = None,
    *,
    leave_out: Sequence[str] = (),
    seed_first: bool | None = None,
    words: Sequence[str] = (),
    hints: Hints = LIBRARY,
) -> Columns:
    r"""Choose the columns that hold the reports, or refuse a table in which it is not clear which do.

    Parameters
    ----------
    table : Table or Head
        The table, or what is known of its columns.
    m : Mechanism
        That made the reports.
    columns : sequence of str, optional
        That hold them. If not given: all but `eps_column`, a column that is named like ε, those to `leave_out`,
        and, where these are too many, those that seem to number the rows or to name the users.
    eps_column : str, optional
        That holds the ε of each report.
    leave_out : sequence of str
        Columns that hold no reports.
    seed_first : bool, optional
        Of two columns that are not called seed and value, whether the first is the seed. Not said: they are refused.
    words : sequence of str
        The names of the k values, where a report is one of them and not a number.
    hints : Hints
        What a message says about columns that are not clear.

    Examples
    --------
    >>> from ldpcore import mechanism, read_table
    >>> table = read_table(b"user;v\n17;3\n4;0\n", "reports.csv")
    >>> choose_columns(table, mechanism("GRR", k=4, eps=1.0))
    Columns(reports=('v',), eps=None, numbering=('user',), unused_eps=None, words=())
    """
    eps_column = None if eps_column is None else _named(table, eps_column)
    leave_out = [_named(table, name) for name in check.sequence("leave_out", leave_out, "names")]
    columns = None if columns is None else check.sequence("columns", columns, "names")
    if columns:
        choice = Columns(tuple(_named(table, name) for name in columns), eps_column)
    else:
        choice = _usual(table, m, eps_column, leave_out)
    _refuse_repeated(table, choice)
    reports = choice.reports
    if m.report_kind is PAIRS:
        reports = _pair(table.name, m, choice.reports, bool(columns), seed_first, hints)
    if not takes(m, reports, eps_column):
        most = max(allowed_columns(m, eps_column is not None))
        hint = hints.columns if len(reports) > most or len(reports) < 8 else "is k right?"
        raise Refused(f"{table.name}: {m.name} needs {wanted(m)}; got {len(reports):,} columns ({hint})")
    if words and m.report_kind is not VALUES:
        raise Refused(f"{table.name}: a report of {m.name} is not one value, so it can't be a name")
    names = check_names(words, m.k) if words else ()
    return Columns(reports, eps_column, choice.numbering, choice.unused_eps, names)


def _refuse_repeated(table: Table | Head, choice: Columns) -> None:
    needed, there = Counter(choice.needed), Counter(table.columns)
    for name in needed:
        if needed[name] > 1 or there[name] > 1:
            raise Refused(f"{table.name}: the column {name!r} is there more than once")


def _named(table: Table | Head, name: str) -> str:
    """Return the column of this name, with blanks around it or not."""
    for column in table.columns if isinstance(name, str) else ():
        if column == name:
            return column
    for column in table.columns if isinstance(name, str) else ():
        if column.strip() == name.strip():
            return column
    few = ", ".join(table.columns[:8]) + (", …" if len(table.columns) > 8 else "")
    raise Refused(f"{table.name}: there is no column {check.shown(name)}; there are {few}")


def _usual(table: Table | Head, m: Mechanism, eps_column: str | None, leave_out: Sequence[str]) -> Columns:
    """Return the columns of the reports where none are chosen."""
    named = eps_column_of(table.columns)
    everything = tuple(name for name in table.columns if name != eps_column)
    aside = {named, *leave_out, table.empty if isinstance(table, Head) else empty_last_column(table)}
    rest = tuple(name for name in everything if name not in aside)
    numbering: tuple[str, ...] = ()
    if not takes(m, rest, eps_column) or _has_whole_reports(table, m, rest):
        suspects = set(table.numbering if isinstance(table, Head) else numbering_columns(table))
        fewer = tuple(name for name in rest if name not in suspects)
        if fewer and takes(m, fewer, eps_column):
            numbering = tuple(name for name in rest if name in suspects)
            rest = fewer
    if not rest:
        return Columns(everything, eps_column)
    return Columns(rest, eps_column, numbering, named if eps_column is None else None)


def _has_whole_reports(table: Table | Head, m: Mechanism, columns: Sequence[str]) -> bool:
    """Tell whether whole reports stand in one of several columns, which are then not its parts, though so many."""
    if m.report_kind not in (PAIRS, SETS, BITS) or len(columns) == 1 or is_named_pair(m, columns):
        return False
    return not set(columns).isdisjoint(table.lists if isinstance(table, Head) else list_columns(table))


def _pair(
    source: str, m: Mechanism, columns: tuple[str, ...], chosen: bool, seed_first: bool | None, hints: Hints
) -> tuple[str, ...]:
    """Return first the seed, then the value, by their names or as is said."""
    if is_named_pair(m, columns):
        by_name = {name.strip().lower(): name for name in columns}
        return by_name[SEED], by_name[VALUE]
    if chosen or len(columns) == 1:
        return columns
    if len(columns) == 2 and seed_first is not None:
        return columns if seed_first else columns[::-1]
    got = f"{len(columns):,} columns under other names"
    raise Refused(f"{source}: {m.name} needs the columns seed and value, {hints.pair}; got {got}")
