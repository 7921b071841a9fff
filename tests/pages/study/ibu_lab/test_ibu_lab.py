"""The IBU lab: what it draws and says is what IBU did, at the edges too."""

import doctest
import re
from dataclasses import replace

import numpy as np
import pytest
from app_steps import IBU_LAB, QUICK, assert_calm, charts, numbers, open_page
from lab_paths import BASE, still, way

import ldpcore as ldp
from ldpui import theme
from ldpui.bins import bins_of
from pages.study.ibu_lab import (
    axes,
    clock_chart,
    clock_shares,
    clocks,
    curves,
    following,
    markers,
    own_start,
    paths,
    player,
    start_charts,
    starts,
    takeaway,
    ways,
)


@pytest.mark.parametrize("module", [axes, own_start, following], ids=lambda m: m.__name__)
def test_examples_in_the_docstrings(module):
    tested = doctest.testmod(module)
    assert tested.attempted > 0
    assert tested.failed == 0


# ---- the path -----------------------------------------------------------------------


@pytest.mark.slow
def test_the_path_is_ibu_on_the_collection_that_estimate_shows():
    result = ldp.run(BASE)
    for number in (1, 2):
        found = paths.path(BASE, None, number)
        np.testing.assert_allclose(found.trace.estimates[found.nearest(10_000)], result.ibu[number - 1], atol=1e-12)
        np.testing.assert_allclose(found.limit, result.limit[number - 1])
        np.testing.assert_allclose(found.mi, result.mi[number - 1])
        np.testing.assert_allclose(found.errors, 100 * np.sqrt(((found.trace.estimates - found.truth) ** 2).mean(-1)))
    assert found.way[0] == 0
    assert found.way[-1] == pytest.approx(1, abs=1e-4)
    assert (np.diff(found.gaps) < 1e-12).all()


def test_a_path_goes_on_to_the_cap_and_no_farther_than_rest():
    assert way(max_iter=10**6, k=2).steps[-1] >= 10**6
    found = way(k=2, eps=4.0)
    assert 10_000 <= found.steps[-1] < 12_000
    far = way(mechanism="BLH", k=100, eps=0.1)
    assert far.steps[-1] > 10 * far.clock
    assert far.trace.steps[-2] >= 1e-14 > far.trace.steps[-1]


@pytest.mark.slow
def test_starts_are_those_of_the_library():
    for key in ldp.STARTS:
        expected = way(start=key)
        (found,) = (w for w in ways.ways(BASE, None, 1) if w.key == key)
        np.testing.assert_allclose(found.start, expected.start)
        length = min(len(found.estimates), len(expected.steps))
        np.testing.assert_allclose(found.estimates[:length], expected.trace.estimates[:length], atol=1e-5)


@pytest.mark.slow
def test_cross_validation_is_that_of_the_library_up_to_the_cap_of_the_setting():
    found = way()
    expected = ldp.ibu_run(found.counts, found.mechanism, stop="cv", n=BASE.n, max_iter=BASE.max_iter).iterations
    assert paths.validated(BASE, None, 1) == int(expected)


# ---- marks --------------------------------------------------------------------------


def test_the_rule_stops_where_ibu_stops():
    found = way(k=5, eps=3.0, tol=1e-9)
    run = ldp.ibu_run(found.counts, found.mechanism, tol=1e-9)
    assert bool(run.converged)
    assert markers.rule_stop(found).steps == int(run.iterations)
    assert markers.rule_stop(way(tol=0.0)).steps is None


def test_beyond_its_own_steps_the_rule_is_read_off_the_path():
    tol = 1e-7
    found = way(k=60, eps=1.0, tol=tol)
    mark = markers.rule_stop(found)
    run = ldp.ibu_run(found.counts, found.mechanism, tol=tol, max_iter=10**6)
    assert bool(run.converged)
    assert int(run.iterations) > 10_000
    assert mark.about
    assert mark.steps == pytest.approx(int(run.iterations), rel=0.1)
    assert "cap" in mark.note


