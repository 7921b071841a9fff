"""The command line: `python -m ldpcore run | sweep | reproduce | count`, on the same functions as everything else."""

from __future__ import annotations

import argparse
import importlib
import json
import math
import os
import signal
import sys
import threading
import tomllib
from collections.abc import Iterator, Sequence
from concurrent.futures import BrokenExecutor, Executor
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import ldpcore
from ldpcore.cli.count import add_command, count
from ldpcore.cli.progress import Progress
from ldpcore.cli.reproduce import as_table, reproduce_table
from ldpcore.datasets import BINNINGS, DATASETS
from ldpcore.errors import Refused
from ldpcore.estimators import STOPS
from ldpcore.experiment import STARTS, Result, Setting, run
from ldpcore.mechanisms import CALIBRATIONS, LONGITUDINAL, ONE_TIME
from ldpcore.sweep import DEFAULT_ESTIMATORS, DEFAULT_METRICS, cross, sweep_iter
from ldpcore.sweep.store import Store, keep

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130

_ALLOWED = {
    "data": DATASETS,
    "mechanism": (*ONE_TIME, *LONGITUDINAL),
    "calibration": CALIBRATIONS,
    "channel": ("exact", "published"),
    "binning": BINNINGS,
    "stop": tuple(STOPS),
    "start": STARTS,
}
_HELP = {
    "eps": "ε of one report; ε₁ of a longitudinal mechanism",
    "eps_inf": "ε∞ of a longitudinal mechanism (default: 2ε₁)",
    "n": "number of users",
    "k": "number of bins",
    "runs": "repetitions of the noise on one data set",
    "seed": "decides all randomness",
    "max_iter": "most iterations of IBU",
    "tol": "IBU stops when a step is smaller",
}
_SWEEP_HELP = """\
Run every setting of a grid. Lists are crossed; a field that is not there has its default (see `run --help`).
An example of a grid.toml:

    data = ["gaussian", "poisson"]
    mechanism = ["GRR", "OUE", "L-OSUE"]
    eps = [1, 2, 4]
    n = 20_000
    k = [50, 100]
    seed = [0, 1, 2]
    estimators = ["mi", "ibu", "limit"]     # not crossed: what is measured
    metrics = ["mse", "gain_mse"]

    [params]                                # of the data, crossed too
    # rate = [5, 10]

Settings that the results already hold are not run again: after Ctrl-C (or anything else) the same command
goes on where it stopped. The file is replaced in one step every few seconds, so it is never half-written.
Combinations that cannot be, such as ε₁ above ε∞, are left out.
"""


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    top = argparse.ArgumentParser(prog="python -m ldpcore", description=(ldpcore.__doc__ or "").splitlines()[0])
    top.add_argument("--version", action="version", version=f"ldpcore {ldpcore.__version__}")
    commands = top.add_subparsers(dest="command", required=True, metavar="{run,sweep,reproduce,count}")

    one = commands.add_parser("run", help="run one setting and print what MI and IBU got wrong")
    for field in fields(Setting):
        if field.name != "params":
            _add_field(one, field.name, str(field.type), field.default)
    one.add_argument("--param", action="append", default=[], metavar="NAME=VALUE", help="of the data; can be repeated")
    one.add_argument("--json", action="store_true", help="print JSON")
    one.set_defaults(do=_run)

    raw = argparse.RawDescriptionHelpFormatter
    many = commands.add_parser("sweep", help="run a grid of settings", description=_SWEEP_HELP, formatter_class=raw)
    many.add_argument("grid", type=Path, help="TOML file")
    many.add_argument("--out", type=Path, required=True, help="results, .parquet or .csv")
    many.set_defaults(do=_sweep)

    again = commands.add_parser("reproduce", help="run the experiment behind the paper's tables")
    again.add_argument("--table", type=int, nargs="+", default=[1, 2], choices=(1, 2), help="default: both")
    again.add_argument("--draws", type=int, default=1, help="how often the data sets are drawn (default 1)")
    again.add_argument("--runs", type=int, default=20, help="runs on each data set (default 20)")
    again.add_argument("--seed", type=int, default=0, help="of the first draw (default 0)")
    again.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the results go")
    again.add_argument("--acs-root", type=Path, metavar="DIR", help="folktables' 2018 5-Year records, if there are any")
    again.set_defaults(do=_reproduce)

    collected = add_command(commands)
    collected.set_defaults(do=_count)
    for command in (many, again, collected):
        command.add_argument("--workers", type=int, help="processes (default: one for each core)")
        command.add_argument("--scheduler", metavar="ADDRESS", help="of a Dask cluster that is to do the work")
    return top


