"""Full-report IBU below what is on the page already: it looks at every report again and again."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from ldpcore.collected.full import FULL_MOST_STEPS
from ldpui import failures, uploads
from ldpui.computing import reading
from ldpui.computing.reading import Place
from ldpui.progress import Bar
from pages.practice.your_reports.state import Full, Outcome, reports

# Rows times values of which some hundred steps are taken in a moment.
MOMENT = 400_000


def finish(outcome: Outcome) -> None:
    """Go on with full-report IBU if it is still to do, and draw the page again when it is there."""
    if outcome.full is not Full.TO_DO:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        bar = Bar("Full-report IBU looks at every report again, step by step", total=FULL_MOST_STEPS, at_most=True)
        st.button("Do without", icon=":material/stop_circle:", on_click=_do_without, key="reports_without")
    try:
        while outcome.full is Full.TO_DO:
            outcome = climb(outcome, uploads.SLICE, bar)
    except Exception as error:  # Streamlit's own control flow does not derive from Exception
        failures.reason(error, "full-report IBU looked at the reports")
        _do_without()
    st.rerun()


def climb(outcome: Outcome, seconds: float, bar: Bar | None = None) -> Outcome:
    """Have steps of full-report IBU taken until it is at rest or the time is up; a rerun goes on from there, too."""

    def take(place: Place) -> None:
        nonlocal outcome
        outcome = replace(outcome, place=place)
        if place.at_rest:
            outcome = replace(outcome, collected=replace(outcome.collected, full=place.estimate), full=Full.DONE)
        reports().outcome = outcome
        if bar is not None:
            bar.tell(place.steps, FULL_MOST_STEPS)

    job, m = outcome.job, outcome.job.description.make_mechanism()
    file, rows = outcome.upload.raw, outcome.upload.rows
    arguments = (file, m, job.selection, outcome.place, seconds)
    long = bar is not None or rows * m.k > MOMENT
    take(uploads.ask(reading.climb, *arguments, rows=rows, seconds=uploads.COUNT_SECONDS, long=long, tell=take))
    return outcome


def _do_without() -> None:
    last = reports().outcome
    if last is not None and last.full is Full.TO_DO:
        reports().outcome = replace(last, full=Full.STOPPED)
