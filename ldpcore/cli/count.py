"""`python -m ldpcore count`: collected reports in files, counted on all cores, and estimated."""

from __future__ import annotations

import argparse
import csv
import io
import re
from collections.abc import Sequence
from concurrent.futures import Executor
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore.cli.progress import Progress
from ldpcore.collected import Collected, estimate
from ldpcore.collected.columns import Columns
from ldpcore.collected.files import Piece, count_piece, piece_parts, pieces
from ldpcore.collected.formats import FORMATS
from ldpcore.collected.full import full_estimate, is_limit
from ldpcore.collected.names import check_names
from ldpcore.collected.report_tables import counts_of_table, header_seems_a_report
from ldpcore.collected.tally import Tally, some_eps, worst_fit
from ldpcore.errors import Refused
from ldpcore.estimators import ESTIMATORS
from ldpcore.mechanisms import LONGITUDINAL, ONE_TIME, Mechanism, ReportKind, mechanism, mechanism_class
from ldpcore.mechanisms.reports import BITS, PAIRS, SETS, VALUES
from ldpcore.sweep.lock import Lock
from ldpcore.sweep.store import SUFFIXES, write_frame
from ldpcore.sweep.workers import cores, drive
from ldpcore.tables import SUFFIXES as TABLES
from ldpcore.tables import TableFile, read_table
from ldpcore.tables.files import check_is_file
from ldpcore.tables.reader import named

_HELP = f"""\
Count the reports in text and Parquet files, all of one mechanism, and estimate the frequencies. Files add up.

%s
Names of files end in {", ".join(TABLES)}, in capitals or not. Text is UTF-8, or UTF-16 with its mark, with comma,
semicolon or tab between the cells. A column that numbers the rows or names the users is left out, and so is one that
is named eps. The reports of multi-freq-ldpy and pure-ldp need --hash-family xxh32. Memory stays bounded however many
reports there are. Messages count rows from 1, without the header. With --eps-column every report has an ε of its own;
then MI weighs the reports by what they say, and the estimators that need one ε for all are left out.
"""

_COLUMNS = {
    VALUES: "one column of values 0..k-1",
    BITS: "k columns of 0 and 1%s, or one column of strings such as 0110 or of lists",
    SETS: "ω columns, or one column of separated values or lists",
    PAIRS: "the columns seed and value, in any order; others are named with --columns SEED,VALUE; or one column of\n"
    "        pairs (value, seed)",
}


def _help() -> str:
    """Return what the command does, with every mechanism among those whose reports are written alike."""
    reals = ", ".join(name for name in _names_of(BITS) if mechanism_class(name).takes_reals)
    parts = []
    for kind in dict.fromkeys(mechanism_class(name).report_kind for name in (*ONE_TIME, *LONGITUDINAL)):
        own = "; ".join(each.name for each in FORMATS if each.kind is kind) or "no file can hold these yet"
        columns = _COLUMNS.get(kind, own).replace("%s", f" ({reals} also of reals)" if reals else "")
        parts.append(f"    {', '.join(_names_of(kind))}\n        {columns}\n")
    return _HELP.replace("%s", "".join(parts))


def _names_of(kind: ReportKind) -> list[str]:
    return [name for name in (*ONE_TIME, *LONGITUDINAL) if mechanism_class(name).report_kind is kind]


def add_command(commands: Any) -> argparse.ArgumentParser:
    """Add `count` to the command line; what it does is `count`."""
    raw = argparse.RawDescriptionHelpFormatter
    command: argparse.ArgumentParser = commands.add_parser(
        "count", help="count collected reports and estimate", description=_help(), formatter_class=raw
    )
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help=", ".join(TABLES))
    command.add_argument("--mechanism", required=True, help="that made the reports")
    budget = command.add_mutually_exclusive_group(required=True)
    budget.add_argument("--eps", type=float, help="ε of one report; ε₁ of a longitudinal mechanism")
    budget.add_argument("--eps-column", metavar="NAME", help="that holds the ε (the ε₁) of each report")
    command.add_argument("--k", type=int, required=True, help="number of values")
    command.add_argument("--eps-inf", type=float, help="ε∞ of a longitudinal mechanism (default: 2ε₁)")
    command.add_argument("--calibration", help="of a longitudinal mechanism: published (default) or tight")
    command.add_argument("--hash-family", help="of local hashing: splitmix64 (default) or xxh32")
    names = 'as in CSV: a name with a comma stands between double quotes (")'
    command.add_argument("--columns", metavar="NAME,...", help=f"that hold the reports, {names} (default: all)")
    command.add_argument("--leave-out", metavar="NAME,...", help="columns that hold no reports")
    command.add_argument("--names", metavar="NAME,...", help="of the k values, separated in the same way")
    of_values = ", ".join(_names_of(VALUES))
    command.add_argument("--words", action="store_true", help=f"reports are these names, not numbers ({of_values})")
    command.add_argument(
        "--no-header", action="store_true", help="text has no names in the first row: column 1, column 2, …"
    )
    command.add_argument(
        "--counts", action="store_true", help="the files hold support counts, a row for each value, not reports"
    )
    command.add_argument("--n", type=int, help="number of reports that the support counts are of, if they do not tell")
    command.add_argument(
        "--full", action="store_true", help="full-report IBU too, which holds all reports in memory and takes longer"
    )
    command.add_argument(
        "--estimator", choices=["auto"], help="auto: also the estimator that the counts themselves speak for"
    )
    command.add_argument("--ordered", action="store_true", help="the values have an order, which auto may use")
    command.add_argument("--out", type=Path, help="where the table goes, .parquet or .csv (default: it is printed)")
    return command


