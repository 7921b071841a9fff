"""What the page Estimate asks, and the words to choose from."""

from __future__ import annotations

import streamlit as st

from ldpui import links, widgets

REPORTS_MAX = 10**6
CLOSER = ("Where the error is", "All estimators", "One user's report", "Take it away")

links.declare(
    links.switch("raw"),
    links.switch("limit"),
    links.switch("full"),
    links.switch("observed"),
    links.one_of("axis", "linear", ("linear", "log"), page=True),
    links.one_of("closer", CLOSER[0], CLOSER, page=True),
    links.one_of("image", "PNG", ("PNG", "SVG"), page=True),
    links.number("own", 0, 0, 999, page=True),
    links.number("report", 1, 1, REPORTS_MAX, page=True),
)


def own_value(k: int) -> int:
    """Offer the bins to choose one user's true value from."""
    if st.session_state.get("own", 0) > k - 1:
        st.session_state["own"] = float(k - 1)  # the value was chosen when there were more bins
    return widgets.whole_number("True value (bin)", "own", 0, k - 1, width=180)


def report_number() -> int:
    """Offer the drawn reports by number, and a button for the next one."""
    number = widgets.whole_number("Report no.", "report", 1, REPORTS_MAX, width=150)
    st.button("Draw another report", icon=":material/casino:", on_click=_next_report)
    return number


def _next_report() -> None:
    st.session_state["report"] = float(st.session_state["report"] % REPORTS_MAX + 1)
