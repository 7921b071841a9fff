"""What is below the chart: the error of each bin, all estimators, one user's report, and what to take away."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

import ldpcore as ldp
from ldpui import widgets
from ldpui.charts import show
from ldpui.format import percent, significant
from pages.explore.estimate import belief, charts, controls, one_report, takeaway
from pages.explore.estimate.all_estimators import table_of_estimators
from pages.explore.estimate.risk import digits_apart
from pages.explore.estimate.view import View


def look_closer(view: View, figure: go.Figure) -> None:
    """Draw the part that the reader chooses."""
    st.header("Look closer", anchor=False)
    chosen = widgets.pick("Look closer", "closer", controls.CLOSER, label_visibility="collapsed")
    if chosen == controls.CLOSER[0]:
        _error(view)
    elif chosen == controls.CLOSER[1]:
        table_of_estimators(view.result.setting, view.data)
    elif chosen == controls.CLOSER[2]:
        _one_report(view)
    else:
        takeaway.downloads(view, figure)


def _error(view: View) -> None:
    """Draw the signed error of each bin."""
    one = view.collection is not None or view.result.setting.runs == 1
    show.chart(
        charts.signed_error(view.result, view.shown[:2], view.bins, dark=view.dark, window=view.window),
        "error_chart",
        alt="Estimate minus truth for each bin, MI and IBU" + ("." if one else ", with bands over the runs."),
    )
    meaning = (
        "One collection does not tell bias from noise: many do" if one else "A line off 0 is bias, a wide band is noise"
    )
    st.caption(f"Above 0 the estimate is too high, below 0 too low. {meaning}.")


def _one_report(view: View) -> None:
    """Follow one user's report."""
    s, m = view.result.setting, view.result.mechanism
    with st.container(horizontal=True, vertical_alignment="bottom"):
        own = controls.own_value(s.k)
        number = controls.report_number()
    story = one_report.tell(m, own, s.seed, number)
    for title, text in story.steps:
        st.markdown(f"**{title}.** {text}")
    show.chart(
        belief.posterior(story.belief, story.supported, int(own), view.bins.labels, dark=view.dark),
        "posterior_chart",
        alt="What an observer believes about the value after seeing the report, for each bin.",
    )
    digits = digits_apart(1 / s.k, story.most)
    st.markdown(
        f"An observer who thought every value equally likely gave the true one {percent(1 / s.k, digits)} before the "
        f"report, and gives it **{percent(float(story.belief[own]), digits)}** after it. Whatever the report, no value "
        f"can rise above **{percent(story.most, digits)}** (rounded): {_promise(m)}."
    )


def _promise(m: ldp.Mechanism) -> str:
    """Say what bounds the observer: the ε that is promised, or less where a report does not spend it all."""
    if m.effective_eps > 0.999 * m.eps:
        return f"that is what ε = {significant(m.eps)} promises"
    spent = significant(m.effective_eps)
    return f"ε = {significant(m.eps)} is promised, and as it leaves the device a report of {m.name} spends {spent}"
