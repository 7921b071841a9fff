"""The paper's tables and figures: published, reproduced, corrected, and at convergence."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go
import streamlit as st

import ldpcore as ldp
from ldpui import export, glossary, theme, widgets
from ldpui.address import vocabulary
from ldpui.charts import finished, maps, show
from ldpui.charts.common import sourced
from ldpui.navigation import heading, part
from ldpui.progress import Bar
from pages.study import results
from pages.study.paper import clicks, controls, figures, tables


def page() -> None:
    """Draw the page."""
    heading(
        "Do the published tables come out again, and what explains it where they do not?",
    )
    with st.container(horizontal=True, vertical_alignment="bottom"):
        table_word = widgets.pick("Table", "table", results.TABLES)
        metric = widgets.pick("Γ of", "gain_metric", ("MSE", "MAE")).lower()
    table = 1 + results.TABLES.index(table_word)
    value = _table(table, metric)
    st.header("What explains the differences", anchor=False)
    for text in tables.explanations(table, metric):
        st.markdown(f"- {text}")
    st.header("The figures", anchor=False)
    _figures(metric, value)
    st.header("Run it yourself", anchor=False)
    _run_a_part(table)


def _table(table: int, metric: str) -> str:
    """Draw a table in one of its four values, or the difference of two; return the word for the value."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        value_word = widgets.choose("Show", "value", controls.VALUES, help=glossary.PAPER_VALUES, width=210)
        minus_word = widgets.choose("minus", "minus", ("nothing", *controls.VALUES), width=210)
        widgets.explanations()
    shown = results.grid(table, metric, controls.VALUES[value_word])
    minus = controls.VALUES.get(minus_word)
    what = value_word if minus is None else f"{value_word} minus {minus_word}"
    table_word = results.TABLES[table - 1]
    name = f"ldp-paper-table{table}-{metric}"
    show.chart(
        _table_figure(table, metric, controls.VALUES[value_word], minus, what, theme.is_dark()),
        "paper_table",
        f"{table_word}, gain of the {metric.upper()} in percent, {what}, by distribution and mechanism.",
        name=name,
        **clicks.on_cell(table, controls.VALUES[value_word], shown),
    )
    against = None if minus is None else results.grid(table, metric, minus)
    has_spread = bool(np.isfinite(figures.spread_of(shown, against)).any())
    point = "; point at a cell for its spread over the draws of the data sets" if has_spread else ""
    eps = f"ε = {clicks.EPS:g}" if table == 1 else f"ε₁ = {clicks.EPS:g}, ε∞ = {2 * clicks.EPS:g}"
    printed = _PRINTED if "published" in (controls.VALUES[value_word], minus) else ""
    st.caption(
        f"Utility gain Γ of IBU over MI in percent, averaged over k, n, ε and runs as in the paper{point}.{printed} "
        f"**Click a cell** to open it in Estimate, at {eps}, n = {clicks.N:,} and k = {clicks.K}. "
        + tables.provenance(table)
    )
    widgets.download("Table (CSV)", lambda: export.csv(tables.frame(table, metric)), f"{name}.csv")
    return str(value_word)


_PRINTED = """ The averages of what is printed are means of the printed cells. The paper rounds its own only once,
and they can be a point less or more."""


@finished.by_words(60)
def _table_figure(table: int, metric: str, value: str, minus: str | None, what: str, dark: bool) -> go.Figure:
    shown = results.grid(table, metric, value)
    against = None if minus is None else results.grid(table, metric, minus)
    source = f"Table {table} of the paper, Γ of {metric.upper()}, {what} · LDP Explorer {ldp.__version__}"
    return sourced(maps.clickable(figures.table_figure(shown, against, dark)), [source])


@part("The paper")
def _figures(metric: str, value_word: str) -> None:
    """Draw one of the paper's figures, panels side by side where there is room; another is drawn without the rest."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        figure_word = widgets.pick("Figure", "figure", controls.FIGURES)
    number, value = controls.FIGURES.index(figure_word), controls.VALUES[value_word]
    # What the paper prints in its figures is not among the results: there is nothing printed to draw.
    variant = "as published" if value == "published" else value
    word = next(word for word, name in controls.VALUES.items() if name == variant)
    table = 1 + number % 2
    with st.container(horizontal=True):
        for i in range(1, 1 + figures.PANELS):
            key, alt = f"paper_figure_{i}", f"{figure_word} of the paper, panel {i}, {word}."
            more = clicks.on_bar(key, table, variant, ldp.paper.TABLES[table].eps[i - 1]) if number < 2 else {}
            name = f"ldp-paper-{figure_word.lower().replace(' ', '')}-{i}-{metric}"
            panel = _panel(number < 2, table, metric, variant, i - 1, theme.is_dark())
            show.chart(panel, key, alt, width=288, name=name, **more)
    why = "" if word == value_word else ", for what the paper prints in its figures is not here"
    spread = ". **Click a bar** to open it in Estimate." if number < 2 else _SPREAD
    st.caption(glossary.PAPER_FIGURES[figure_word] + f" Shown: {word}{why}{spread}")


@finished.by_words(120)
def _panel(bars: bool, table: int, metric: str, variant: str, number: int, dark: bool) -> go.Figure:
    draw = figures.bars_figure if bars else figures.lines_figure
    return draw(table, metric, variant, number, dark)


_SPREAD = "; bars of spread: standard deviation over the draws."


def _run_a_part(table: int) -> None:
    """Offer to run some cells afresh."""
    about, all_labels = ldp.paper.TABLES[table], results.LABELS
    with st.container(horizontal=True, vertical_alignment="bottom"):
        labels = st.multiselect("Distributions", list(all_labels.values()), ["Uniform"], key="rerun_data", width=330)
        chosen = st.multiselect("Mechanisms", about.mechanisms, about.mechanisms[:1], key=f"rerun_{table}", width=330)
        seed = widgets.whole_number("Seed", "paper_seed", 0, vocabulary.SEED_MAX, width=130)
        go = st.button("Run this part", type="primary", icon=":material/play_arrow:", disabled=not (labels and chosen))
    if not go:
        return
    data = [name for name, word in all_labels.items() if word in labels]
    with Bar("Settings, 20 runs each") as bar:
        try:
            fresh = tables.rerun(table, data, chosen, seed, bar.tell)
        except ldp.Refused as refused:
            st.warning(f"Not run: {refused}", icon=":material/block:")
            return
    st.dataframe(
        fresh,
        hide_index=True,
        height="content",
        alt="The cells that were run, in their three variants, beside the printed ones.",
        column_config={name: st.column_config.NumberColumn(format="%.1f") for name in fresh.columns[3:]},
    )
    st.caption(
        f"One draw of the data sets, seed {seed}, 20 runs of noise a setting; Γ in percent. All of it: "
        f"{tables.commands(table)}."
    )
