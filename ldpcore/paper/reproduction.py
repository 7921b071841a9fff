"""The experiment, run again: in memory, or into files that a later call goes on with."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import closing
from dataclasses import asdict, dataclass, fields
from os import PathLike
from typing import TYPE_CHECKING, Any

from ldpcore import _validate as check
from ldpcore.datasets import Histogram, acs_records, sample_records
from ldpcore.datasets.acs import FIPS
from ldpcore.datasets.binning import bin_values
from ldpcore.errors import Refused
from ldpcore.experiment import RUNS_MAX, Setting
from ldpcore.paper.draws import SavedDraws
from ldpcore.paper.experiment import ACS_BRACKETS, ACS_SURVEY, GAIN_METRICS, MEASURED, settings, table_of, variants_of
from ldpcore.sweep import Measures, Row, measure

if TYPE_CHECKING:
    import pandas as pd

_MEASURED = Measures(**MEASURED)
OnProgress = Callable[[int, int], object]


def reproduce(
    table: int,
    draws: int = 1,
    runs: int = 20,
    seed: int = 0,
    executor: Executor | None = None,
    on_progress: OnProgress | None = None,
    *,
    data: Sequence[str] = (),
    workers: int | None = None,
    acs_root: str | PathLike[str] | None = None,
    out: str | PathLike[str] | None = None,
) -> pd.DataFrame:
    """Run the experiment behind a table.

    Parameters
    ----------
    table : {1, 2}
        Which one.
    draws, runs : int
        How often the data sets are drawn, and runs of noise on each.
    seed : int
        Draw number d (from 0) is made of settings with the seed `seed` + d.
    executor, on_progress, workers
        As for `ldpcore.sweep`. If `on_progress` returns False, the frame has the settings done until then.
    data : sequence of str, optional
        Only the rows of these distributions; their numbers are those of the whole table.
    acs_root : path, optional
        Where folktables has stored 2018 5-Year records: the ACS income of all states there replaces the 2024 brackets.
    out : path, optional
        A folder that keeps the results, made if it is not there: "reproduced_table1.parquet" (with `data`, its names
        follow) with notes on how it was made beside it as JSON, and a file of the draw that is at work. Whatever is
        done is saved every few seconds, and not run again by the same call; more draws follow those that are there.

    Returns
    -------
    pandas.DataFrame
        One row a setting, draw, metric ("mse", "mae") and variant: the mean error of MI, "mi", that of
        IBU, "ibu", and the mean clipped "gain" in percent. See `cells`, `averages`, `bars` and `lines`.

    Examples
    --------
    >>> from ldpcore import paper
    >>> some = paper.reproduce(1, data=["uniform"], runs=1, workers=1, on_progress=lambda done, total: done == 0)
    >>> sorted(some["variant"].unique()), some["data"].unique().tolist()  # stopped when the first settings were done
    (['as published', 'at convergence', 'exact channel'], ['uniform'])
    """
    draws = check.integer("draws", draws, 1, RUNS_MAX)
    seed, data = check.seed(seed), _named("data", data, table_of(table).data)
    drawn = (settings(table, runs=runs, seed=seed + draw) for draw in range(draws))
    todo = [[s for s in every if not data or s.data in data] for every in drawn]
    records = None if acs_root is None else AcsRecords(acs_root)
    options: dict[str, Any] = {"executor": executor, "workers": workers, "histogram_of": records}
    if out is not None:
        acs = ACS_BRACKETS if records is None else records.label
        folder, runs_each = check.folder("out", out), todo[0][0].runs
        with closing(SavedDraws(folder, table, seed=seed, runs=runs_each, acs_income=acs, data=data)) as saved:
            return _into(saved, todo, on_progress, options)
    rows = measure([s for draw in todo for s in draw], _MEASURED, on_progress=on_progress, **options)
    return details(table, seed, rows)


def _named(argument: str, names: Sequence[str], allowed: Sequence[str]) -> list[str]:
    """Return some of the names of a table, or say which is none of them."""
    return [check.choice(argument, name, allowed) for name in check.sequence(argument, names, "names", str)]


def _into(
    saved: SavedDraws, todo: list[list[Setting]], on_progress: OnProgress | None, options: dict[str, Any]
) -> pd.DataFrame:
    """Run draw after draw; each is saved as it goes, and joins the others when it is whole."""
    check.function("on_progress", on_progress)
    each, total = len(todo[0]), sum(map(len, todo))
    frames = saved.frames[: len(todo)]
    if on_progress is not None and on_progress(len(frames) * each, total) is False:
        return _joined(frames)
    for draw in range(len(frames), len(todo)):

        def advance(done: int, _: int, before: int = draw * each) -> object:
            return None if on_progress is None else on_progress(before + done, total)

        with closing(saved.unfinished()) as store:
            rows = measure(todo[draw], _MEASURED, store, on_progress=advance, **options)
        frames.append(details(saved.table, saved.seed, rows))
        if len(rows) < each:  # told to stop
            break
        saved.write(_joined(frames), len(frames), len(todo))
        store.path.unlink(missing_ok=True)
    return _joined(frames)


def reproduce_part(
    table: int,
    data: Sequence[str],
    mechanisms: Sequence[str],
    *,
    runs: int = 20,
    seed: int = 0,
    on_progress: OnProgress | None = None,
) -> pd.DataFrame:
    """Run one draw of some cells of a table, in this process; the frame is that of `reproduce`.

    Examples
    --------
    >>> from ldpcore import paper
    >>> details = paper.reproduce_part(1, ["poisson"], ["GRR"], runs=1)
    >>> len(details)  # 24 settings, 2 metrics, 3 variants
    144
    """
    todo = settings_of_part(table, data, mechanisms, runs=runs, seed=seed)
    return details(table, seed, measure(todo, _MEASURED, on_progress=on_progress, workers=1))


def settings_of_part(
    table: int, data: Sequence[str], mechanisms: Sequence[str], *, runs: int = 20, seed: int = 0
) -> list[Setting]:
    """Return the settings of one draw of some cells of a table."""
    data = _named("data", data, table_of(table).data)
    mechanisms = _named("mechanisms", mechanisms, table_of(table).mechanisms)
    todo = [s for s in settings(table, runs=runs, seed=seed) if s.data in data and s.mechanism in mechanisms]
    if not todo:
        raise Refused(f"data and mechanisms must name a part of Table {table}; got {data!r} and {mechanisms!r}")
    return todo


class AcsRecords:
    """The histograms of ACS income from records that folktables has stored; None for other data.

    Examples
    --------
    >>> import tempfile
    >>> from ldpcore import paper
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     try:
    ...         paper.AcsRecords(folder)
    ...     except FileNotFoundError as refused:
    ...         said = str(refused)
    >>> "psam_p01.csv" in said
    True
    """

    def __init__(self, root: str | PathLike[str]) -> None:
        year, horizon = ACS_SURVEY
        folder = check.path("root", root) / year / horizon
        states = [state for state, code in FIPS.items() if (folder / f"psam_p{code}.csv").is_file()]
        self._records = acs_records(root, states or ("AL",), year, horizon)
        self.label = f"ACS PUMS {year} {horizon} records of {', '.join(states)}"

    def __call__(self, setting: Setting) -> Histogram | None:
        if setting.data != "acs-income":
            return None
        return bin_values(sample_records(self._records, setting.n, setting.seed), setting.k, setting.binning)


@dataclass(frozen=True)
class Detail:
    """A row of the frame of `reproduce`.

    Examples
    --------
    >>> from ldpcore import paper
    >>> paper.Detail(1, "poisson", "OUE", 20_000, 50, 1.0, 0, "mse", "as published", 2e-5, 1e-5, 50.0).gain
    50.0
    """

    table: int
    data: str
    mechanism: str
    n: int
    k: int
    eps: float
    draw: int
    metric: str
    variant: str
    mi: float
    ibu: float
    gain: float


def details(table: int, seed: int, settings_rows: Iterable[Sequence[Row]]) -> pd.DataFrame:
    """Return the rows of a table's settings, as `sweep_iter` gives them, as the frame of `reproduce`.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import paper
    >>> setting = ldp.Setting(data="poisson", mechanism="GRR", n=1_000, k=5, runs=2)
    >>> chunk = next(ldp.sweep_iter([setting], **paper.MEASURED))
    >>> paper.details(1, 0, chunk.by_setting())["variant"].unique().tolist()
    ['as published', 'exact channel', 'at convergence']
    """
    number, seed = table_of(table).number, check.seed(seed)
    every = check.sequence("settings_rows", settings_rows, "rows")
    checked = [check.sequence("settings_rows", rows, "rows", Row, least=1) for rows in every]
    return _frame(detail for rows in checked for detail in _details(number, seed, rows))


def _frame(every: Iterable[Detail]) -> pd.DataFrame:
    import pandas as pd

    out = [asdict(detail) for detail in every]
    return pd.DataFrame(out, columns=[f.name for f in fields(Detail)]).astype(_DTYPES)


def _details(table: int, seed: int, rows: Sequence[Row]) -> Iterable[Detail]:
    s = rows[0].setting
    mean = {(row.estimator, row.metric): row.mean for row in rows}
    for variant, estimator in variants_of(s):
        for metric in GAIN_METRICS:
            numbers = (mean["mi", metric], mean[estimator, metric], mean[estimator, f"gain_{metric}"])
            yield Detail(table, s.data, s.mechanism, s.n, s.k, s.eps, s.seed - seed, metric, variant, *numbers)


def _joined(frames: list[pd.DataFrame]) -> pd.DataFrame:
    """Return frames as one; the categories are those of all of them."""
    import pandas as pd

    if not frames:
        return _frame([])
    words: dict[Any, Any] = {name: "str" for name, kind in _DTYPES.items() if kind == "category"}
    return pd.concat([frame.astype(words) for frame in frames], ignore_index=True).astype(_DTYPES)


_DTYPES: dict[str, Any] = {
    "table": "int8", "data": "category", "mechanism": "category", "n": "int32", "k": "int16", "eps": "float32",
    "draw": "int16", "metric": "category", "variant": "category", "mi": "float32", "ibu": "float32", "gain": "float32",
}  # fmt: skip
