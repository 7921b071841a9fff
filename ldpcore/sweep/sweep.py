"""Many settings at once: on all cores, on any executor, and piece by piece as results come.

Settings that share a data set are worked on together: IBU of several mechanisms and ε is
iterated in one array, with the channel of each in its own rows. The pieces are decided by the settings alone,
so the numbers are the same whatever does the work, and equal to those of `ldpcore.run`.

On a cluster
------------
Any `concurrent.futures` executor can do the work. With Dask (`pip install "ldp-explorer[distributed]"`), start
a scheduler on one machine and workers on as many as there are; `ldpcore` must be installed on all of them::

    dask scheduler
    dask worker tcp://ADDRESS:8786 --nworkers auto --nthreads 1
    python -m ldpcore sweep grid.toml --out results.parquet --scheduler tcp://ADDRESS:8786

or, from Python::

    with distributed.Client("tcp://ADDRESS:8786") as client:
        table = ldp.sweep(settings, executor=client.get_executor())

A worker that dies costs nothing but the time of the pieces it was at: Dask gives them to another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, as_completed
from dataclasses import dataclass, fields
from itertools import product
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ldpcore import _validate as check
from ldpcore import experiment
from ldpcore.datasets import Histogram
from ldpcore.errors import InfeasibleError, Refused
from ldpcore.estimators import ESTIMATORS as ALL_ESTIMATORS
from ldpcore.estimators import estimator as find_estimator
from ldpcore.estimators.ibu import ibu_rows
from ldpcore.experiment import Result, Setting, Summary
from ldpcore.mechanisms import mechanism_class
from ldpcore.metrics import METRICS
from ldpcore.sweep.workers import Workers, cores

if TYPE_CHECKING:
    import pandas as pd

# The estimators that a sweep can measure: those that need no more than the counts.
ESTIMATORS = tuple(e.key for e in ALL_ESTIMATORS.values() if e.needs == "counts")
# "mse" is an error; "gain_mse" is Γ in percent as in the paper; "gain_mse_unclipped" shows losses too.
SWEEP_METRICS = (*METRICS, *(f"gain_{name}" for name in METRICS), *(f"gain_{name}_unclipped" for name in METRICS))
DEFAULT_ESTIMATORS = ("mi", "ibu")
DEFAULT_METRICS = ("mse", "mae", "gain_mse", "gain_mae")
SETTING_COLUMNS = tuple(f.name for f in fields(Setting))
COLUMNS = (*SETTING_COLUMNS, "estimator", "metric", "mean", "se", "q05", "q50", "q95", "problem")
# What settings must have in common to be worked on together: their data, and IBU's stopping rule.
_SHARED = ("data", "params", "n", "k", "binning", "seed", "max_iter", "tol", "stop", "start")

# Rows times values of one piece of work: about half a second of 10 000 iterations.
_PIECE = 32_768
# Rows times values times iterations below which starting processes takes longer than the work.
_WORTH_PROCESSES = 4e8

Row = dict[str, Any]


class Chunk(NamedTuple):
    """A piece of a sweep that is done: which of the settings, and their rows (dicts with `COLUMNS` as keys)."""

    indices: tuple[int, ...]
    rows: list[Row]

    def by_setting(self) -> list[list[Row]]:
        """Return the rows of each of the settings."""
        each = len(self.rows) // len(self.indices)
        return [self.rows[start : start + each] for start in range(0, len(self.rows), each)]


def sweep(
    settings: Iterable[Setting],
    executor: Executor | None = None,
    on_progress: Callable[[int, int], object] | None = None,
    *,
    estimators: Sequence[str] = DEFAULT_ESTIMATORS,
    metrics: Sequence[str] = DEFAULT_METRICS,
    workers: int | None = None,
    histogram_of: Callable[[Setting], Histogram | None] | None = None,
) -> pd.DataFrame:
    """Run many settings and return a tidy frame, one row a setting, estimator and metric.

    Parameters
    ----------
    settings : iterable of Setting
        What to run. A setting whose data cannot be binned (a ValueError of `ldpcore.run`) does
        not end the sweep: its numbers are nan, and "problem" holds the sentence.
    executor : concurrent.futures.Executor, optional
        Who does the work, also Dask's `client.get_executor()`; it is not shut down. If not given,
        processes of our own, as many as `workers`, that end with the sweep.
    on_progress : callable, optional
        Called as on_progress(settings done, settings in all) after every piece of work. If it returns
        False the sweep stops, and the frame holds the settings done until then; if it raises, the
        sweep stops and the exception goes on to the caller.
    estimators : sequence of str
        Keys of `ldpcore.ESTIMATORS` that need no more than counts, such as "mi", "ibu", "limit", "norm-sub". The
        frame has the keys: who asks for "none", an alias of "raw", gets rows of "raw".
    metrics : sequence of str
        Of `SWEEP_METRICS`: an error ("mse", "mae", "tv", "wasserstein", "kl", "max"), or Γ over MI in percent,
        run by run, clipped at 0 ("gain_mse") or not ("gain_mse_unclipped"); MI itself has no rows of gain.
    workers : int, optional
        Number of processes; one for each core if not given, and none for a small sweep. 1: this process.
    histogram_of : callable, optional
        Returns the data of a setting, for data that is not one of `ldpcore.DATASETS`; None for the setting's own.

    Returns
    -------
    pandas.DataFrame
        With `COLUMNS`: the fields of the setting ("params" as JSON), "estimator", "metric", the "mean"
        over the runs, its standard error "se", the quantiles "q05", "q50" and "q95", and "problem".
        In the order of the settings.
    """
    todo = list(settings)
    options: dict[str, Any] = {"estimators": estimators, "metrics": metrics, "workers": workers}
    chunks = sweep_iter(todo, executor, **options, histogram_of=histogram_of)
    rows = gather(chunks, len(todo), on_progress)
    return sweep_frame([row for some in rows for row in some])


def gather(
    chunks: Generator[Chunk], total: int, on_progress: Callable[[int, int], object] | None = None
) -> list[list[Row]]:
    """Return the rows of each setting that gets done, in the order of the settings; `on_progress` as in `sweep`."""
    rows: dict[int, list[Row]] = {}
    try:
        for chunk in chunks:
            rows |= zip(chunk.indices, chunk.by_setting(), strict=True)
            if on_progress is not None and on_progress(len(rows), total) is False:
                break
    finally:
        chunks.close()
    return [rows[index] for index in sorted(rows)]


def sweep_iter(
    settings: Iterable[Setting],
    executor: Executor | None = None,
    *,
    estimators: Sequence[str] = DEFAULT_ESTIMATORS,
    metrics: Sequence[str] = DEFAULT_METRICS,
    workers: int | None = None,
    histogram_of: Callable[[Setting], Histogram | None] | None = None,
    skip: Collection[Setting] = (),
) -> Generator[Chunk]:
    """Do what `sweep` does piece by piece: yield each `Chunk`, (indices, rows), when it is done.

    The rows of a chunk are those of its settings one after the other, equally many for each. Closing
    the iterator stops the sweep: what has not begun is cancelled, and our own processes end at once.
    Settings in `skip` are not run. Skipping the settings of whole chunks leaves the others the same to the bit.
    """
    todo = list(settings)
    for setting in todo:
        if not isinstance(setting, Setting):
            raise Refused(f"settings must hold ldpcore.Setting objects; got {check.shown(setting)}")
    names = estimator_keys(estimators)
    wanted = tuple(check.choice("metrics", name, SWEEP_METRICS) for name in metrics)
    count = cores() if workers is None else check.integer("workers", workers, 1, 1024)
    pieces = _plan(todo, skip, histogram_of)
    if executor is None and workers is None and sum(p.work for p in pieces) < _WORTH_PROCESSES:
        count = 1
    return _drive(pieces, executor, min(count, len(pieces)), names, wanted)


def estimator_keys(names: Iterable[str]) -> tuple[str, ...]:
    """Return the keys of estimators from counts, each once; an alias counts as what it stands for."""
    return tuple(dict.fromkeys(find_estimator(name, needs="counts", argument="estimators").key for name in names))


def sweep_frame(rows: Iterable[Row]) -> pd.DataFrame:
    """Return rows of chunks as the frame that `sweep` returns."""
    import pandas as pd

    frame = pd.DataFrame(list(rows), columns=list(COLUMNS))
    return frame.astype({"eps_inf": "float64"})


# ---- grids -------------------------------------------------------------------------


def cross(grid: Mapping[str, Any]) -> tuple[list[Setting], list[str]]:
    """Return the settings of a grid, and sentences on combinations that were left out.

    Lists are crossed, all else is the same in all settings; `params` is itself a mapping with
    values or lists. Combinations that cannot be are left out: ε₁ that is not below ε∞, or that a mechanism
    can't reach. ε∞ is ignored where a one-time mechanism is crossed with it. Anything else that is
    wrong raises the ValueError of `Setting`.
    """
    unknown = [name for name in grid if name not in SETTING_COLUMNS]
    if unknown:
        raise Refused(f"a grid may hold {', '.join(SETTING_COLUMNS)}; got {unknown[0]!r}")
    params = grid.get("params", {})
    if not isinstance(params, Mapping):
        raise Refused(f"params must be a table of names and values; got {check.shown(params)}")
    axes = {name: _listed(name, values) for name, values in grid.items() if name != "params"}
    points = product(*(_listed(name, values) for name, values in params.items()))
    axes["params"] = [tuple(zip(params, point, strict=True)) for point in points]
    settings: dict[Setting, None] = {}
    left_out: dict[str, None] = {}
    for point in product(*axes.values()):
        try:
            settings[_feasible(dict(zip(axes, point, strict=True)))] = None
        except InfeasibleError as problem:
            left_out[str(problem)] = None
    if not settings:
        raise Refused(f"the grid holds no setting that is possible: {next(iter(left_out))}")
    return list(settings), list(left_out)


def _listed(name: str, values: Any) -> list[Any]:
    if not isinstance(values, (list, tuple)):
        return [values]
    if not values:
        raise Refused(f"{name} must hold at least one value; got an empty list")
    return list(values)


def _feasible(point: dict[str, Any]) -> Setting:
    """Make a setting; ε₁ at or above ε∞ counts as infeasible, because a crossed grid holds such corners."""
    name, eps, eps_inf = point.get("mechanism", Setting.mechanism), point.get("eps", Setting.eps), point.get("eps_inf")
    if eps_inf is not None:
        if not mechanism_class(name).longitudinal:
            return Setting(**(point | {"eps_inf": None}))
        eps, eps_inf = check.real("eps", eps), check.real("eps_inf", eps_inf)
        if eps >= eps_inf:
            raise InfeasibleError(f"eps must be below eps_inf = {eps_inf:g}; got {eps:g}", eps_inf)
    return Setting(**point)


# ---- the work ----------------------------------------------------------------------


@dataclass(frozen=True)
class _Piece:
    """Settings that share their data and IBU's stopping rule, and are done in one go."""

    indices: tuple[int, ...]
    settings: tuple[Setting, ...]
    data: Histogram | None

    @property
    def work(self) -> float:
        return float(sum(s.runs * s.k * s.max_iter for s in self.settings))


