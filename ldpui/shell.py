"""What surrounds every page: the sidebar, notes on the link, and a sentence instead of a traceback."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import controls, own, registry, words

ABOUT = (
    "**LDP Explorer** shows what local differential privacy costs, and how much of it good estimation wins back. "
    "MIT licence. The page *About* has the whole story."
)
# A histogram and its blurred double; a file of our own, because icons by name are fetched from elsewhere.
ICON = str(Path(__file__).with_name("icon.svg"))
# Pages that do not use the setting, and so open whatever it is.
_FREE = ("paper", "findings", "about", "your_data", "your_reports")
# Pages that draw the shared controls themselves.
_ASKING = ("advisor",)
_SETTING, _NOTES = "_setting", "_link_notes"


def run(page: Any) -> None:
    """Draw the shared widgets, then the page."""
    # Before any widget: the widgets take what they can't use out of the URL.
    if own.announced():
        st.session_state["data"] = registry.OWN
    own.ask(registry.own_words_of_link())
    notes = registry.notes_on_link()
    if notes:
        st.session_state[_NOTES] = notes
    try:
        st.session_state[_SETTING] = None if page.url_path in _ASKING else controls.sidebar()
    except Exception as error:
        st.session_state[_SETTING] = None
        if page.url_path not in _FREE:
            st.title(page.title, anchor=False)
            _show_notes()
            _explain(error)
            return
    _show_notes()
    try:
        page.run()
    except own.NoDataError:
        _ask_for_data()
    except (ValueError, MemoryError) as error:
        st.error(f"This can't be computed: {error}.", icon=":material/error:")
    except Exception:
        # Streamlit's own control flow does not derive from Exception. Details go to the log, not to the reader.
        logging.getLogger(__name__).exception("page failed")
        st.error(
            "Something went wrong on this page. Your settings are kept in the address; try another setting, or reset.",
            icon=":material/error:",
        )


def _explain(error: Exception) -> None:
    """Say what is wrong with the settings, and the way out."""
    if isinstance(error, own.NoDataError):
        _ask_for_data()
        return
    way_out = "Change it on the left (the parameters of the distribution are folded there), or press Reset."
    if isinstance(error, ValueError):
        st.error(f"These settings do not go together: {error}. {way_out}", icon=":material/error:")
    else:
        logging.getLogger(__name__).exception("sidebar failed")
        st.error(f"Something in the address can't be read. {way_out}", icon=":material/error:")


def _ask_for_data() -> None:
    st.info(words.NO_DATA, icon=":material/upload_file:")
    st.page_link("pages/practice/your_data.py", label="Your data", icon=":material/upload_file:")


def setting() -> ldp.Setting:
    """Return the setting that the sidebar stands for."""
    chosen = st.session_state[_SETTING]
    assert isinstance(chosen, ldp.Setting)  # noqa: S101 - run() never gets to a page without one
    return chosen


def _show_notes() -> None:
    for note in st.session_state.pop(_NOTES, []):
        st.warning(note, icon=":material/link_off:")


def heading(title: str, question: str, *, uses_sidebar: bool = True) -> None:
    """Draw a page's title and the one question that it answers."""
    st.title(title, anchor=False)
    st.markdown(question)
    if not uses_sidebar:
        st.caption("The settings on the left belong to the pages under Explore; they do not change this one.")
