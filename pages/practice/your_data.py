"""A column of one's own, for the pages under Explore to work on."""

import streamlit as st

from ldpui import charts, controls, own, registry, show, theme, words, your_data
from ldpui.bins import bins_for
from ldpui.bins import shown as shown_text
from ldpui.readable import plain
from ldpui.shell import heading

heading("Your data", "What would local privacy cost on the data that you have? Bring a column, then explore with it.")
st.caption(
    "The data stays in this session: it is not stored, not shared with other visitors and not in the address, and "
    "it is forgotten when you close or reload the page. At most 50 MB and ten million rows, CSV or Parquet.",
)

from_file, pasted, tried = st.tabs(["A file", "Pasted values", "An example"])
with from_file:
    bare = controls.switch("CSV without a header", "own_bare", help=words.BARE)
    uploaded = st.file_uploader("CSV or Parquet", type=your_data.FILES, key="own_file", max_upload_size=50)
with pasted:
    st.text_area(
        "One value in each line, or values with commas between them",
        key="own_text",
        max_chars=3_000_000,
        height=160,
        help="Up to 3 million characters, some 150,000 long numbers. A longer text is not taken: bring a file.",
    )
    st.button("Use these values", on_click=your_data.take_text, icon=":material/content_paste:")
with tried, st.container(horizontal=True, vertical_alignment="center"):
    st.button("Use a made-up survey", on_click=your_data.take_example, icon=":material/science:")
    st.download_button("The survey (CSV)", your_data.example, "survey.csv", "text/csv", on_click="ignore")
if uploaded is not None and your_data.take_file(uploaded, header=not bare):
    st.rerun()
if problem := your_data.problem():
    still = own.kept()
    rest = f" Still in use: {plain(still.column)} from {plain(still.table.name)}." if still else ""
    st.error(f"This can't be used. {plain(problem, 400)}.{rest}", icon=":material/error:")

found = own.kept()
if found is None:
    st.info(
        "Nothing here yet. The pages under Explore use the data that is chosen on the left.", icon=":material/info:"
    )
    st.stop()

st.subheader("What is used", anchor=False)
if refused := your_data.choose(found):
    st.error(f"{plain(refused, 400)}. What is shown below is as before.", icon=":material/error:")
st.markdown(your_data.account(found))

k = found.bins(int(st.session_state["k"]))
histogram = found.data.histogram(k, binning=found.binning)
bins = bins_for(histogram.edges, histogram.labels, shown_text(found.column))
show.chart(
    charts.histogram(histogram, bins, dark=theme.is_dark()),
    "own_chart",
    alt=f"Histogram of your data: {found.users:,} rows in {k} bins.",
)
st.caption(
    f"Grey: the share of the rows in each of k = {k} bins. *Bins k* on the left says how many there are. "
    + (your_data.advice(found, k) or "")
)

with st.container(horizontal=True, vertical_alignment="center"):
    st.markdown("**Go on with it:**", width="content")
    for page, label, icon in (
        ("estimate", "Estimate", "bar_chart"),
        ("compare", "Compare", "leaderboard"),
        ("tradeoff", "Trade-off", "show_chart"),
    ):
        st.page_link(f"pages/explore/{page}.py", label=label, icon=f":material/{icon}:", width="content")
    st.page_link("pages/practice/advisor.py", label="Advisor", icon=":material/support_agent:", width="content")
    if st.session_state.get("data") != registry.OWN:
        st.button("Use it on all pages", on_click=own.announce, type="primary")
    st.button("Forget the data", on_click=your_data.forget, icon=":material/delete:")
