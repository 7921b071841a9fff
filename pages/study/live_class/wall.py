"""The wall: what a teacher projects while the class reports."""

from __future__ import annotations

import streamlit as st

from ldpui import theme, widgets
from ldpui.navigation import part
from pages.study.live_class import chart, invitation, numbers, parts, sentences, stage, table, visitor
from pages.study.live_class.rooms import RoomView
from pages.study.live_class.store import rooms

SECONDS = 1.0
_CAPTION = "MI and IBU are two ways to undo the noise; the numbers at the right are IBU's."


def draw() -> None:
    """Draw the wall of the room that this session teaches."""
    here = visitor.current()
    room = rooms().watch(here.code or "", here.key)
    if room is None:
        here.leave(visitor.ENDED)
        st.rerun()
    with st.container(key="class_question"):
        st.text(room.question.text)
    stage.draw(room)
    left, right = st.columns([5, 2], gap="large")
    with left:
        _live(room.stage)
    with right:
        invitation.draw(room.code)
    _rounds(room)


@part("Live class", every=SECONDS)
def _live(stage_drawn: tuple[int, bool]) -> None:
    """Draw what changes while reports arrive; the rest of the page stays as it is."""
    here = visitor.current()
    room = rooms().watch(here.code or "", here.key)
    if room is None or room.stage != stage_drawn:
        st.rerun()
    view, answers = room.now, room.question.answers
    estimates = numbers.estimates(view)
    with st.container(key="class_arrived"):
        st.markdown(sentences.arrived(room))
    parts.chart("class_chart", chart.data(view, answers, estimates, theme.is_dark()))
    st.caption(_CAPTION)
    st.markdown(sentences.learned(view, answers, estimates))
    st.markdown(sentences.one_of_you(view.mechanism, view.k, view.eps))


def _rounds(room: RoomView) -> None:
    """Show the rounds side by side, and let them be taken away."""
    if len(room.rounds) > 1:
        st.subheader("The rounds", anchor=False)
        st.markdown(sentences.spent(room.rounds))
        frame = table.frame(room)
        st.dataframe(frame, hide_index=True, alt="Each round with its ε, its reports, and IBU with 95% intervals.")
    with st.container(horizontal=True):
        # The key is read now: the file is made when somebody asks for it, and then there is no session to read from.
        key = visitor.current().key
        widgets.download("Rounds (CSV)", lambda: table.csv(room.code, key), "ldp-class.csv")
