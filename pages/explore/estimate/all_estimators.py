"""The table of all estimators, best first."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpui import auto_choices, cache, glossary, widgets
from ldpui.computing import measuring
from ldpui.own import Upload
from ldpui.progress import Bar, with_progress


def table_of_estimators(s: ldp.Setting, data: Upload | None, collection: int | None = None) -> None:
    """Draw the table; estimators that take seconds are in it if they are asked for, with what auto chose.

    It is told of the `collection` that is shown above, or of all of them.
    """
    slow = cache.slow_estimators(cache.run(s, data).ordered)
    names = " and ".join(ldp.ESTIMATORS[key].name for key in slow)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        metric = widgets.metric()
        slow_too = widgets.switch(f"With {names}", "slow", help="They choose by cross-validation, which takes seconds.")
    if slow_too:
        # Run by run: what takes long shows how far it is, and stops where the controls have moved on.
        for key, number in with_progress([(key, i) for key in slow for i in range(s.runs)], "Choosing by the counts"):
            cache.slow_estimate(s, data, key, number)
    with_full = cache.full_refusal(s) is None and bool(st.session_state.get("full"))
    _measure(s, data)
    with st.spinner("Trying every estimator…"):
        table = cache.estimator_table(s, data, metric.key, with_full, slow_too)
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        height="content",
        alt="Errors of all estimators, best first.",
        column_config={
            "What it does": st.column_config.TextColumn(width=310),
            "Error": st.column_config.NumberColumn(f"{metric.name}, mean", format="%.2e"),
            "Standard error": st.column_config.NumberColumn("± standard error", format="%.1e"),
            "Bias²": st.column_config.NumberColumn("bias²", format="%.1e", help=glossary.BIAS_AND_VARIANCE),
            "Variance": st.column_config.NumberColumn("variance", format="%.1e", help=glossary.BIAS_AND_VARIANCE),
            "Against MI": st.column_config.NumberColumn("against the paper's MI", format="%+.1f%%"),
        },
    )
    if slow_too:
        shown = range(s.runs) if collection is None else [(collection - 1) % s.runs]
        auto_choices.explain([cache.choice(s, data, number) for number in shown])
    offered = not with_full and cache.full_refusal(s) is None
    st.caption(
        f"Best first; {metric.title}, mean over the runs. Estimators that do not sum to 100% are listed as they are."
        + (" Switch on *full-report IBU* above to have it in the table." if offered else "")
    )


def _measure(s: ldp.Setting, data: Upload | None) -> None:
    """Have the quick estimators tried where that takes longer than a moment, with a bar; the table finds it done."""
    # The container is made even if it stays empty: Streamlit counts elements, and without it the bar would replace the
    # table of the last run.
    with st.container():
        if len(measuring.slices(s)) == 1 or cache.measures.known(s, data) is not None:
            return
        with Bar("Trying every estimator") as bar:
            measures = cache.measure_slices(s, data, bar.tell)
        cache.measures.keep(measures, s, data)
