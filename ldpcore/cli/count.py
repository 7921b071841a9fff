"""`python -m ldpcore count`: collected reports in files, counted on all cores, and estimated."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import Executor, as_completed
from pathlib import Path
from typing import Any

from ldpcore import _validate as check
from ldpcore.cli.progress import Progress
from ldpcore.collected import Collected
from ldpcore.collected.files import Piece, count_piece, pieces
from ldpcore.collected.tally import Tally, some_eps, worst_fit
from ldpcore.errors import Refused
from ldpcore.mechanisms import LongitudinalMechanism, Mechanism, mechanism
from ldpcore.sweep.store import SUFFIXES, write_frame
from ldpcore.sweep.workers import Workers, cores

_HELP = """\
Count the reports in CSV and Parquet files, all of one mechanism, and estimate the frequencies. Files add up.

    GRR, L-GRR                  one column of values 0..k-1
    SUE, OUE, THE, L-SUE, ...   k columns of 0 and 1 (THE also of reals), or one column of strings such as 0110 or of
                                lists
    SS                          ω columns, or one column of separated values or lists
    BLH, OLH, L-BLH, L-OLH      the columns seed and value, in any order; others are named with --columns SEED,VALUE

The reports of multi-freq-ldpy and pure-ldp need --hash-family xxh32. Memory stays bounded however many there
are. Messages count rows from 1, without the header. With --eps-column every report has an ε of its own; then MI
weighs the reports by what they say, and the estimators that need one ε for all are left out.
"""


def add_command(commands: Any) -> argparse.ArgumentParser:
    """Add `count` to the command line; what it does is `count`."""
    raw = argparse.RawDescriptionHelpFormatter
    command: argparse.ArgumentParser = commands.add_parser(
        "count", help="count collected reports and estimate", description=_HELP, formatter_class=raw
    )
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help=".parquet or .csv")
    command.add_argument("--mechanism", required=True, help="that made the reports")
    budget = command.add_mutually_exclusive_group(required=True)
    budget.add_argument("--eps", type=float, help="ε of one report; ε₁ of a longitudinal mechanism")
    budget.add_argument("--eps-column", metavar="NAME", help="that holds the ε (the ε₁) of each report")
    command.add_argument("--k", type=int, required=True, help="number of values")
    command.add_argument("--eps-inf", type=float, help="ε∞ of a longitudinal mechanism (default: 2ε₁)")
    command.add_argument("--calibration", help="of a longitudinal mechanism: published (default) or tight")
    command.add_argument("--hash-family", help="of local hashing: splitmix64 (default) or xxh32")
    command.add_argument("--columns", metavar="NAME,...", help="that hold the reports (default: all)")
    command.add_argument("--no-header", action="store_true", help="CSV files have no names in the first row: f0, f1, …")
    command.add_argument("--out", type=Path, help="where the table goes, .parquet or .csv (default: it is printed)")
    return command


def count(given: argparse.Namespace, executor: Executor | None) -> str:
    """Count and estimate as the command line says; return what is to be printed."""
    m = _mechanism(given)
    workers = cores() if given.workers is None else check.integer("--workers", given.workers, 1, 1024)
    if given.out is not None and given.out.suffix not in SUFFIXES:
        raise Refused(f"the name of the results must end in {' or '.join(SUFFIXES)}; got {str(given.out)!r}")
    if given.out is not None and not given.out.parent.is_dir():
        raise Refused(f"there is no directory {str(given.out.parent)!r} for the results")
    columns = None if given.columns is None else [name.strip() for name in given.columns.split(",")]
    options: dict[str, Any] = {"header": not given.no_header, "eps_column": given.eps_column, "workers": workers}
    todo = [piece for path in given.files for piece in pieces(path, m, columns, **options)]
    tally = count_pieces(todo, m, executor, workers)
    if tally.n == 0:
        raise Refused(f"there are no reports in {', '.join(str(path) for path in given.files)}")
    found = tally.estimate(mixed=given.eps_column is not None)
    told = _summary(found, tally, len(given.files))
    if given.out is None:
        return f"{told}\n\n{_as_text(found)}"
    write_frame(found.table(), given.out)
    return f"{told}\n{m.k:,} values in {given.out}"


def _mechanism(given: argparse.Namespace) -> Mechanism:
    options: dict[str, Any] = {"eps_inf": given.eps_inf, "calibration": given.calibration}
    if given.hash_family is not None:
        options["hash_family"] = given.hash_family
    eps = given.eps if given.eps_column is None else some_eps(given.mechanism, given.eps_inf)
    return mechanism(given.mechanism, k=given.k, eps=eps, **options)


def count_pieces(todo: list[Piece], m: Mechanism, executor: Executor | None, workers: int) -> Tally:
    """Add up the counts of all pieces, on processes of our own if there is no executor."""
    tally = Tally()
    with Progress("pieces", len(todo)) as progress:
        for part in _drive(todo, m, executor, min(workers, len(todo))):
            tally.merge(part)
            progress.advance(1)
    return tally


def _drive(todo: list[Piece], m: Mechanism, executor: Executor | None, workers: int) -> Iterator[Tally]:
    own = None
    if executor is None:
        if workers <= 1:
            for piece in todo:
                yield count_piece(piece, m)
            return
        executor = own = Workers(workers)
    waiting = [executor.submit(count_piece, piece, m) for piece in todo]
    try:
        for future in as_completed(waiting):
            yield future.result()
    finally:
        for future in waiting:
            future.cancel()
        if own is not None:
            own.shutdown(cancel_futures=True)


def _summary(found: Collected, tally: Tally, files: int) -> str:
    groups = [m for _, _, m in tally.groups()]
    m = groups[0]
    inf = f", ε∞ = {m.eps_inf:g}" if isinstance(m, LongitudinalMechanism) else ""
    where = f"{files:,} file{'s' if files > 1 else ''}"
    eps = f"ε = {m.eps:g}" if len(groups) == 1 else f"{len(groups):,} different ε from {m.eps:g} to {groups[-1].eps:g}"
    noise = f", p = {m.p:.6g}, q = {m.q:.6g}" if len(groups) == 1 else ""
    sentence, p_value = worst_fit(found.fit)
    return (
        f"{found.n:,} reports of {m.name} in {where}: {eps}{inf}, k = {m.k:,}{noise}\n{sentence} p-value {p_value:.2g}."
    )


def _as_text(found: Collected) -> str:
    """Return the table of all values; the intervals are those of the raw estimate."""
    names = {"mi": "MI", "ibu": "IBU", "limit": "limit"}
    names = {name: title for name, title in names.items() if getattr(found, name) is not None}
    head = f"{'value':>7}{'count':>13}{'MI raw':>10}{'noise only, 95 %':>20}{'noise with sampling':>21}"
    lines = [head + "".join(f"{title:>9}" for title in names.values())]
    for row in found.table().to_dict("records"):
        noise, population = (
            f"{row[f'{kind}_low']:.5f} to {row[f'{kind}_high']:.5f}" for kind in ("noise", "population")
        )
        estimates = "".join(f"{row[name]:9.5f}" for name in names)
        lines.append(f"{row['value']:7}{row['count']:13,}{row['raw']:10.5f}{noise:>20}{population:>21}{estimates}")
    return "\n".join(lines)