def _add_field(command: argparse.ArgumentParser, name: str, kind: str, default: Any) -> None:
    allowed = _ALLOWED.get(name)
    words = f"{', '.join(allowed)}" if allowed else _HELP[name]
    shown = "" if default is None else f" (default {default})"
    read: Any = {"int": _whole, "str": str}.get(kind, float)
    metavar = name.upper() if allowed else None
    command.add_argument(f"--{name.replace('_', '-')}", type=read, default=default, metavar=metavar, help=words + shown)


def _whole(text: str) -> float:
    """Read 20000, 20_000 and 2e4; whether it is a whole number is checked with the setting."""
    try:
        return int(text)
    except ValueError:
        return float(text)


_whole.__name__ = "number"


def main(arguments: Sequence[str] | None = None) -> int:
    """Do what the arguments say and return the exit code; what is wrong is said in a sentence."""
    given = parser().parse_args(arguments)
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)  # to be told to end is like Ctrl-C
    try:
        return int(given.do(given))
    except BrokenPipeError:  # the reader of a pipe, such as `head`, has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
        return FAILED
    except ValueError as problem:
        return _complain(problem, USAGE)
    except (OSError, ImportError) as problem:
        return _complain(problem, FAILED)
    except (BrokenExecutor, MemoryError) as problem:
        return _complain(f"{problem or 'out of memory'}; what is done is saved, the same command goes on", FAILED)
    except KeyboardInterrupt:
        return _complain("interrupted", INTERRUPTED)


def _complain(what: object, code: int) -> int:
    sys.stderr.write(f"python -m ldpcore: {what}\n")
    return code


def _say(text: str) -> None:
    sys.stdout.write(text + "\n")


@contextmanager
def _cluster(address: str | None) -> Iterator[Executor | None]:
    """Give the executor of a Dask cluster; None without an address."""
    if address is None:
        yield None
        return
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise Refused('--scheduler needs Dask: pip install "ldp-explorer[distributed]"') from None
    try:
        client = distributed.Client(address, timeout=10)
    except (OSError, ValueError) as problem:
        raise OSError(f"there is no Dask scheduler at {address!r}: {problem}") from None
    with client:
        yield client.get_executor()


# ---- run ---------------------------------------------------------------------------


def _run(given: argparse.Namespace) -> int:
    point = {f.name: getattr(given, f.name) for f in fields(Setting) if f.name != "params"}
    setting = Setting(**point, params=tuple(_param(text) for text in given.param))
    _say(_as_json(run(setting)) if given.json else _as_text(run(setting)))
    return OK


def _param(text: str) -> tuple[str, float]:
    name, equals, value = text.partition("=")
    try:
        if equals:
            return name, float(value)
    except ValueError:
        pass
    raise Refused(f"--param must be NAME=VALUE with a number; got {text!r}")


