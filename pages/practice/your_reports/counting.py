"""Counting reports, with a bar and a way to stop."""

from __future__ import annotations

from functools import partial

import streamlit as st

import ldpcore as ldp
from ldpui import uploads
from ldpui.computing import reading
from ldpui.progress import Bar
from pages.practice.your_reports.jobs import Job
from pages.practice.your_reports.report_file import ReportFile
from pages.practice.your_reports.state import reports

# The first seconds of a small file, which are most often enough.
FIRST_SLICE = 0.5


def count(upload: ReportFile, m: ldp.Mechanism, job: Job) -> ldp.Collected:
    """Have the reports counted, with a bar, and estimate."""
    place, rows = st.empty(), upload.rows
    try:
        with place.container():
            bar = Bar("Reports counted", total=rows)
            st.button(
                "Stop", icon=":material/stop_circle:", on_click=_stop, args=(job,), key=f"reports_stop_{job.number}"
            )
            ask = partial(
                uploads.ask, reading.count, upload.raw, m, job.selection, seconds=uploads.COUNT_SECONDS, rows=rows
            )
            tell = partial(bar.tell, total=rows)
            answer = ask(None, FIRST_SLICE if uploads.is_small(upload.raw, rows) else uploads.SLICE, tell=tell)
            while not isinstance(answer, ldp.Collected):
                answer = ask(answer, uploads.SLICE, long=True, tell=tell)
            return answer
    finally:
        place.empty()


def _stop(job: Job) -> None:
    reports().fail(job, "counting was stopped", again=True)
