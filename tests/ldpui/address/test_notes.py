"""A note stays on the page that it opened, whatever changes there, until it is closed or its reader goes back."""

import pytest
from app_steps import ABOUT, COMPARE, ESTIMATE, QUICK, assert_calm, go_to, open_page, session_of

from ldpui.address import notes
from ldpui.address.notes import Note, Way

TASK = Note(
    "test-1",
    "**1 of 2.** Move ε to 0.5.",
    Way("Back to where it was", ABOUT),
    Way("Next", COMPARE, {"metric": "MAE"}),
    done=lambda s: s.eps == 0.5,
    answer="That was it.",
)
LOOK = Note("test-2", "Look at the tail.", Way("Back", ABOUT), answer="It is long.")
LINK = {"data": "Gaussian", "n": "1k", "k": "10", "runs": "2", "iterations": "30"}


@pytest.fixture(autouse=True)
def declared(monkeypatch):
    monkeypatch.setattr(notes, "NOTES", {})
    notes.declare(TASK, LOOK)


def said(at):
    return [m.value for m in at.main.markdown if any(n.text in m.value for n in (TASK, LOOK))]


def in_url(at):
    return at.query_params.get("note")


def press(at, key):
    at.main.button(key=key).click()
    return at.run()


def test_a_link_carries_a_note_by_its_key_and_controls_leave_it_there():
    at = open_page(query=LINK | {"note": "test-1"})
    assert_calm(at)
    assert len(said(at)) == 1
    assert "check_box_outline_blank" in said(at)[0]
    # One thing at a time: who comes from a lesson is not new.
    assert not [b for b in at.main.button if b.key == "hide_intro"]
    assert TASK.answer not in said(at)[0]
    at.main.select_slider(key="eps").set_value("0.5").run()
    assert "check_box:" in said(at)[0]
    assert TASK.answer in said(at)[0]
    # What was done once is done.
    at.main.select_slider(key="eps").set_value("1").run()
    assert "check_box:" in said(at)[0]
    assert in_url(at) == "test-1"


def test_a_note_that_asks_for_nothing_has_no_box_and_its_answer_is_folded():
    at = open_page(query=LINK | {"note": "test-2"})
    assert said(at) == [LOOK.text]
    assert [e.label for e in at.main.expander if e.label == "Answer"] == ["Answer"]
    assert not [b for b in at.main.button if b.key == "note_next"]


def test_closing_takes_it_from_the_page_and_from_the_address():
    at = press(open_page(query=LINK | {"note": "test-1"}), "note_close")
    assert not said(at)
    assert not in_url(at)
    assert at.run().title[0].value == "Estimate"
    assert not said(at)


@pytest.mark.slow
def test_it_waits_while_other_pages_are_visited_and_is_over_where_it_came_from():
    at = open_page(query=LINK | {"note": "test-1"})
    go_to(at, COMPARE)
    assert not said(at)
    assert not in_url(at)
    go_to(at, ESTIMATE)
    assert said(at)
    assert in_url(at) == "test-1"
    go_to(at, ABOUT)
    go_to(at, ESTIMATE)
    assert not said(at)


@pytest.mark.parametrize(("key", "title"), [("note_back", "About"), ("note_next", "Compare")])
def test_its_ways_lead_to_their_pages_and_keep_the_settings(key, title):
    at = press(open_page(query=LINK | {"note": "test-1", "eps": "3"}), key)
    assert at.title[0].value == title
    go_to(at, ESTIMATE)
    assert not said(at)
    assert session_of(at).setting.eps == 3
    if key == "note_next":
        assert at.session_state["metric"] == "MAE"


def test_opening_a_page_with_a_note_sets_what_its_link_says_and_the_rest_to_the_defaults(monkeypatch):
    state = {}
    monkeypatch.setattr(notes.st, "session_state", state)
    monkeypatch.setattr(notes.opening.st, "session_state", state)
    notes.open_with("test-1", {"eps": "0.7", "limit": "true"})
    assert state["note"] == "test-1"
    assert (state["eps"], state["limit"], state["mechanism"]) == ("0.7", True, "OUE")
    assert state["_session"].go_to == ""


def test_words_of_a_stranger_are_not_shown_as_a_note():
    at = open_page(query=LINK | {"note": "<b>Call 555</b>"})
    assert not at.exception
    assert not [m for m in at.main.markdown if "Call 555" in m.value]
    # The address was wrong, and that is said as of any other control; but once.
    assert "note = " in at.warning[0].value
    assert not in_url(at)
    assert not at.run().warning


def test_where_the_settings_do_not_go_together_the_way_back_is_there():
    at = open_page(state=QUICK | {"data": "Triangular", "triangular_mode": 1e6, "note": "test-1"})
    assert at.error
    assert said(at)
    assert at.main.button(key="note_back")
