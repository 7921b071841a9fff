"""LDP Explorer: `streamlit run app.py`."""

import streamlit as st

from ldpui import shell

st.set_page_config(
    page_title="LDP Explorer",
    page_icon=shell.ICON,
    layout="wide",
    menu_items={"About": shell.ABOUT},
)
page = st.navigation(
    {
        "Explore": [
            st.Page("pages/explore/estimate.py", title="Estimate", icon=":material/bar_chart:", default=True),
            st.Page("pages/explore/compare.py", title="Compare", icon=":material/leaderboard:"),
        ],
        "Study": [st.Page("pages/study/about.py", title="About", icon=":material/info:")],
    }
)
shell.run(page)
