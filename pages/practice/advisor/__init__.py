"""Before a collection is shipped: which mechanism, which ε, how many users."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpui import cache, export, glossary, session, widgets
from ldpui.navigation import heading
from pages.practice.advisor import attacker, errors, opened, phrases, question, ranking, sentences, what_if
from pages.practice.advisor.question import Question
from pages.practice.advisor.ranking import Ranking


def page() -> None:
    """Draw the page."""
    heading("Before you collect anything: which mechanism should you use, and how good will the answer be?")
    q = question.ask()
    ranked = ranking.ranking(q)
    for note in ranked.notes:
        st.caption(note)
    there = _at_answer(q, ranked)
    if ranked.candidates:
        _first(q, ranked, there)
    st.caption(sentences.how_counted(q))
    with st.container(horizontal=True):
        opened.button(ranked.settings[0] if ranked.settings else None)
        widgets.download("Table (CSV)", lambda: export.csv(ranked.table), "ldp-advisor.csv")
    if ranked.candidates:
        st.header("What if it were otherwise?", anchor=False)
        # The best but auto: to simulate auto at so many other settings would take minutes.
        what_if.show(q, there, next(c for c in ranked.candidates if c.estimator != errors.AUTO))
    st.header("What this page can't know", anchor=False)
    st.markdown(glossary.CANT_KNOW)


def _at_answer(q: Question, ranked: Ranking) -> ldp.Setting:
    """Return the setting with the ε or n that is the answer."""
    if q.sought is None or not ranked.candidates:
        return q.setting
    return core.at(q.setting, q.sought, ranked.candidates[0].error.value)


def _first(q: Question, ranked: Ranking, there: ldp.Setting) -> None:
    """Say who is first, why, and what an attacker learns from its reports."""
    first = ranked.candidates[0]
    ranked.introduction.caption(phrases.introduction(first, ranked.candidates))
    data = cache.histogram(q.setting, session.data_of(q.setting))
    why = core.why(ranked.candidates, q.accuracy, data.counts / data.n, there.n, q.sought or "error")
    st.markdown("**Why?** " + why)
    st.markdown("**What does an attacker learn?** " + attacker.sentence(first.mechanism, q.setting))
