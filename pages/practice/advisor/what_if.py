"""What if it were otherwise: other ε and n, other numbers of bins, other data."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpui import grids, session, sweeps, theme, widgets
from ldpui.address import links
from ldpui.charts import maps
from ldpui.charts import show as on_page
from ldpui.format import times
from pages.practice.advisor import contours, controls, errors, other_data, phrases, runs, sentences
from pages.practice.advisor.participants import names_like, twin_of, twins_sentence
from pages.practice.advisor.question import Question


def show(q: Question, there: ldp.Setting, first: core.Candidate) -> None:
    """Draw the part that the reader chooses; `there` is the setting at the answer, `first` the one that is best."""
    chosen = widgets.pick("Show", "what_if", controls.WHAT_IF, label_visibility="collapsed")
    if chosen == controls.WHAT_IF[0]:
        _other_eps_or_n(q, there, first)
    elif chosen == controls.WHAT_IF[1]:
        _other_k(q, there)
    else:
        _other_data(q, there, first.mechanism.name)


def _other_eps_or_n(q: Question, there: ldp.Setting, first: core.Candidate) -> None:
    """Draw lines of equal error over ε and n, for the first."""
    st.markdown(f"Lines of equal error for **{first.name}**: what more users or a larger ε would buy.")
    try:
        grid = errors.error_grid(q.setting, first, q.accuracy)
    except ldp.Refused as refused:
        st.warning(f"Not drawn: {refused}", icon=":material/block:")
        return
    large = bool(links.value("present"))
    figure = contours.figure(
        there, session.data_of(there), grid, q.accuracy, title=q.eps_title, dark=theme.is_dark(), large=large
    )
    on_page.chart(figure, "contours", f"Lines of equal error of {first.name} over ε and the number of users.")
    points = phrases.in_points(q.accuracy)
    what = "all bins within ± so many percentage points, 95% of the time" if points else "total variation on average"
    st.caption(
        f"The figures on the lines: {what}. In the shaded part it is accurate enough for you. "
        f"{sentences.how_gridded(q.setting, first)}. The histogram keeps its shape"
        + (", ε∞ its proportion to ε₁." if q.repeated else ".")
    )


def _other_k(q: Question, there: ldp.Setting) -> None:
    """Draw the best mechanism over ε and k."""
    st.markdown("Which mechanism would be first for other numbers of bins k?")
    often = max(q.setting.runs, runs.MAP_RUNS)
    # All of them: what is left out at this ε and k may be possible, or no longer the same as another, elsewhere.
    everywhere, left_out = grids.grid(replace(there, runs=often), "k", names_like(there.mechanism))
    by_twin = [(t, twin_of(t.make_mechanism())) for t in everywhere]
    settings = [t for t, twin in by_twin if twin is None]
    place = st.empty()

    def draw(rows: list[sweeps.Measure], last: bool = False) -> None:
        best = grids.best_cells(rows, there, "k")
        titles, here = (q.eps_title, "bins k", ""), (there.eps, float(there.k))
        figure = maps.best_map(best, titles=titles, here=here, dark=theme.is_dark())
        with place:
            on_page.chart(figure, "best" if last else f"best_{len(rows)}", "Map of the best mechanism over ε and k.")

    draw(sweeps.progressive(settings, q.accuracy.metric, ("mi", "limit"), draw), last=True)
    error = "largest error of any bin" if phrases.in_points(q.accuracy) else "total variation"
    st.caption(
        f"The mechanism with the smallest {error} at IBU's limit, mean over {times(often, 'run')}. ≈: too close to "
        "call, noise decides which one is named. Point at a cell for the runners-up."
    )
    twins = [twin for _, twin in by_twin if twin is not None]
    for note in ([twins_sentence(twins)] if twins else []) + left_out:
        st.caption(note)


def _other_data(q: Question, there: ldp.Setting, first: str) -> None:
    """Draw how the ranking moves with the data."""
    others = other_data.other_data(there, q.accuracy.kind)
    st.markdown(other_data.sentence(others, first, there))
    figure = other_data.figure(others, q.accuracy, theme.is_dark())
    on_page.chart(figure, "ranks", "Rank of every mechanism for every distribution.")
    st.dataframe(
        other_data.table(others, first, q.accuracy),
        hide_index=True,
        alt="For each distribution the best mechanism, and what staying with the first of the table would cost.",
        column_config=other_data.columns(q.accuracy, first),
    )
    st.caption(
        "Each mechanism with its best estimator, IBU as iterated left out. 1 is the best, ≈ too close to it to call."
    )