def count(arguments: argparse.Namespace, executor: Executor | None) -> str:
    """Count and estimate as the command line says; return what is to be printed."""
    m = _mechanism(arguments)
    workers = cores() if arguments.workers is None else check.integer("--workers", arguments.workers, 1, 1024)
    if arguments.out is not None and arguments.out.suffix not in SUFFIXES:
        raise Refused(f"the name of the results must end in {' or '.join(SUFFIXES)}; got {str(arguments.out)!r}")
    if arguments.out is not None and not arguments.out.parent.is_dir():
        raise Refused(f"there is no directory {str(arguments.out.parent)!r} for the results")
    _check_options(arguments)
    names = _names(arguments.names, False)
    if names:  # before anything is counted, which may take minutes
        check_names(names, m.k)
    if arguments.out is None:
        result, summary = _counted(arguments, m, names, executor, workers)
        return f"{summary}\n\n{_as_text(result)}"
    with Lock(arguments.out, "count"):
        result, summary = _counted(arguments, m, names, executor, workers)
        write_frame(result.table(), arguments.out)
    return f"{summary}\n{m.k:,} values in {arguments.out}"


def _counted(
    arguments: argparse.Namespace, m: Mechanism, names: Sequence[str], executor: Executor | None, workers: int
) -> tuple[Collected, str]:
    """Return what was estimated, and what is said of it."""
    counted = _from_counts(arguments, m) if arguments.counts else _from_reports(arguments, m, executor, workers)
    counted = replace(counted, result=counted.result.named(names))
    if arguments.estimator == "auto":
        counted = replace(counted, result=counted.result.chosen(ordered=arguments.ordered))
    return counted.result, "\n".join([_summary(counted, len(arguments.files)), *counted.remarks])


@dataclass(frozen=True, eq=False)
class _Answer:
    """What was estimated, with which mechanisms, and what is to be said about the columns."""

    result: Collected
    mechanisms: list[Mechanism]
    remarks: list[str]


def _mechanism(arguments: argparse.Namespace) -> Mechanism:
    mechanism_class(arguments.mechanism, argument="mechanism")
    options: dict[str, Any] = {"eps_inf": arguments.eps_inf, "calibration": arguments.calibration}
    if arguments.hash_family is not None:
        options["hash_family"] = arguments.hash_family
    eps = arguments.eps if arguments.eps_column is None else some_eps(arguments.mechanism, arguments.eps_inf)
    return mechanism(arguments.mechanism, k=arguments.k, eps=eps, **options)


def _check_options(arguments: argparse.Namespace) -> None:
    if arguments.n is not None and not arguments.counts:
        raise Refused("--n is for --counts only: of reports there are as many as there are rows")
    if arguments.words and not arguments.names:
        raise Refused("--words needs the --names that stand in the file")
    if arguments.ordered and arguments.estimator != "auto":
        raise Refused("--ordered is for --estimator auto: the other estimators do not look at the order")
    for name in ("eps_column", "columns", "leave_out", "full", "words"):
        if arguments.counts and getattr(arguments, name):
            raise Refused(f"--{name.replace('_', '-')} is for reports, not for --counts")


# ---- support counts ---------------------------------------------------------------


def _from_counts(arguments: argparse.Namespace, m: Mechanism) -> _Answer:
    """Add up the support counts of all files."""
    n = None if arguments.n is None else check.integer("--n", arguments.n, 1, check.N_MAX)
    sizes, counts = 0, np.zeros(m.k, dtype=np.int64)
    for path in arguments.files:
        with named(str(path)):
            check_is_file(path)
        table = read_table(path.read_bytes(), str(path), header=not arguments.no_header)
        # Where the counts say themselves how many reports there were, only the sum can be compared.
        each = counts_of_table(table, m, n if m.support_size is None else None)
        sizes, counts = sizes + each[1], counts + each[0]
    if m.support_size is not None and n is not None and n != sizes:
        raise Refused(f"the counts are those of n = {sizes:,} reports of {m.name}; got --n {n:,}")
    return _Answer(estimate(counts, sizes if n is None else n, m), [m], [])


# ---- reports ----------------------------------------------------------------------


