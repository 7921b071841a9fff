"""What the page Estimate asks, and the words to choose from."""

from __future__ import annotations

import streamlit as st

from ldpui import glossary, widgets
from ldpui.address import links
from pages.explore.estimate.series import SWITCHED

REPORTS_MAX = 10**6
CLOSER = ("Where the error is", "All estimators", "One user's report", "Take it away")
SHOW = ("many", "one")

links.declare(
    *(links.switch(key) for key in SWITCHED),
    links.switch("intervals"),
    links.one_of("axis", "linear", ("linear", "log"), page=True),
    links.one_of("show", SHOW[0], SHOW, page=True),
    links.number("collection", 1, 1, widgets.COLLECTIONS_MAX, page=True),
)
links.declare(
    links.switch("slow"),
    links.one_of("closer", CLOSER[0], CLOSER, page=True),
    links.one_of("image", "PNG", ("PNG", "SVG"), page=True),
    links.number("own", 0, 0, 999, page=True),
    links.number("report", 1, 1, REPORTS_MAX, page=True),
    live=True,
)


def switches(one: bool) -> bool:
    """Offer what else the chart can show; intervals with one collection. Return whether they are to be drawn."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="toggles"):
        widgets.pick("Vertical axis", "axis", ("linear", "log"))
        for key, series in SWITCHED.items():
            widgets.switch(series.label, key, help=series.meaning)
        return one and widgets.switch("95% intervals", "intervals", help=glossary.INTERVALS)


def collection_shown(runs: int) -> int | None:
    """Ask for one collection or many; return the number of the one, from 1, or None for many."""
    if runs == 1:
        return None  # there is one, and it is shown
    with st.container(horizontal=True, vertical_alignment="bottom", key="collections"):
        if widgets.pick("Collections shown", "show", SHOW, help=glossary.COLLECTIONS) == SHOW[0]:
            return None
        return widgets.collection("collection", runs)


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
