"""`python -m ldpcore sweep`: the settings of a grid, into a file that the same command goes on with."""

from __future__ import annotations

import argparse
import tomllib
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from ldpcore.cli.console import INTERRUPTED, OK, cluster, complain, note, say
from ldpcore.cli.progress import Bar
from ldpcore.errors import Refused
from ldpcore.experiment import Setting
from ldpcore.sweep import DEFAULT_ESTIMATORS, DEFAULT_METRICS, Measures, Store, cross, sweep

_HELP = """\
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


def add_command(commands: Any) -> argparse.ArgumentParser:
    """Add `sweep` to the command line."""
    raw = argparse.RawDescriptionHelpFormatter
    command: argparse.ArgumentParser = commands.add_parser(
        "sweep", help="run a grid of settings", description=_HELP, formatter_class=raw
    )
    command.add_argument("grid", type=Path, help="TOML file")
    command.add_argument("--out", type=Path, required=True, help="results, .parquet or .csv")
    command.set_defaults(do=_sweep)
    return command


def _sweep(options: argparse.Namespace) -> int:
    grid = read_grid(options.grid)
    measured: dict[str, Any] = {
        "estimators": _words(grid, "estimators", DEFAULT_ESTIMATORS),
        "metrics": _words(grid, "metrics", DEFAULT_METRICS),
    }
    settings, left_out = cross(grid)
    for sentence in left_out:
        note(f"left out: {sentence}")
    bar = Bar("settings")
    try:
        with cluster(options.scheduler) as executor, bar:
            sweep(settings, executor, bar, workers=options.workers, out=options.out, **measured)
    except KeyboardInterrupt:
        done = _complete(options.out, settings, Measures(**measured))
        return complain(f"interrupted; {done} of {len(settings)} settings are in {options.out}", INTERRUPTED)
    say(f"{len(settings)} settings in {options.out}")
    return OK


def _complete(out: Path, settings: Sequence[Setting], measures: Measures) -> int:
    """Count the settings that are in the file: some may have been saved before the bar heard of them."""
    if not out.exists():
        return 0
    with closing(Store(out)) as store:
        return len(store.complete(measures).intersection(settings))


def read_grid(path: Path) -> dict[str, Any]:
    """Return the content of a grid's file."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Refused(f"there is no grid {str(path)!r}") from None
    except OSError as problem:
        raise Refused(f"the grid {str(path)!r} cannot be read: {problem.strerror}") from None
    except UnicodeDecodeError as problem:
        raise Refused(f"the grid {str(path)!r} cannot be read: {problem}") from None
    except tomllib.TOMLDecodeError as problem:
        raise Refused(f"the grid {str(path)!r} is not TOML: {problem}") from None


def _words(grid: dict[str, Any], name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    words = grid.pop(name, default)
    if not isinstance(words, (list, tuple)) or not words:
        raise Refused(f"{name} must be a list of words; got {words!r}")
    return tuple(words)