def test_a_rule_that_never_stops_says_so():
    found = way(mechanism="GRR", eps=1.0)
    none = replace(found, rested=None, trace=replace(found.trace, steps=np.full(len(found.steps), 1.0)))
    mark = markers.rule_stop(none)
    assert mark.steps is None
    assert "still above" in mark.note
    assert "has no line" in markers.notes([mark])[0]


def test_the_best_in_hindsight_is_the_least_error():
    found = way(eps=0.5)
    assert markers.best(found).steps == found.steps[found.errors.argmin()]
    worse = replace(found, truth=np.full(30, 1 / 30))
    mark = markers.best(worse)
    assert mark.steps == 0
    assert "start itself" in mark.note
    settled = markers.best(replace(found, truth=found.limit))
    assert "all steps after" in settled.note
    assert settled.about


def test_marks_on_one_place_share_a_line_and_words_say_so():
    marks = [
        markers.Marker("a", 10_000.0),
        markers.Marker("b", 10_100.0),
        markers.Marker("c", 0.0),
        markers.Marker("d", None, "why"),
    ]
    groups = markers.together(marks)
    assert [[m.name for m in group] for group in groups] == [["c"], ["a", "b"]]
    text = " ".join(markers.notes(marks))
    assert "**a** (10,000) and **b** (10,100) share one line" in text
    assert "**d** has no line: why." in text


def test_names_of_marks_do_not_cross_the_lines_of_others():
    rows = curves._rows([1.0, 10.0, 10**5, 10**6], 10**6)
    assert rows == [(3, False), (2, False), (0, True), (1, True)]


def test_the_table_has_the_numbers_of_the_path():
    found = way()
    marks = markers.markers(found, 100)
    table = markers.table(found, marks)
    assert list(table.index) == [
        "the paper",
        "stopping rule",
        "cross-validation",
        "best in hindsight",
        "T",
        "the limit",
    ]
    assert float(table.loc["T", "t / T"]) == 1
    exact = ldp.ibu(found.counts, found.mechanism, max_iter=100, tol=0.0)
    assert float(table.loc["cross-validation"].iloc[-1]) == pytest.approx(found.error_of(exact), rel=0.01)


# ---- figures ------------------------------------------------------------------------


def test_the_frames_are_the_steps():
    found = way()
    figure = player.player(found, bins_of(found), dark=False)
    shown = player.frames_shown(found)
    assert [frame.name for frame in figure.frames] == [str(i) for i in shown]
    assert {0, found.nearest(10_000), int(found.errors.argmin()), len(found.steps) - 1} <= set(shown)
    for i, frame in zip(shown, figure.frames, strict=True):
        np.testing.assert_allclose(frame.data[0].y, 100 * found.trace.estimates[i], atol=5e-3)
        assert frame.data[1].y[0] == found.errors[i]
        assert [figure.data[t].name for t in frame.traces[:1]] == [theme.IBU.name]
    assert len(figure.layout.sliders[0].steps) == len(shown)
    assert len(theme.enlarged(figure).frames) == len(shown)


@pytest.mark.slow
def test_a_figure_stays_small_at_a_thousand_bins():
    found = way(k=1000, data="gaussian", mechanism="SUE", eps=0.5)
    assert len(player.player(found, bins_of(found), dark=True).to_json()) < 2_000_000
    assert len(curves.curves(found, markers.markers(found, 10_000), dark=True).to_json()) < 2_000_000


@pytest.mark.slow
def test_curves_leave_out_what_is_rounding():
    found = way(k=5, eps=4.0)
    figure = curves.curves(found, markers.markers(found, 10), dark=False)
    gaps = next(t for t in figure.data if t.yaxis == "y2")
    assert None in gaps.y
    np.testing.assert_allclose(*np.array([(a, b) for a, b in zip(gaps.y, found.gaps, strict=True) if a]).T)
    nothing = curves.curves(still(), markers.markers(still(), 1), dark=False)
    assert all(y is None for y in nothing.data[3].y)


