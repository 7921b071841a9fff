"""The two ways into a room: a teacher opens one, a student joins one."""

from __future__ import annotations

import time

import streamlit as st

import ldpcore as ldp
from ldpui import failures, glossary, widgets
from ldpui.address import links
from pages.study.live_class import controls, stage, visitor
from pages.study.live_class.limits import LIMITS
from pages.study.live_class.question import Question
from pages.study.live_class.reports import MECHANISMS
from pages.study.live_class.store import rooms

_PROMISE = """What a student answers stays on the student's phone. The phone draws the noise and sends a report; this
server holds the sums of the reports, in memory, until you end the room."""
_MECHANISM = """*GRR* sends one answer: the true one or any other, as chance decides. *OUE* sends a yes or no for each.
Of answers that few give, GRR knows more at every ε where there are at most five; with eight, only above ε = 0.7."""


def draw() -> None:
    """Draw both doors."""
    here = visitor.current()
    if here.note:
        st.info(here.note, icon=":material/info:")
        here.note = ""
    # On a phone the first column is on top: there somebody wants to join.
    left, right = st.columns([2, 3], gap="large")
    with left:
        _join()
    with right:
        _open()


def _join() -> None:
    st.header("Join a room", anchor=False)
    with st.form("class_join", border=False):
        st.text_input("Code of the room", key="class_code", max_chars=20, placeholder="ABCD-EFGH")
        st.form_submit_button("Join", icon=":material/login:", on_click=_enter)


def _enter() -> None:
    visitor.current().enter(str(st.session_state.get("class_code", "")))


def _open() -> None:
    st.header("Open a room for your class", anchor=False)
    problem = visitor.current().problem
    st.text_input("Question", controls.QUESTION, max_chars=LIMITS.question, **widgets.bound("c_question"))
    st.text_area(
        "Answers, one in each line",
        controls.ANSWERS,
        height=140,
        help=f"2 to {LIMITS.answers}, each of at most {LIMITS.answer} letters.",
        **widgets.bound("c_answers"),
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        widgets.pick("Mechanism", "c_mechanism", MECHANISMS, help=_MECHANISM)
        widgets.whole_number("Phones, at most", "c_students", 1, LIMITS.students, width=150)
    widgets.slide("Privacy budget ε of the first round", "c_eps", controls.EPS, help=glossary.EPS)
    if problem:
        st.error(problem, icon=":material/error:")
        visitor.current().problem = ""
    st.button("Open the room", type="primary", icon=":material/co_present:", on_click=_open_room)
    st.caption(_PROMISE)


def _open_room() -> None:
    here = visitor.current()
    try:
        visitor.check()
        question = Question.of(str(links.value("c_question")), str(links.value("c_answers")))
        students = round(float(links.value("c_students")))
        if not here.openings.take(time.monotonic()):
            raise ldp.Refused("you have opened several rooms just now; wait a minute")
        code, key = rooms().open(question, *stage.chosen(), students, here.name)
    except ldp.Refused as error:
        here.problem = f"The room can't be opened: {failures.reason(error, 'the room was opened')}."
        return
    here.keys[code] = key
    here.code = st.query_params[visitor.ROOM] = code
