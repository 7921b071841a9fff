"""Counting reports, with a bar and a way to stop."""

from __future__ import annotations

import math
import time

import streamlit as st

import ldpcore as ldp
from ldpui import reading, uploads
from pages.practice.your_reports.jobs import Job
from pages.practice.your_reports.report_file import ReportFile
from pages.practice.your_reports.state import reports


def count(upload: ReportFile, m: ldp.Mechanism, job: Job) -> ldp.Collected:
    """Have the reports counted, with a bar, and estimate."""
    place, begun, rows = st.empty(), time.perf_counter(), upload.rows
    try:
        with place.container():
            bar = st.progress(0.0, progress_words(0, rows, 0.0))
            st.button(
                "Stop", icon=":material/stop_circle:", on_click=_stop, args=(job,), key=f"reports_stop_{job.number}"
            )

            # Streamlit stops a script that is out of date where it draws something: at every step of the bar.
            def draw(counted: int) -> None:
                words = progress_words(counted, rows, time.perf_counter() - begun)
                bar.progress(min(1.0, counted / rows), words)

            seconds = uploads.COUNT_SECONDS
            return uploads.ask(reading.count, upload.raw, m, job.which, seconds=seconds, tell=draw)
    finally:
        place.empty()


def _stop(job: Job) -> None:
    reports().fail(job, "counting was stopped", again=True)


def progress_words(counted: int, rows: int, seconds: float) -> str:
    """Say how far counting is.

    >>> progress_words(0, 10**6, 0.0), progress_words(250_000, 10**6, 10.0)
    ('0 of 1,000,000 reports counted', '250,000 of 1,000,000 reports counted, about 30 s left')
    """
    words = f"{counted:,} of {rows:,} reports counted"
    if not counted or counted >= rows:
        return words
    left = seconds * (rows - counted) / counted
    return f"{words}, about {f'{math.ceil(left / 60)} min' if left > 90 else f'{math.ceil(left)} s'} left"
