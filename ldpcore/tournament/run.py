"""The tournament, run: on all cores or on a cluster, saved as it goes, and gone on with where it stopped."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._version import __version__
from ldpcore.errors import Refused
from ldpcore.sweep.lock import Lock, clean
from ldpcore.sweep.store import SAVE_EVERY, read_frame, write_frame, write_whole
from ldpcore.sweep.workers import cores, drive
from ldpcore.tournament.contestants import contest
from ldpcore.tournament.grid import DRAWS_MAX, Match, matches
from ldpcore.tournament.losses import Loss, rerun, worst_losses
from ldpcore.tournament.paper_grid import PaperMatch, paper_contest, paper_matches
from ldpcore.tournament.questions import QuestionPart, answer, question_parts
from ldpcore.tournament.records import Record

if TYPE_CHECKING:
    import pandas as pd

OnProgress = Callable[[int, int], object]
Task = Match | PaperMatch | QuestionPart | Loss


@dataclass(frozen=True)
class Part:
    """A part of the tournament: its pieces of work, who does one, and the columns that tell which it was."""

    tasks: Callable[[int, int], Sequence[Task]]
    work: Callable[[Any], Sequence[Record]]
    keys: tuple[str, ...]


# What decides the rows, beside the seed. A small match shows if estimators, users and seeds still give the same, to
# one percent, because machines differ in the last digits. Raise the number when the paper's grid, the questions or the
# losses measure something else, or when the small match cannot show a change (2: the rule of auto, the draws of SS).
REVISION = 2
PROBE = Match("OUE", 1.0, 5_000, 12, ("acs-income", "spike"), shuffled=True)
PROBE_APART = 0.01

_KEYS = ("mechanism", "eps", "n", "k", "draw")
# Numbers that are not rounded: ε is a key, and of a few ratios a page writes three digits.
_WHOLE = ("eps", "ratio")
PARTS: dict[str, Part] = {
    "matches": Part(matches, contest, _KEYS),
    "paper": Part(paper_matches, paper_contest, _KEYS),
    "questions": Part(question_parts, answer, ("question", "part", "draw")),
    "losses": Part(worst_losses, rerun, ("mechanism", "eps", "n", "k", "data", "kind", "draw")),
}
"""The parts of the tournament by name, as `play` runs them."""


def play(
    part: str,
    out: str | PathLike[str],
    *,
    draws: int = 1,
    seed: int = 0,
    executor: Executor | None = None,
    workers: int | None = None,
    on_progress: OnProgress | None = None,
) -> pd.DataFrame:
    """Run a part of the tournament into a folder.

    Parameters
    ----------
    part : {"matches", "paper", "questions", "losses"}
        All estimators on the grid; on the paper's own grid; what the four open questions need; or where auto lost most
        in the matches that ship, run again.
    out : path
        The folder that keeps the results, with notes on how they were made: what it holds is not run again. Made if
        it is not there.
    draws, seed : int
        How many draws of the grid, and the number that decides all randomness.
    executor, workers
        As for `ldpcore.sweep`.
    on_progress : callable, optional
        Called as on_progress(pieces done, pieces in all); if it returns False, the tournament stops.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:  # stopped before anything is done
    ...     frame = tournament.play("matches", folder, on_progress=lambda done, total: False)
    >>> len(frame)
    0
    """
    what = PARTS[check.choice("part", part, PARTS)]
    draws, seed = check.integer("draws", draws, 1, DRAWS_MAX), check.seed(seed)
    count = cores() if workers is None else check.integer("workers", workers, 1, 1024)
    check.executor(executor)
    check.function("on_progress", on_progress)
    # The number of processes of a cluster is not known here.
    known = count if executor is None else None
    with closing(_Ledger(check.folder("out", out), part, what.keys, seed, draws, known)) as ledger:
        tasks = [task for draw in range(draws) for task in what.tasks(draw, seed)]
        _run(what, tasks, ledger, executor, count, on_progress)
        return ledger.frame()


def _run(
    what: Part,
    tasks: Sequence[Task],
    ledger: _Ledger,
    executor: Executor | None,
    count: int,
    on_progress: OnProgress | None,
) -> None:
    """Do what is not done yet, until all is or somebody says so."""
    todo = [task for task in tasks if task.key not in ledger.done]
    before = len(tasks) - len(todo)
    if on_progress is not None and on_progress(before, len(tasks)) is False:
        return
    chunks = drive(what.work, [(task,) for task in todo], executor, count)
    try:
        for number, (_, records) in enumerate(chunks, 1):
            ledger.add(records)
            if on_progress is not None and on_progress(before + number, len(tasks)) is False:
                break
    finally:
        # Whatever ends it, also a fault or Ctrl-C: what is done is kept.
        chunks.close()
        ledger.save()


def probe() -> dict[str, float]:
    """Return the mean error of every contestant on one small match, to three digits.

    >>> sorted(probe())[:3]
    ['auto', 'auto-ordered', 'auto-ordered-shuffled']
    """
    return dict(_probe())


@lru_cache(maxsize=1)
def _probe() -> tuple[tuple[str, float], ...]:
    records = contest(PROBE)
    return tuple((key, float(f"{np.mean([r.errors[key] for r in records]):.3g}")) for key in records[0].errors)


class _Ledger:
    """The records of a part, in memory and in a file that is never half-written, with notes beside it.

    Nobody else writes to them until `close`.
    """

    def __init__(
        self, folder: Path, part: str, keys: tuple[str, ...], seed: int, draws: int, workers: int | None
    ) -> None:
        self._file, self._keys = folder / f"{part}.parquet", keys
        self._notes = self._file.with_suffix(".json")
        self._origin = {"seed": seed, "version": __version__, "revision": REVISION, "probe": probe(), "draws": draws}
        self._command = f"python -m ldpcore tournament --part {part} --draws {draws} --seed {seed} --out DIR"
        # Rows of the frame, which are read again from its file.
        self._rows: list[dict[str, Any]] = []
        self._sittings: list[dict[str, Any]] = []
        self._lock = Lock(self._file, "tournament")
        try:
            clean(self._notes)
            self._load()
        except BaseException:
            self.close()
            raise
        self.done = {tuple(record[name] for name in keys) for record in self._rows}
        self._workers, self._pieces = workers, 0
        self._begun = self._saved = time.monotonic()

    def close(self) -> None:
        """Let others write."""
        self._lock.release()

    def _load(self) -> None:
        if self._file.exists() and self._notes.exists():
            notes = json.loads(self._notes.read_text(encoding="utf-8"))
            self._check(notes)
            self._sittings = notes.get("sittings", [])
            frame = read_frame(self._file)
            self._rows = [{str(name): row[name] for name in row} for row in frame.to_dict("records")]

    def _check(self, notes: dict[str, Any]) -> None:
        """Refuse to mix results of another seed or version, or of estimators that gave other numbers."""
        for name in ("seed", "version", "revision"):
            if notes.get(name) != self._origin[name]:
                difference = f"{self._file} was made with {name} {notes.get(name)}, not {self._origin[name]}"
                raise Refused(f"{difference}: name another DIR")
        before, now = notes.get("probe", {}), probe()
        other = [key for key, error in now.items() if abs(before.get(key, np.inf) / error - 1) > PROBE_APART]
        if other:
            raise Refused(f"{self._file} was made when {', '.join(other)} gave something else: name another DIR")

    def add(self, records: Sequence[Record]) -> None:
        self._rows += [record.asdict() for record in records]
        self._pieces += 1
        if time.monotonic() - self._saved > 5 * SAVE_EVERY:
            self.save()

    def frame(self) -> pd.DataFrame:
        """Return the records in an order of their own, whoever was first."""
        import pandas as pd

        frame = pd.DataFrame(self._rows)
        if frame.empty:
            return frame
        words = [name for name in frame.columns if frame[name].dtype == object or str(frame[name].dtype) == "str"]
        order = dict.fromkeys((*self._keys, "table", "data", "metric", "repeat"))
        frame = frame.sort_values([name for name in order if name in frame], kind="stable", ignore_index=True)
        numbers = [name for name in frame.columns if frame[name].dtype == np.float64 and name not in _WHOLE]
        return frame.astype(dict.fromkeys(words, "category") | dict.fromkeys(numbers, "float32"))

    def save(self) -> None:
        """Write the records, their floats to 11 bits but for a few, and how they were made."""
        frame = self.frame()
        for name in frame.columns:
            if frame[name].dtype == np.float32:
                frame[name] = _rounded(frame[name].to_numpy())
        write_frame(frame, self._file)
        provenance = {"command": self._command, "date": datetime.now(UTC).strftime("%Y-%m-%d")}
        notes = self._origin | provenance | {"sittings": [*self._sittings, *self._sitting()]}
        text = json.dumps(notes, indent=2) + "\n"
        write_whole(self._notes, partial(Path.write_text, data=text, encoding="utf-8"))
        self._saved = time.monotonic()

    def _sitting(self) -> list[dict[str, Any]]:
        """Return what this sitting took so far: pieces of work, seconds by the clock, processes (null: a cluster's)."""
        if not self._pieces:
            return []
        seconds = round(time.monotonic() - self._begun, 1)
        return [{"pieces": self._pieces, "seconds": seconds, "workers": self._workers, "cores": cores()}]


def _rounded(values: Any) -> Any:
    """Round to 11 binary digits, a quarter of a thousandth at most: far below the noise, and half the size.

    >>> float(_rounded(np.array([0.1234567], dtype=np.float32))[0])
    0.12347412109375
    """
    bits = values.astype(np.float32).view(np.uint32)
    out = ((bits + 0x1000) & np.uint32(0xFFFF_E000)).view(np.float32)
    return np.where(np.isfinite(values), out, values)
