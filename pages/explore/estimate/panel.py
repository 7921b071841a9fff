"""Beside the chart: the verdict, and what one report gives away."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpui import cache, glossary, widgets
from ldpui.address import links
from ldpui.own import Upload
from pages.explore.estimate.risk import Risk, risk
from pages.explore.estimate.sentences import Verdict, verdict


@cache.by_setting(400, 20)
def words_on(setting: ldp.Setting, data: Upload | None) -> tuple[Verdict, Risk]:
    """Return the verdict on a setting, and the risk."""
    result = cache.run(setting, data)
    return verdict(result), risk(result)


def panel(s: ldp.Setting, data: Upload | None) -> None:
    """Draw the verdict beside the chart, so that a sentence more does not move the chart."""
    words, guess = words_on(s, data)
    with st.container(key="verdict", gap="xsmall"):
        st.markdown(words.comparison, help=glossary.POINTS)
        st.markdown(str(guess), help=glossary.RISK)
        st.markdown(words.alternative, help=glossary.ALTERNATIVE)
        st.markdown(words.convergence)
        if words.early:
            _convergence_button()
        if words.why:
            st.markdown(words.why)
        widgets.explanations()


def _convergence_button() -> None:
    """Offer IBU's limit: no number of iterations is sure to reach it, and its closed form needs none."""
    shown = bool(links.value("limit"))
    st.button(
        "Hide the limit again" if shown else "Let it converge",
        icon=":material/all_inclusive:",
        key="converge",
        on_click=_show_limit,
        args=(not shown,),
        help="Draws IBU's limit. It has a closed form, so nobody has to wait for the iterations.",
    )


def _show_limit(shown: bool) -> None:
    st.session_state["limit"] = shown
