"""For teachers: what to do in which order, exercises, and what may be done with the texts."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

from ldpui import session, widgets
from ldpui.address import links, opening
from ldpui.navigation import heading, page_link
from pages.study.learn.lessons import ADDRESS, LESSONS
from pages.study.learn.teach.exercises import Exercise, exercises
from pages.study.learn.teach.plan import PLANS, Step

_WIDE = 900
links.declare(
    links.one_of("minutes", "45", tuple(PLANS), page=True),
    links.switch("solutions"),
)

# On paper: the page alone, in black on white, and no step cut in two.
_PRINT = """
@media print {
  [data-testid="stSidebar"], [data-testid="stHeader"], .st-key-choices { display: none; }
  [data-testid="stMainBlockContainer"] { padding: 0; max-width: none; }
  [class*="st-key-step_"], [class*="st-key-exercise_"] { break-inside: avoid; }
  [data-testid="stApp"] { background: #fff !important; }
  [data-testid="stApp"] * { color: #000 !important; background: transparent !important; }
}
"""
_LICENCE = (
    "The texts of *Learn* and *Teach* may be shared and changed by anybody who names LDP Explorer: "
    "[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/). The code has the MIT licence."
)


def page() -> None:
    """Draw the page."""
    st.html(f"<style>{_PRINT}</style>")
    heading("How does one teach this, in 45 minutes or in 90?")
    with st.container(width=_WIDE):
        with st.container(horizontal=True, vertical_alignment="bottom", key="choices"):
            minutes = widgets.pick("Minutes", "minutes", PLANS)
            shown = widgets.switch("Open all solutions, as for printing", "solutions")
        st.markdown(
            "Pupils need to know percentages beforehand, and from lesson 3 on averages and square roots: what odds and "
            "ε are, lesson 1 says. The solutions of the exercises are for you, and use a little more: logarithms and "
            "the standard deviation. You need a screen, and a coin for everybody; pupils may have the lessons on their "
            "phones. "
            "Every guess comes before its answer: wait for it."
        )
        st.header(f"{minutes} minutes", anchor=False)
        _plan(PLANS[str(minutes)])
        st.header("Exercises", anchor=False)
        for number, exercise in enumerate(exercises(), 1):
            _exercise(number, exercise, bool(shown))
        st.header("The texts", anchor=False)
        st.markdown(_LICENCE)


def _plan(steps: tuple[Step, ...]) -> None:
    start = 0
    for number, step in enumerate(steps, 1):
        with st.container(border=True, gap="small", key=f"step_{number}"):
            st.markdown(f"**{start}–{start + step.minutes} min. {_ended(step.title)}** {step.text}")
            if step.lesson is not None:
                lesson = LESSONS[step.lesson - 1]
                _way(f"{lesson.number}. {lesson.title}", f"to_lesson_{number}", lesson.number)
            elif step.page[0] in session.current().pages:
                with st.container(horizontal=True, vertical_alignment="center"):
                    page_link(*step.page)
                    st.caption(step.page[0], width="content")
        start += step.minutes


def _way(label: str, key: str, lesson: int) -> None:
    """Offer a lesson; on paper its address is left."""
    words = {"lesson": str(lesson)}
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            label, icon=":material/school:", key=key, type="tertiary", on_click=opening.page, args=(ADDRESS, words)
        )
        st.caption(f"{ADDRESS}?lesson={lesson}", width="content")


def _ended(title: str) -> str:
    return title if title.endswith("?") else f"{title}."


def _exercise(number: int, exercise: Exercise, shown: bool) -> None:
    with st.container(key=f"exercise_{number}"):
        st.markdown(f"**{number}. {_ended(exercise.title)}** {exercise.text}")
        with st.container(horizontal=True, vertical_alignment="center"):
            st.button(
                "The setting in Estimate",
                icon=":material/bar_chart:",
                key=f"setting_{number}",
                type="tertiary",
                on_click=opening.link_in_estimate,
                args=(dict(exercise.words),),
            )
            st.caption(f"?{urlencode(exercise.words)}", width="content")
        st.expander("Solution", expanded=shown).markdown(exercise.solution)
