"""The command that runs the paper's experiment: saved as it goes, and shown as a table to read."""

from __future__ import annotations

import argparse
import json
import zlib
from concurrent.futures import Executor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ldpcore
from ldpcore import paper
from ldpcore.cli.progress import Progress
from ldpcore.sweep import sweep_iter
from ldpcore.sweep.store import Store, keep, read_frame, write_frame, write_whole

if TYPE_CHECKING:
    import pandas as pd

# What two runs must have in common for one to go on where the other stopped.
_SAME = ("table", "seed", "runs", "acs_income", "version")


def reproduce_table(given: argparse.Namespace, table: int, executor: Executor | None) -> pd.DataFrame:
    """Run a table; whatever is done is saved, and not run again by the same command."""
    import pandas as pd

    file = given.out / f"reproduced_table{table}.parquet"
    records = None if given.acs_root is None else paper.AcsRecords(given.acs_root)
    about = _about(given, table, paper.ACS_BRACKETS if records is None else records.label)
    frames = _draws_in(file, about)[: given.draws]
    each = len(paper.settings(table))
    with Progress(f"settings of Table {table}", given.draws * each, len(frames) * each) as progress:
        for draw in range(len(frames), given.draws):
            settings = paper.settings(table, runs=given.runs, seed=given.seed + draw)
            store = Store(_unfinished(file, about))
            done = store.complete(**paper.MEASURED).intersection(settings)
            progress.reach(draw * each + len(done))
            options: dict[str, Any] = {"workers": given.workers, "histogram_of": records, "skip": done}
            if keep(sweep_iter(settings, executor, **paper.MEASURED, **options), settings, store, progress):
                raise KeyboardInterrupt
            frames.append(paper.details(table, given.seed, (store.rows[s] for s in settings)))
            write_frame(pd.concat(frames, ignore_index=True), file)
            _write_notes(file, about | {"draws": len(frames)})
            store.path.unlink(missing_ok=True)
    return pd.concat(frames, ignore_index=True)


def _unfinished(file: Path, about: dict[str, Any]) -> Path:
    """Return the file that holds a draw until it is whole; another for other data or another version."""
    words = f"{about['acs_income']} {about['version']}"
    return file.with_name(f"unfinished_{file.stem}_{zlib.crc32(words.encode()):08x}.parquet")


def _about(given: argparse.Namespace, table: int, acs: str) -> dict[str, Any]:
    options = f"--table {table} --draws {given.draws} --runs {given.runs} --seed {given.seed}"
    return {
        "table": table,
        "seed": given.seed,
        "runs": given.runs,
        "acs_income": acs,
        "version": ldpcore.__version__,
        "command": f"python -m ldpcore reproduce {options} --out DIR",
        "date": datetime.now(UTC).strftime("%Y-%m-%d"),
    }


def _write_notes(file: Path, about: dict[str, Any]) -> None:
    text = json.dumps(about, indent=2, ensure_ascii=False) + "\n"
    write_whole(file.with_suffix(".json"), partial(Path.write_text, data=text, encoding="utf-8"))


def _draws_in(file: Path, about: dict[str, Any]) -> list[pd.DataFrame]:
    """Return the draws that an earlier run of the same experiment has left."""
    notes = file.with_suffix(".json")
    if not (file.exists() and notes.exists()):
        return []
    before = json.loads(notes.read_text(encoding="utf-8"))
    if any(before.get(name) != about[name] for name in _SAME):
        return []
    frame = read_frame(file)
    # The notes are written after the results: a draw that they don't know of is run again.
    return [frame[frame["draw"] == draw] for draw in range(before["draws"])]


def as_table(table: int, details: pd.DataFrame) -> str:
    """Return the table as text, with the paper's own numbers."""
    cells = paper.cells(details)
    cells = cells[cells["variant"] == "as published"]
    keys = zip(cells["metric"], cells["data"], cells["mechanism"], strict=True)
    texts = (f"{gain:5.0f} ({own:2.0f})" for gain, own in zip(cells["gain"], cells["published"], strict=True))
    shown = dict(zip(keys, texts, strict=True))
    about = paper.table_of(table)
    out = [f"Table {table}: gain in %, computed as in the paper (in brackets: the paper's own)"]
    for metric in paper.GAIN_METRICS:
        out += ["", f"{metric.upper():14}" + "".join(f"{name:>10}" for name in about.mechanisms)]
        out += [f"{data:14}" + "".join(shown[metric, data, m] for m in about.mechanisms) for data in about.data]
    return "\n".join(out)
