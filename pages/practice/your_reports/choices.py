"""What is chosen in widgets that are not in the address: there again after a look at other pages."""

from __future__ import annotations

from typing import TypeVar

import streamlit as st

from pages.practice.your_reports.state import reports

T = TypeVar("T")


def recall(key: str) -> str:
    """Give a widget, by its key, what was chosen in it before other pages were looked at; return the key.

    Streamlit forgets what is not drawn, and what is said about a file must not be in the address.
    """
    choices = reports().choices
    if key in choices:
        st.session_state.setdefault(key, choices[key])
    return key


def remember(key: str, value: T) -> T:
    """Note what is chosen in a widget, and return it."""
    reports().choices[key] = value
    return value
