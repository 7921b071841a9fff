"""What is below the chart: the error of each bin, all estimators, one user's report, and what to take away."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import ldpcore as ldp
from ldpui import cache, widgets
from ldpui.bins import bins_of
from ldpui.charts import finished, show
from ldpui.charts.drawing import Drawing
from ldpui.format import budget, percent
from ldpui.navigation import part
from ldpui.own import Upload
from pages.explore.estimate import belief, charts, controls, one_report, takeaway
from pages.explore.estimate.all_estimators import table_of_estimators
from pages.explore.estimate.in_view import in_view
from pages.explore.estimate.risk import digits_apart
from pages.explore.estimate.view import View


@part("Estimate")
def look_closer(s: ldp.Setting, data: Upload | None, view: View) -> None:
    """Draw the part that the reader chooses; what is chosen here does not draw the page again."""
    st.header("Look closer", anchor=False)
    chosen = widgets.pick("Look closer", "closer", controls.CLOSER, label_visibility="collapsed")
    if chosen == controls.CLOSER[0]:
        with st.container(key="error_part"):
            if in_view("error_part", height=394):
                _error(s, data, view)
    elif chosen == controls.CLOSER[1]:
        table_of_estimators(s, data, view.collection)
    elif chosen == controls.CLOSER[2]:
        _one_report(s, data, view)
    else:
        takeaway.downloads(s, data, view)


@finished.by_setting(400, 20)
def error_figure(s: ldp.Setting, data: Upload | None, view: View) -> Drawing:
    """Return the signed error of each bin."""
    result = cache.run(s, data)
    shown = view.shown(view.estimates(result, data))
    drawn = charts.signed_error(result, shown, view.bins(result), dark=view.dark, window=view.window)
    return drawn.enlarged() if view.large else drawn


def _error(s: ldp.Setting, data: Upload | None, view: View) -> None:
    """Draw the signed error of each bin."""
    one = view.collection is not None or s.runs == 1
    show.chart(
        # This chart always has MI and IBU alone, on a linear axis, whatever is switched on in the chart above.
        error_figure(s, data, replace(view, series=("mi", "ibu"), log=False)),
        "error_chart",
        alt="Estimate minus truth for each bin, MI and IBU" + ("." if one else ", with bands over the runs."),
    )
    meaning = (
        "One collection does not tell bias from noise: many do" if one else "A line off 0 is bias, a wide band is noise"
    )
    st.caption(f"Above 0 the estimate is too high, below 0 too low. {meaning}.")


@cache.by_setting(100, 20)
def _labels(s: ldp.Setting, data: Upload | None, meaning: str | None) -> list[str]:
    return bins_of(cache.run(s, data), meaning).labels


def _one_report(s: ldp.Setting, data: Upload | None, view: View) -> None:
    """Follow one user's report."""
    m = s.make_mechanism()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        own = controls.own_value(s.k)
        number = controls.report_number()
    story = one_report.tell(m, own, s.seed, number)
    for title, text in story.steps:
        st.markdown(f"**{title}.** {text}")
    show.chart(
        belief.posterior(story.belief, story.supported, int(own), _labels(s, data, view.meaning), dark=view.dark),
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
        return f"that is what ε = {budget(m.eps)} promises"
    spent = budget(m.effective_eps)
    return f"ε = {budget(m.eps)} is promised, and as it leaves the device a report of {m.name} spends {spent}"
