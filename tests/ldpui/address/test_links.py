"""Links into the app: good words are taken, bad ones named, and nothing breaks."""

import re
from urllib.parse import parse_qs

import pytest
from app_steps import ABOUT, COMPARE, ESTIMATE, QUICK, assert_calm, charts, go_to, open_page, session_of

from ldpui.address import links, vocabulary

BAD = {
    "data": "Zipf",
    "gaussian_sd": "wide",
    "reports": "never",
    "mechanism": "XX",
    "eps": "7777",
    "n": "2000000000",
    "k": "abc",
    "runs": "0",
    "seed": "-1",
    "iterations": "",
    "start": "<b>here</b>",
    "channel": "EXACTLY",
    "calibration": "loose",
    "binning": "log",
    "limit": "yes",
    "axis": "cubic",
    "closer": "Nothing",
}


def note(at):
    """Return the box with the notes as a reader sees it, where signs of Markdown are escaped."""
    return [re.sub(r"\\(.)", r"\1", warning.value) for warning in at.warning]


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


@pytest.mark.parametrize(
    ("key", "word", "meant"),
    [
        ("mechanism", "grr", "GRR"),
        ("data", "poisson", "Poisson"),
        ("data", "acs-income", "ACS income"),
        ("metric", "mae", "MAE"),
    ],
)
def test_capitals_do_not_matter_and_the_librarys_names_are_known(key, word, meant):
    at = open_page(COMPARE if key == "metric" else ESTIMATE, query=QUICK | {key: word})
    assert_calm(at)
    assert not note(at)
    assert at.session_state[key] == meant
    # A second run leaves it so, and the link is spelled as the controls are.
    at.run()
    assert at.session_state[key] == meant
    assert at.query_params.get(key, [meant]) == [meant]


@pytest.mark.parametrize(
    ("key", "word", "meant"),
    [("limit", "True", True), ("limit", "FALSE", False), ("present", "TRUE", True), ("intro", "Off", "off")],
)
def test_capitals_do_not_matter_to_switches_either(key, word, meant):
    at = open_page(query=QUICK | {key: word}).run()
    assert_calm(at)
    assert not note(at)
    assert links.CONTROLS[key].allows(word)
    assert at.session_state[key] == meant


def test_several_words_are_taken_in_any_spelling():
    at = open_page(COMPARE, query=QUICK | {"mechanisms": ["grr", "l-olh"]})
    assert_calm(at)
    assert not note(at)
    assert at.session_state["mechanisms"] == ["GRR", "L-OLH"]


def test_good_words_are_taken_beside_bad_ones():
    at = open_page(query=QUICK | {"eps": "7777", "mechanism": "SS"})
    assert at.session_state["mechanism"] == "SS"
    assert at.session_state["k"] == "10"
    assert len(note(at)) == 1


def test_several_bad_words_are_all_named():
    at = open_page(query={"eps": "7777", "k": "abc", "mechanism": "XX", "seed": "-1"})
    assert_calm(at)
    (box,) = note(at)
    assert [line.split(" = ")[0] for line in box.split("\n\n")] == [
        f"The link asks for {key}" for key in ("eps", "k", "mechanism", "seed")
    ]


def test_a_link_can_write_no_markdown_on_the_page():
    at = open_page(query=QUICK | {"mechanism": "**x** [a](http://b) `c` <i>d</i> $e$", "axis": ":red[x]"})
    (box,) = [warning.value for warning in at.warning]
    assert not re.search(r"(?<!\\)[*\[\]`<>$]|(?<!\\):red", box)


LEGAL = {"eps": "0.73", "n": "12345", "k": "37"}


