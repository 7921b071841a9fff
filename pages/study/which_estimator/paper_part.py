"""The part of the page on the paper's own grid."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from ldpcore import tournament
from ldpui import theme, widgets
from ldpui.charts import finished, show
from ldpui.navigation import part
from pages.study import results, standings
from pages.study.which_estimator import controls, gains


@part("Which estimator?")
def draw() -> None:
    """Draw Γ of every estimator, and IBU against each of them; its controls draw nothing else again."""
    st.header("The paper's own grid, with every estimator", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        word = widgets.pick("Table", "arena_table", results.TABLES)
        metric = widgets.pick("Γ of", "arena_gain", controls.GAINS).lower()
    table = 1 + results.TABLES.index(word)
    alt = "Gain over MI of several estimators on the paper's grid, with losses as 0 and counted."
    show.chart(_figure(table, metric, theme.is_dark()), "gains", alt, name="ldp-gains")
    for text in gains.sentences(table, metric):
        st.markdown(f"- {text}")
    against = gains.against(metric)
    st.dataframe(
        against,
        hide_index=True,
        height="content",
        alt="By how many percent IBU's error is below that of every other estimator, in both tables.",
        column_config={name: st.column_config.NumberColumn(format="%.1f%%") for name in against.columns[1:]},
    )
    st.caption(
        f"Gains in {metric.upper()} over the paper's data, k, n and ε, with its binning and the exact channel, from "
        f"{runs()}. {standings.provenance('paper')}"
    )


def runs() -> str:
    """Say how often each setting was run.

    >>> runs()
    '4 runs of each setting (20 at k = 2), of auto 1 (8)'
    """
    many, two, auto_many, auto_two = tournament.PAPER_RUNS
    return f"{many} runs of each setting ({two} at k = 2), of auto {auto_many} ({auto_two})"


@finished.by_words(16)
def _figure(table: int, metric: str, dark: bool) -> go.Figure:
    return gains.figure(table, metric, dark)
