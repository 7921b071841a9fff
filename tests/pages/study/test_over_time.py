"""The page Over time: its four views, what it says at the edges, and one user's life."""

from __future__ import annotations

import json

import numpy as np
import pytest
from app_steps import OVER_TIME, QUICK, assert_calm, charts, numbers, open_page

import ldpcore as ldp
from ldpcore import mechanisms
from ldpcore.mechanisms.longitudinal_unary import LSUE
from ldpcore.theory import Chance, Life, live
from ldpui import theme
from ldpui.charts import finished
from pages.study.over_time import attacker, changing, chart, controls, life, life_chart, life_player
from pages.study.over_time.followed import REPORTS, Followed

SMALL = QUICK | {"k": "6"}


def text(at):
    return "\n".join(element.value for element in (*at.main.markdown, *at.main.caption))


def test_memos_stop_at_their_ends_and_fresh_noise_goes_on():
    at = open_page(OVER_TIME, SMALL | {"followed": ["L-SUE", "L-GRR", "OUE"], "calibrations": True})
    assert_calm(at)
    eps = {t["name"]: numbers(t["y"]) for t in charts(at)["over_time_eps"]["data"] if t["line"]["dash"] == "solid"}
    assert {"L-SUE", "L-GRR, published", "L-GRR, tight", "OUE"} <= set(eps)
    assert eps["L-SUE"].max() == pytest.approx(4, rel=1e-6)
    assert eps["OUE"] == pytest.approx(np.full(13, 2.0))
    assert "over_time_success" in charts(at)
    said = text(at)
    assert "the same report is sent again" in said
    assert "L-GRR, tight with a memo" in said  # among those that are simulated
    assert "L-GRR, published**" in said
    assert "not the 2 that it may" in said


def test_an_attacker_who_knows_the_shares_and_two_values():
    at = open_page(OVER_TIME, SMALL | {"k": "2", "followed": ["OUE"], "knows": controls.SHARES})
    assert_calm(at)
    assert "Chances are exact too" in text(at)
    assert charts(at)["over_time_success"]["layout"]["yaxis"].get("type") != "log"


def test_what_is_not_possible_is_said():
    at = open_page(OVER_TIME, SMALL | {"share": "95%", "followed": ["L-OUE", "L-SOUE"]})
    assert [w.value.partition(" is left")[0] for w in at.warning] == ["**L-OUE**", "**L-SOUE**"]
    assert not at.exception
    at = open_page(OVER_TIME, SMALL | {"noise": []})
    assert "memo or fresh noise" in at.info[0].value
    at = open_page(OVER_TIME, SMALL | {"followed": []})
    assert "at least one mechanism" in at.info[0].value
    at = open_page(OVER_TIME, SMALL | {"share": "95%", "aspect": controls.LIFE, "life_of": "L-OUE"})
    assert "not possible here" in at.warning[0].value


@pytest.mark.parametrize("told", controls.TELLINGS)
def test_a_value_that_changes(told):
    at = open_page(OVER_TIME, SMALL | {"aspect": controls.CHANGING, "told": told, "followed": ["L-OLH", "OUE"]})
    assert_calm(at)
    assert {"over_time_costs", "over_time_told"} <= set(charts(at))
    said = text(at)
    assert "between histories that change cells at the same times" in said
    assert "no such sum bounds how well" in said


@pytest.mark.parametrize(
    ("name", "cost", "words"),
    [
        # A hundred values of one-time hashing are a hundred hash functions, and as many memos.
        (
            "BLH",
            "50",
            "50 different values cost ε = **50** with a memo for each value (100 values: never more than 100)",
        ),
        (
            "OLH",
            "50",
            "50 different values cost ε = **50** with a memo for each value (100 values: never more than 100)",
        ),
        # Two cells, and two memos of ε∞ = 2; nothing is said that would hold for cells that change at other times.
        ("L-BLH", "4", "with a memo for each cell of one hash function (2 cells), between histories that change cells"),
    ],
)
def test_what_a_thousand_reports_of_changing_values_cost(name, cost, words):
    eps_inf = 2.0 if name in ldp.LONGITUDINAL else None
    of = Followed(name, ldp.Setting(mechanism=name, k=100, eps=1.0, eps_inf=eps_inf), theme.SERIES[0])
    said = changing._cost(of, 20)
    assert f"cost ε = **{cost}**" in said
    assert words in said
    assert ("never more" in said) == (eps_inf is None)


def test_the_server_wins_little_with_a_memo():
    at = open_page(OVER_TIME, SMALL | {"aspect": controls.SERVER, "followed": ["L-SUE", "OUE"]})
    assert_calm(at)
    curves = [t for t in charts(at)["over_time_server"]["data"] if t["y"] != [None]]
    ends = [numbers(t["y"])[-1] / numbers(t["y"])[0] for t in curves]
    assert ends[0] > 0.2
    assert ends[1:] == pytest.approx([0.01, 1.0, 0.01])


