"""A class that really collects: a sensitive question, phones that blur their own answers, and what can be learned."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from ldpui import uploads
from ldpui.address import links
from ldpui.navigation import heading
from ldpui.serving import host
from pages.study.live_class import doors, student, visitor, wall
from pages.study.live_class.codes import spoken

_PURPOSE = """A sensitive question, and every phone blurs its own answer: **what can be learned about the class, and
what about one of you?**"""
_SHORT = "Every phone blurs its own answer before anything is sent."
_OFF = "Live classes are switched off on this server. Run the app yourself to hold one."
_ELSEWHERE = """This server runs several copies of the app, and the rooms of live classes are in one of them, which you
get to by opening this page anew. Data that you have brought stays behind."""
_STYLE = """
.st-key-class_question [data-testid="stText"] {
  font-size: 1.6rem; font-weight: 600; line-height: 1.3; white-space: pre-wrap; overflow-wrap: anywhere;
}
.st-key-class_arrived p { font-size: 1.25rem; }
"""


def page() -> None:
    """Draw the page: a way into a room, a teacher's wall or a student's question."""
    if not visitor.is_on():
        heading(_PURPOSE)
        st.info(_OFF, icon=":material/block:")
        st.code(uploads.COMMAND, language="bash", wrap_lines=True)
        return
    if not host.has_rooms():
        heading(_PURPOSE)
        st.info(_ELSEWHERE, icon=":material/meeting_room:")
        query = urlencode(st.query_params.to_dict())
        st.link_button("Open the rooms", f"{links.address()}?{query}", icon=":material/open_in_new:")
        return
    here = visitor.current()
    here.arrive()
    # In a room the question is the class's own.
    heading(_PURPOSE if here.code is None else f"Room **{spoken(here.code)}**. {_SHORT}")
    st.html(f"<style>{_STYLE}</style>")
    if here.code is None:
        doors.draw()
    elif here.key is not None:
        wall.draw()
    else:
        student.draw()
