"""`python -m ldpcore reproduce`: the paper's experiment, saved as it goes, and shown as a table to read."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldpcore import paper
from ldpcore.cli.console import OK, cluster, say
from ldpcore.cli.progress import Bar

if TYPE_CHECKING:
    import pandas as pd


def add_command(commands: Any) -> argparse.ArgumentParser:
    """Add `reproduce` to the command line."""
    command: argparse.ArgumentParser = commands.add_parser(
        "reproduce", help="run the experiment behind the paper's tables"
    )
    command.add_argument("--table", type=int, nargs="+", default=[1, 2], choices=(1, 2), help="default: both")
    command.add_argument("--data", nargs="+", default=(), choices=paper.DATA, help="only these rows (default: all)")
    command.add_argument("--draws", type=int, default=1, help="how often the data sets are drawn (default 1)")
    command.add_argument("--runs", type=int, default=20, help="runs on each data set (default 20)")
    command.add_argument("--seed", type=int, default=0, help="of the first draw (default 0)")
    command.add_argument("--out", type=Path, required=True, metavar="DIR", help="where the results go")
    command.add_argument(
        "--acs-root", type=Path, metavar="DIR", help="folktables' 2018 5-Year records, if there are any"
    )
    command.set_defaults(do=_reproduce)
    return command


_SAME = ("data", "draws", "runs", "seed", "workers", "acs_root")


def _reproduce(options: argparse.Namespace) -> int:
    same: dict[str, Any] = {name: getattr(options, name) for name in _SAME}
    with cluster(options.scheduler) as executor:
        for table in dict.fromkeys(options.table):
            with Bar(f"settings of Table {table}") as bar:
                details = paper.reproduce(table, executor=executor, on_progress=bar, out=options.out, **same)
            say(as_table(table, details))
    return OK


def as_table(table: int, details: pd.DataFrame) -> str:
    """Return the table as text, with the paper's own numbers."""
    cells = paper.cells(details)
    cells = cells[cells["variant"] == "as published"]
    keys = zip(cells["metric"], cells["data"], cells["mechanism"], strict=True)
    texts = (f"{gain:5.0f} ({own:2.0f})" for gain, own in zip(cells["gain"], cells["published"], strict=True))
    shown = dict(zip(keys, texts, strict=True))
    about = paper.table_of(table)
    rows = [data for data in about.data if data in set(cells["data"])]
    out = [f"Table {table}: gain in %, computed as in the paper (in brackets: the paper's own)"]
    for metric in paper.GAIN_METRICS:
        out += ["", f"{metric.upper():14}" + "".join(f"{name:>10}" for name in about.mechanisms)]
        out += [f"{data:14}" + "".join(shown[metric, data, m] for m in about.mechanisms) for data in rows]
    return "\n".join(out)
