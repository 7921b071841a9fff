"""Many settings at once: on all cores, on any executor, piece by piece as results come, and into a file.

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

from collections.abc import Callable, Collection, Generator, Iterable, Sequence
from concurrent.futures import Executor
from contextlib import closing, nullcontext
from os import PathLike
from typing import TYPE_CHECKING

from ldpcore import _validate as check
from ldpcore.datasets import DATASETS
from ldpcore.errors import Refused
from ldpcore.experiment import OWN_DATA, Setting
from ldpcore.mechanisms import LONGITUDINAL, ONE_TIME
from ldpcore.sweep.pieces import HistogramOf, Piece, plan, settings_of, work
from ldpcore.sweep.rows import (
    DEFAULT_ESTIMATORS,
    DEFAULT_METRICS,
    MEASURABLE,
    SWEEP_METRICS,
    Chunk,
    Measures,
    Row,
    sweep_frame,
)
from ldpcore.sweep.store import Store
from ldpcore.sweep.workers import cores, drive

if TYPE_CHECKING:
    import pandas as pd

# Rows times values times iterations below which starting processes takes longer than the work.
_WORTH_PROCESSES = 4e8

OnProgress = Callable[[int, int], object]


def sweep(
    settings: Iterable[Setting],
    executor: Executor | None = None,
    on_progress: OnProgress | None = None,
    *,
    estimators: Sequence[str] = DEFAULT_ESTIMATORS,
    metrics: Sequence[str] = DEFAULT_METRICS,
    workers: int | None = None,
    histogram_of: HistogramOf | None = None,
    out: str | PathLike[str] | None = None,
) -> pd.DataFrame:
    """Run many settings and return a tidy frame, one row a setting, estimator and metric.

    Parameters
    ----------
    settings : iterable of Setting
        What to run. A setting whose data cannot be binned, or that an estimator refuses (a ValueError of `ldpcore.run`
        or of `Result.error`), does not end the sweep: such numbers are nan, and "problem" holds the sentence.
    executor : concurrent.futures.Executor, optional
        Who does the work, also Dask's `client.get_executor()`; it is not shut down. If not given,
        processes of our own, as many as `workers`, that end with the sweep.
    on_progress : callable, optional
        Called as on_progress(settings done, settings in all) after every piece of work, and with `out` once
        before, with the settings that the file holds already. If it returns False the sweep stops, and the frame
        holds the settings done until then; if it raises, the sweep stops and the exception goes on to the caller.
    estimators : sequence of str
        Keys of `ldpcore.ESTIMATORS` that need no more than counts, such as "mi", "ibu", "limit", "norm-sub". The
        frame has the keys: who asks for "none", an alias of "raw", gets rows of "raw".
    metrics : sequence of str
        Of `SWEEP_METRICS`: an error ("mse", "mae", "tv", "wasserstein", "kl", "max"), a score ("kendall", "top10"), or
        Γ over MI in percent, run by run, clipped at 0 ("gain_mse") or not ("gain_mse_unclipped"); not for MI itself.
    workers : int, optional
        Number of processes; one for each core if not given, and none for a small sweep. 1: this process, which alone
        knows estimators, metrics, mechanisms and distributions that a program has added at run time.
    histogram_of : callable, optional
        Returns the data of a setting, for data that is not one of `ldpcore.DATASETS`; None for the setting's own.
    out : path, optional
        A .parquet or .csv file that keeps the rows. Settings that it holds, with all that is to be measured, are not
        run again; what is new is saved every few seconds and however the sweep ends, so the same call goes on
        where it stopped. One sweep at a time writes to a file. Other settings in it stay. It does not know of
        `histogram_of`: keep the results of other data in another file.

    Returns
    -------
    pandas.DataFrame
        With `COLUMNS`, in the order of the settings: their fields ("params" as JSON), "estimator", "metric", the "mean"
        over the runs, its standard error "se", the quantiles "q05", "q50" and "q95", and "problem".

    Examples
    --------
    >>> import ldpcore as ldp
    >>> settings = [ldp.Setting(mechanism=name, n=1_000, k=5, runs=2) for name in ("GRR", "OUE")]
    >>> sweep(settings, metrics=["mse"])["mechanism"].tolist()  # a row of MI and one of IBU for each
    ['GRR', 'GRR', 'OUE', 'OUE']
    """
    todo = settings_of(settings)
    measures = Measures.of(estimators, metrics)
    with nullcontext() if out is None else closing(Store(check.path("out", out))) as store:
        rows = measure(todo, measures, store, executor, on_progress, workers=workers, histogram_of=histogram_of)
    return sweep_frame(row for some in rows for row in some)


def measure(
    settings: list[Setting],
    measures: Measures,
    store: Store | None = None,
    executor: Executor | None = None,
    on_progress: OnProgress | None = None,
    *,
    workers: int | None = None,
    histogram_of: HistogramOf | None = None,
) -> list[list[Row]]:
    """Return the rows of each setting that gets done, in the order of the settings, and keep them in the store.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.sweep import Measures, measure
    >>> rows = measure([ldp.Setting(n=1_000, k=4, runs=2)], Measures(metrics=("mse",)), workers=1)
    >>> [row.estimator for row in rows[0]]
    ['mi', 'ibu']
    """
    settings, measures = settings_of(settings), check.instance("measures", measures, Measures, "ldpcore.sweep.Measures")
    check.function("on_progress", on_progress)
    total, before = len(settings), set()
    if store is not None:
        check.instance("store", store, Store, "an ldpcore.sweep.Store")
        before = store.complete(measures).intersection(settings)
        if on_progress is not None and on_progress(sum(s in before for s in settings), total) is False:
            return [store.rows_of(s, measures) for s in settings if s in before]
    chunks = sweep_iter(
        settings, executor, estimators=measures.estimators, metrics=measures.metrics, workers=workers,
        histogram_of=histogram_of, skip=before,
    )  # fmt: skip
    rows = {i: store.rows_of(s, measures) for i, s in enumerate(settings) if store is not None and s in before}
    try:
        for chunk in chunks:
            rows |= zip(chunk.indices, chunk.by_setting(), strict=True)
            if store is not None:
                store.add(chunk.by_setting(), settings)
            if on_progress is not None and on_progress(len(rows), total) is False:
                break
    finally:
        # Whatever ends it, also a fault or Ctrl-C: what is done is kept.
        chunks.close()
        if store is not None:
            store.save(settings)
    return [rows[index] for index in sorted(rows)]


def sweep_iter(
    settings: Iterable[Setting],
    executor: Executor | None = None,
    *,
    estimators: Sequence[str] = DEFAULT_ESTIMATORS,
    metrics: Sequence[str] = DEFAULT_METRICS,
    workers: int | None = None,
    histogram_of: HistogramOf | None = None,
    skip: Collection[Setting] = (),
) -> Generator[Chunk]:
    """Do what `sweep` does piece by piece: yield each `Chunk`, (indices, rows), when it is done.

    The rows of a chunk are those of its settings one after the other, equally many for each. Closing
    the iterator stops the sweep: what has not begun is cancelled, and our own processes end at once.
    Settings in `skip` are not run. Skipping the settings of whole chunks leaves the others the same to the bit.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> for chunk in ldp.sweep_iter([ldp.Setting(n=1_000, k=5, runs=2)], metrics=["mse"]):
    ...     print(chunk.indices, [(row.estimator, row.metric) for row in chunk.rows])
    (0,) [('mi', 'mse'), ('ibu', 'mse')]
    """
    todo = settings_of(settings)
    measures = Measures.of(estimators, metrics)
    count = cores() if workers is None else check.integer("workers", workers, 1, 1024)
    check.executor(executor)
    check.function("histogram_of", histogram_of)
    pieces = plan(todo, set(settings_of(skip, "skip")), histogram_of)
    if executor is None and workers is None and sum(p.work for p in pieces) < _WORTH_PROCESSES:
        count = 1
    if executor is None and (name := _added(todo, measures)) is not None:
        if workers is not None and count > 1:
            raise Refused(
                f"workers must be 1 with {name!r}, which was added in this process: the others import ldpcore and "
                f"nothing else; got {count}"
            )
        count = 1
    return _chunks(pieces, measures, executor, count)


def _added(settings: Sequence[Setting], measures: Measures) -> str | None:
    """Return a name that this process alone knows, because a program has added it to what the library brings."""
    mechanisms, data = (*ONE_TIME, *LONGITUDINAL), (*DATASETS, OWN_DATA)
    names = [key for key in measures.estimators if key not in MEASURABLE]
    names += [metric for metric in measures.metrics if metric not in SWEEP_METRICS]
    names += [s.mechanism for s in settings if s.mechanism not in mechanisms]
    names += [s.data for s in settings if s.data not in data]
    return names[0] if names else None


def _chunks(pieces: list[Piece], measures: Measures, executor: Executor | None, workers: int) -> Generator[Chunk]:
    done = drive(work, [(piece, measures) for piece in pieces], executor, workers)
    try:
        for number, rows in done:
            yield Chunk(pieces[number].indices, rows)
    finally:
        done.close()