def test_errors_that_are_zero_have_no_place_on_a_log_axis():
    found = way(k=3)
    exact = replace(found, truth=found.start, mi=found.start, limit=found.start)
    axis = axes.error_axis([0.0])
    assert axis["range"][0] < axis["range"][1]
    figure = start_charts.errors(exact, [start_charts.Curve("x", theme.IBU, np.zeros(len(found.steps)))], 0, dark=False)
    assert all(y is None for y in figure.data[0].y)


@pytest.mark.parametrize("errors", [(0.00238, 0.0029), (0.0024, 0.0024), (0.302, 2.9), (3e-7, 40.0), (96.0, 99.0)])
def test_an_axis_of_errors_has_numbers_however_small_its_span_is(errors):
    axis = axes.error_axis(errors)
    low, high = axis["range"]
    assert sum(low <= np.log10(tick) <= high for tick in axis["tickvals"]) >= 2
    assert len(axis["tickvals"]) <= 10
    assert len(set(axis["ticktext"])) == len(axis["ticktext"])


# ---- an own start -------------------------------------------------------------------


def test_an_own_start_is_scaled_or_stretched():
    np.testing.assert_allclose(own_start.read("2, 1;1", 3).shares, [0.5, 0.25, 0.25])
    np.testing.assert_allclose(own_start.read("1 3", 5).shares, np.array([1, 1.5, 2, 2.5, 3]) / 10)
    np.testing.assert_allclose(own_start.read("7", 4).shares, 0.25)
    assert own_start.read("  ", 4) is None
    assert np.isfinite(own_start.read("1e300 1e300", 2).shares).all()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("1 2 3", "only k = 2"),
        ("1 x", "numbers from 0 up"),
        ("-1 2", "numbers from 0 up"),
        ("0 0", "nothing but 0"),
        ("nan 1", "numbers from 0 up"),
        ("inf 1", "numbers from 0 up"),
    ],
)
def test_what_is_no_start_is_refused(text, said):
    with pytest.raises(ldp.Refused, match=said):
        own_start.read(text, 2)


def test_bins_that_ibu_could_not_leave_are_named():
    assert own_start.read("1 2", 2).problem is None
    assert "Bin 1 (counted from 0) would start at 0" in own_start.read("1 0 1", 3).problem
    assert "Bins 0, 1, 2, 3, 4 and 3 more" in own_start.read("0 0 0 0 0 0 0 0 1", 9).problem


def test_a_drawing_is_a_start_and_the_other_way_round():
    assert own_start.bars(None, 100) == [50.0] * own_start.BARS
    drawn = own_start.bars(own_start.read("1 2 4", 3), 3)
    assert drawn == [25, 50, 100]
    assert own_start.bars(own_start.read("7 30 60", 3), 3) == [7, 30, 60]
    assert own_start.written(drawn, 3) == "25 50 100"
    for bad in (None, "x", [1], [1, 2, -1], [1, 2, "3"], [1, 2, float("nan")]):
        assert own_start.written(bad, 3) is None


# ---- clocks -------------------------------------------------------------------------


@pytest.mark.parametrize("against", ["eps", "k"])
def test_clocks_are_those_of_the_mechanisms(against):
    found = clock_shares.clocks(BASE, None, against, 1_000)
    assert [clock.name for clock in found] == list(ldp.ONE_TIME + ldp.LONGITUDINAL)
    for clock in found:
        place, value = 7, clock.values[7]
        where = {"k": BASE.k, "eps": BASE.eps} | {against: int(value) if against == "k" else value}
        assert clock.shares[place] == pytest.approx(ldp.mechanism(clock.name, **where).share_of_the_way(1_000))
    frame = clocks.table(found, against, 1_000)
    assert len(frame) == len(found) * len(found[0].values)
    for log in (False, True):
        figure = clock_chart.figure_of(found, BASE, against, 1_000, log=log, dark=log)
        assert [trace.line.width for trace in figure.data].count(4) == 1


