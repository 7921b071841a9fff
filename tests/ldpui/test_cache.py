"""Results by setting: long ones in parts and with a bar, what is known is kept, and within bounds."""

import tomllib

import numpy as np
import pytest
from app_steps import QUICK, ROOT, assert_calm, open_page, session_of

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


def test_answers_are_known_and_kept_apart_from_their_call():
    calls = []

    @cache.by_setting(10, 1, apart=True)
    def twice(number, data):
        calls.append(number)
        return 2 * number

    assert twice.known(1, None) is None
    assert twice.keep(2, 1, None) == 2
    assert (twice(1, None), twice(3, None), twice(3, None)) == (2, 6, 6)
    told = []
    filled = list(twice.fill(pow, [(3, None), (4, None)], lambda n, _: (n, 2), lambda *done: told.append(done)))
    assert filled == [(3, None), (4, None)]
    assert (twice(4, None), calls, told[-1]) == (16, [3], (1, 1))


def test_what_is_kept_of_all_visitors_is_bounded_in_bytes_and_time():
    """One visitor filled the caches to three gigabytes, most of it for ever: only the number of results was bounded."""
    calls = []

    @cache.by_setting(1_000, 10)
    def large(number, data):
        calls.append(number)
        return np.full(1 << 20, number)  # 8 MiB

    number = 2 * cache.MAX_BYTES // (8 << 20)
    for i in range(number):
        assert large(i, None)[0] == i
    assert large(number - 1, None)[0] == number - 1
    assert calls == list(range(number))  # the last is known …
    assert large(0, None)[0] == 0
    assert calls[-1] == 0  # … and the first has made room
    shared = tomllib.loads((ROOT / ".streamlit/config.toml").read_text())["server"]["maxCacheDataSize"]
    assert shared == "256mb"
    assert cache.TTL <= 6 * 3600
