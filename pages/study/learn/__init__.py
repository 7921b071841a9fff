"""Seven short lessons, one idea each: guess first, then watch it happen, then do it."""

from __future__ import annotations

import streamlit as st

from ldpui import widgets
from ldpui.address import notes, opening
from ldpui.navigation import heading, part
from pages.study.learn import controls, progress
from pages.study.learn.lessons import ADDRESS, LESSONS, Lesson, note

# Lines that are pleasant to read.
_WIDE = 900
notes.declare(*(note(lesson) for lesson in LESSONS))


def page() -> None:
    """Draw the page."""
    heading("How can a crowd be known while nobody in it is?")
    chosen = widgets.pick(
        "Lesson", "lesson", controls.NUMBERS, format_func=_numbered, label_visibility="collapsed", width="stretch"
    )
    lesson = LESSONS[int(chosen) - 1]
    st.header(f"{lesson.number}. {lesson.title}", anchor=False)
    st.markdown(f"*{lesson.question}*")
    with st.container(key="lesson_body", width=_WIDE):
        part("Learn")(lesson.draw)()
    _ways(lesson)


def _numbered(number: str) -> str:
    return f"{number} ✓" if int(number) in progress.current().done else number


def _ways(lesson: Lesson) -> None:
    """Offer what may follow: the same in Estimate, and the lessons before and after."""
    with st.container(horizontal=True, vertical_alignment="center", key="ways"):
        if lesson.number > 1:
            _way(LESSONS[lesson.number - 2], "previous", ":material/arrow_back: {}")
        st.button(
            "Go on in Estimate",
            icon=":material/bar_chart:",
            key="in_estimate",
            on_click=notes.open_with,
            args=(note(lesson).key, lesson.words),
        )
        if lesson.number < len(LESSONS):
            _way(LESSONS[lesson.number], "next", "{} :material/arrow_forward:")


def _way(lesson: Lesson, key: str, label: str) -> None:
    st.button(
        label.format(f"{lesson.number}. {lesson.title}"),
        key=key,
        on_click=opening.page,
        args=(ADDRESS, {"lesson": str(lesson.number)}),
    )
