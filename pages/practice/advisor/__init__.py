"""Before a collection is shipped: which mechanism, which ε, how many users."""

from __future__ import annotations

import streamlit as st

from ldpcore import advisor as core
from ldpui import cache, export, glossary, sidebar, widgets
from ldpui.navigation import heading
from pages.practice.advisor import candidates, controls, ranking, text, what_if
from pages.practice.advisor.ranking import Question


def page() -> None:
    """Draw the page."""
    heading("Advisor", "Before you collect anything: which mechanism should you use, and how good will the answer be?")
    solve = widgets.pick("What do you want to know?", "solve", controls.SOLVE, help=glossary.SOLVE)
    q = _question(solve)
    ranked = ranking.what_is_needed(q) if q.sought else ranking.how_accurate(q)
    for note in ranked.notes:
        st.caption(note)
    there = candidates.at_answer(q.setting, ranked.candidates, q.sought)
    if ranked.candidates:
        first = ranked.candidates[0]
        ranked.names.caption(text.who(first))
        data = cache.histogram(q.setting)
        why = core.why(ranked.candidates, q.accuracy, data.counts / data.n, there.n, q.sought or "error")
        st.markdown("**Why?** " + why)
        st.markdown("**What does an attacker learn?** " + text.attack_sentence(first.mechanism))
    st.caption(text.how_counted(q.settings, q.accuracy, q.sought))
    st.download_button(
        "Table (CSV)", lambda: export.csv(ranked.frame), "ldp-advisor.csv", "text/csv", on_click="ignore"
    )
    if ranked.candidates:
        st.subheader("What if it were otherwise?", anchor=False)
        what_if.show(q, there, ranked.candidates[0])
    st.subheader("What this page can't know", anchor=False)
    st.markdown(glossary.CANT_KNOW)


def _question(solve: str) -> Question:
    """Ask all that the answer hangs on."""
    s = sidebar.questions(candidates.HIDDEN.get(solve, ()))
    accuracy = candidates.ask_accuracy()
    sought = candidates.SOUGHT.get(solve)
    iterated = sought is None or widgets.switch(
        "Also IBU as the paper iterates it (slow)", "iterated", help=glossary.IBU
    )
    settings, notes = candidates.mechanisms(s, any_eps=sought == "eps")
    return Question(s, accuracy, sought, iterated, settings, notes)
