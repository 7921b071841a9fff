"""Full-report IBU below what is on the page already: it looks at every report again and again."""

from __future__ import annotations

import math
from dataclasses import replace

import streamlit as st

from ldpcore.collected.full import FULL_MOST_STEPS
from ldpui import failures, uploads
from ldpui.computing import reading
from ldpui.computing.reading import Place
from ldpui.progress import Bar
from pages.practice.your_reports.state import Full, Outcome, reports


def finish(outcome: Outcome) -> None:
    """Go on with full-report IBU if it is still to do, and draw the page again when it is there."""
    if outcome.full is not Full.TO_DO:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        bar = Bar("Full-report IBU looks at every report again, step by step", total=FULL_MOST_STEPS, at_most=True)
        st.button("Do without", icon=":material/stop_circle:", on_click=_do_without, key="reports_without")
    try:
        climb(outcome, math.inf, bar)
    except Exception as error:  # Streamlit's own control flow does not derive from Exception
        failures.reason(error, "full-report IBU looked at the reports")
        _do_without()
    st.rerun()


def climb(outcome: Outcome, seconds: float, bar: Bar | None = None) -> None:
    """Have steps of full-report IBU taken until it is at rest or the time is up; a rerun goes on from there."""

    def take(place: Place) -> None:
        nonlocal outcome
        outcome = replace(outcome, place=place)
        if place.at_rest:
            outcome = replace(outcome, collected=replace(outcome.collected, full=place.estimate), full=Full.DONE)
        reports().outcome = outcome
        if bar is not None:
            bar.tell(place.steps, FULL_MOST_STEPS)

    job, m = outcome.job, outcome.job.description.make_mechanism()
    arguments = (outcome.upload.raw, m, job.selection, outcome.place, seconds)
    take(uploads.ask(reading.climb, *arguments, seconds=uploads.COUNT_SECONDS, tell=take))


def _do_without() -> None:
    last = reports().outcome
    if last is not None and last.full is Full.TO_DO:
        reports().outcome = replace(last, full=Full.STOPPED)
