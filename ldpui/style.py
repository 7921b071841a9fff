"""What Streamlit's own options can't say about how the dashboard looks, as CSS on keys of ours."""

from __future__ import annotations

import streamlit as st

from ldpui.theme import IBU

# The first view holds name, purpose, controls and chart: no room is given away above and beside them.
_FIRST_VIEW = """
[data-testid="stMainBlockContainer"] { padding: 3.75rem 3rem 4rem; }
.st-key-head { gap: 0.25rem; }
.st-key-head h1 { padding: 0 0 0.5rem; }
.st-key-example, .st-key-note { padding: 0.5rem 0.75rem; }
@media (min-width: 641px) { .st-key-example, .st-key-note_line { flex-wrap: nowrap; } }
[class*="st-key-dial_"] { flex-wrap: nowrap; }
[class*="st-key-dial_"] [data-testid="stSlider"] { min-width: 0; }
"""
# What could not be checked is neither good nor bad news: grey, not Streamlit's blue.
_UNCHECKED = """
.st-key-unchecked [data-testid="stAlertContainer"] { background-color: rgba(128, 138, 150, 0.15); color: inherit; }
"""
# On a phone all dials but the last two, users and bins, have a row of their own; a smaller name leaves room for the
# menu beside it.
_PHONE = """
@media (max-width: 640px) {
  [data-testid="stMainBlockContainer"] { padding: 3.75rem 1rem 4rem; }
  [data-testid="stHeader"] [data-testid="stHeaderLogo"] { height: 1.5rem; }
  .st-key-dials [data-testid="stHorizontalBlock"] { gap: 0.75rem; }
  .st-key-dials [data-testid="stColumn"] { min-width: 0; flex: 1 1 45%; }
  .st-key-dials [data-testid="stColumn"]:nth-last-child(n + 3) { min-width: 100%; }
}
"""
# Beside the sidebar of a tablet, and on paper, three dials in a row would have their names broken letter by letter.
_TABLET = """
@media (min-width: 641px) and (max-width: 1100px) {
  .st-key-dials [data-testid="stHorizontalBlock"] { flex-wrap: wrap; }
  .st-key-dials [data-testid="stColumn"] { min-width: 15rem; flex: 1 1 15rem; }
}
"""
# To an audience: large type, nothing but the page, and no room below it that the controls would cover. A phone has no
# room for large type, and the controls below must leave most of it to the chart.
_PRESENT = """
@media (min-width: 641px) { html { font-size: 125%; } }
[data-testid="stSidebar"], [data-testid="stExpandSidebarButton"], [data-testid="stHeader"] { display: none; }
[data-testid="stMainBlockContainer"] { padding-top: 1rem; }
[data-testid="stBottomBlockContainer"] { padding: 0.5rem 3rem; max-width: none; }
@media (max-width: 640px) {
  [data-testid="stBottomBlockContainer"] { padding: 0.25rem 1rem; }
  .st-key-dials [data-testid="stHorizontalBlock"] { row-gap: 0.25rem; }
}
"""
_EMBEDDED = '[data-testid="stMainBlockContainer"] { padding-top: 1rem; }'
# What Streamlit writes in white on the primary colour: buttons, and words that were chosen from a list.
_ON_PRIMARY = '[data-testid^="stBaseButton-primary"]:not(:disabled), [data-testid="stMultiSelect"] [data-tag] *'


def _readable(dark: bool) -> str:
    """Return what makes words and the focus stand out.

    Words on the primary colour are dark where that is light. Streamlit takes the frame of the focus away from the
    links of its navigation.
    """
    words = f"{_ON_PRIMARY} {{ color: #0B1220; }}" if dark else ""
    return f"{words} a:focus-visible {{ outline: 2px solid {IBU.color(dark)} !important; outline-offset: 1px; }}"


def apply(dark: bool, present: bool) -> None:
    """Put the style on the page."""
    more = _PRESENT if present else _EMBEDDED if st.context.is_embedded else ""
    st.html(f"<style>{_FIRST_VIEW}{_UNCHECKED}{_PHONE}{_TABLET}{more}{_readable(dark)}</style>")
