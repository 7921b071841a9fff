"""Settings worked on together: the same numbers as alone."""

import dataclasses

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore import datasets, mechanisms
from ldpcore.estimators.ibu import ibu_rows
from ldpcore.metrics import METRICS, RECORDS
from ldpcore.sweep import run as _run

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
SMALL = ldp.Setting(data="uniform", mechanism="GRR", n=100, k=3, runs=2, max_iter=2)


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("options", [{}, {"start": "mi"}, {"stop": "mse", "tol": 1e-14}, {"tol": 1e-4}], ids=str)
def test_rows_with_their_own_channel_equal_ibu(name, options):
    settings = [
        ldp.Setting(mechanism=name, eps=eps, n=5_000, k=12, runs=3, max_iter=600, channel=channel, **options)
        for eps in (0.5, 2.0)
        for channel in ("exact", "published")
    ]
    done = [ldp.run(s) for s in settings]
    channels = np.repeat([r.mechanism.channel(r.setting.channel) for r in done], 3, axis=0)
    starts = [s.ibu_start(r.counts, r.mi) for s, r in zip(settings, done, strict=True)]
    estimates, iterations, converged = ibu_rows(
        np.concatenate([r.counts for r in done]).astype(float),
        *channels.T,
        max_iter=600,
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


def added_estimator(monkeypatch):
    monkeypatch.setitem(ldp.ESTIMATORS, "added", dataclasses.replace(ldp.ESTIMATORS["mi"], key="added"))
    return {"settings": [SMALL, dataclasses.replace(SMALL, seed=1)], "estimators": ["added"], "metrics": ["mse"]}


def added_metric(monkeypatch):
    for records in (METRICS, RECORDS):
        monkeypatch.setitem(records, "added", records["mse"])
    return {"settings": [SMALL, dataclasses.replace(SMALL, seed=1)], "metrics": ["added"]}


def added_mechanism(monkeypatch):
    monkeypatch.setitem(mechanisms._CLASSES, "added", type("Added", (mechanisms._CLASSES["GRR"],), {"name": "added"}))
    return {"settings": [SMALL, dataclasses.replace(SMALL, mechanism="added")], "metrics": ["mse"]}


def added_distribution(monkeypatch):
    monkeypatch.setitem(datasets.DISTRIBUTIONS, "added", datasets.DISTRIBUTIONS["uniform"])
    return {"settings": [SMALL, dataclasses.replace(SMALL, data="added")], "metrics": ["mse"]}


@pytest.mark.parametrize("add", [added_estimator, added_metric, added_mechanism, added_distribution])
def test_what_was_added_here_is_not_asked_of_other_processes(monkeypatch, add):
    swept = add(monkeypatch)
    with pytest.raises(ldp.Refused, match=r"^workers must be 1 with 'added', which was added in this process.*; got 2"):
        ldp.sweep(**swept, workers=2)
    # Worth several processes, if others could do it.
    monkeypatch.setattr(_run, "_WORTH_PROCESSES", 0)
    monkeypatch.setattr(_run, "cores", lambda: 2)
    frame = ldp.sweep(**swept)
    assert (frame["problem"] == "").all()
    assert frame["mean"].notna().all()