def _from_reports(arguments: argparse.Namespace, m: Mechanism, executor: Executor | None, workers: int) -> _Answer:
    mixed = arguments.eps_column is not None
    options: dict[str, Any] = {
        "columns": _names(arguments.columns, arguments.no_header) or None,
        "leave_out": _names(arguments.leave_out, arguments.no_header),
        "eps_column": arguments.eps_column,
        "words": _names(arguments.names, False) if arguments.words else (),
        "header": not arguments.no_header,
        # What is kept for full-report IBU is read here, in one piece.
        "workers": 1 if arguments.full else workers,
    }
    todo = [piece for path in arguments.files for piece in pieces(path, m, **options)]
    if arguments.full and not is_limit(m, mixed):
        parts = [part for piece in todo for part in piece_parts(piece, m)]
        tally = Tally()
        for part in parts:
            tally.add(part.m, part.reports)
    else:
        parts = []
        tally = count_pieces(todo, m, executor, workers)
    if tally.n == 0:
        raise Refused(f"there are no reports in {', '.join(str(path) for path in arguments.files)}")
    result = tally.estimate(mixed=mixed)
    if arguments.full:
        result = replace(result, full=full_estimate(parts) if parts else result.limit)
    return _Answer(result, [group.m for group in tally.groups()], _remarks(todo))


def _names(text: str | None, no_header: bool) -> list[str]:
    """Read names that are separated as in a line of CSV."""
    if text is None:
        return []
    names = [name for line in csv.reader(io.StringIO(text, newline=""), skipinitialspace=True) for name in line]
    # Columns without names were once called f0, f1, … here.
    old = [re.fullmatch(r"f(\d{1,5})", name.strip()) if no_header else None for name in names]
    return [name if match is None else f"column {int(match[1]) + 1}" for name, match in zip(names, old, strict=True)]


def _lacks_a_header(file: TableFile, columns: Columns) -> bool:
    """Tell whether the first line of a text seems to be a report, though nobody said so."""
    seems = header_seems_a_report(file.columns) or columns.reports[0] in columns.words
    return file.dialect is not None and file.dialect.header and seems


def _remarks(todo: Sequence[Piece]) -> list[str]:
    """Say which columns are not used though nobody said so, and where the first report may be missing."""
    numbering = {name: None for piece in todo for name in piece.columns.numbering}
    unused = {piece.columns.unused_eps: None for piece in todo if piece.columns.unused_eps is not None}
    remarks = []
    if numbering:
        remarks.append(f"Not used, for it seems to number the rows or to name the users: {', '.join(numbering)}.")
    remarks += [f"The column {name} is not used: ε is said to be the same for all." for name in unused]
    heads = dict.fromkeys(piece.file.path for piece in todo if _lacks_a_header(piece.file, piece.columns))
    remarks += [
        f"The first line of {path} was read as the names of the columns, but looks like a report. If it is one, say "
        "--no-header."
        for path in heads
    ]
    return remarks


def count_pieces(todo: list[Piece], m: Mechanism, executor: Executor | None, workers: int) -> Tally:
    """Add up the counts of all pieces, on processes of our own if there is no executor."""
    tally = Tally()
    with Progress("pieces", len(todo)) as progress:
        for _, part in drive(count_piece, [(piece, m) for piece in todo], executor, workers):
            tally.merge(part)
            progress.advance(1)
    return tally


# ---- what is printed --------------------------------------------------------------


def _summary(answer: _Answer, files: int) -> str:
    result, groups = answer.result, answer.mechanisms
    m = groups[0]
    inf = "" if m.eps_inf is None else f", ε∞ = {m.eps_inf:g}"
    where = f"{files:,} file{'s' if files > 1 else ''}"
    eps = f"ε = {m.eps:g}" if len(groups) == 1 else f"{len(groups):,} different ε from {m.eps:g} to {groups[-1].eps:g}"
    noise = f", p = {m.p:.6g}, q = {m.q:.6g}" if len(groups) == 1 else ""
    sentence, p_value = worst_fit(result.fit)
    return (
        f"{result.n:,} reports of {m.name} in {where}: {eps}{inf}, k = {m.k:,}{noise}\n"
        f"{sentence} p-value {p_value:.2g}." + ("" if result.choice is None else f"\nauto: {result.choice.sentence}")
    )


def _as_text(result: Collected) -> str:
    """Return the table of all values; the intervals are those of the raw estimate."""
    raw, others = ESTIMATORS["raw"], [ESTIMATORS[key] for key in result.estimates() if key != "raw"]
    widths = {e.key: max(9, len(e.name) + 2) for e in others}
    head = f"{'value':>7}{'count':>13}{raw.name:>10}{'noise only, 95 %':>20}{'noise with sampling':>21}"
    lines = [head + "".join(f"{e.name:>{widths[e.key]}}" for e in others)]
    for row in result.table().to_dict("records"):
        noise, population = (
            f"{row[f'{kind}_low']:.5f} to {row[f'{kind}_high']:.5f}" for kind in ("noise", "population")
        )
        estimates = "".join(f"{row[key]:{width}.5f}" for key, width in widths.items())
        name = f"  {row['name']}" if result.names else ""
        lines.append(
            f"{row['value']:7}{row['count']:13,}{row['raw']:10.5f}{noise:>20}{population:>21}{estimates}{name}"
        )
    return "\n".join(lines)
