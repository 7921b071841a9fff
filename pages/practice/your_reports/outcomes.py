"""From a file of collected reports to the estimates: what was computed, what is to be, and what went wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import cache, failures
from ldpui.computing.worker import TooLongError
from pages.practice.your_reports import column_choice, downloads, full_reports, upload_box
from pages.practice.your_reports.column_choice import UnansweredError
from pages.practice.your_reports.counting import count
from pages.practice.your_reports.description import Description
from pages.practice.your_reports.jobs import Job
from pages.practice.your_reports.report_file import ReportFile
from pages.practice.your_reports.state import Full, Outcome, reports

# Full-report IBU is waited for this many seconds before anything is shown.
AT_ONCE = 1.0


@dataclass(frozen=True, eq=False)
class Answer:
    """The last good result, and whether it is the one for what is set now."""

    outcome: Outcome | None
    current: bool = False


def work_out(description: Description, names: tuple[str, ...], place: Any) -> Answer:
    """Read, count and estimate what is new.

    In `place` the columns of the file can be chosen. Where a new file cannot be used, the one before it is.
    """
    here = reports()
    upload_box.read(description)
    upload = here.upload
    if upload is None:
        return Answer(None)
    try:
        with place:
            job = column_choice.choose(upload, description, names)
        if _is_computed(upload, job):
            return Answer(here.outcome, current=True)
    except UnansweredError as question:
        st.info(str(question), icon=":material/help:")
        return Answer(here.outcome)
    except ldp.Refused as refused:
        upload_box.complain(str(refused))
        return _file_before(upload, description)
    failure = here.failures[job.number]
    upload_box.complain(failure.sentence)
    if failure.command:
        st.code(failure.command, language="bash", wrap_lines=True)
    if failure.again:
        st.button("Try again", icon=":material/refresh:", on_click=here.failures.clear)
    return _file_before(upload, description)


def _file_before(upload: ReportFile, description: Description) -> Answer:
    """Go on with the file of the last result, if it can be read as it was."""
    last = reports().outcome
    if last is None or last.upload.file.number == upload.file.number:
        return Answer(last)
    before = last.job.description
    if before.counts != description.counts or (before.eps is None) != (description.eps is None):
        return Answer(last)
    job = replace(last.job, description=replace(description, header=last.upload.header))
    computed = _is_computed(last.upload, job)
    if computed:
        upload_box.belongs_to_the_file_before()
    return Answer(reports().outcome, current=computed)


def _is_computed(upload: ReportFile, job: Job) -> bool:
    """Tell whether a job has a result, computing it if that was not tried before."""
    here = reports()
    outcome, failure = here.outcome, here.failures.get(job.number)
    if (outcome is None or outcome.job != job) and (failure is None or failure.job != job):
        _compute(upload, job)
    return here.outcome is not None and here.outcome.job == job


def _compute(upload: ReportFile, job: Job) -> None:
    """Count and estimate; the session has the result then, or what was wrong."""
    here = reports()
    if job.description.n == 0:
        raise UnansweredError("How many reports were there? Say it in *Reports n*: support counts alone do not tell.")
    try:
        m = job.description.make_mechanism()
        here.outcome = outcome = _first_outcome(upload, m, job)
        here.failures.pop(job.number, None)
        if outcome.full is Full.TO_DO:
            with st.spinner("Full-report IBU looks at every report…"):
                full_reports.climb(outcome, AT_ONCE)
    except TooLongError as refused:
        here.fail(job, str(refused), command=downloads.count_command(upload, job, names=job.words))
    except ldp.Refused as refused:
        here.fail(job, str(refused))
    except MemoryError:
        here.fail(job, "there is not enough memory for this file; take it in parts", again=True)
    except Exception as error:  # Streamlit's own control flow does not derive from Exception
        here.fail(job, failures.reason(error, "the reports were counted"), again=True)


def _first_outcome(upload: ReportFile, m: ldp.Mechanism, job: Job) -> Outcome:
    """Estimate all that the counts alone can say."""
    outcome = Outcome(upload, job, count(upload, m, job), Full.TO_DO)
    if job.description.counts:
        return replace(outcome, full=Full.NOT_POSSIBLE)
    if outcome.by_counts:
        collected = outcome.collected
        return replace(outcome, collected=replace(collected, full=collected.limit), full=Full.DONE)
    return outcome if upload.rows * m.k <= cache.FULL_ENTRIES else replace(outcome, full=Full.NOT_POSSIBLE)
