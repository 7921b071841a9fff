"""What the page Estimate asks, and the words to choose from."""

from __future__ import annotations

import streamlit as st

from ldpui import glossary, links, widgets

REPORTS_MAX = 10**6
# A link may name any; the page takes the remainder, for there are as many collections as runs.
COLLECTIONS_MAX = 10**4
CLOSER = ("Where the error is", "All estimators", "One user's report", "Take it away")
SHOW = ("many", "one")

links.declare(
    links.switch("raw"),
    links.switch("limit"),
    links.switch("auto"),
    links.switch("full"),
    links.switch("observed"),
    links.switch("intervals"),
    links.one_of("axis", "linear", ("linear", "log"), page=True),
    links.one_of("show", SHOW[0], SHOW, page=True),
    links.number("collection", 1, 1, COLLECTIONS_MAX, page=True),
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
        widgets.switch("IBU limit", "limit", help=glossary.LIMIT)
        widgets.switch("Raw MI", "raw", help=glossary.RAW)
        widgets.switch("auto", "auto", help=glossary.AUTO)
        widgets.switch("Full-report IBU", "full", help=glossary.FULL)
        widgets.switch("What the server saw", "observed", help=glossary.OBSERVED)
        return one and widgets.switch("95% intervals", "intervals", help=glossary.INTERVALS)


def collection_shown(runs: int) -> int | None:
    """Ask for one collection or many; return the number of the one, from 1, or None for many."""
    if runs == 1:
        return None  # there is one, and it is shown
    with st.container(horizontal=True, vertical_alignment="bottom", key="collections"):
        if widgets.pick("Collections shown", "show", SHOW, help=glossary.COLLECTIONS) == SHOW[0]:
            return None
        chosen = links.value("collection")
        if chosen > runs:
            st.session_state["collection"] = float((chosen - 1) % runs + 1)
        number = widgets.whole_number("Collection no.", "collection", 1, runs, width=150)
        st.button("Collect again", icon=":material/casino:", on_click=_next_collection, args=(runs,))
    return number


def _next_collection(runs: int) -> None:
    st.session_state["collection"] = float(st.session_state["collection"] % runs + 1)


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
