"""What the reproduction and the tournament found, in words, numbers and pictures, each with a setting that shows it."""

from __future__ import annotations

from functools import partial

import plotly.graph_objects as go
import streamlit as st

from ldpui import theme, widgets
from ldpui.address import notes
from ldpui.charts import finished, in_turn, show
from ldpui.navigation import heading
from pages.study.findings import texts, tournament_texts
from pages.study.findings.finding import Finding
from pages.study.findings.note_texts import elsewhere_key, note_key
from pages.study.findings.pictures import HEIGHT

_MORE = {"paper": "See the tables", "which_estimator": "See the tournament"}
_ICONS = {"paper": ":material/article:", "which_estimator": ":material/trophy:"}
# What the controls of a page say when a finding opens it.
_WORDS = {"paper": {"value": "reproduced", "minus": "printed in the paper"}}


def page() -> None:
    """Draw the page."""
    heading("What does a careful second look at the paper's experiment show?")
    widgets.explanations()
    findings = every()
    # Streamlit has a button in the session once the page was drawn. If it has none, the page has just been opened, and
    # its pictures come one after the other.
    pictures = in_turn.Pictures(opened=_button(findings[0]) not in st.session_state)
    for finding in findings:
        st.header(finding.title, anchor=False)
        words, picture = st.columns([3, 2], gap="large", vertical_alignment="center")
        with words:
            st.markdown(finding.text)
            _way(finding)
        with picture:
            pictures.place(HEIGHT, partial(_draw, finding))
    st.caption("All numbers are read from the results that ship with the project, or computed when the page opens.")
    pictures.send()


def every() -> list[Finding]:
    """Return all findings: on the paper's experiment, then on estimators."""
    return [*texts.findings(), *tournament_texts.findings()]


def _draw(finding: Finding) -> None:
    figure = _figure(finding.key, theme.is_dark())
    show.chart(figure, f"picture_{finding.key}", finding.alt, name=f"ldp-{finding.key}")


@finished.by_words(60)
def _figure(key: str, dark: bool) -> go.Figure:
    return next(finding for finding in every() if finding.key == key).picture(dark)


def _button(finding: Finding) -> str:
    return f"finding_{finding.key}"


def _way(finding: Finding) -> None:
    """Offer to see it, in the same tab: a link in Markdown opens another one, without the visitor's own data."""
    if finding.words:
        label, icon, act = "See it in Estimate", ":material/bar_chart:", notes.open_with
        key, words = note_key(finding.key), finding.words
    else:
        label, icon, act = _MORE[finding.page], _ICONS[finding.page], notes.open_page_with
        key, words = elsewhere_key(finding.key), _WORDS.get(finding.page, {})
    st.button(label, key=_button(finding), type="tertiary", icon=icon, on_click=act, args=(key, words))
