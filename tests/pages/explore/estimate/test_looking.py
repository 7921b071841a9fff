"""Ways to look at Estimate: IBU's limit by a button, all bins, and back to what was shown first."""

import json

import pytest
from app_steps import ESTIMATE, QUICK, assert_calm, charts, names, open_page, session_of

import ldpcore as ldp
from ldpui import clock
from ldpui.format import percent
from pages.explore.estimate import figures


def press(at, label):
    next(button for button in at.main.button if button.label == label).click().run()
    assert_calm(at)


def labels(at):
    return [button.label for button in at.main.button]


def shown(at):
    return charts(at)["estimate_chart"]["layout"]["xaxis"]["range"]


def test_let_it_converge_draws_the_limit_and_takes_it_away_again():
    at = open_page(ESTIMATE, QUICK | {"k": "50"})
    assert "IBU limit" not in names(charts(at)["estimate_chart"])
    press(at, "Let it converge")
    assert "IBU limit" in names(charts(at)["estimate_chart"])
    assert at.sidebar.code[0].value.endswith("&limit=true")
    press(at, "Hide the limit again")
    assert "IBU limit" not in names(charts(at)["estimate_chart"])


def test_what_has_converged_needs_no_button():
    at = open_page(ESTIMATE, QUICK | {"mechanism": "GRR", "eps": "8", "n": "1M", "iterations": "1k"})
    assert "Let it converge" not in labels(at)


@pytest.mark.slow
def test_there_is_a_way_back_to_the_first_view():
    at = open_page(ESTIMATE, QUICK | {"data": "ACS income", "k": "200"})
    first = shown(at)
    assert "Back to first view" not in labels(at)
    press(at, "Show all bins")
    assert shown(at) != first
    assert "Show all bins" not in labels(at)
    press(at, "Back to first view")
    assert shown(at) == first
    assert session_of(at).zoom is None


def test_a_saved_picture_says_its_setting_and_where_it_is_from():
    at = open_page(ESTIMATE, QUICK | {"show": "one", "collection": 2.0})
    axis = charts(at)["estimate_chart"]["layout"]["xaxis"]["title"]["text"]
    for words in ("value", "OUE on Gaussian, ε = 2, n = 1,000, k = 10", "collection 2 of 2 runs", "LDP Explorer"):
        assert words in axis
    (chart,) = [c.proto for c in at.main.get("plotly_chart") if c.key == "estimate_chart"]
    name = json.loads(chart.config)["toImageButtonOptions"]["filename"]
    assert name == "ldp-gaussian-OUE-eps2-n1000-k10-collection2"


@pytest.mark.parametrize("runs", ["1", "2"])
def test_gamma_and_the_verdict_are_told_apart_where_gamma_stands(runs):
    at = open_page(ESTIMATE, QUICK | {"runs": runs})
    (caption,) = [c.value for c in at.main.caption if c.value.startswith("Γ")]
    assert caption == figures.how_counted(int(runs))
    assert ("standard error" in caption) == (runs == "2")


def test_a_number_of_steps_says_what_it_is_worth_by_the_clock():
    at = open_page(ESTIMATE, QUICK | {"iterations": "3"})
    m = session_of(at).setting.make_mechanism()
    said = f"about {percent(m.share_of_the_way(3))} of the way to its limit in 3 steps (t/T ="
    assert any(said in caption.value for caption in at.sidebar.caption)
    (tile,) = [metric for metric in at.main.metric if metric.label == "IBU iterations"]
    assert said in tile.help


def test_the_clock_says_where_it_does_not_count():
    m = ldp.mechanism("OUE", k=200, eps=1.0)
    assert "does not say how far" in clock.words(m, 10, start="mi")
    assert "less than 0.1% of the way" in clock.words(m, 10)
    assert "nearly all of the way" in clock.words(m, 10**6)
    assert "T = 1" in clock.words(ldp.mechanism("GRR", k=2, eps=20.0), 1)


def test_the_clock_stands_where_the_channel_says_nothing(monkeypatch):
    m = ldp.mechanism("L-GRR", k=4, eps=1.0)
    monkeypatch.setattr(type(m), "published_channel", (0.3, 0.3))
    assert "does not move" in clock.words(m, 10, channel="published")
