"""LDP Explorer: `streamlit run app.py`."""

import streamlit as st

if __name__ == "__main__":
    from ldpui import shell

    st.set_page_config(
        page_title="LDP Explorer", page_icon=shell.ICON, layout="wide", menu_items={"About": shell.ABOUT}
    )
    page = st.navigation(
        {
            "Explore": [
                st.Page("pages/explore/estimate.py", title="Estimate", icon=":material/bar_chart:", default=True),
                st.Page("pages/explore/compare.py", title="Compare", icon=":material/leaderboard:"),
                st.Page("pages/explore/tradeoff.py", title="Trade-off", icon=":material/show_chart:"),
            ],
            "Practice": [
                st.Page("pages/practice/advisor.py", title="Advisor", icon=":material/support_agent:"),
                st.Page("pages/practice/your_data.py", title="Your data", icon=":material/upload_file:"),
                st.Page("pages/practice/your_reports.py", title="Your reports", icon=":material/inbox:"),
            ],
            "Study": [
                st.Page("pages/study/paper.py", title="The paper", icon=":material/article:"),
                st.Page("pages/study/findings.py", title="What we found", icon=":material/lightbulb:"),
                st.Page("pages/study/about.py", title="About", icon=":material/info:"),
            ],
        }
    )
    shell.run(page)
else:
    # The server imports this file once, before anybody is connected; then it runs it for every visitor.
    from ldpui import server

    server.prepare()
    app = st.App(__file__)
