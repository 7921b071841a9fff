"""What the reproduction and the tournament found, in words, numbers and pictures, each with a setting that shows it."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from ldpui import notes, theme, widgets
from ldpui.charts import show
from ldpui.navigation import heading, page_link
from pages.study.findings import texts, tournament_texts
from pages.study.findings.finding import Finding
from pages.study.findings.note_texts import note_key

_MORE = {"paper": "See the tables", "which_estimator": "See the tournament"}


def page() -> None:
    """Draw the page."""
    heading("What we found", "What does a careful second look at the paper's experiment show?")
    widgets.explanations()
    for finding in every():
        st.header(finding.title, anchor=False)
        words, picture = st.columns([3, 2], gap="large", vertical_alignment="center")
        with words:
            st.markdown(finding.text)
            _way(finding)
        with picture:
            figure = _figure(finding.key, theme.is_dark())
            show.chart(figure, f"picture_{finding.key}", finding.alt, name=f"ldp-{finding.key}")
    st.caption("All numbers are read from the results that ship with the project, or computed when the page opens.")


def every() -> list[Finding]:
    """Return all findings: on the paper's experiment, then on estimators."""
    return [*texts.findings(), *tournament_texts.findings()]


@st.cache_data(show_spinner=False, max_entries=60)
def _figure(key: str, dark: bool) -> go.Figure:
    return next(finding for finding in every() if finding.key == key).picture(dark)


def _way(finding: Finding) -> None:
    """Offer to see it, in the same tab: a link in Markdown opens another one, without the visitor's own data."""
    if not finding.words:
        page_link(finding.page, _MORE[finding.page])
        return
    st.button(
        "See it in Estimate",
        key=f"finding_{finding.key}",
        type="tertiary",
        icon=":material/bar_chart:",
        on_click=notes.open_with,
        args=(note_key(finding.key), finding.words),
    )
