"""What LDP is, what MI and IBU are, whom to cite."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpui import glossary
from ldpui.navigation import heading


def page() -> None:
    """Draw the page."""
    heading("About", "What is local differential privacy, and what does this tool show?", uses_sidebar=False)
    st.markdown(
        """
**The problem.** A server wants to know how a value is distributed over many people: incomes, home pages, diagnoses.
Nobody should have to trust it. So each person blurs their own value *before* sending it. That is **local
differential privacy** (LDP): whoever reads a report, even the server itself, can't be sure of the value behind it.

**The price.** The reports are noisy, so the histogram is too. This tool shows how large that error is, and how much
of it a good estimator wins back from the same reports, at no cost in privacy.

**How to read it.** Choose what the users hold, how they blur it, and how strong the privacy is. The server's
estimates are simulated many times, and compared with the truth.
"""
    )
    for title, text in {
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
    }.items():
        with st.expander(title):
            st.markdown(text)

    st.subheader("The fourteen mechanisms", anchor=False)
    for title, names in (("Reporting once", ldp.ONE_TIME), ("Reporting repeatedly", ldp.LONGITUDINAL)):
        st.markdown(f"**{title}**")
        st.markdown(
            "\n".join(f"- **{n}**, {ldp.mechanism_class(n).full_name}. {glossary.MECHANISMS[n]}" for n in names)
        )

    st.subheader("The data", anchor=False)
    st.markdown(
        "Five synthetic distributions with the paper's parameters, and ACS income. "
        + ldp.distribution("acs-income").description
    )
    st.subheader("The paper, and the licence", anchor=False)
    st.markdown(glossary.CITATION)
    st.markdown(
        f"LDP Explorer {ldp.__version__} implements this paper and goes beyond it. Where the published formulas and "
        "the exact probabilities differ (the channel of L-GRR, L-BLH and L-OLH), the exact ones are used unless you "
        "choose *published* under Advanced. MIT licence."
    )