def _plan(
    settings: list[Setting], skip: Collection[Setting], histogram_of: Callable[[Setting], Histogram | None] | None
) -> list[_Piece]:
    """Cut the settings into pieces, before those to skip are taken out: a row's neighbours decide its last bits."""
    groups: dict[tuple[Any, ...], list[int]] = {}
    for index, setting in enumerate(settings):
        groups.setdefault(tuple(getattr(setting, name) for name in _SHARED), []).append(index)
    pieces = []
    for members in groups.values():
        size = sum(settings[i].runs * settings[i].k for i in members)
        number = min(-(-size // _PIECE), len(members))
        for part in np.array_split(np.array(members), number):
            kept = tuple(int(i) for i in part if settings[i] not in skip)
            if kept:
                data = None if histogram_of is None else histogram_of(settings[kept[0]])
                pieces.append(_Piece(kept, tuple(settings[i] for i in kept), data))
    return pieces


def _drive(
    pieces: list[_Piece], executor: Executor | None, workers: int, estimators: tuple[str, ...], metrics: tuple[str, ...]
) -> Generator[Chunk]:
    """Yield the pieces as they are done; whatever ends this early cancels the rest."""
    own = None
    if executor is None:
        if workers <= 1:
            for piece in pieces:
                yield Chunk(piece.indices, _work(piece.settings, piece.data, estimators, metrics))
            return
        executor = own = Workers(workers)
    waiting = {}
    try:
        for piece in pieces:
            waiting[executor.submit(_work, piece.settings, piece.data, estimators, metrics)] = piece.indices
        # A copy: what is done leaves `waiting`, so that at the end it holds what has to be cancelled.
        for future in as_completed(list(waiting)):
            yield Chunk(waiting.pop(future), future.result())
    finally:
        for future in waiting:
            future.cancel()
        if own is not None:
            own.shutdown(cancel_futures=True)


def _work(
    settings: tuple[Setting, ...], data: Histogram | None, estimators: tuple[str, ...], metrics: tuple[str, ...]
) -> list[Row]:
    """Return the rows of settings that share their data and IBU's stopping rule, in their order."""
    try:
        data = settings[0].make_histogram() if data is None else data
        collections = [experiment.collect(setting, data) for setting in settings]
    except ValueError as problem:
        return [row for s in settings for row in _rows(s, None, estimators, metrics, str(problem))]
    results = _results(collections) if "ibu" in estimators else map(_without_ibu, collections)
    return [row for result in results for row in _rows(result.setting, result, estimators, metrics)]


def run_together(settings: Sequence[Setting], data: Histogram | None = None) -> list[Result]:
    """Run settings that share their data set and IBU's stopping rule, in one batch; as `run`, but for the last digits.

    They may differ in mechanism, ε, calibration and channel: a comparison takes about two thirds of the time.
    `data` takes the place of their data set.
    """
    if not settings:
        raise Refused("settings must hold at least one setting; got none")
    for name in _SHARED:
        values = {getattr(setting, name) for setting in settings}
        if len(values) > 1:
            shown = ", ".join(sorted(map(str, values)))
            raise Refused(f"settings that are run together must have the same {name}; got {shown}")
    data = settings[0].make_histogram() if data is None else data
    return list(_results([experiment.collect(setting, data) for setting in settings]))


def _results(collections: list[experiment.Collection]) -> Iterator[Result]:
    """Iterate IBU for all collections at once."""
    runs = [c.setting.runs for c in collections]
    channels = np.array([c.mechanism.channel(c.setting.channel) for c in collections])
    p, q = np.repeat(channels, runs, axis=0).T
    starts = [c.start for c in collections if c.start is not None]
    rule = collections[0].setting
    estimates, iterations, converged = ibu_rows(
        np.concatenate([c.counts for c in collections]).astype(np.float64),
        p,
        q,
        max_iter=rule.max_iter,
        tol=rule.tol,
        stop=rule.stop,
        start=np.concatenate(starts) if starts else None,
    )
    ends = np.cumsum(runs)
    for collection, end, number in zip(collections, ends, runs, strict=True):
        own = slice(end - number, end)
        yield collection.result(estimates[own], iterations[own], converged[own])


def _without_ibu(collection: experiment.Collection) -> Result:
    """Leave IBU out where nobody asks for it: it is by far the most of the work."""
    runs = collection.setting.runs
    nothing = np.full(collection.counts.shape, np.nan)
    return collection.result(nothing, np.zeros(runs, dtype=np.int64), np.zeros(runs, dtype=np.bool_))


def _rows(
    setting: Setting, result: Result | None, estimators: tuple[str, ...], metrics: tuple[str, ...], problem: str = ""
) -> list[Row]:
    head = setting.as_dict()
    head["params"] = json.dumps(head["params"], sort_keys=True)
    rows = []
    for estimator in estimators:
        for metric in metrics:
            if estimator == "mi" and metric.startswith("gain_"):
                continue  # Γ is over MI
            s = Summary([np.nan]) if result is None else _summary(result, estimator, metric)
            quantiles = {"q05": s.quantile(0.05), "q50": s.quantile(0.5), "q95": s.quantile(0.95)}
            own = {"estimator": estimator, "metric": metric, "mean": s.mean, "se": s.se}
            rows.append({**head, **own, **quantiles, "problem": problem})
    return rows


def _summary(result: Result, estimator: str, metric: str) -> Summary:
    if not metric.startswith("gain_"):
        return result.error(estimator, metric)
    name = metric.removeprefix("gain_")
    return result.gain(name.removesuffix("_unclipped"), clip=name in METRICS, estimator=estimator)
