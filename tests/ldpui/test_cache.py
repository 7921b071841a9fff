"""Long experiments: in parts, with a bar, and with the numbers that they have at once."""

import numpy as np
import pytest
from app_steps import QUICK, assert_calm, open_page, session_of

import ldpcore as ldp
from ldpcore.experiment.run import collect, iterate, join
from ldpui import cache, progress
from ldpui.computing import work


@pytest.mark.parametrize("start", ["uniform", "mi"])
@pytest.mark.parametrize("size", [1, 3, 7])
def test_runs_in_parts_are_the_runs_at_once(start, size):
    s = ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=12, runs=7, max_iter=400, tol=1e-4, start=start)
    whole, c = ldp.run(s), collect(s)
    result = join(c, [iterate(c, first, size) for first in range(0, 7, size)])
    np.testing.assert_allclose(result.ibu, whole.ibu, rtol=1e-12)
    for name in ("iterations", "converged", "mi", "counts"):
        np.testing.assert_array_equal(getattr(result, name), getattr(whole, name))


@pytest.mark.parametrize(("k", "iterations", "runs"), [(10, 30, 2), (1000, 30_000, 100), (1000, 10**6, 3)])
def test_the_parts_are_all_runs_once(k, iterations, runs):
    parts = work.slices(ldp.Setting(k=k, max_iter=iterations, runs=runs))
    assert [run for first, number in parts for run in range(first, first + number)] == list(range(runs))
    assert (len(parts) > 1) == (k * iterations * runs > work.PART_WORK)


def test_a_long_run_shows_how_far_it_is_and_has_the_same_numbers(monkeypatch):
    monkeypatch.setattr(work, "PART_WORK", 1)
    monkeypatch.setattr(progress, "PAUSE", -1.0)
    monkeypatch.setattr(progress, "MOMENT", 0.0)
    bars = []
    monkeypatch.setattr("streamlit.delta_generator.DeltaGenerator.progress", lambda _, share, text: bars.append(text))
    at = open_page(state=QUICK | {"runs": "5", "seed": 77})
    assert_calm(at)
    assert [bar[:18] for bar in bars] == [f"Simulating: {done} of 5"[:18] for done in (1, 2, 3, 4)]
    monkeypatch.undo()
    setting = session_of(at).setting
    np.testing.assert_allclose(cache.run(setting, None).ibu, ldp.run(setting).ibu, rtol=1e-12)


def place_of_the_chart(at):
    (place,) = [i for i, child in at.main.children.items() if hasattr(child, "get") and child.get("plotly_chart")][:1]
    return place


def test_the_bar_does_not_take_the_place_of_the_picture(monkeypatch):
    short = place_of_the_chart(open_page(state=QUICK | {"runs": "5", "seed": 78}))
    monkeypatch.setattr(work, "PART_WORK", 1)
    assert place_of_the_chart(open_page(state=QUICK | {"runs": "5", "seed": 79})) == short


def test_the_rule_that_stops_ibu_can_be_chosen():
    at = open_page(query=QUICK | {"iterations": "45000", "stop": "mse", "tol": "1e-6"})
    assert_calm(at)
    assert not at.warning
    setting = session_of(at).setting
    assert (setting.max_iter, setting.stop, setting.tol) == (45_000, "mse", 1e-6)