def _as_text(r: Result) -> str:
    s = r.setting
    inf = f", ε∞ = {r.mechanism.eps_inf:g}" if isinstance(r.mechanism, ldpcore.LongitudinalMechanism) else ""
    lines = [
        f"{s.mechanism} on {s.data}: ε = {s.eps:g}{inf}, n = {s.n:,}, k = {s.k:,}, {s.runs} runs, seed {s.seed}",
        f"p = {r.mechanism.p:.6g}, q = {r.mechanism.q:.6g}",
        "",
        f"{'':12}{'MSE':>12}{'± se':>10}{'MAE':>12}{'± se':>10}",
    ]
    for label, estimator in (("MI", "mi"), ("IBU", "ibu"), ("IBU's limit", "limit")):
        mse, mae = r.error(estimator, "mse"), r.error(estimator, "mae")
        lines.append(f"{label:12}{mse:12.3g}{mse.se:10.1g}{mae:12.3g}{mae.se:10.1g}")
    for label, estimator in (("gain of IBU", "ibu"), ("of its limit", "limit")):
        mse, mae = r.gain("mse", estimator=estimator), r.gain("mae", estimator=estimator)
        lines.append(f"{label:12}{mse:10.1f} %{mse.se:10.1f}{mae:10.1f} %{mae.se:10.1f}")
    stops = f"{int(r.converged.sum())} of {s.runs} runs converged"
    lines += ["", f"IBU: {int(r.iterations.max()):,} iterations at most, {stops}."]
    return "\n".join(lines)


def _as_json(r: Result) -> str:
    frame = r.table(("mi", "ibu", "limit"), tuple(ldpcore.METRICS))
    table: list[dict[Any, Any]] = frame.to_dict("records")
    for estimator in ("ibu", "limit"):
        for metric in ("mse", "mae"):
            g = r.gain(metric, estimator=estimator)
            spread = {"mean": g.mean, "se": g.se, "q05": g.quantile(0.05), "q95": g.quantile(0.95)}
            table.append({"estimator": estimator, "metric": f"gain_{metric}", **spread})
    # JSON has no word for nan and infinity.
    finite = [
        {k: None if isinstance(v, float) and not math.isfinite(v) else v for k, v in row.items()} for row in table
    ]
    whole = {
        "setting": r.setting.as_dict(),
        "p": r.mechanism.p,
        "q": r.mechanism.q,
        "iterations": r.iterations.tolist(),
        "converged": r.converged.tolist(),
        "results": finite,
    }
    return json.dumps(whole, indent=2, ensure_ascii=False)


# ---- sweep -------------------------------------------------------------------------


def _sweep(given: argparse.Namespace) -> int:
    grid = _read_grid(given.grid)
    measured: dict[str, Any] = {
        "estimators": _words(grid, "estimators", DEFAULT_ESTIMATORS),
        "metrics": _words(grid, "metrics", DEFAULT_METRICS),
    }
    settings, left_out = cross(grid)
    for sentence in left_out:
        sys.stderr.write(f"left out: {sentence}\n")
    store = Store(given.out)
    done = store.complete(**measured).intersection(settings)
    with _cluster(given.scheduler) as executor:
        chunks = sweep_iter(settings, executor, workers=given.workers, skip=done, **measured)
        with Progress("settings", len(settings), len(done)) as progress:
            interrupted = keep(chunks, settings, store, progress)
    if interrupted:
        return _complain(f"interrupted; {progress.done} of {len(settings)} settings are in {given.out}", INTERRUPTED)
    _say(f"{len(settings)} settings in {given.out}")
    return OK


def _read_grid(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Refused(f"there is no grid {str(path)!r}") from None
    except (OSError, UnicodeDecodeError) as problem:
        raise Refused(f"the grid {str(path)!r} cannot be read: {problem}") from None
    except tomllib.TOMLDecodeError as problem:
        raise Refused(f"the grid {str(path)!r} is not TOML: {problem}") from None


def _words(grid: dict[str, Any], name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    words = grid.pop(name, default)
    if not isinstance(words, (list, tuple)) or not words:
        raise Refused(f"{name} must be a list of words; got {words!r}")
    return tuple(words)


# ---- reproduce ---------------------------------------------------------------------


def _reproduce(given: argparse.Namespace) -> int:
    given.out.mkdir(parents=True, exist_ok=True)
    with _cluster(given.scheduler) as executor:
        for table in dict.fromkeys(given.table):
            _say(as_table(table, reproduce_table(given, table, executor)))
    return OK


# ---- count -------------------------------------------------------------------------


def _count(given: argparse.Namespace) -> int:
    with _cluster(given.scheduler) as executor:
        _say(count(given, executor))
    return OK