def test_another_life_is_another_one():
    at = open_page(OVER_TIME, SMALL | {"aspect": controls.LIFE})
    assert_calm(at)
    before = charts(at)["over_time_life_memo"]
    assert len(before["frames"]) == life.REPORTS + 1
    at.button(key="another_life").click().run()
    assert_calm(at)
    assert charts(at)["over_time_life_memo"]["data"] != before["data"]


@pytest.mark.slow
def test_the_largest_figures_are_far_from_2_mb():
    m, many = ldp.mechanism("L-OUE", k=1_000, eps=1.0, eps_inf=4.0), np.arange(life.REPORTS)
    lived = live(m, many, np.random.default_rng(2))
    whole = finished.finish(life_chart.life(lived, dark=True), life_player.frames(life.REPORTS, dark=True))
    assert len(json.dumps(whole.to_dict())) < 400_000
    at = open_page(
        OVER_TIME, SMALL | {"followed": list(controls.NAMES), "calibrations": True, "noise": controls.NOISES}
    )
    assert not at.exception
    assert all(len(json.dumps(figure)) < 400_000 for figure in charts(at).values())


def test_every_memo_is_drawn_below_its_reports():
    """A cell is 1 for a report, 2 for a memo, 3 for both: nothing is lost."""
    lived = live(ldp.mechanism("L-SUE", k=6, eps=1.0, eps_inf=2.0), [1] * 5 + [4] * 5, np.random.default_rng(3))
    cells = np.array(life_chart.life(lived, dark=False).data[0].z).T
    np.testing.assert_array_equal(cells % 2, lived.supports)
    np.testing.assert_array_equal(cells // 2, lived.memos)
    assert (cells == 2).any()
    fresh = live(ldp.mechanism("L-SUE", k=6, eps=1.0, eps_inf=2.0), [1] * 5, np.random.default_rng(3), memo=False)
    assert np.array(life_chart.life(fresh, dark=False).data[0].z).max() == 1


def test_to_an_audience_the_pictures_are_not_folded_away():
    at = open_page(OVER_TIME, SMALL | {"aspect": controls.LIFE}, query={"present": "true"})
    assert_calm(at)
    (box,) = [box for box in at.main.expander if box.label == "What is drawn"]
    assert box.get("radio") or box.get("button_group")
    assert not box.get("plotly_chart")


def test_values_of_a_life_and_its_sentence():
    rng = np.random.default_rng(1)
    values = life.values_over_time(np.array([0.5, 0.5, 0.0]), 5, rng)
    assert (np.diff(values) != 0).sum() == 7
    assert set(values) == {0, 1}
    bits = np.ones((2, 3), dtype=bool)
    for belief, words in (
        ([0.2, 0.7, 0.1], "is right"),
        ([0.7, 0.2, 0.1], "wrong: it is bin 1"),
        ([1 / 3] * 3, "3 bins"),
    ):
        lived = Life(np.array([1, 1]), None, bits, np.array([belief, belief]))
        assert words in life.sentence(lived)
    assert life_chart.window(1_000, 999)[-1] == 999
    assert life_chart.window(5, 2).tolist() == [0, 1, 2, 3, 4]


# ---- mechanisms by somebody else ------------------------------------------------------


class Picky(LSUE):
    """A chain that wants at least three values."""

    def __init__(self, *, k, eps, eps_inf=None, calibration="published"):
        super().__init__(k=k, eps=eps, eps_inf=eps_inf, calibration=calibration)
        if self.k < 3:
            raise ldp.Refused(f"k of L-SUE must be at least 3; got {self.k}")


class Silent(LSUE):
    """A chain that does not say what its rounds are."""

    rounds = None


def test_a_chain_that_refuses_k_stops_no_other(monkeypatch):
    monkeypatch.setitem(mechanisms._CLASSES, "L-SUE", Picky)
    two = SMALL | {"k": "2", "seed": 78.0, "aspect": controls.SERVER}
    at = open_page(OVER_TIME, two | {"followed": ["L-GRR"]})
    assert_calm(at)
    assert not at.warning
    assert charts(at)
    at = open_page(OVER_TIME, two | {"followed": ["L-SUE", "L-GRR"]})
    assert [w.value for w in at.warning] == ["**L-SUE** is left out: k of L-SUE must be at least 3; got 2."]
    assert charts(at)


@pytest.mark.parametrize("aspect", [controls.ATTACKER, controls.CHANGING, controls.SERVER])
def test_a_chain_that_does_not_tell_its_rounds_is_left_out(monkeypatch, aspect):
    monkeypatch.setitem(mechanisms._CLASSES, "L-SUE", Silent)
    at = open_page(OVER_TIME, SMALL | {"seed": 78.0, "followed": ["L-SUE", "OUE"], "aspect": aspect})
    assert_calm(at)
    (warning,) = at.warning
    assert warning.value.startswith("**L-SUE** is left out: ")
    assert "two rounds" in warning.value
    names = {trace.get("name") for chart in charts(at).values() for trace in chart["data"]}
    assert "OUE" in names
    assert "L-SUE" not in names


def test_a_life_of_such_a_chain_is_not_possible(monkeypatch):
    monkeypatch.setitem(mechanisms._CLASSES, "L-SUE", Silent)
    at = open_page(OVER_TIME, SMALL | {"seed": 78.0, "aspect": controls.LIFE, "life_of": "L-SUE"})
    assert_calm(at)
    (warning,) = at.warning
    assert warning.value.startswith("**L-SUE** is not possible here: ")


@pytest.mark.parametrize("log", [True, False])
def test_the_name_of_a_line_across_stands_clear_of_a_curve_along_it(log):
    """On a phone the name of ε∞ stood on the marks of the curves that end there."""
    of = Followed("OUE", ldp.Setting(mechanism="OUE", k=10, eps=4.0), theme.SERIES[0])
    line = chart.Line(of, True, [1, 10, 100], [4.0, 4.0, 4.0], ["", "", ""])
    across = (("ε∞ = 4", 4.0), ("less", 2.0))
    figure = chart.curves([line], chart.Axes("reports", "ε", log, across), dark=False)
    mark = figure.data[0].marker.size
    above, below = figure.layout.annotations
    assert (above.text, above.yanchor, below.yanchor) == ("ε∞ = 4", "bottom", "top")
    assert mark / 2 <= above.yshift < mark
    assert mark / 2 <= -below.yshift < mark


@pytest.mark.parametrize("log", [True, False])
def test_the_name_of_a_floor_stands_below_it_where_no_curve_runs(log):
    """At ε∞ = 0.2 the curves of memos run just above the line of blind guesses, and struck out its name."""
    of = Followed("OUE", ldp.Setting(mechanism="OUE", k=100, eps=0.1), theme.SERIES[0])
    line = chart.Line(of, True, [1, 10, 100], [1.05, 1.1, 1.1], ["", "", ""])
    axes = chart.Axes("reports", "guessed rightly (%)", log, (("without a report", 1.0),), floor=True)
    figure = chart.curves([line], axes, dark=False)
    (name,) = figure.layout.annotations
    assert (name.yanchor, name.yshift < 0) == ("top", True)
    if log:
        low, high = figure.layout.yaxis.range
        # Of about 230 pixels, a name of 12 pixels and its distance need 18.
        assert 230 * (0 - low) / (high - low) > 18
        assert 10**high > 1.1


def test_an_axis_of_small_span_has_more_than_one_tick():
    """With memos alone, ε goes from 2 to 4: 2 was the only number on the axis."""
    at = open_page(OVER_TIME, SMALL | {"followed": ["L-SUE", "OUE"], "noise": [controls.MEMO]})
    axis = charts(at)["over_time_eps"]["layout"]["yaxis"]
    assert sum(1.9 <= tick <= 4.1 for tick in axis["tickvals"]) >= 3


def test_no_word_says_left_or_right_of_charts_that_a_phone_stacks():
    at = open_page(OVER_TIME, SMALL | {"aspect": controls.CHANGING, "followed": ["OUE"]})
    assert "compares two histories" in text(at)
    assert not any(word in text(at) for word in ("On the left", "on the right"))


def test_what_is_over_a_number_is_no_bound():
    """With a memo of ε∞ = 12 L-GRR was said to be guessed "never more than over 99.9%"."""
    s = ldp.Setting(data="uniform", mechanism="L-GRR", eps=6.0, eps_inf=12.0, k=4, n=1_000)
    of = Followed("L-GRR", s, theme.SERIES[0])
    text = attacker._memo_sentence(of, [Chance(0.9991)] * len(REPORTS), 0.9998)
    assert "in the end **over 99.9%**" in text
    assert "never more than" not in text
    assert "never more than **41.8%**" in attacker._memo_sentence(of, [Chance(0.41)] * len(REPORTS), 0.4182)


def test_a_life_is_not_sure_by_rounding():
    m = ldp.mechanism("L-GRR", k=3, eps=6.0, eps_inf=12.0)
    lived = live(m, np.full(6, 1), np.random.default_rng(1))
    texts = [text for trace in life_chart.life(lived, dark=False).data for text in trace.text or () if "belief" in text]
    assert lived.beliefs.max() > 0.9995
    assert any("over 99.9%" in text for text in texts)
    assert not [text for text in texts if "100%" in text or "1 reports" in text]


def test_one_value_is_not_a_different_one():
    of = Followed("L-SUE", ldp.Setting(mechanism="L-SUE", k=100, eps=1.0, eps_inf=2.0), theme.SERIES[0])
    assert "1,000 reports with one value cost ε = **2** with" in changing._cost(of, 1_000)
    assert "with 2 different values" in changing._cost(of, 500)


def test_a_small_error_is_written_in_plain_digits():
    """A billion users at ε∞ = 0.01: "the standard error is at most 8.4e-06 percentage points"."""
    s = ldp.Setting(data="uniform", mechanism="L-GRR", eps=1.0, eps_inf=2.0, k=4, n=1_000)
    line = chart.Line(Followed("L-GRR", s, theme.SERIES[0]), True, REPORTS, [1.0], [""], [8.4e-06])
    assert "at most 0.0000084 percentage points" in attacker._method_sentence([line])
