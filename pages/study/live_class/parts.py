"""The programs that run in the browser: a student's phone, the chart on the wall, and what keeps key and place."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

_FOLDER = Path(__file__).parent
_Call = Callable[[], None]


def _text(name: str) -> str:
    return (_FOLDER / name).read_text(encoding="utf-8")


# What answers are blurred with: read once, and the same for everybody.
ANSWER_JS = _text("answer.js")
_ANSWER_CSS = _text("answer.css")
_WALL_JS, _WALL_CSS = _text("wall.js"), _text("wall.css")
_KEY_JS = _text("key.js")


def answer(key: str, data: dict[str, Any], on_report: Callable[[], None]) -> None:
    """Draw the question on a phone; the phone answers with a report."""
    place = "<div class='place' aria-live='polite'></div>"
    program = st.components.v2.component("ldp_class_answer", html=place, css=_ANSWER_CSS, js=ANSWER_JS)
    program(key=key, data=data, on_report_change=on_report)


def chart(key: str, data: dict[str, Any]) -> None:
    """Draw the chart on the wall; what was drawn before glides to where it is now."""
    place = "<div class='wall' role='img'></div>"
    program = st.components.v2.component("ldp_class_wall", html=place, css=_WALL_CSS, js=_WALL_JS)
    program(key=key, data=data)


def keeper(key: str, data: dict[str, Any], on_key: _Call | None = None, on_seat: _Call | None = None) -> None:
    """Let the browser keep a teacher's key, or a phone's place, or hand over what it has kept."""
    program = st.components.v2.component("ldp_class_key", html="<span hidden></span>", js=_KEY_JS)
    program(key=key, data=data, height=1, on_key_change=on_key or _ignore, on_seat_change=on_seat or _ignore)


def sent(key: str, event: str) -> Any:
    """Return what a program sent: anything at all, if somebody else wrote it."""
    state = st.session_state.get(key)
    return state.get(event) if isinstance(state, dict) else None


def _ignore() -> None:
    """Do nothing with what was handed over."""
