"""`python -m ldpcore tournament`: all estimators against each other, saved as it goes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from ldpcore import tournament
from ldpcore.cli.console import OK, cluster, say
from ldpcore.cli.progress import Bar

PART_HELP = (
    "matches: all estimators on the grid; paper: on the paper's own grid; questions: what its open questions need; "
    "losses: where auto lost most in the matches that ship, run again (default: all of them)"
)


def add_command(commands: Any) -> argparse.ArgumentParser:
    """Add `tournament` to the command line."""
    command: argparse.ArgumentParser = commands.add_parser(
        "tournament", help="run all estimators against each other, on the grid of the page Which estimator?"
    )
    parts = tuple(tournament.PARTS)
    command.add_argument("--part", nargs="+", default=parts, choices=parts, help=PART_HELP)
    command.add_argument("--draws", type=int, default=1, help="how much of the grid: a draw is a fraction (default 1)")
    command.add_argument("--seed", type=int, default=0, help="default 0")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the results go")
    command.set_defaults(do=_tournament)
    return command


def _tournament(options: argparse.Namespace) -> int:
    same = {"draws": options.draws, "seed": options.seed, "workers": options.workers}
    with cluster(options.scheduler) as executor:
        for part in dict.fromkeys(options.part):
            with Bar(f"pieces of {part}") as bar:
                frame = tournament.play(part, options.out, executor=executor, on_progress=bar, **same)
            say(f"{part}: {len(frame):,} rows in {options.out / f'{part}.parquet'}")
    return OK
