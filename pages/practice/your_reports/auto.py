"""auto on collected reports: the estimator that the counts speak for, and what it expected of the others."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import ldpcore as ldp
from ldpui import compute, failures, glossary, widgets, work
from pages.practice.your_reports.state import Outcome, reports


def added(outcome: Outcome) -> Outcome:
    """Ask whether the values have an order, and return the result with what auto chooses; as it was, if it can't."""
    ordered = widgets.switch("The values have an order", "r_ordered", help=glossary.REPORTS_ORDERED)
    found = _found(outcome, ordered)
    if isinstance(found, str):
        st.warning(f"auto is left out: {found}.", icon=":material/block:")
        st.button("Try auto again", icon=":material/refresh:", on_click=_forget)
        return outcome
    return replace(outcome, collected=replace(outcome.collected, choice=found), ordered=ordered)


def _found(outcome: Outcome, ordered: bool) -> ldp.Choice | str:
    """Return what auto chooses, or why it does not; it is looked for once."""
    here, asked = reports(), (outcome.job, ordered)
    if here.choice is None or here.choice[0] != asked:
        groups = [(group.counts, group.n, group.m) for group in outcome.collected.groups]
        try:
            with st.spinner("auto lets halves of what was collected judge each other…"):
                here.choice = (asked, compute.run(work.choice, groups, ordered))
        except Exception as error:  # Streamlit's own control flow does not derive from Exception
            here.choice = (asked, failures.reason(error, "auto chose an estimator"))
    return here.choice[1]


def _forget() -> None:
    reports().choice = None


def explain(choice: ldp.Choice) -> None:
    """Say what was chosen and how sure that is, and show what was expected of the others."""
    st.markdown(f"**auto:** {choice.sentence}", help=glossary.AUTO)
    with st.expander("What auto expected of each estimator"):
        number = st.column_config.NumberColumn
        st.dataframe(
            choice.table()[["name", "error", "se", "behind", "behind_se"]],
            hide_index=True,
            height=300,
            alt="For each estimator that auto could choose, the mean squared error that it expected, best first.",
            column_config={
                "name": "estimator",
                "error": number("expected MSE", format="%.2e"),
                "se": number("±", format="%.0e"),
                "behind": number("behind the chosen", format="%.2e"),
                "behind_se": number("± ", format="%.0e"),
            },
        )
        st.caption(
            f"Mean squared error with twice the noise, as halves have it, over {choice.splits} splits; ±: its standard "
            "error. It is estimated without bias, so near 0 it can be negative. The same noise is in all of them: the "
            "last two columns say how much more than the chosen one's it is, which is known better than either."
        )
