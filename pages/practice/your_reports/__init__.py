"""Reports that somebody has collected: estimates with intervals, and a check of what is said about them."""

from __future__ import annotations

import streamlit as st

from ldpcore.collected.fit import DOES_NOT_FIT, FITS, UNCHECKED
from ldpui import auto_choices, export, theme, widgets
from ldpui.charts import show
from ldpui.format import plain
from ldpui.navigation import heading
from pages.practice.your_reports import (
    auto,
    chart,
    controls,
    downloads,
    example_box,
    full_reports,
    layout,
    names,
    outcomes,
    questions,
    results,
    state,
    texts,
    upload_box,
)
from pages.practice.your_reports.state import Outcome

_MEANINGS = (texts.RAW, texts.NOISE, texts.POPULATION, texts.OTHERS)


def page() -> None:
    """Draw the page."""
    heading(
        "You have collected reports with local differential privacy: **what do they say, and how far can you trust "
        "it?** Say what made them, bring the file, and get the estimates with 95% intervals.",
    )
    st.header("1. What made the reports", anchor=False)
    description = questions.ask()
    st.caption(layout.words(description))
    st.header("2. The file", anchor=False)
    left, right = st.columns(2, gap="large")
    with left:
        upload_box.draw()
        value_names = names.ask(description.k)
        columns = st.container()
    with right:
        example_box.draw()
    answer = outcomes.work_out(description, value_names, columns)
    if answer.outcome is None:
        return
    st.header("3. What the reports say", anchor=False)
    outcome = names.named(answer.outcome, value_names)
    _whose(outcome, answer.current)
    _downloads(_estimates(outcome))
    if answer.current:
        full_reports.finish(answer.outcome)


def _whose(outcome: Outcome, current: bool) -> None:
    """Say which reports the result is about, and whether they fit what is said of them."""
    whose = f"**{plain(outcome.name)}**: {outcome.collected.n:,} reports, {outcome.job.description.words()}"
    if not current:
        st.warning(f"This is the last result that could be computed, not what is set above. {whose}.")
    with st.container(horizontal=True, vertical_alignment="center"):
        if current:
            st.markdown(f"{whose}.", width="content")
        with st.popover("How is it checked whether they fit?", type="tertiary", icon=":material/help:"):
            st.markdown(texts.FIT)
    fit = results.FitVerdict.of(outcome.collected)
    # A tick only where the check would have seen something; where it would not, the box is grey.
    boxes = {FITS: (st.success, ":material/check_circle:"), DOES_NOT_FIT: (st.warning, ":material/warning:")}
    box, icon = boxes.get(fit.verdict, (st.info, ":material/help:"))
    with st.container(key="unchecked" if fit.verdict == UNCHECKED else "verdict_on_reports"):
        box(fit.sentence, icon=icon)


def _estimates(outcome: Outcome) -> Outcome:
    """Draw the chart and the table; return the result with what was asked for here."""
    keys = _chosen_lines()
    if "auto" in keys:
        outcome = auto.added(outcome)
    collected = outcome.collected
    lines = chart.lines_of(collected, keys)
    k = collected.counts.size
    show.chart(
        chart.figure(collected, lines, theme.is_dark()),
        "reports_chart",
        alt=f"Estimated share of users for each of {k} values: raw MI with two 95% intervals, one for noise only and "
        f"one for noise with sampling{''.join(', ' + line.look.name for line in lines)}.",
    )
    st.caption(" ".join([chart.how_drawn(collected, bool(lines)), *results.left_out_words(outcome)]))
    if collected.choice is not None:
        auto_choices.explain([collected.choice])
    table, config = results.percent_table(collected)
    st.dataframe(
        table,
        hide_index=True,
        height=min(38 + 35 * k, 440),
        alt="For each value its support count, the estimates, and both 95% intervals of the raw MI estimate.",
        column_config=config,
    )
    return outcome


def _chosen_lines() -> list[str]:
    """Offer the estimates to draw, and what the intervals mean; return the keys of the chosen."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = widgets.several("Draw beside raw MI", "r_lines", controls.LINES)
        widgets.explanations()
        with st.popover("What do the intervals mean?", type="tertiary", icon=":material/help:"):
            for text in _MEANINGS:
                st.markdown(text)
    return [key for word, key in controls.LINES.items() if word in chosen]


def _downloads(outcome: Outcome) -> None:
    """Offer everything for download."""
    name = f"ldp-reports-{outcome.job.description.mechanism}"
    with st.container(horizontal=True):
        widgets.download("Estimates (CSV)", lambda: export.csv(outcome.collected.table()), f"{name}.csv")
        widgets.download("Settings and estimates (JSON)", lambda: downloads.as_json(outcome), f"{name}.json")
        widgets.download("Python script", lambda: downloads.script(outcome), f"{name}.py")
        st.button("Forget the file", icon=":material/delete:", on_click=state.forget)
    st.caption("The same on the command line, for any number of reports:")
    st.code(downloads.command(outcome), language="bash", wrap_lines=True)
