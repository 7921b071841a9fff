"""The table of pages. A folder, because a file directly under pages/ would be a page of Streamlit's other kind."""

from __future__ import annotations

from ldpui.navigation import Page
from pages.explore import compare, estimate, tradeoff
from pages.practice import advisor, your_data, your_reports
from pages.study import about, findings, ibu_lab, learn, live_class, over_time, paper, which_estimator
from pages.study.learn import teach

# In the order of the navigation.
PAGES = (
    Page(estimate.page, "Explore", "Estimate", "", "bar_chart", ahead=estimate.runs.begin),
    Page(compare.page, "Explore", "Compare", "compare", "leaderboard", ahead=compare.begin),
    Page(tradeoff.page, "Explore", "Trade-off", "tradeoff", "show_chart"),
    Page(advisor.page, "Practice", "Advisor", "advisor", "support_agent", needs="asks"),
    Page(your_data.page, "Practice", "Your data", "your_data", "upload_file", needs="nothing"),
    Page(your_reports.page, "Practice", "Your reports", "your_reports", "inbox", needs="nothing"),
    Page(learn.page, "Study", "Learn", "learn", "school", needs="nothing"),
    Page(teach.page, "Study", "Teach", "teach", "co_present", needs="nothing"),
    Page(live_class.page, "Study", "Live class", "class", "groups", needs="nothing"),
    Page(ibu_lab.page, "Study", "IBU lab", "ibu_lab", "experiment"),
    Page(over_time.page, "Study", "Over time", "over_time", "history", needs="asks"),
    Page(paper.page, "Study", "The paper", "paper", "article", needs="nothing"),
    Page(which_estimator.page, "Study", "Which estimator?", "which_estimator", "trophy", needs="nothing"),
    Page(findings.page, "Study", "What we found", "findings", "lightbulb", needs="nothing"),
    Page(about.page, "Study", "About", "about", "info", needs="nothing"),
)
