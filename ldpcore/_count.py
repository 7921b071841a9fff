"""`python -m ldpcore count`: collected reports in files, counted on all cores, and estimated."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from concurrent.futures import Executor, as_completed
from pathlib import Path
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._files import SUFFIXES, write_frame
from ldpcore._progress import Progress
from ldpcore._reports import Piece, count_piece, pieces
from ldpcore._validate import IntArray
from ldpcore._workers import Workers, cores
from ldpcore.collected import Collected, estimate
from ldpcore.mechanisms import LongitudinalMechanism, Mechanism, mechanism

_HELP = """\
Count the reports in CSV and Parquet files, all of one mechanism, and estimate the frequencies. Files add up.

    GRR, L-GRR                  one column of values 0..k-1
    SUE, OUE, THE, L-SUE, ...   k columns of 0 and 1 (THE also of reals), or one column of strings such as 0110
    SS                          ω columns, or one column of separated values or lists
    BLH, OLH, L-BLH, L-OLH      the columns seed and value, in any order; others are named with --columns SEED,VALUE

The reports of multi-freq-ldpy and pure-ldp need --hash-family xxh32. Memory stays bounded however many there
are. Messages count rows from 1, without the header.
"""


def add_command(commands: Any) -> argparse.ArgumentParser:
    """Add `count` to the command line; what it does is `count`."""
    raw = argparse.RawDescriptionHelpFormatter
    command: argparse.ArgumentParser = commands.add_parser(
        "count", help="count collected reports and estimate", description=_HELP, formatter_class=raw
    )
    command.add_argument("files", nargs="+", type=Path, metavar="FILE", help=".parquet or .csv")
    command.add_argument("--mechanism", required=True, help="that made the reports")
    command.add_argument("--eps", type=float, required=True, help="ε of one report; ε₁ of a longitudinal mechanism")
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
    options: dict[str, Any] = {} if given.hash_family is None else {"hash_family": given.hash_family}
    m = mechanism(
        given.mechanism, k=given.k, eps=given.eps, eps_inf=given.eps_inf, calibration=given.calibration, **options
    )
    workers = cores() if given.workers is None else check.integer("--workers", given.workers, 1, 1024)
    if given.out is not None and given.out.suffix not in SUFFIXES:
        raise ValueError(f"the name of the results must end in {' or '.join(SUFFIXES)}; got {str(given.out)!r}")
    if given.out is not None and not given.out.parent.is_dir():
        raise ValueError(f"there is no directory {str(given.out.parent)!r} for the results")
    columns = None if given.columns is None else [name.strip() for name in given.columns.split(",")]
    options = {"header": not given.no_header, "workers": workers}
    todo = [piece for path in given.files for piece in pieces(path, m, columns, **options)]
    counts, n = count_pieces(todo, m, executor, workers)
    if n == 0:
        raise ValueError(f"there are no reports in {', '.join(str(path) for path in given.files)}")
    found = estimate(counts, n, m)
    told = _summary(found, m, len(given.files))
    if given.out is None:
        return f"{told}\n\n{_as_text(found)}"
    write_frame(found.table(), given.out)
    return f"{told}\n{m.k:,} values in {given.out}"


def count_pieces(todo: list[Piece], m: Mechanism, executor: Executor | None, workers: int) -> tuple[IntArray, int]:
    """Add up the counts of all pieces, on processes of our own if there is no executor."""
    counts, n = np.zeros(m.k, dtype=np.int64), 0
    with Progress("pieces", len(todo)) as progress:
        for part, reports in _drive(todo, m, executor, min(workers, len(todo))):
            counts += part
            n += reports
            progress.advance(1)
    return counts, n


def _drive(todo: list[Piece], m: Mechanism, executor: Executor | None, workers: int) -> Iterator[tuple[IntArray, int]]:
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


def _summary(found: Collected, m: Mechanism, files: int) -> str:
    inf = f", ε∞ = {m.eps_inf:g}" if isinstance(m, LongitudinalMechanism) else ""
    (fit,) = found.fit
    where = f"{files:,} file{'s' if files > 1 else ''}"
    return (
        f"{found.n:,} reports of {m.name} in {where}: ε = {m.eps:g}{inf}, k = {m.k:,}, "
        f"p = {m.p:.6g}, q = {m.q:.6g}\n{fit.sentence} p-value {fit.p_value:.2g}."
    )


def _as_text(found: Collected) -> str:
    """Return the table of all values; the intervals are those of the raw estimate."""
    names = ("MI raw", "noise only, 95 %", "noise with sampling", "MI", "IBU", "limit")
    lines = [f"{'value':>7}{'count':>13}{names[0]:>10}{names[1]:>20}{names[2]:>21}" + "".join(
        f"{name:>9}" for name in names[3:])]  # fmt: skip
    for row in found.table().to_dict("records"):
        noise, population = (
            f"{row[f'{kind}_low']:.5f} to {row[f'{kind}_high']:.5f}" for kind in ("noise", "population")
        )
        estimates = "".join(f"{row[name]:9.5f}" for name in ("mi", "ibu", "limit"))
        lines.append(f"{row['value']:7}{row['count']:13,}{row['raw']:10.5f}{noise:>20}{population:>21}{estimates}")
    return "\n".join(lines)
