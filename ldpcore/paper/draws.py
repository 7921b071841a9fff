"""The draws of a table in a folder: those that are whole in one file with notes, the one at work in another."""

from __future__ import annotations

import json
import zlib
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ldpcore._version import __version__
from ldpcore.sweep.lock import Lock, clean
from ldpcore.sweep.store import Store, read_frame, write_frame, write_whole

if TYPE_CHECKING:
    import pandas as pd


def file_stem(table: int, data: Sequence[str] = ()) -> str:
    """Return the name of the files that hold a table, or some rows of it."""
    return "_".join([f"reproduced_table{table}", *data])


class SavedDraws:
    """What a folder holds of a table, if it was made by the same experiment: seed, runs, data and version decide.

    With `data` it is of these rows of the table alone, in files of their own. Nobody else writes to them until `close`.
    """

    def __init__(
        self, folder: Path, table: int, *, seed: int, runs: int, acs_income: str, data: Sequence[str] = ()
    ) -> None:
        self.table, self.seed, self._data = table, seed, data
        self._file = folder / f"{file_stem(table, data)}.parquet"
        self._notes = self._file.with_suffix(".json")
        self._same: dict[str, Any] = {
            "table": table, "seed": seed, "runs": runs, "acs_income": acs_income, "version": __version__,
        }  # fmt: skip
        self._lock = Lock(self._file, "reproduction")
        try:
            clean(self._notes)
            self.frames = self._load()
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Let others write."""
        self._lock.release()

    def _load(self) -> list[pd.DataFrame]:
        """Return the draws that are whole."""
        if not (self._file.exists() and self._notes.exists()):
            return []
        notes = json.loads(self._notes.read_text(encoding="utf-8"))
        if any(notes.get(name) != value for name, value in self._same.items()):
            return []
        frame = read_frame(self._file)
        # The notes are written after the results: a draw that they don't know of is run again.
        return [frame[frame["draw"] == draw] for draw in range(notes["draws"])]

    def unfinished(self) -> Store:
        """Return the file that holds a draw until it is whole; another for other data or another version."""
        words = f"{self._same['acs_income']} {self._same['version']}"
        return Store(self._file.with_name(f"unfinished_{self._file.stem}_{zlib.crc32(words.encode()):08x}.parquet"))

    def write(self, frame: pd.DataFrame, draws: int, asked: int) -> None:
        """Write the whole draws, and then the notes: how many there are, and the command that makes all `asked`."""
        same = self._same
        rows = f" --data {' '.join(self._data)}" if self._data else ""
        options = f"--table {self.table}{rows} --draws {asked} --runs {same['runs']} --seed {self.seed}"
        notes = same | {
            "command": f"python -m ldpcore reproduce {options} --out DIR",
            "date": datetime.now(UTC).strftime("%Y-%m-%d"),
            "draws": draws,
        }
        write_frame(frame, self._file)
        text = json.dumps(notes, indent=2, ensure_ascii=False) + "\n"
        write_whole(self._notes, partial(Path.write_text, data=text, encoding="utf-8"))