def test_any_legal_number_is_taken():
    at = open_page(query=QUICK | LEGAL)
    assert_calm(at)
    assert not note(at)
    setting = session_of(at).setting
    assert (setting.eps, setting.n, setting.k) == (0.73, 12345, 37)
    assert {key: at.main.select_slider(key=key).value for key in LEGAL} == LEGAL
    # They survive a visit to another page, and are in the link to copy.
    go_to(at, COMPARE)
    assert {key: at.main.select_slider(key=key).value for key in LEGAL} == LEGAL
    go_to(at, ABOUT)
    assert not at.select_slider
    assert all(f"{key}={word}" in at.sidebar.code[0].value for key, word in LEGAL.items())
    go_to(at, ESTIMATE)
    assert session_of(at).setting == setting


def test_the_privacy_of_repeated_reports_may_be_any_number():
    at = open_page(query=QUICK | {"reports": "repeatedly", "eps_inf": "3.3", "share": "33.5%"})
    assert_calm(at)
    setting = session_of(at).setting
    assert (setting.eps_inf, setting.eps) == (3.3, pytest.approx(0.335 * 3.3))


@pytest.mark.parametrize(
    ("word", "n"), [("20000", 20_000), ("2000", 2000), ("2k", 2000), ("1.5k", 1500), ("1e6", 10**6)]
)
def test_a_number_may_be_spelled_in_other_ways(word, n):
    at = open_page(query={"n": word, "k": "10", "runs": "2"})
    assert_calm(at)
    assert not note(at)
    assert session_of(at).setting.n == n
    options = at.main.select_slider(key="n").options
    assert len({vocabulary.SCALES["n"].number(option) for option in options}) == len(options)


@pytest.mark.parametrize(
    ("key", "word"),
    [("eps", "0"), ("eps", "51"), ("eps", "2k"), ("eps", "nan"), ("eps", "-1"), ("n", "0"), ("n", "1.5"), ("n", "2B"),
     ("n", "٣"), ("k", "1"), ("k", "1001"), ("k", "10.5"), ("n", "1_000")],
)  # fmt: skip
def test_an_illegal_number_is_refused_with_its_bounds(key, word):
    at = open_page(query=QUICK | {key: word})
    assert_calm(at)
    (box,) = note(at)
    assert vocabulary.SCALES[key].bounds in box
    assert at.session_state[key] == links.CONTROLS[key].default


def test_the_note_goes_away_with_the_next_change():
    at = open_page(query=QUICK | {"eps": "7777"})
    assert note(at)
    at.main.select_slider(key="eps").set_value("1").run()
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


@pytest.mark.parametrize(
    ("page", "key", "word"),
    [("ibu_lab", "lab_own", "x"), ("class", "c_question", "?" * 201), ("class", "c_answers", "a" * 337)],
)
def test_of_a_text_that_is_not_possible_nothing_else_is_said_to_be_used(page, key, word):
    at = open_page(page, query=QUICK | {key: word})
    assert_calm(at)
    (box,) = note(at)
    assert key in box
    assert box.endswith("which is not possible here; change it in its box.")
    assert word.startswith(at.session_state[key])


def test_what_somebody_has_typed_is_not_said_to_come_from_a_link():
    at = open_page("ibu_lab", QUICK)
    at.session_state["lab_own"] = at.query_params["lab_own"] = "x"  # as the browser has it once a box is left
    at.run()
    assert_calm(at)
    assert not note(at)
    assert [box.value for box in at.info] == ["Your start must be numbers from 0 up; got “x”."]


@pytest.mark.parametrize(("page", "key"), [("compare", "mechanisms"), ("over_time", "followed")])
def test_a_link_says_that_of_several_words_none_is_chosen(page, key):
    at = open_page(page, QUICK | {key: []})
    copied = parse_qs(links.query({key: at.session_state[key]})[1:], keep_blank_values=True)
    assert copied == {key: [""]}
    opened = open_page(page, query=QUICK | {key: ""})
    assert not note(opened)
    assert opened.session_state[key] == []
    # It says so of a control too that the page of the link does not draw.
    assert go_to(open_page("about", query=QUICK | {key: ""}), page).session_state[key] == []
