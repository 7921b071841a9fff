"""What the reproduction found, in words and numbers, each with a setting that shows it."""

from __future__ import annotations

import streamlit as st

from ldpui.navigation import heading
from pages.study.findings import texts


def page() -> None:
    """Draw the page."""
    heading("What we found", "What does a careful second look at the paper's experiment show?")
    for finding in texts.findings():
        st.header(finding.title, anchor=False)
        st.markdown(finding.text)
        st.markdown(f"[{finding.label}]({finding.link})")
    st.caption("All numbers are read from the results that ship with the project, or computed when the page opens.")
