"""A column of one's own, for the pages under Explore to work on."""

from __future__ import annotations

import streamlit as st

from ldpui import glossary, session, theme, uploads, widgets
from ldpui.address import vocabulary
from ldpui.bins import bins_for, by_value
from ldpui.bins import shown as shown_text
from ldpui.charts import common, show
from ldpui.format import plain
from ldpui.navigation import heading, page_link
from ldpui.own import Upload
from pages.practice.your_data import account, choice, survey, upload


def page() -> None:
    """Draw the page."""
    heading("What would local privacy cost on the data that you have? Bring a column, then explore with it.")
    _bring()
    data = session.current().own.upload
    if data is None:
        st.info(
            "Nothing here yet: bring a file, paste values, or try the example. Until then the pages under Explore use "
            "the data that is chosen in their sidebar.",
            icon=":material/info:",
        )
        return
    st.header("What is used", anchor=False)
    if problem := choice.choose(data):
        st.error(
            f"This can't be used: {plain(problem, 400)}. What is shown below is as before.", icon=":material/error:"
        )
    st.markdown(account.account(data))
    _histogram(data)
    _go_on()


def _bring() -> None:
    """Offer three ways to bring data, and say what is wrong with what was brought."""
    ways = ["A file", "Pasted values", "An example"]
    from_file, pasted, example = st.tabs(ways, default=ways[0] if uploads.are_on() else ways[2])
    with from_file:
        file = uploads.file_box("CSV or Parquet", upload.file_key())
        bare = uploads.are_on() and widgets.switch("CSV without a header", "own_bare", help=glossary.BARE)
    with pasted:
        _paste_box()
    with example, st.container(horizontal=True, vertical_alignment="center"):
        st.button("Use a made-up survey", on_click=upload.take_example, icon=":material/science:")
        widgets.download("The survey (CSV)", survey.as_csv, "survey.csv")
    if file is not None and upload.take_file(file, header=not bare):
        st.rerun()
    _complain()


def _paste_box() -> None:
    if not uploads.offered("text"):
        return
    st.text_area(
        "One value in each line, or values with commas between them",
        key="own_text",
        max_chars=3_000_000,
        height=160,
        help="Up to 3 million characters, some 150,000 long numbers. A longer text is not taken: bring a file.",
    )
    st.button("Use these values", on_click=upload.take_text, icon=":material/content_paste:")


def _complain() -> None:
    """Say what is wrong with what was brought last, and what is in use."""
    own = session.current().own
    if own.problem is None:
        return
    still = own.upload
    rest = f" Still in use: {plain(still.column)} from {plain(still.table.name)}." if still else ""
    st.error(f"This can't be used: {plain(own.problem, 400)}.{rest}", icon=":material/error:")


def _histogram(data: Upload) -> None:
    """Draw the data in as many bins as are wanted."""
    wanted = _wanted_bins(data)
    k = data.bins(wanted)
    histogram = data.histogram(k)
    bins = bins_for(histogram.edges, histogram.labels, shown_text(data.column))
    if data.binning.values:
        bins = by_value(bins)
    show.chart(
        common.histogram(histogram, bins, dark=theme.is_dark()),
        "own_chart",
        alt=f"Histogram of your data: {data.users:,} rows in {k} bins.",
    )
    why = f": {data.why_bins(wanted)}" if k != wanted else ""
    st.caption(f"Grey: the share of the rows in each of k = {k} bins{why}. {account.advice(data, k)}")


def _wanted_bins(data: Upload) -> int:
    """Ask how many bins are wanted, unless the data decide it."""
    if data.binning.values:
        return 1  # whatever is wanted, there are as many as values
    with st.container(width=420):
        return int(widgets.dial("Bins k", "k", help=glossary.K))


def _go_on() -> None:
    """Lead to the pages that can use the data."""
    with st.container(horizontal=True, vertical_alignment="center"):
        st.markdown("**Go on with it:**", width="content")
        for address in ("", "compare", "tradeoff", "advisor"):
            page_link(address)
        if st.session_state.get("data") != vocabulary.OWN:
            st.button("Use it on all pages", on_click=upload.use_everywhere, type="primary")
        st.button("Forget the data", on_click=upload.forget, icon=":material/delete:")
