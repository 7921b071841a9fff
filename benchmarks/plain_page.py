"""A page of Streamlit's own that is as large as Estimate and does nothing: what any such page costs a server.

Thirteen controls in the address, twenty-two texts and figures, two charts that are cached. `python -m benchmarks.load`
measures it beside Estimate, because machines differ in speed, and one machine from hour to hour.
"""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

EPS = "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1 1.25 1.5 1.75 2 2.5 3 3.5 4 4.5 5 6 7 8 9 10".split()
CONTROLS, TEXTS, METRICS, BARS = 13, 18, 4, 100


@st.cache_data
def chart(eps: str, number: int) -> go.Figure:
    """Return a chart of three series."""
    heights = [(bar * 7 + number) % 11 + float(eps) for bar in range(BARS)]
    return go.Figure([go.Bar(y=heights), go.Scatter(y=heights), go.Scatter(y=heights[::-1])])


with st.sidebar:
    for control in range(CONTROLS - 1):
        st.slider(f"control {control}", 0, 10, 5, key=f"control_{control}", bind="query-params")
chosen = st.select_slider("ε", EPS, "2", key="eps", bind="query-params")
st.title("A page")
for column, cell in enumerate(st.columns(METRICS)):
    cell.metric(f"figure {column}", f"{float(chosen) * column:.2f}")
for text in range(TEXTS):
    st.markdown(f"Text {text} says what ε = {chosen} means here.")
for number in range(2):
    st.plotly_chart(chart(chosen, number), key=f"chart_{number}")
