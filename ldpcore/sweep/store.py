"""Files of results that are never half-written, and from which a sweep can go on."""

from __future__ import annotations

import json
import math
import os
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ldpcore.errors import Refused
from ldpcore.experiment import Setting
from ldpcore.sweep.lock import Lock
from ldpcore.sweep.rows import COLUMNS, Measures, Row, sweep_frame

if TYPE_CHECKING:
    import pandas as pd

SUFFIXES = (".parquet", ".csv")
# A sweep is saved when the first results are there, whenever this many seconds have passed, and at the end.
SAVE_EVERY = 2.0


def write_whole(path: Path, write: Callable[[Path], object]) -> None:
    """Have `write` fill a file beside `path`, then put it in the place of `path` in one step.

    Whatever goes wrong before that step leaves the file that was there as it was.
    """
    fresh = _beside(path)
    try:
        with _called(path):
            write(fresh)
            with fresh.open("rb") as file:
                os.fsync(file.fileno())  # a full disk can show up as late as here
            os.replace(fresh, path)  # noqa: PTH105 - the name under which everyone knows the atomic step
    finally:
        fresh.unlink(missing_ok=True)


@contextmanager
def _called(path: Path) -> Iterator[None]:
    """Have what the system refuses name the file that was asked for, and not the one beside it."""
    try:
        yield
    except OSError as problem:
        if problem.filename is not None:
            problem.filename = str(path)
        raise


def _beside(path: Path) -> Path:
    return path.with_name(f".{path.stem}-{secrets.token_hex(4)}{path.suffix}")


def write_frame(frame: pd.DataFrame, path: Path) -> None:
    """Write a frame as Parquet or CSV, by the suffix of `path`."""
    if path.suffix == ".csv":
        write_whole(path, lambda fresh: frame.to_csv(fresh, index=False))
    else:
        write_whole(path, lambda fresh: frame.to_parquet(fresh, index=False, compression="zstd"))


def read_frame(path: Path) -> pd.DataFrame:
    """Read back what `write_frame` wrote, to the last digit."""
    import pandas as pd

    if path.suffix != ".csv":
        return pd.read_parquet(path)
    # As words first: not every version of pandas reads numbers to the last digit.
    frame = pd.read_csv(path, dtype=str, keep_default_na=False)
    for name, read in _NUMBERS.items():
        if name in frame.columns:
            frame[name] = [read(word) for word in frame[name]]
    return frame


def _real(word: str) -> float:
    return float(word) if word else math.nan


_NUMBERS: dict[str, Callable[[str], float]] = dict.fromkeys(("n", "k", "runs", "seed", "max_iter"), int)
_NUMBERS |= dict.fromkeys(("eps", "eps_inf", "tol", "mean", "se", "q05", "q50", "q95"), _real)


