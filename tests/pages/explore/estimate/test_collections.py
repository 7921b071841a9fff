"""One collection or many: what is drawn is what the caption says."""

import re

import numpy as np
import pytest
from app_steps import ESTIMATE, QUICK, assert_calm, charts, names, numbers, open_page, session_of

import ldpcore as ldp
from ldpui import cache
from ldpui.bins import bins_of
from pages.explore.estimate.whiskers import Whiskers

STATE = QUICK | {"k": "20", "runs": "5"}


def drawn(at, name):
    (trace,) = [t for t in charts(at)["estimate_chart"]["data"] if t.get("name") == name]
    return numbers(trace["y"])


def caption(at):
    return next(c.value for c in at.main.caption if c.value.startswith("Grey:"))


def press(at, label):
    next(button for button in at.main.button if button.label == label).click().run()
    assert_calm(at)


def test_many_is_the_mean_and_says_so():
    at = open_page(ESTIMATE, STATE)
    result = cache.run(session_of(at).setting, None)
    assert drawn(at, "IBU") == pytest.approx(100 * result.ibu.mean(axis=0))
    assert "mean estimate over 5 collections" in caption(at)
    assert "MI (matrix inversion)" in caption(at)
    assert "IBU (iterative Bayesian update)" in caption(at)
    assert "band" in caption(at)


def test_one_collection_is_one_run_without_a_band():
    at = open_page(ESTIMATE, STATE | {"show": "one", "collection": 2.0, "raw": True})
    result = cache.run(session_of(at).setting, None)
    assert drawn(at, "MI") == pytest.approx(100 * result.mi[1])
    assert drawn(at, "IBU") == pytest.approx(100 * result.ibu[1])
    assert drawn(at, "raw MI") == pytest.approx(100 * result.raw[1])
    assert len(charts(at)["estimate_chart"]["data"]) == len(names(charts(at)["estimate_chart"])) == 4
    assert "collection 2 of 5" in caption(at)
    assert "band" not in caption(at)
    said = re.search(r"off by ([\d.]+) points with MI and ([\d.]+) with IBU", caption(at))
    off = [100 * np.sqrt(np.mean((e[1] - result.true) ** 2)) for e in (result.mi, result.ibu)]
    assert [float(number) for number in said.groups()] == pytest.approx(off, rel=0.05)


def test_collecting_again_shows_the_next_on_the_same_axis_and_begins_anew_after_the_last():
    at = open_page(ESTIMATE, STATE | {"show": "one", "collection": 4.0})
    before = charts(at)["estimate_chart"]
    press(at, "Collect again")
    assert at.session_state["collection"] == 5
    after = charts(at)["estimate_chart"]
    assert after["data"] != before["data"]
    assert after["layout"]["yaxis"]["range"] == before["layout"]["yaxis"]["range"]
    press(at, "Collect again")
    assert at.session_state["collection"] == 1


def test_a_link_opens_the_same_collection():
    at = open_page(ESTIMATE, query={k: str(v) for k, v in STATE.items()} | {"show": "one", "collection": "3"})
    assert_calm(at)
    result = cache.run(session_of(at).setting, None)
    assert drawn(at, "MI") == pytest.approx(100 * result.mi[2])
    assert "show=one&collection=3" in at.sidebar.code[0].value


def test_more_collections_than_runs_begin_anew():
    at = open_page(ESTIMATE, STATE | {"show": "one", "collection": 12.0})
    assert_calm(at)
    assert "collection 2 of 5" in caption(at)


def test_a_single_run_is_one_collection():
    at = open_page(ESTIMATE, STATE | {"runs": "1", "show": "one"})
    assert_calm(at)
    assert "only collection" in caption(at)
    assert not [b for b in at.main.button if b.label == "Collect again"]


def test_intervals_are_those_of_the_one_collection_and_say_how_many_hold_the_truth():
    at = open_page(ESTIMATE, STATE | {"show": "one", "collection": 2.0, "intervals": True})
    result = cache.run(session_of(at).setting, None)
    expected = ldp.estimate(result.counts[1], result.setting.n, result.mechanism).within("noise")
    np.testing.assert_allclose(Whiskers.of(result, 2).ends, expected, rtol=0, atol=1e-12)
    ends = np.array(drawn(at, "95% interval"), dtype=float).reshape(-1, 3)
    np.testing.assert_allclose(ends[:, :2], 100 * expected.T)
    assert np.isnan(ends[:, 2]).all()
    held = int(((expected[0] <= result.true) & (result.true <= expected[1])).sum())
    assert f"here {held} of {result.setting.k} hold the truth" in caption(at)
    # The mean of many collections has no interval of one.
    many = open_page(ESTIMATE, STATE | {"intervals": True})
    assert "95% interval" not in names(charts(many)["estimate_chart"])
    assert "interval" not in caption(many)


def test_intervals_hold_the_truth_as_often_as_they_promise_and_stay_on_the_axis():
    result = ldp.run(ldp.Setting(n=5_000, k=30, eps=2.0, runs=60, max_iter=1, data="gaussian"))
    whiskers = [Whiskers.of(result, number) for number in range(1, 61)]
    held = sum(w.holding(result.true) for w in whiskers)
    # 1 800 intervals that hold with 94 to 97 %, and five standard deviations.
    assert 0.91 < held / 1_800 < 0.99
    assert all((w.ends[1] <= w.top + 1e-12).all() for w in whiskers)
    trace = whiskers[0].trace(bins_of(result), dark=False, floor=0.5)
    assert np.nanmin(trace["y"]) >= 0.5
    assert whiskers[0].holding(np.full(30, 2.0)) == 0
