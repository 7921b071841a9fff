"""Sweeps: the same numbers as single runs, whoever does the work, and however it ends."""

import dataclasses
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from worker_tasks import pid_after

import ldpcore as ldp
from ldpcore.estimators.ibu import ibu_rows
from ldpcore.sweep import COLUMNS, cross, pieces, workers
from ldpcore.sweep.workers import Workers

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
ROOT = Path(__file__).resolve().parent.parent
# Small pieces, so that small sweeps have several.
GRID = [
    ldp.Setting(data=data, mechanism=name, eps=eps, n=3_000, k=k, runs=4, max_iter=300, channel="published")
    for data in ("poisson", "triangular")
    for k in (2, 30)
    for name in ALL
    for eps in (1.0, 3.0)
]


@pytest.fixture(autouse=True)
def small_pieces(monkeypatch):
    monkeypatch.setattr(pieces, "PIECE", 1_000)


@pytest.fixture(scope="module")
def expected():
    """The sweep of GRID in this process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "PIECE", 1_000)
        return ldp.sweep(GRID, workers=1)


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


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("options", [{}, {"start": "mi"}, {"stop": "mse", "tol": 1e-14}, {"tol": 1e-4}], ids=str)
def test_rows_with_their_own_channel_equal_ibu(name, options):
    settings = [
        ldp.Setting(mechanism=name, eps=eps, n=5_000, k=12, runs=3, max_iter=2_000, channel=channel, **options)
        for eps in (0.5, 2.0)
        for channel in ("exact", "published")
    ]
    done = [ldp.run(s) for s in settings]
    channels = np.repeat([r.mechanism.channel(r.setting.channel) for r in done], 3, axis=0)
    starts = [s.ibu_start(r.counts, r.mi) for s, r in zip(settings, done, strict=True)]
    estimates, iterations, converged = ibu_rows(
        np.concatenate([r.counts for r in done]).astype(float),
        *channels.T,
        max_iter=2_000,
        tol=settings[0].tol,
        stop=settings[0].stop,
        start=None if starts[0] is None else np.concatenate(starts),
    )
    np.testing.assert_allclose(estimates, np.concatenate([r.ibu for r in done]), rtol=0, atol=1e-12)
    # Rounding can move the step that falls below the tolerance by a little where steps shrink slowly.
    np.testing.assert_allclose(iterations, np.concatenate([r.iterations for r in done]), atol=2)
    np.testing.assert_array_equal(converged, np.concatenate([r.converged for r in done]))


def test_a_channel_that_tells_nothing_leaves_its_row_at_the_start():
    counts = np.array([[5.0, 1.0, 4.0], [5.0, 1.0, 4.0], [5.0, 1.0, 4.0]])
    estimates, iterations, converged = ibu_rows(counts, np.array([0.5, 0.4, 0.2]), np.array([0.2, 0.4, 0.3]))
    np.testing.assert_allclose(estimates[1], 1 / 3)
    assert iterations[1] == 1
    assert converged[1]
    assert estimates[0, 1] < 1e-9  # supported least, so it goes to 0
    assert estimates[2, 0] < 1 / 3 < estimates[2, 1]  # q > p turns the order around


def test_every_estimator_and_metric_has_its_row():
    setting = ldp.Setting(data="exponential", mechanism="SS", n=2_000, k=8, runs=3, max_iter=50)
    estimators = ("mi", "limit", "norm-sub")
    frame = ldp.sweep([setting], estimators=estimators, metrics=ldp.SWEEP_METRICS)
    r = ldp.run(setting)
    assert len(frame) == 3 * 18 - 12
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


# ---- who does the work -------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("workers", [2, 3])
def test_the_number_of_processes_changes_nothing(expected, workers):
    pd.testing.assert_frame_equal(ldp.sweep(GRID, workers=workers), expected, check_exact=True)


def test_a_small_sweep_starts_no_process(expected, monkeypatch):
    monkeypatch.setattr(workers, "Workers", None)
    pd.testing.assert_frame_equal(ldp.sweep(GRID), expected, check_exact=True)


@pytest.mark.slow
def test_any_executor_will_do(expected):
    with ThreadPoolExecutor(3) as threads:
        pd.testing.assert_frame_equal(ldp.sweep(GRID, threads), expected, check_exact=True)
        assert threads.submit(int).result() == 0  # still open
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as processes:
        pd.testing.assert_frame_equal(ldp.sweep(GRID, processes), expected, check_exact=True)


@pytest.mark.slow
def test_a_script_without_a_main_guard_can_sweep(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys; sys.path.insert(0, {str(ROOT)!r})\n"
        "import ldpcore as ldp\nprint('once')\n"
        "print(len(ldp.sweep([ldp.Setting(k=k, n=500, runs=2, max_iter=9) for k in (2, 3, 4)], workers=2)))\n"
    )
    done = subprocess.run([sys.executable, script], capture_output=True, text=True, timeout=60)
    assert (done.stdout, done.stderr) == ("once\n18\n", "")


@pytest.mark.slow
def test_a_killed_process_costs_no_result():
    workers = Workers(2)
    try:
        pids = set(workers.map(pid_after, [0.3] * 4))
        assert len(pids) == 2
        slow = [workers.submit(pid_after, 0.5) for _ in range(4)]
        time.sleep(0.2)
        victim = pids.pop()
        os.kill(victim, signal.SIGKILL)
        assert victim not in {future.result(timeout=30) for future in slow}
    finally:
        workers.shutdown()


@pytest.mark.slow
def test_work_that_kills_its_process_is_given_up():
    workers = Workers(1)
    try:
        with pytest.raises(Exception, match="ended 3 times"):
            workers.submit(os._exit, 1).result(timeout=30)
        assert workers.submit(abs, -1).result(timeout=30) == 1
        with pytest.raises(ZeroDivisionError):
            workers.submit(divmod, 1, 0).result(timeout=30)
        with pytest.raises(Exception, match="pickle"):
            workers.submit(lambda: 1).result(timeout=30)
    finally:
        workers.shutdown()
    with pytest.raises(RuntimeError, match="shut down"):
        workers.submit(abs, 1)


# ---- how it ends -------------------------------------------------------------------


@pytest.mark.slow
def test_progress_counts_settings():
    seen = []
    ldp.sweep(GRID, on_progress=lambda done, total: seen.append((done, total)), workers=1)
    assert seen[-1] == (len(GRID), len(GRID))
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
def test_skipped_settings_are_not_run(expected):
    whole = list(ldp.sweep_iter(GRID, workers=1))
    done = {GRID[i] for i in whole[0].indices}
    rest = list(ldp.sweep_iter(GRID, workers=1, skip=done))
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
        ({"settings": ["OUE"]}, "settings must hold .* got 'OUE'"),
        ({"estimators": ["mle"]}, "estimators must be one of raw, mi, .* got 'mle'"),
        ({"metrics": ["rmse"]}, "metrics must be one of mse, .* got 'rmse'"),
        ({"workers": 0}, "workers must be .* got 0"),
    ],
)
def test_bad_arguments_say_what_is_wrong(arguments, says):
    with pytest.raises(ValueError, match=says):
        ldp.sweep_iter(**({"settings": []} | arguments))


def test_lists_are_crossed():
    grid = {"mechanism": ["GRR", "L-OUE"], "eps": [1, 1.9], "eps_inf": [2, 1.5], "k": 5, "n": 100}
    settings, left_out = cross(grid)
    # L-OUE: 1.9 is above what ε∞ = 2 allows and above 1.5; 1 under ε∞ = 1.5 can be reached. GRR: ε∞ is of no effect.
    assert [(s.mechanism, s.eps, s.eps_inf) for s in settings] == [
        ("GRR", 1.0, None),
        ("GRR", 1.9, None),
        ("L-OUE", 1.0, 2.0),
        ("L-OUE", 1.0, 1.5),
    ]
    assert len(left_out) == 2
    settings, _ = cross({"data": "poisson", "params": {"rate": [3, 5, 7]}})
    assert [s.params for s in settings] == [(("rate", 3.0),), (), (("rate", 7.0),)]


@pytest.mark.parametrize(
    ("grid", "says"),
    [
        ({"epsilon": 1}, "a grid may hold data, .* got 'epsilon'"),
        ({"k": []}, "k must hold at least one value"),
        ({"k": [1, 2]}, "k must be .* got 1"),
        ({"params": 3}, "params must be a table"),
        ({"mechanism": "L-GRR", "eps": 2, "eps_inf": 1}, "no setting that is possible: eps must be below"),
        ({"mechanism": "L-GRR", "eps": "x", "eps_inf": 1}, "eps must be .* got 'x'"),
    ],
)
def test_bad_grids_say_what_is_wrong(grid, says):
    with pytest.raises(ValueError, match=says):
        cross(grid)


def test_settings_run_together_are_what_they_are_alone():
    base = ldp.Setting(data="exponential", n=3_000, k=12, runs=4, max_iter=300, tol=1e-9)
    every = [dataclasses.replace(base, mechanism=name) for name in ldp.ONE_TIME + ldp.LONGITUDINAL]
    every += [dataclasses.replace(base, mechanism="L-GRR", channel="published", eps=0.5)]
    for together, setting in zip(ldp.run_together(every), every, strict=True):
        alone = ldp.run(setting)
        assert together.setting == setting
        np.testing.assert_array_equal(together.counts, alone.counts)
        np.testing.assert_array_equal(together.iterations, alone.iterations)
        np.testing.assert_allclose(together.ibu, alone.ibu, atol=1e-12)


@pytest.mark.parametrize("change", [{"n": 4_000}, {"seed": 1}, {"max_iter": 7}, {"data": "uniform"}], ids=str)
def test_settings_of_different_data_are_not_run_together(change):
    base = ldp.Setting(n=3_000, k=12, runs=2, max_iter=5)
    with pytest.raises(ValueError, match=f"must have the same {next(iter(change))}; got"):
        ldp.run_together([base, dataclasses.replace(base, **change)])
    with pytest.raises(ValueError, match="at least one"):
        ldp.run_together([])
