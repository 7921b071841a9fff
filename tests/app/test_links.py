"""Links into the app: good words are taken, bad ones named, and nothing breaks."""

import pytest
from app_steps import COMPARE, QUICK, assert_calm, charts, open_page, session_of

from ldpui import links, vocabulary

BAD = {
    "data": "Zipf",
    "gaussian_sd": "wide",
    "reports": "never",
    "mechanism": "XX",
    "eps": "7777",
    "n": "20001",
    "k": "abc",
    "runs": "0",
    "seed": "-1",
    "iterations": "",
    "start": "<b>here</b>",
    "channel": "EXACT",
    "calibration": "loose",
    "binning": "log",
    "limit": "yes",
    "axis": "cubic",
    "closer": "Nothing",
}


def note(at):
    return [warning.value for warning in at.warning]


@pytest.mark.parametrize(("key", "word"), BAD.items())
def test_a_bad_word_is_named_and_the_default_used(key, word):
    at = open_page(query=QUICK | {key: word})
    assert_calm(at)
    assert len(note(at)) == 1
    assert key in note(at)[0]
    assert word in note(at)[0]
    assert at.session_state[key] == links.CONTROLS[key].default
    assert charts(at)["estimate_chart"]["data"]


@pytest.mark.parametrize("key", ["chain", "eps_inf", "share"])
def test_a_bad_word_of_a_longitudinal_control_is_named(key):
    at = open_page(query=QUICK | {"reports": "repeatedly", key: "0"})
    assert_calm(at)
    assert [key in text for text in note(at)] == [True]
    assert at.session_state[key] == links.CONTROLS[key].default


@pytest.mark.parametrize("key", ["metric", "sort"])
def test_a_bad_word_of_compare_is_named(key):
    at = open_page(COMPARE, query=QUICK | {key: "none"})
    assert_calm(at)
    assert [key in text for text in note(at)] == [True]
    assert at.session_state[key] == links.CONTROLS[key].default


def test_good_words_are_taken_beside_bad_ones():
    at = open_page(query=QUICK | {"eps": "7777", "mechanism": "SS"})
    assert at.session_state["mechanism"] == "SS"
    assert at.session_state["k"] == "10"
    assert len(note(at)) == 1


def test_several_bad_words_are_all_named():
    at = open_page(query={"eps": "7777", "k": "abc", "mechanism": "XX", "seed": "-1"})
    assert_calm(at)
    assert len(note(at)) == 4
    assert all(any(key in text for text in note(at)) for key in ("eps", "k", "mechanism", "seed"))


def test_the_note_goes_away_with_the_next_change():
    at = open_page(query=QUICK | {"eps": "7777"})
    assert note(at)
    at.sidebar.select_slider(key="eps").set_value("1").run()
    assert not note(at)
    assert at.session_state["eps"] == "1"


def test_keys_of_others_are_left_alone():
    at = open_page(query=QUICK | {"utm_source": "mail", "embed": "true"})
    assert_calm(at)
    assert not note(at)


def test_long_words_are_cut_in_the_note():
    at = open_page(query=QUICK | {"eps": "9" * 5000})
    assert len(note(at)[0]) < 200


@pytest.mark.parametrize("word", ["nan", "inf", "1e400", "2147483648", "1.5", "٣", "1_0"])
def test_numbers_that_are_none_do_not_break_the_seed(word):
    at = open_page(query=QUICK | {"seed": word})
    assert_calm(at)
    assert 0 <= at.session_state["seed"] <= vocabulary.SEED_MAX


def test_a_whole_link_is_taken():
    query = {
        "data": "Uniform", "uniform_low": "5", "uniform_high": "50", "reports": "repeatedly", "chain": "L-SUE",
        "eps_inf": "3", "share": "40%", "n": "2k", "k": "12", "runs": "5", "seed": "9", "iterations": "100",
        "start": "mi", "channel": "published", "calibration": "tight", "binning": "paper", "raw": "true",
        "axis": "log", "closer": "All estimators", "metric": "TV",
    }  # fmt: skip
    at = open_page(query=query)
    assert_calm(at)
    assert not note(at)
    numbers = {"uniform_low": 5, "uniform_high": 50, "seed": 9, "raw": True}
    assert {key: at.session_state[key] for key in query} == query | numbers
    setting = session_of(at).setting
    assert (setting.params, setting.mechanism, setting.eps_inf) == ((("high", 50.0), ("low", 5.0)), "L-SUE", 3.0)
    assert setting.eps == pytest.approx(1.2)


@pytest.mark.parametrize(
    ("data", "query"),
    [
        ("Uniform", {"uniform_low": "10", "uniform_high": "5"}),
        ("Triangular", {"triangular_left": "5000", "triangular_mode": "100"}),
    ],
)
def test_parameters_that_do_not_go_together_are_told_apart_from_a_crash(data, query):
    at = open_page(query=QUICK | {"data": data} | query)
    assert not at.exception
    assert len(at.error) == 1
    assert "low" in at.error[0].value or "mode" in at.error[0].value
    # The sidebar is still there to put it right.
    assert at.sidebar.selectbox(key="data").value == data
