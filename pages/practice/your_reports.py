"""Reports that somebody has collected: estimates with intervals, and a check of what is said about them."""

import streamlit as st

from ldpui import (
    collected_charts,
    controls,
    export,
    registry,
    report_files,
    report_questions,
    report_results,
    show,
    theme,
    words,
    your_reports,
)
from ldpui.readable import plain
from ldpui.shell import heading

heading(
    "Your reports",
    "You have collected reports with local differential privacy: **what do they say, and how far can you trust it?** "
    "Say what made them, bring the file, and get the estimates with 95% intervals.",
    uses_sidebar=False,
)

st.subheader("1. What made the reports", anchor=False)
asked = report_questions.ask()
st.caption(report_questions.describe(asked))

st.subheader("2. The file", anchor=False)
left, right = st.columns(2, gap="large")
with left:
    asked = report_files.upload_box(asked)
    columns = st.container()
with right:
    report_files.example_box(asked)

outcome, current = your_reports.work_out(asked, columns)


def show_result(outcome: your_reports.Outcome) -> None:
    """Draw all that is said about the last good result."""
    found = outcome.found
    whose = f"**{plain(outcome.name)}**: {found.n:,} reports, {outcome.job.asked.told()}"
    st.subheader("3. What the reports say", anchor=False)
    if not current:
        st.warning(f"This is the last result that could be computed, not what is set above. {whose}.")
    else:
        st.markdown(f"{whose}.")
    fits, sentence = report_results.fit_words(found)
    box, icon = (st.success, ":material/check_circle:") if fits else (st.warning, ":material/warning:")
    box(sentence, icon=icon)
    lines = collected_charts.lines_of(found)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = controls.several("Draw beside MI raw", "r_lines", registry.REPORT_LINES)
        controls.explanations()
        with st.popover("What do the intervals mean?", type="tertiary", icon=":material/help:"):
            for text in (words.REPORTS_RAW, words.REPORTS_NOISE, words.REPORTS_POPULATION, words.REPORTS_FIT):
                st.markdown(text)
    names = [name for name in chosen if name in lines]
    show.chart(
        collected_charts.figure(found, names, theme.is_dark()),
        "reports_chart",
        alt=f"Estimated share of users for each of {found.counts.size} values: MI raw with two 95% intervals, one for "
        f"noise only and one for noise with sampling{''.join(', ' + name for name in names)}.",
    )
    st.caption(
        f"{collected_charts.how_drawn(found)} Both belong to the raw MI estimate, which noise can make negative; IBU "
        "has no interval here. " + " ".join(report_results.left_out_words(outcome))
    )
    table, config = report_results.percent_table(found)
    st.dataframe(
        table,
        hide_index=True,
        height=min(38 + 35 * found.counts.size, 440),
        alt="For each value its support count, the estimates, and both 95% intervals of the raw MI estimate.",
        column_config=config,
    )
    show_downloads(outcome)
    if current:
        your_reports.finish(outcome)


def show_downloads(outcome: your_reports.Outcome) -> None:
    """Offer everything for download."""
    name = f"ldp-reports-{outcome.job.asked.mechanism}"
    with st.container(horizontal=True):
        st.download_button(
            "Estimates (CSV)",
            lambda: export.csv(outcome.found.table()),
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
        )
        st.download_button(
            "Settings and estimates (JSON)",
            lambda: report_results.as_json(outcome),
            f"{name}.json",
            "application/json",
            on_click="ignore",
        )
        st.download_button(
            "Python script", lambda: report_results.script(outcome), f"{name}.py", "text/x-python", on_click="ignore"
        )
        st.button("Forget the file", icon=":material/delete:", on_click=report_files.forget)
    command = report_results.command(outcome)
    if command:
        st.caption("The same on the command line, for any number of reports:")
        st.code(command, language="bash", wrap_lines=True)


if outcome is not None:
    show_result(outcome)