def test_words_on_clocks_name_the_ends():
    found = clock_shares.clocks(replace(BASE, k=200), None, "eps", 10_000)
    text = clocks.words(found, replace(BASE, k=200), 10_000)
    assert "**17%** of the way for OUE" in text
    assert "the most is 52% for GRR" in text
    ends = clocks.words(found, replace(BASE, k=200, mechanism="GRR"), 10_000)
    assert "the least is" in ends
    alike = clock_shares.clocks(replace(BASE, k=2, eps=5.0), None, "eps", 10**6)
    assert "every other mechanism" in clocks.words(alike, replace(BASE, k=2, eps=5.0), 10**6)
    tight = replace(BASE, mechanism="L-GRR", eps=2.0, eps_inf=2.05)
    missing = clock_shares.clocks(tight, None, "eps", 100)
    assert any(share is None for clock in missing for share in clock.shares)
    assert "their lines have gaps" in clocks._about(tight, "eps", missing)


@pytest.mark.parametrize("mechanism", ldp.ONE_TIME)
def test_words_on_clocks_round_no_share_to_all_of_the_way(mechanism):
    """10,000 steps were 100% of the way for OUE at k = 35 and ε = 1, and are 99.7%."""
    for k in (10, 20, 35, 50, 100):
        s = replace(BASE, mechanism=mechanism, eps=1.0, k=k)
        text = clocks.words(clock_shares.clocks(s, None, "eps", 10_000), s, 10_000)
        assert not re.search(r"\b100%", text)
        assert "half a percent as" not in text
        if (mechanism, k) == ("OUE", 35):
            assert "**99.7%** of the way for OUE" in text


# ---- to take away -------------------------------------------------------------------


def test_what_is_taken_away_is_what_is_drawn():
    found = way(k=6)
    table = takeaway.steps_table(found)
    np.testing.assert_array_equal(table["steps"], found.trace.iterations)
    np.testing.assert_allclose(table["off_by_points"], 100 * np.sqrt(table["mse"]))
    bins = takeaway.estimates_table(found)
    np.testing.assert_allclose(bins["ibu_10000"], found.trace.estimates[found.nearest(10_000)])
    assert list(takeaway.estimates_table(replace(found, labels=tuple("abcdef")))["label"]) == list("abcdef")


# ---- the page -----------------------------------------------------------------------

LAB = {
    "lab_player",
    "lab_curves",
    "lab_start_uniform",
    "lab_start_observed",
    "lab_start_mi",
    "lab_starts",
    "lab_clocks",
}


@pytest.mark.slow
def test_the_page_draws_an_own_start_and_the_collection_that_was_asked_for():
    at = open_page(IBU_LAB, QUICK | {"lab_own": "1 2 3", "clock_against": "k", "lab_axis": "log", "present": True})
    assert_calm(at)
    drawn = charts(at)
    assert set(drawn) == LAB | {"lab_start_own"}
    assert all(len(element.proto.alt) > 20 for element in at.main.get("plotly_chart"))
    before = numbers(drawn["lab_player"]["data"][1]["y"])
    next(b for b in at.main.button if b.key == "lab_collection_again").click().run()
    assert_calm(at)
    assert not np.allclose(before, numbers(charts(at)["lab_player"]["data"][1]["y"]))
    at.main.button(key="lab_shape_none").click().run()
    assert set(charts(at)) == LAB


def test_a_link_may_hold_a_start_that_can_not_be():
    at = open_page(IBU_LAB, query={"n": "1k", "k": "3", "runs": "1", "data": "Gaussian", "lab_own": "1 0 1"})
    assert_calm(at)
    assert "could never leave it" in at.main.info[0].value
    assert set(charts(at)) == LAB
    at.main.text_input(key="lab_own").set_value("1 2 3 4").run()
    assert "only k = 3 bins" in at.main.info[0].value
    at.main.text_input(key="lab_own").set_value("3 2 1").run()
    assert "lab_start_own" in charts(at)
    assert not at.main.info


def test_there_is_a_sign_for_a_start_that_was_not_followed_yet():
    s = replace(BASE, k=7, seed=91)
    assert [starts.is_new(s, None, 1, text) for text in ("", "x", "1 0", "1 2")] == [False, False, False, True]
    ways.own_way(s, None, 1, "1 2")
    assert not starts.is_new(s, None, 1, "1 2")
