"""Sweeps: the same numbers as single runs, whoever does the work, and however it ends."""

import dataclasses
import json
import math
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest

import ldpcore as ldp
from ldpcore.sweep import COLUMNS, pieces, workers

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
# Small pieces, so that small sweeps have several.
GRID = [
    ldp.Setting(data=data, mechanism=name, eps=eps, n=3_000, k=k, runs=4, max_iter=300, channel="published")
    for data in ("poisson", "triangular")
    for k in (2, 30)
    for name in ALL
    for eps in (1.0, 3.0)
]


# One data set of it: what is shared out, stopped and skipped are pieces, and a piece has one data set.
HALF = GRID[: len(GRID) // 2]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 1_000)


@pytest.fixture(scope="module")
def expected():
    """The sweep of GRID in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", 1_000)
        return ldp.sweep(GRID, workers=1)


@pytest.fixture(scope="module")
def half(expected):
    """What a sweep of HALF gives, if it gives the same."""
    return expected.iloc[: len(expected) // 2]


def value(frame, index, estimator, metric, column="mean"):
    rows = frame.iloc[6 * index : 6 * index + 6]
    return rows.loc[(rows["estimator"] == estimator) & (rows["metric"] == metric), column].item()


# ---- the numbers -------------------------------------------------------------------


@pytest.mark.slow
def test_a_sweep_equals_single_runs(expected):
    assert len(expected) == 6 * len(GRID)
    for index, setting in enumerate(GRID):
        r = ldp.run(setting)
        for estimator in ("mi", "ibu"):
            for metric in ("mse", "mae"):
                assert value(expected, index, estimator, metric) == pytest.approx(r.error(estimator, metric), abs=1e-12)
        assert value(expected, index, "ibu", "gain_mse") == pytest.approx(r.gain("mse"), abs=1e-7)
        assert value(expected, index, "ibu", "gain_mae", "se") == pytest.approx(r.gain("mae").se, abs=1e-7)


def test_every_estimator_and_metric_has_its_row():
    setting = ldp.Setting(data="exponential", mechanism="SS", n=2_000, k=8, runs=3, max_iter=50)
    estimators = ("mi", "limit", "norm-sub")
    frame = ldp.sweep([setting], estimators=estimators, metrics=ldp.SWEEP_METRICS)
    r = ldp.run(setting)
    assert len(frame) == 3 * 24 - 16
    for _, row in frame.iterrows():
        name = row["metric"].removeprefix("gain_").removesuffix("_unclipped")
        if row["metric"] == name:
            summary = r.error(row["estimator"], name)
        else:
            summary = r.gain(name, clip="unclipped" not in row["metric"], estimator=row["estimator"])
        assert row["mean"] == pytest.approx(summary.mean)
        assert (row["q05"], row["q50"], row["q95"]) == tuple(summary.quantile(x) for x in (0.05, 0.5, 0.95))


def test_the_frame_tells_the_settings(expected):
    assert tuple(expected.columns) == COLUMNS
    assert (expected["problem"] == "").all()
    told = [expected.iloc[6 * i][[f.name for f in dataclasses.fields(ldp.Setting)]].to_dict() for i in range(len(GRID))]
    for row, setting in zip(told, GRID, strict=True):
        row |= {"params": json.loads(row["params"]), "eps_inf": None if math.isnan(row["eps_inf"]) else row["eps_inf"]}
        assert ldp.Setting(**row) == setting


def test_data_of_ones_own():
    setting = ldp.Setting(n=1_000, k=3, runs=2, max_iter=20)
    data = ldp.Histogram(np.array([1_000, 0, 0]), np.arange(4.0))
    frame = ldp.sweep([setting], estimators=["mi"], metrics=["max"], histogram_of=lambda s: data)
    own = ldp.sweep([setting], estimators=["mi"], metrics=["max"], histogram_of=lambda s: None)
    assert frame["mean"].item() < 0.2
    pd.testing.assert_frame_equal(own, ldp.sweep([setting], estimators=["mi"], metrics=["max"]))
    assert frame["mean"].item() != own["mean"].item()
    wrong = ldp.sweep([dataclasses.replace(setting, n=999)], histogram_of=lambda s: data)
    assert wrong["problem"].str.contains("data must have the setting's n = 999 users in k = 3 bins; got 1,000").all()


def test_an_estimator_that_refuses_the_data_does_not_end_the_sweep():
    labels = ldp.Histogram(np.array([500, 300, 200]), np.arange(4.0), labels=("red", "green", "blue"))
    settings = [ldp.Setting(data="own", n=1_000, k=3, runs=2), ldp.Setting(n=1_000, k=3, runs=2)]
    frame = ldp.sweep(
        settings, estimators=("mi", "smooth"), metrics=("mse", "gain_mse"), workers=1,
        histogram_of=lambda s: labels if s.data == "own" else None,
    )  # fmt: skip
    assert frame["problem"].str.contains("needs bins with an order; got categories").tolist() == [
        False, True, True, False, False, False,
    ]  # fmt: skip
    assert frame["mean"].isna().tolist() == [False, True, True, False, False, False]


# ---- who does the work -------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_processes_changes_nothing(half, workers):
    pd.testing.assert_frame_equal(ldp.sweep(HALF, workers=workers), half, check_exact=True)


def test_a_small_sweep_starts_no_process(half, monkeypatch):
    monkeypatch.setattr(workers, "Workers", None)
    pd.testing.assert_frame_equal(ldp.sweep(HALF), half, check_exact=True)


@pytest.mark.slow
def test_any_executor_will_do(half):
    with ThreadPoolExecutor(3) as threads:
        pd.testing.assert_frame_equal(ldp.sweep(HALF, threads), half, check_exact=True)
        assert threads.submit(int).result() == 0  # still open
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        pd.testing.assert_frame_equal(ldp.sweep(HALF, processes), half, check_exact=True)


# ---- how it ends -------------------------------------------------------------------


@pytest.mark.slow
def test_progress_counts_settings():
    seen = []
    ldp.sweep(HALF, on_progress=lambda done, total: seen.append((done, total)), workers=1)
    assert seen[-1] == (len(HALF), len(HALF))
    assert len(seen) > 2
    assert seen == sorted(seen)


@pytest.mark.slow
def test_progress_that_returns_false_stops_with_what_is_done(expected):
    frame = ldp.sweep(GRID, on_progress=lambda done, total: False, workers=1)
    assert 0 < len(frame) < len(expected)
    keys = ["data", "mechanism", "eps", "k", "estimator", "metric"]
    both = frame.merge(expected, on=keys, suffixes=("", "_whole"))
    assert len(both) == len(frame)
    assert (both["mean"] == both["mean_whole"]).all()


class Recorder(Executor):
    """Runs the first task, and never the others."""

    def __init__(self):
        self.futures = []

    def submit(self, fn, /, *args, **kwargs):
        future = Future()
        if not self.futures:
            future.set_result(fn(*args, **kwargs))
        self.futures.append(future)
        return future


def test_progress_that_raises_stops_and_cancels():
    recorder = Recorder()

    def interrupted(done, total):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        ldp.sweep(GRID, recorder, interrupted)
    assert len(recorder.futures) > 2
    assert all(future.cancelled() for future in recorder.futures[1:])


@pytest.mark.slow
def test_closing_the_iterator_stops():
    recorder = Recorder()
    chunks = ldp.sweep_iter(GRID, recorder)
    indices, rows = next(chunks)
    assert len(rows) == 6 * len(indices)
    chunks.close()
    assert all(future.cancelled() for future in recorder.futures[1:])


@pytest.mark.slow
def test_closing_ends_our_own_processes_at_once():
    slow = [dataclasses.replace(s, n=10**5, k=200, runs=40, max_iter=10**6, tol=0.0) for s in GRID[:8]]
    before = threading.active_count()
    chunks = ldp.sweep_iter([GRID[0], *slow], workers=2)
    next(chunks)
    start = time.monotonic()
    chunks.close()
    assert time.monotonic() - start < 5
    assert threading.active_count() == before


@pytest.mark.slow
def test_skipped_settings_are_not_run():
    whole = list(ldp.sweep_iter(HALF, workers=1))
    done = {HALF[i] for i in whole[0].indices}
    rest = list(ldp.sweep_iter(HALF, workers=1, skip=done))
    assert [chunk.indices for chunk in rest] == [chunk.indices for chunk in whole[1:]]
    pd.testing.assert_frame_equal(
        ldp.sweep_frame([row for chunk in rest for row in chunk.rows]),
        ldp.sweep_frame([row for chunk in whole[1:] for row in chunk.rows]),
    )


def test_nothing_to_do():
    frame = ldp.sweep([])
    assert list(frame.columns) == list(COLUMNS)
    assert frame.empty


# ---- what is wrong -----------------------------------------------------------------


def test_data_that_cannot_be_binned_does_not_end_the_sweep():
    fine = ldp.Setting(n=1_000, k=5, runs=2, max_iter=10)
    narrow = dataclasses.replace(fine, params={"mean": 1e9, "sd": 1e-5}, k=1_000)
    with pytest.raises(ValueError, match="tell the bins apart"):
        ldp.run(narrow)
    frame = ldp.sweep([narrow, fine])
    assert frame.loc[:5, "mean"].isna().all()
    assert frame.loc[:5, "problem"].str.contains("tell the bins apart").all()
    assert frame.loc[6:, "mean"].notna().all()
    assert (frame.loc[6:, "problem"] == "").all()


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        ({"settings": ["OUE"]}, r"settings\[0\] must be an ldpcore.Setting; got 'OUE'"),
        ({"estimators": ["mle"]}, "estimators must be one of raw, mi, .* got 'mle'"),
        ({"metrics": ["rmse"]}, "metrics must be one of mse, .* got 'rmse'"),
        ({"workers": 0}, "workers must be .* got 0"),
    ],
)
def test_bad_arguments_say_what_is_wrong(arguments, says):
    with pytest.raises(ValueError, match=says):
        ldp.sweep_iter(**({"settings": []} | arguments))
