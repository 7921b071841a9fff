"""auto on collected reports: the estimator that the counts speak for, and what it expected of the others."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import ldpcore as ldp
from ldpui import failures, widgets
from ldpui.computing import compute, work
from pages.practice.your_reports import texts
from pages.practice.your_reports.state import Outcome, reports


def added(outcome: Outcome) -> Outcome:
    """Ask whether the values have an order, and return the result with what auto chooses; as it was, if it can't."""
    ordered = widgets.switch("The values have an order", "r_ordered", help=texts.ORDERED)
    choice = _choice_or_reason(outcome, ordered)
    if isinstance(choice, str):
        st.warning(f"auto is left out: {choice}.", icon=":material/block:")
        st.button("Try auto again", icon=":material/refresh:", on_click=_forget)
        return outcome
    return replace(outcome, collected=replace(outcome.collected, choice=choice), ordered=ordered)


def _choice_or_reason(outcome: Outcome, ordered: bool) -> ldp.Choice | str:
    """Return what auto chooses, or why it does not; it is looked for once."""
    here, question = reports(), (outcome.job, ordered)
    if here.choice is None or here.choice[0] != question:
        groups = [(group.counts, group.n, group.m) for group in outcome.collected.groups]
        try:
            with st.spinner("auto lets halves of what was collected judge each other…"):
                here.choice = (question, compute.run(work.choice, groups, ordered))
        except Exception as error:  # Streamlit's own control flow does not derive from Exception
            here.choice = (question, failures.reason(error, "auto chose an estimator"))
    return here.choice[1]


def _forget() -> None:
    reports().choice = None
