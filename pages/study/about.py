"""What LDP is, what MI and IBU are, whom to cite."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

import ldpcore as ldp
from ldpui import glossary
from ldpui.navigation import heading

_STORY = """
**The problem.** A server wants to know how a value is distributed over many people: incomes, home pages, diagnoses.
Nobody should have to trust it. So each person blurs their own value *before* sending it. That is **local
differential privacy** (LDP): whoever reads a report, even the server itself, can't be sure of the value behind it.

**The price.** The reports are noisy, so the histogram is too. This tool shows how large that error is, and how much
of it a good estimator wins back from the same reports, at no cost in privacy.

**How to read it.** Choose what the users hold, how they blur it, and how strong the privacy is. The server's
estimates are simulated many times, and compared with the truth.
"""
_TERMS = {
    "ε, the privacy budget": glossary.EPS,
    "k, the number of bins": glossary.K,
    "Support: what a report says": glossary.SUPPORT,
    "MI, Matrix Inversion": glossary.MI,
    "IBU, Iterative Bayesian Update": glossary.IBU,
    "IBU's limit": glossary.LIMIT,
    "Full-report IBU": glossary.FULL,
    "Γ, the utility gain": glossary.GAMMA,
    "MSE and MAE": glossary.MSE + "\n\n" + glossary.MAE,
    "ε∞ and ε₁, when users report repeatedly": glossary.EPS_INF + "\n\n" + glossary.SHARE,
}


def page() -> None:
    """Draw the page."""
    heading("What is local differential privacy, and what does this tool show?")
    st.markdown(_STORY)
    for title, text in _TERMS.items():
        st.expander(title).markdown(text)
    st.header("The mechanisms", anchor=False)
    _mechanisms("Reporting once", ldp.ONE_TIME)
    _mechanisms("Reporting repeatedly", ldp.LONGITUDINAL)
    st.header("The data", anchor=False)
    _distributions()
    st.header("The paper, and the licence", anchor=False)
    _licence()


def _mechanisms(title: str, names: Sequence[str]) -> None:
    mechanisms = [ldp.mechanism_class(name) for name in names]
    st.markdown(f"**{title}**")
    st.markdown("\n".join(f"- **{m.name}**, {m.full_name}. {m.summary}" for m in mechanisms))


def _distributions() -> None:
    distributions = [ldp.distribution(name) for name in ldp.DATASETS]
    text = "\n".join(f"- **{d.label}**. {d.description}" for d in distributions)
    st.markdown(text.replace("$", "\\$"))  # dollars, not formulas


def _licence() -> None:
    st.markdown(glossary.CITATION)
    st.markdown(
        f"LDP Explorer {ldp.__version__} implements this paper and goes beyond it. Where the published formulas and "
        f"the exact probabilities differ (the channel of {glossary.with_a_published_channel()}), the exact ones are "
        "used unless you choose *published* under Advanced. MIT licence."
    )
