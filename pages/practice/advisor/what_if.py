"""What if it were otherwise: other ε and n, other numbers of values, other data."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpui import grids, sweeps, theme, widgets
from ldpui.charts import maps
from ldpui.charts import show as on_page
from ldpui.format import times
from pages.practice.advisor import candidates, charts, controls, text
from pages.practice.advisor.ranking import Question


def show(q: Question, there: ldp.Setting, first: core.Candidate) -> None:
    """Draw the part that the reader chooses; `there` is the setting at the answer, `first` the one that is best."""
    chosen = widgets.pick("Show", "what_if", controls.WHAT_IF, label_visibility="collapsed")
    if chosen == controls.WHAT_IF[0]:
        _contours(q, there, first)
    elif chosen == controls.WHAT_IF[1]:
        _map(q, there)
    else:
        _elsewhere(q, there, first.mechanism.name)


def _contours(q: Question, there: ldp.Setting, first: core.Candidate) -> None:
    """Draw lines of equal error over ε and n, for the first."""
    st.markdown(f"Lines of equal error for **{first.name}**: what more users or a larger ε would buy.")
    z, every = candidates.error_grid(q.setting, first, q.accuracy), q.accuracy.kind == "every bin"
    unit = text.unit(q.accuracy)
    figure = charts.contours(
        candidates.EPS_GRID,
        candidates.n_grid(first),
        unit * z,
        bound=unit * q.accuracy.bound,
        here=(there.eps, there.n),
        points=every,
        title=q.eps_title,
        dark=theme.is_dark(),
    )
    on_page.chart(figure, "contours", f"Lines of equal error of {first.name} over ε and the number of users.")
    what = "all bins within ± so many percentage points, 95% of the time" if every else "total variation on average"
    st.caption(
        f"The figures on the lines: {what}. In the shaded part it is accurate enough for you. "
        f"{text.how_gridded(q.setting, first)}. The histogram keeps its shape"
        + (", ε∞ its proportion to ε₁." if q.setting.eps_inf else ".")
    )


def _map(q: Question, there: ldp.Setting) -> None:
    """Draw the best mechanism over ε and k."""
    st.markdown("Which mechanism would be first for other numbers of values k?")
    runs = max(q.setting.runs, candidates.MAP_RUNS)
    # All of them: what is left out at this ε and k may be possible, or no longer the same as another, elsewhere.
    kind = ldp.LONGITUDINAL if q.setting.eps_inf else ldp.ONE_TIME
    settings, left_out = grids.grid(replace(there, runs=runs), "k", kind)
    here, place = (there.eps, float(there.k)), st.empty()
    titles = (q.eps_title, "bins k", "")

    def draw(rows: list[dict[str, Any]], last: bool = False) -> None:
        x, y, names, told = grids.best_cells(candidates.without_twins(rows), there, "k")
        figure = maps.best_map(x, y, names, told, titles=titles, here=here, dark=theme.is_dark())
        figure = charts.undecided(figure, told)
        with place:
            on_page.chart(figure, "best" if last else f"best_{len(rows)}", "Map of the best mechanism over ε and k.")

    draw(sweeps.progressive(settings, q.accuracy.metric, ("mi", "limit"), draw), last=True)
    error = "largest error of any bin" if q.accuracy.metric == "max" else "total variation"
    st.caption(
        f"The mechanism with the smallest {error} at IBU's limit, mean over {times(runs, 'run')}. ≈: too close to "
        "call, noise decides which one is named. Point at a cell for the runners-up."
    )
    for note in (q.twins, *left_out):
        st.caption(note)


def _elsewhere(q: Question, there: ldp.Setting, first: str) -> None:
    """Draw how the ranking moves with the data."""
    found = candidates.elsewhere(there, q.accuracy.kind)
    st.markdown(text.elsewhere_sentence(found, first, there))
    figure = charts.ranks(*text.rank_cells(found, q.accuracy), dark=theme.is_dark())
    on_page.chart(figure, "ranks", "Rank of every mechanism for every distribution.")
    st.dataframe(
        text.elsewhere_table(found, first, text.unit(q.accuracy)),
        hide_index=True,
        alt="For each distribution the best mechanism, and what staying with the first of the table would cost.",
        column_config=text.elsewhere_columns(q.accuracy, first),
    )
    st.caption("Each mechanism with its best estimator, IBU as iterated left out. 1 is the best.")
