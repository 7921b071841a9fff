"""A student's page: the question, the program that answers it, and what became of the answer."""

from __future__ import annotations

from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import failures
from pages.study.live_class import parts, visitor
from pages.study.live_class.rooms import RoomView
from pages.study.live_class.store import rooms

SECONDS = 2.0
_WHY = """- **What leaves your phone** is the report, the number of the round, and a random name that your phone gave
itself for this room, so that it is counted once a round. No answer, no name of yours.
- **Who draws the noise:** the browser's own cryptographic generator, in a program that runs on your phone. It was sent
by this server, so whoever runs the server could send another one; the source is open, and the browser's developer
tools show all that is sent. If you don't trust whoever runs this, don't give a true answer.
- **What the server could do:** tell which reports of several rounds came from the same phone. It keeps sums only, but
you have to take its word for that. That is what ε is for: it holds whatever the server does, for each round, and adds
up over the rounds that you answer.
- **One report per phone and round:** another phone, another browser or a private window counts as another student.
Nobody can see that from here."""


def draw() -> None:
    """Draw the room for a student."""
    here = visitor.current()
    code = here.code or ""
    try:
        room = rooms().join(code, here.name)
    except ldp.Refused as error:
        st.warning(
            f"You can't come in now: {failures.reason(error, 'the room was joined')}.", icon=":material/group_off:"
        )
        st.button("Try again", icon=":material/refresh:")
        return
    if room is None:
        here.leave(visitor.ENDED)
        st.rerun()
    _answer(room.stage)
    with st.expander("What is sent, and why should I believe that?"):
        st.markdown(_WHY)
    _watch(room.stage)
    # A teacher whose page was loaded again comes in here, until the tab has handed over the key.
    parts.teachers_key("class_key", {"room": code, "key": None}, lambda: here.teach(here.listen("class_key", "key")))


@st.fragment
def _answer(stage: tuple[int, bool]) -> None:
    """Draw the program of the phone; what it sends draws this again, and nothing else."""
    here = visitor.current()
    room = rooms().join(here.code or "", here.name)
    if room is None or room.stage != stage:
        st.rerun()
    key = f"class_answer_{room.now.number}"
    st.caption(f"Round {room.now.number}")
    parts.answer(key, data(room, here), lambda: _take(room.code, key))


def data(room: RoomView, here: visitor.Visitor) -> dict[str, Any]:
    """Return what the phone is told; p and q are those of the mechanism itself."""
    view = room.now
    m = view.make_mechanism()
    return {
        "room": room.code,
        "round": view.number,
        "open": view.open,
        "question": room.question.text,
        "answers": list(room.question.answers),
        "mechanism": view.mechanism,
        "eps": view.eps,
        "p": m.p,
        "q": m.q,
        "received": (room.code, view.number) in here.received,
        "problem": here.problem,
    }


def _take(code: str, key: str) -> None:
    """Hand what the phone sent to the room."""
    here = visitor.current()
    message = here.listen(key, "report")
    if message is None:
        return
    here.problem = ""
    try:
        visitor.check()
        rooms().report(code, here.name, message)
    except ldp.Refused as error:
        here.problem = failures.reason(error, "the report was read")
        return
    here.received.add((code, message["round"]))


@st.fragment(run_every=SECONDS)
def _watch(stage: tuple[int, bool]) -> None:
    """Look whether the teacher did something; only then the page is drawn again."""
    here = visitor.current()
    room = rooms().join(here.code or "", here.name)
    if room is None or room.stage != stage:
        here.problem = ""
        st.rerun()
