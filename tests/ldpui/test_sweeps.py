"""Many settings, drawn as they come."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

import ldpcore as ldp
from ldpui import grids, progress, sweeps
from ldpui.computing import compute, work

BASE = ldp.Setting(data="gaussian", mechanism="OUE", eps=2.0, n=1000, k=10, runs=2, max_iter=10)


@pytest.fixture
def _a_picture_for_every_answer(monkeypatch):
    for name in ("PAUSE", "MOMENT", "SHARE"):
        monkeypatch.setattr(progress, name, -1.0)
    monkeypatch.setattr(work, "TOGETHER", 1)


@pytest.mark.usefixtures("_a_picture_for_every_answer")
def test_a_sweep_that_is_slow_draws_nothing_twice(monkeypatch):
    """Two pictures of as many settings had one key, and the page said that something went wrong."""

    def slowly(function, tasks, keys):
        for number, task in enumerate(tasks):
            yield None
            yield number, function(*task)
            yield None

    monkeypatch.setattr(compute, "stream", slowly)
    settings, _ = grids.along(replace(BASE, seed=77), "eps", ["OUE"])
    drawn = []
    sweeps.progressive(settings, "mse", ("mi", "ibu"), lambda rows: drawn.append(len(rows)))
    assert drawn == sorted(set(drawn))
    assert len(drawn) == len(settings) - 1


@pytest.mark.usefixtures("_a_picture_for_every_answer")
def test_a_sweep_draws_as_it_grows_and_ends_with_all():
    settings, _ = grids.along(replace(BASE, seed=4242), "eps", ["OUE", "L-SUE"])
    pictures = []
    rows = sweeps.progressive(settings, "mse", ("mi", "ibu"), lambda rows: pictures.append(list(rows)))
    # The last picture, with all, is the page's own.
    assert [len(rows) for rows in pictures] == [3 * (i + 1) for i in range(len(settings) - 1)]
    assert len(rows) == 3 * len(settings)
    assert pictures[-1] == rows[:-3]
    assert all(before == after[: len(before)] for before, after in itertools.pairwise(pictures))
    # The whole range is there early, so that the axes hardly move while it fills.
    early = {r.setting.eps for r in pictures[len(settings) // 2]}
    assert min(early) == 0.1
    assert max(early) == 10


def test_a_sweep_that_is_quick_is_drawn_by_the_page_alone(monkeypatch):
    monkeypatch.setattr(progress, "PAUSE", 1e9)
    pictures = []
    sweeps.progressive(grids.along(BASE, "k", ["OUE"])[0], "mse", ("mi", "ibu"), pictures.append)
    assert not pictures


def test_errors_are_the_means_of_run_by_every_metric():
    setting = replace(BASE, mechanism="GRR", runs=4)
    result, (lost,) = ldp.run(setting), work.losses(work.Part((setting,), 0, 4), None, ("mi", "ibu"))
    errors = sweeps.Errors.of(lost, ("mi", "ibu"))
    for metric in ldp.METRICS:
        values = {"mi": result.loss("mi", metric), "ibu": result.loss("ibu", metric), "gain_ibu": result.gain(metric)}
        if np.isinf(values["mi"].mean):  # as KL: what is gained over it says nothing
            values["gain_ibu"] = ldp.Summary([np.nan])
        measures = errors.at(setting, metric)
        assert [(m.setting, m.quantity) for m in measures] == [(setting, quantity) for quantity in values]
        for measure, value in zip(measures, values.values(), strict=True):
            assert (measure.mean, measure.se) == pytest.approx((float(value), value.se), rel=1e-9, nan_ok=True)
    assert not errors.chosen
