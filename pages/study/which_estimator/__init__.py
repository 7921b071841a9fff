"""All estimators against each other: who wins where, how far each is from the best, and four open questions."""

from __future__ import annotations

from functools import cache

import plotly.graph_objects as go
import streamlit as st

from ldpcore import tournament
from ldpcore.estimators import MAX_ITER
from ldpui import export, theme, widgets
from ldpui.charts import finished, in_turn, show
from ldpui.navigation import heading, part
from pages.study import standings
from pages.study.which_estimator import chosen, controls, headline, maps, paper_part, questions, regret, squares
from pages.study.which_estimator.maps import Choice


def page() -> None:
    """Draw the page."""
    heading("Which way of undoing the noise does best, and what does it cost to stay with one?")
    st.markdown(headline.sentences())
    widgets.explanations()
    # Streamlit has the box of the numbers in the session once the page was drawn. If it has not, the page has just been
    # opened, and its pictures come one after the other.
    pictures = in_turn.Pictures(opened=_NUMBERS not in st.session_state)
    tournament_part()
    pictures.pause()
    paper_part.draw()
    st.header("The paper's open questions", anchor=False)
    for question in questions.QUESTIONS:
        pictures.pause()
        st.subheader(question.title, anchor=False)
        st.markdown(question.text())
        figure = _question_figure(question.key, theme.is_dark())
        show.chart(figure, f"question_{question.key}", question.alt, name=f"ldp-{question.key}")
    runs = "Means over ten runs on one draw of the users (three runs beyond 200 bins); bars are one standard error."
    st.caption(f"{runs} {standings.provenance('questions')}")


@part("Which estimator?")
def tournament_part() -> None:
    """Draw what the controls of the tournament decide; they draw nothing else again."""
    choice = _controls()
    _winners(choice)
    _regret(choice)


def _controls() -> Choice:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        data = controls.DATA[widgets.choose("Data", "arena_data", controls.DATA, width=170)]
        mechanism = widgets.choose("Mechanism", "arena_mechanism", controls.MECHANISMS, width=150)
        bins = widgets.pick(
            "Bins are", "arena_bins", (controls.ORDERED, controls.CATEGORIES),
            help="Ranges of numbers have an order, and neighbours are alike. Categories have none: nothing that uses "
            "the order takes part.",
        )  # fmt: skip
        rows = widgets.pick("Map over ε and", "arena_rows", controls.ROWS)
        k = widgets.choose("Bins k", "arena_k", controls.K, width=100)
    return Choice(data, mechanism, bins == controls.ORDERED, controls.ROWS[rows], controls.K[k])


def _winners(choice: Choice) -> None:
    st.header("Who wins where", anchor=False)
    name = "ldp-which-estimator"
    alt = "The estimator with the lowest error at each ε and number of users or bins."
    key = "winners"
    show.chart(_map_figure(choice, theme.is_dark()), key, alt, name=name, **squares.on_square(key, choice))
    st.caption(
        "The lowest mean squared error, as a geometric mean of ratios to MI's over all settings of a square. **≈**: "
        "others are as good, within 5% or two standard errors; point at a square to see which. "
        f"{squares.how_thin(choice)} {squares.opens(choice)}"
    )


def _regret(choice: Choice) -> None:
    st.header("How far from the best in hindsight", anchor=False)
    if missing := chosen.not_run(choice):
        st.info(missing, icon=":material/block:")
        return
    st.markdown(" ".join(regret.sentences(choice)))
    alt = "Median, mean and worst ratio of each estimator's error to that of the best estimator of each setting."
    show.chart(_regret_figure(choice, theme.is_dark()), "regret", alt, name="ldp-regret")
    table = regret.frame(choice)
    with st.expander("The numbers", key=_NUMBERS, on_change="rerun") as box:
        # The rows are sent only when the box is open.
        if box.open:
            st.dataframe(table, hide_index=True, column_config=_COLUMNS)
            widgets.download("Table (CSV)", lambda: export.csv(table), "ldp-which-estimator.csv")
    st.caption(
        f"The best in hindsight is the best of all these estimators in each setting, which nobody knows beforehand; "
        f"chosen among noisy means of {tournament.REPEATS} repeats, it flatters itself a little, and the worst ratios "
        f"hold what chance did too. Standard errors of the geometric means here: at most "
        f"{table['± %'].max():.1f}%. {regret.how_sure()} {_grid_words()} {standings.provenance('matches')}"
    )


# The key of the box with the numbers.
_NUMBERS = "arena_numbers"
_COLUMNS = {
    "error / MI's": st.column_config.NumberColumn(format="%.3f"),
    "± %": st.column_config.NumberColumn(format="%.1f"),
    "cost of staying ×": st.column_config.NumberColumn(format="%.2f"),
    "median ×": st.column_config.NumberColumn(format="%.2f"),
    "at worst ×": st.column_config.NumberColumn(format="%.3g"),
    "best or within 5 %": st.column_config.NumberColumn(format="percent"),
}


@cache
def _grid_words() -> str:
    """Say what of the whole cross was run."""
    counts = standings.cells().settings["k"].value_counts()
    whole = len(tournament.MECHANISMS) * len(tournament.EPS) * len(tournament.N) * len(tournament.DATA)
    parts = ", ".join(f"{counts.get(level.k, 0):,} at k = {level.k:,}" for level in tournament.LEVELS)
    return (
        f"Of {whole:,} settings for each k these were run: {parts}; every ε and n with equally many mechanisms, and "
        f"beyond 200 bins each with a part of the data sets. IBU stopped has at most {MAX_ITER:,} steps "
        "here, which `ldpcore.ibu` with `stop='cv'` has not."
    )


# A finished figure is kept by what decides it: building one costs more than all the rest of the page.
@finished.by_words(60)
def _map_figure(choice: Choice, dark: bool) -> go.Figure:
    return maps.figure(choice, dark)


@finished.by_words(60)
def _regret_figure(choice: Choice, dark: bool) -> go.Figure:
    return regret.figure(choice, dark)


@finished.by_words(16)
def _question_figure(key: str, dark: bool) -> go.Figure:
    return next(question for question in questions.QUESTIONS if question.key == key).figure(dark)
