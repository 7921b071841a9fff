"""What the reproduction found, in words and numbers, each with a setting that shows it."""

from __future__ import annotations

import streamlit as st

from ldpui import opening
from ldpui.navigation import heading, page_link
from pages.study.findings import texts


def page() -> None:
    """Draw the page."""
    heading("What we found", "What does a careful second look at the paper's experiment show?")
    for number, finding in enumerate(texts.findings()):
        st.header(finding.title, anchor=False)
        st.markdown(finding.text)
        _way(finding, f"finding_{number}")
    st.caption("All numbers are read from the results that ship with the project, or computed when the page opens.")


def _way(finding: texts.Finding, key: str) -> None:
    """Offer to see it, in the same tab: a link in Markdown opens another one, without the visitor's own data."""
    if not finding.words:
        page_link("paper", "See the tables")
        return
    st.button(
        "See it in Estimate",
        key=key,
        type="tertiary",
        icon=":material/bar_chart:",
        on_click=opening.link_in_estimate,
        args=(finding.words,),
    )
