"""What the teacher does with a room: close a round, turn the dial, start the next one, end it all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpui import failures, glossary, widgets
from ldpui.address import links
from pages.study.live_class import controls, invitation, parts, sentences, visitor
from pages.study.live_class.limits import LIMITS
from pages.study.live_class.reports import MECHANISMS
from pages.study.live_class.rooms import RoomView
from pages.study.live_class.store import rooms

DEMO = 60
_SHOWN = """Whoever opens this link is the teacher of this room, on any machine: don't open this box while others
see your screen. This tab keeps the link, so that you may reload the page."""
_DOOR = """When everybody is in, close the door: no stranger with the code can add reports then. Phones that are in stay
in, and find their place again after a reload."""


def draw(room: RoomView) -> None:
    """Draw the teacher's controls, as the round is open or closed."""
    here = visitor.current()
    if here.problem:
        st.error(here.problem, icon=":material/error:")
        here.problem = ""
    view = room.now
    if not view.open:
        _between(room)
    with st.container(horizontal=True, vertical_alignment="center"):
        if view.open:
            words = f"Close round {view.number}"
            st.button(words, type="primary", icon=":material/lock:", on_click=_do, args=(rooms().close_round,))
            st.button(
                f"Add {DEMO} simulated students",
                icon=":material/smart_toy:",
                on_click=_do,
                args=(rooms().simulate, DEMO, np.random.default_rng()),
                help="A rehearsal: their answers are drawn at random, their reports by the mechanism itself.",
            )
        with st.popover("Door", icon=":material/door_open:" if room.door_open else ":material/door_front:"):
            _door(room)
        with st.popover("Teacher's link", icon=":material/key:"):
            st.markdown(_SHOWN)
            st.code(invitation.teachers_link(room.code, here.key or ""), language=None, wrap_lines=True)
        with st.popover("End the room", icon=":material/logout:"):
            st.markdown("All rounds are forgotten, and nobody can come back. The download below keeps the results.")
            st.button("End it now", type="primary", on_click=_end)
    parts.keeper("class_key", {"room": room.code, "key": here.key})


def _door(room: RoomView) -> None:
    """Let the teacher say who may come in."""
    st.markdown(_DOOR)
    # The controls show what holds in the room: another tab of the teacher may have changed it.
    st.session_state["class_seats"], st.session_state["class_door"] = room.students, room.door_open
    st.number_input("Phones, at most", 1, LIMITS.students, key="class_seats", on_change=_set_door)
    st.toggle("New phones may come in", key="class_door", on_change=_set_door)


def _set_door() -> None:
    _do(rooms().set_door, st.session_state["class_seats"], st.session_state["class_door"])


def _between(room: RoomView) -> None:
    """Offer ε, and the mechanism, of the next round."""
    view = room.now
    with st.container(border=True):
        st.subheader(f"Round {view.number} is closed. The next one:", anchor=False)
        left, middle, right = st.columns([1, 3, 1.5], vertical_alignment="bottom")
        with left:
            widgets.pick("Mechanism", "c_mechanism", MECHANISMS)
        with middle:
            widgets.slide("Privacy budget ε", "c_eps", controls.EPS, help=glossary.EPS)
        mechanism, eps = chosen()
        right.button(
            f"Start round {view.number + 1} at ε = {eps:g}",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_do,
            args=(rooms().start_round, mechanism, eps),
            width="stretch",
        )
        st.markdown(sentences.dial(mechanism, view.k, eps, view.n))


def chosen() -> tuple[str, float]:
    """Return the mechanism and ε that the controls stand at."""
    return str(links.value("c_mechanism")), float(links.value("c_eps"))


def _do(action: Callable[..., None], *arguments: Any) -> None:
    """Do something as the room's teacher; what is refused is said on the page."""
    here = visitor.current()
    try:
        visitor.check()
        action(here.code, here.key, *arguments)
    except ldp.Refused as error:
        here.problem = f"That was not possible: {failures.reason(error, 'the room was changed')}."


def _end() -> None:
    _do(rooms().end)
    visitor.current().leave("The room has ended. Nothing of it is kept.")
