"""A student's page: the question, the program that answers it, and what became of the answer."""

from __future__ import annotations

from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import failures
from ldpui.navigation import part
from pages.study.live_class import parts, visitor
from pages.study.live_class.rooms import RoomView
from pages.study.live_class.store import rooms

SECONDS = 2.0
_WHY = """- **What leaves your phone** is the report, the number of the round, and a random name that your phone gave
itself for this room, so that it is counted once a round; after a reload also a second random name, by which it finds
its place again. No answer, no name of yours. Like every page of this site, this one also tells the server the address
that you opened, your language, your time zone and whether your phone shows light or dark; the server could note them,
and the network address that you come from; this program does not.
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
        _outside(failures.reason(error, "the room was joined"))
        return
    if room is None:
        here.leave(visitor.ENDED)
        st.rerun()
    _answer(room.stage)
    with st.expander("What is sent, and why should I believe that?"):
        st.markdown(_WHY)
    _watch(room.stage)
    _keep(here.name)


def _outside(why: str) -> None:
    """Say why the phone can't come in, and try again by itself."""
    st.warning(f"You can't come in now: {why}. This page tries again by itself.", icon=":material/group_off:")
    _knock()
    _keep(None)


def _keep(seat: str | None) -> None:
    """Let the phone keep its place, or hand it over where it has none; and a tab the key of its teacher."""
    # A teacher whose page was loaded again, or who came by the teacher's link, comes in here first.
    here = visitor.current()
    parts.keeper(
        "class_key",
        {"room": here.code, "key": None, "seat": seat},
        on_key=lambda: here.teach(here.listen("class_key", "key")),
        on_seat=lambda: here.sit_down(here.listen("class_key", "seat")),
    )


def _room() -> RoomView | None:
    """Return the room, for a part of the page; None where the page has to say something else."""
    here = visitor.current()
    try:
        return rooms().join(here.code or "", here.name)
    except ldp.Refused:
        # A phone that slept has lost its place: the page says so.
        return None


@part("Live class", every=SECONDS)
def _knock() -> None:
    """Look whether there is a place now."""
    here = visitor.current()
    if _room() is not None or not rooms().exists(here.code or ""):
        st.rerun()


@part("Live class")
def _answer(stage: tuple[int, bool]) -> None:
    """Draw the program of the phone; what it sends draws this again, and nothing else."""
    here, room = visitor.current(), _room()
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


@part("Live class", every=SECONDS)
def _watch(stage: tuple[int, bool]) -> None:
    """Look whether the teacher did something; only then the page is drawn again."""
    here, room = visitor.current(), _room()
    if room is None or room.stage != stage:
        here.problem = ""
        st.rerun()
