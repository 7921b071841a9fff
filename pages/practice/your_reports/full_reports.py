"""Full-report IBU below what is on the page already: it looks at every report again and again."""

from __future__ import annotations

import math
import time
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import streamlit as st

import ldpcore as ldp
from ldpcore.collected.full import FULL_MOST_STEPS, FULL_STEPS
from ldpcore.collected.report_tables import full_steps
from ldpui import failures
from pages.practice.your_reports.state import Full, Outcome, reports

if TYPE_CHECKING:
    from ldpcore.tables import Table


def finish(outcome: Outcome) -> None:
    """Go on with full-report IBU if it is still to do, and draw the page again when it is there."""
    if outcome.full is not Full.TO_DO:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, _words(outcome.steps))
        st.button("Do without", icon=":material/stop_circle:", on_click=_do_without, key="reports_without")
    try:
        climb(outcome, outcome.upload.read(), outcome.job.description.make_mechanism(), until=math.inf, bar=bar)
    except Exception as error:  # Streamlit's own control flow does not derive from Exception
        failures.reason(error, "full-report IBU looked at the reports")
        _do_without()
    st.rerun()


def climb(outcome: Outcome, table: Table, m: ldp.Mechanism, *, until: float, bar: Any = None) -> None:
    """Take steps of full-report IBU until it is at rest or the time is up; a rerun goes on from there."""
    job = outcome.job
    which = {"leave_out": job.leave_out, "words": job.words}
    for place, at_rest in full_steps(table, m, job.columns, job.eps_column, outcome.place, **which):
        outcome = replace(outcome, place=place, steps=outcome.steps + FULL_STEPS)
        if at_rest or outcome.steps >= FULL_MOST_STEPS:
            outcome = replace(outcome, collected=replace(outcome.collected, full=place), full=Full.DONE)
        reports().outcome = outcome
        if outcome.full is Full.DONE or time.perf_counter() > until:
            return
        if bar is not None:
            bar.progress(outcome.steps / FULL_MOST_STEPS, _words(outcome.steps))


def _do_without() -> None:
    last = reports().outcome
    if last is not None and last.full is Full.TO_DO:
        reports().outcome = replace(last, full=Full.STOPPED)


def _words(steps: int) -> str:
    return f"Full-report IBU looks at every report again and again: {steps:,} of at most {FULL_MOST_STEPS:,} steps"