class Store:
    """The rows of settings, in memory and in a file that is never half-written.

    Nobody else writes to the file until `close`.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import ldpcore as ldp
    >>> from ldpcore.sweep import Store
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path, setting = Path(folder) / "results.csv", ldp.Setting(n=1_000, k=4, runs=1)
    ...     frame = ldp.sweep([setting], workers=1, out=path)
    ...     store = Store(path)
    ...     store.close()
    >>> setting in store.rows
    True
    """

    def __init__(self, path: Path) -> None:
        if path.suffix not in SUFFIXES:
            raise Refused(f"the name of the results must end in {' or '.join(SUFFIXES)}; got {str(path)!r}")
        if not path.parent.is_dir():
            raise Refused(f"there is no directory {str(path.parent)!r} for the results")
        if path.is_dir():
            raise Refused(f"the results must be a file; got the directory {str(path)!r}")
        # Links are followed first: each name of the file would have a lock of its own, and saving would replace a link.
        path = path.resolve()
        # Fail now, not when the work is done, if nothing can be written.
        probe = _beside(path)
        with _called(path):
            probe.touch()
        probe.unlink(missing_ok=True)  # another sweep that begins now may have cleaned it away
        self.path = path
        self._lock = Lock(path)
        self.rows: dict[Setting, list[Row]] = {}
        self._saved, self._unsaved = -math.inf, False
        if path.exists():
            try:
                self._load()
            except BaseException:
                self.close()
                raise

    def close(self) -> None:
        """Let others write to the file.

        Examples
        --------
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "results.csv"
        ...     Store(path).close()
        ...     again = Store(path)  # refused while the first was open
        ...     again.close()
        >>> again.rows
        {}
        """
        self._lock.release()

    def _load(self) -> None:
        try:
            frame = read_frame(self.path)
        except ValueError as problem:  # pandas' and pyarrow's own complaints
            raise self._foreign(problem) from None
        if tuple(frame.columns) != COLUMNS:
            raise self._foreign("its columns are not those of a sweep")
        # Two settings of an older version may be one today: what stands first counts.
        rows: dict[Setting, dict[tuple[str, str], Row]] = {}
        try:
            for row in map(Row.of, frame.to_dict("records")):
                rows.setdefault(row.setting, {}).setdefault((row.estimator, row.metric), row)
        except (Refused, json.JSONDecodeError) as problem:
            raise self._foreign(problem) from None
        self.rows = {setting: list(measured.values()) for setting, measured in rows.items()}

    def _foreign(self, why: object) -> Refused:
        return Refused(f"{str(self.path)!r} exists, and is not a file of results that can be continued: {why}")

    def complete(self, measures: Measures) -> set[Setting]:
        """Return the settings that have a row for each estimator and metric.

        Examples
        --------
        >>> import tempfile
        >>> measures = Measures(("ibu",), ("mse",))
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(Path(folder) / "results.csv")
        ...     store.add([measures.no_rows(Setting(k=4), "not run")], [])
        ...     store.close()
        >>> [setting.k for setting in store.complete(measures)], store.complete(Measures(("mi", "ibu"), ("mse",)))
        ([4], set())
        """
        wanted = set(measures.pairs())
        return {s for s, rows in self.rows.items() if wanted <= {(row.estimator, row.metric) for row in rows}}

    def rows_of(self, setting: Setting, measures: Measures) -> list[Row]:
        """Return the rows of a complete setting that are asked for, in their order.

        Examples
        --------
        >>> import tempfile
        >>> measures, setting = Measures(("ibu",), ("mse",)), Setting(k=4)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(Path(folder) / "results.csv")
        ...     store.add([measures.no_rows(setting, "not run")], [])
        ...     store.close()
        >>> [(row.estimator, row.metric) for row in store.rows_of(setting, measures)]
        [('ibu', 'mse')]
        """
        rows = {(row.estimator, row.metric): row for row in self.rows[setting]}
        return [rows[pair] for pair in measures.pairs()]

    def add(self, settings_rows: Iterable[list[Row]], first: Sequence[Setting]) -> None:
        """Take in the rows of settings, beside what else was measured of them; save if the last time is a while ago.

        Examples
        --------
        >>> import tempfile
        >>> rows = Measures(("ibu",), ("mse",)).no_rows(Setting(k=4), "not run")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(Path(folder) / "results.csv")
        ...     store.add([rows], first=[])
        ...     store.close()
        >>> store.rows[Setting(k=4)] == rows
        True
        """
        for rows in settings_rows:
            if rows:
                every = {(row.estimator, row.metric): row for row in (*self.rows.get(rows[0].setting, ()), *rows)}
                self.rows[rows[0].setting] = list(every.values())
        self._unsaved = True
        if time.monotonic() - self._saved > SAVE_EVERY:
            self.save(first)

    def save(self, first: Iterable[Setting]) -> None:
        """Write all rows if there are new ones: the settings in `first` in their order, those of other grids after.

        Examples
        --------
        >>> import tempfile
        >>> rows = Measures(("ibu",), ("mse",)).no_rows(Setting(k=4), "not run")
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     store = Store(Path(folder) / "results.csv")
        ...     store.add([rows], first=[])
        ...     store.save(first=[])
        ...     store.close()
        ...     read_frame(store.path)[["k", "estimator", "problem"]].values.tolist()
        [[4, 'ibu', 'not run']]
        """
        if not self._unsaved:
            return
        ordered = list(dict.fromkeys(s for s in first if s in self.rows))
        rest = self.rows.keys() - set(ordered)
        ordered += [s for s in self.rows if s in rest]
        try:
            write_frame(sweep_frame(row for s in ordered for row in self.rows[s]), self.path)
        except OSError as problem:
            why = problem.strerror or problem
            raise OSError(
                f"the results could not be written to {self.path}: {why}; what it held before it still holds"
            ) from None
        self._saved, self._unsaved = time.monotonic(), False
