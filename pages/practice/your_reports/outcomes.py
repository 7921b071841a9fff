"""From a file of collected reports to the estimates: what was computed, what is to be, and what went wrong."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import streamlit as st

import ldpcore as ldp
from ldpcore.collected.columns import Columns, Head, choose_columns, eps_column_of
from ldpcore.collected.formats import is_named_pair
from ldpcore.collected.full import FULL_MOST_STEPS, FULL_STEPS
from ldpcore.collected.report_tables import full_steps, header_seems_a_report
from ldpcore.tables import CSV_SUFFIXES, read_table
from ldpui import cache, failures, glossary
from ldpui.format import plain
from pages.practice.your_reports import controls
from pages.practice.your_reports.files import Seen, Source, held
from pages.practice.your_reports.questions import SINGLE_VALUE, Asked

if TYPE_CHECKING:
    from ldpcore.tables import Table

TO_DO, DONE, STOPPED, NOT_POSSIBLE = "to do", "done", "stopped", "not possible"
# Full-report IBU is waited for this many seconds before anything is shown, and takes so many steps in all.
AT_ONCE, MOST_STEPS = 1.0, FULL_MOST_STEPS


@dataclass(frozen=True)
class Job:
    """All that a result hangs on; the columns as the reader said them, None for all that are needed."""

    number: int
    asked: Asked
    columns: tuple[str, ...] | None
    eps_column: str | None
    leave_out: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Outcome:
    """The last result, and what it belongs to.

    Full-report IBU can take long, so it comes last: `steps` of it were taken, the last one to `place`; `full` says
    whether it is still "to do", "done", "stopped" by the reader, or "not possible".
    """

    source: Source
    name: str
    job: Job
    found: ldp.Collected
    full: str
    steps: int = 0
    place: npt.NDArray[np.float64] | None = None

    @property
    def with_reports(self) -> bool:
        return not self.job.asked.counts

    @property
    def mixed(self) -> bool:
        return self.job.eps_column is not None

    @property
    def by_counts(self) -> bool:
        """Tell whether a report is one value, so that the counts say all that the reports say."""
        return self.job.asked.mechanism in SINGLE_VALUE and not self.mixed


class _UnansweredError(Exception):
    """Something is still to be said by the reader."""


def work_out(asked: Asked, place: Any) -> tuple[Outcome | None, bool]:
    """Read, count and estimate what is new; return the last good result, and whether it has the settings asked for.

    In `place` the columns of the file can be chosen. Where a new file cannot be used, the one before it is.
    """
    table = _read_pending(asked)
    given = held().source
    if given is None:
        return None, False
    try:
        seen, table = _look(given, asked, table)
        with place:
            job = _choose_columns(given, seen, asked)
        if _is_there(given, job, table):
            return _last(), True
        failure = held().failures[job.number]
        _complain(failure.sentence)
        if failure.again:
            st.button("Try again", icon=":material/refresh:", on_click=held().failures.clear)
    except _UnansweredError as what:
        st.info(str(what), icon=":material/help:")
        return _last(), False
    except ldp.Refused as refused:
        _complain(str(refused))
    return _file_before(given, asked)


def _file_before(given: Source, asked: Asked) -> tuple[Outcome | None, bool]:
    """Go on with the file of the last result, if it can be read as it was."""
    last = _last()
    if last is None or last.source.number == given.number:
        return last, False
    before = last.job.asked
    same_kind = before.counts == asked.counts and (before.eps is None) == (asked.eps is None)
    there = same_kind and _is_there(last.source, replace(last.job, asked=asked), None)
    if there:
        _belongs_to_the_file_before()
    return _last(), there


def _belongs_to_the_file_before() -> None:
    st.info("What follows belongs to the file before it.", icon=":material/history:")


@dataclass(frozen=True)
class Failure:
    """Why a job has no result, and whether the same once more could have one."""

    job: Job
    sentence: str
    again: bool = False


def _last() -> Outcome | None:
    return held().outcome


def _complain(sentence: str) -> None:
    st.error(plain(sentence.rstrip("."), 500) + ".", icon=":material/error:")


def _is_there(given: Source, job: Job, table: Table | None) -> bool:
    """Tell whether there is a result, computing it if that was not tried before."""
    last, failure = _last(), held().failures.get(job.number)
    if (last is None or last.job != job) and (failure is None or failure.job != job):
        _compute(given, job, table)
    last = _last()
    return last is not None and last.job == job


def _read_pending(asked: Asked) -> Table | None:
    """Try to read a new file: only if that succeeds, the page works with it from now on."""
    mine = held()
    if mine.pending is None:
        return None
    tried = (mine.pending.number, asked.header)
    if mine.refused is None or mine.refused[0] != tried:
        try:
            table = _open(mine.pending, asked.header)
        except Exception as error:  # Streamlit's own control flow does not derive from Exception
            mine.refused = (tried, failures.reason(error, "the file was read"))
        else:
            mine.source, mine.pending = mine.pending, None
            return table
    _complain(mine.refused[1])
    if mine.source is not None:
        _belongs_to_the_file_before()
    return None


def _open(given: Source, header: bool) -> Table:
    with st.spinner("Reading the file…"):
        return read_table(given.data, given.name, header=header)


def _look(given: Source, asked: Asked, table: Table | None) -> tuple[Seen, Table | None]:
    """Return which columns the file has; it is read again only if its header is now seen otherwise."""
    seen = held().seen
    if seen is None or (seen.number, seen.header) != (given.number, asked.header):
        table = table or _open(given, asked.header)
        seen = Seen(given.number, asked.header, Head.of(table), table.left_out)
        held().seen = seen
    return seen, table


def _choose_columns(given: Source, seen: Seen, asked: Asked) -> Job:
    """Offer the columns to choose from, and find those that need not be chosen."""
    if asked.counts:
        return Job(given.number, asked, None, None)
    named = eps_column_of(seen.head.columns)
    options, eps_column, out = list(seen.head.columns), None, []
    with st.expander("Columns of the file", icon=":material/view_column:"):
        if asked.eps is None:
            at = options.index(named) if named else None
            eps_column = st.selectbox(
                "Column of ε", options, at, key=f"reports_eps_{given.number}", help=glossary.REPORTS_EACH, width=300
            )
        chosen = st.multiselect(
            "Columns that hold the reports" + (", first the seed, then the value" if asked.pair else ""),
            options,
            key=f"reports_columns_{given.number}",
            placeholder="all that are needed",
            help=glossary.REPORTS_COLUMNS,
        )
        if not asked.pair and asked.mechanism not in SINGLE_VALUE:
            # Nobody wants to choose all but one of a hundred columns.
            out = st.multiselect(
                "Or: columns to leave out", options, key=f"reports_out_{given.number}", placeholder="none"
            )
        if seen.left_out:
            st.caption(f"Not read, for they hold structs, bytes or the like: {plain(', '.join(seen.left_out), 200)}.")
    if asked.header and given.name.lower().endswith(CSV_SUFFIXES) and header_seems_a_report(seen.head.columns):
        st.warning(glossary.REPORTS_FIRST_LINE, icon=":material/help:")
    if asked.eps is None and eps_column is None:
        raise _UnansweredError("Which column holds the ε of each report? Choose it under *Columns of the file*.")
    job, columns = job_of(given.number, seen.head, asked, chosen, out, eps_column)
    if columns is not None and columns.unused_eps:
        st.caption(f"The column {plain(columns.unused_eps)} is not used: ε is said to be the same for all.")
    if columns is not None and columns.numbering:
        left = plain(", ".join(columns.numbering), 200)
        st.caption(f"Not used, for it seems to number the rows or to name the users: {left}.")
    return job


def job_of(
    number: int,
    head: Head,
    asked: Asked,
    chosen: Sequence[str] = (),
    out: Sequence[str] = (),
    eps_column: str | None = None,
) -> tuple[Job, Columns | None]:
    """Return what is to be computed, and which columns it takes; None where that is refused, which is said later."""
    seed_first = asked.pair == controls.SEED_VALUE if asked.pair else None
    job = Job(number, asked, tuple(chosen) or None, eps_column, tuple(out))
    try:
        m = asked.make()
        columns = choose_columns(head, m, chosen, eps_column, leave_out=out, seed_first=seed_first)
    except ldp.Refused:
        return job, None
    if asked.pair and len(columns.reports) == 2 and not is_named_pair(m, columns.reports):
        # Under other names the order must be said.
        job = replace(job, columns=columns.reports, leave_out=())
    return job, columns


def _compute(given: Source, job: Job, table: Table | None) -> None:
    """Count and estimate; keep the result, or what was wrong."""
    if job.asked.counts and job.asked.n == 0:
        raise _UnansweredError("How many reports were there? Say it in *Reports n*: support counts alone do not tell.")
    try:
        m = job.asked.make()
        table = table or _open(given, job.asked.header)
        outcome = _first_result(given, table, m, job)
        held().outcome = outcome
        held().failures.pop(job.number, None)
        if outcome.full == TO_DO:
            with st.spinner("Full-report IBU looks at every report…"):
                _climb(outcome, table, m, time.perf_counter() + AT_ONCE)
    except ldp.Refused as refused:
        _fail(job, str(refused))
    except MemoryError:
        _fail(job, "there is not enough memory for this file; take it in parts", again=True)
    except Exception as error:  # Streamlit's own control flow does not derive from Exception
        _fail(job, failures.reason(error, "the reports were counted"), again=True)


def _fail(job: Job, sentence: str, again: bool = False) -> None:
    held().failures[job.number] = Failure(job, sentence, again)


def _first_result(given: Source, table: Table, m: ldp.Mechanism, job: Job) -> Outcome:
    """Estimate all that the counts alone can say."""
    if job.asked.counts:
        return Outcome(given, table.name, job, estimate_job(table, m, job), NOT_POSSIBLE)
    outcome = Outcome(given, table.name, job, _count(table, m, job), TO_DO)
    if outcome.by_counts:
        return replace(outcome, found=replace(outcome.found, full=outcome.found.limit), full=DONE)
    return outcome if table.rows * m.k <= cache.FULL_ENTRIES else replace(outcome, full=NOT_POSSIBLE)


def _count(table: Table, m: ldp.Mechanism, job: Job) -> ldp.Collected:
    place = st.empty()
    try:
        with place.container():
            bar = _Bar(table.rows)
            st.button(
                "Stop", icon=":material/stop_circle:", on_click=_stop, args=(job,), key=f"reports_stop_{job.number}"
            )
            # Streamlit stops a script that is out of date where it draws something: at every step of the bar.
            return estimate_job(table, m, job, bar.tell)
    finally:
        place.empty()


def estimate_job(
    table: Table, m: ldp.Mechanism, job: Job, progress: Callable[[int], object] | None = None
) -> ldp.Collected:
    """Estimate all that the counts alone can say."""
    if job.asked.counts:
        return ldp.estimate_counts(table, m, job.asked.n)
    where: dict[str, Any] = {"columns": job.columns, "eps_column": job.eps_column, "leave_out": job.leave_out}
    return ldp.estimate_table(table, m, full_entries=0, progress=progress, **where)


def _stop(job: Job) -> None:
    _fail(job, "counting was stopped", again=True)


def finish(outcome: Outcome) -> None:
    """Go on with full-report IBU below what is on the page already, and draw it all again when it is there."""
    if outcome.full != TO_DO:
        return
    with st.container(horizontal=True, vertical_alignment="center"):
        bar = st.progress(0.0, _steps_words(outcome.steps))
        st.button("Do without", icon=":material/stop_circle:", on_click=_do_without, key="reports_without")
    asked = outcome.job.asked
    try:
        table = _open(outcome.source, asked.header)
        _climb(outcome, table, asked.make(), math.inf, bar)
    except (ldp.Refused, MemoryError):
        _do_without()
    st.rerun()


def _steps_words(steps: int) -> str:
    return f"Full-report IBU looks at every report again and again: {steps:,} of at most {MOST_STEPS:,} steps"


def _do_without() -> None:
    last = _last()
    if last is not None and last.full == TO_DO:
        held().outcome = replace(last, full=STOPPED)


def _climb(outcome: Outcome, table: Table, m: ldp.Mechanism, until: float, bar: Any = None) -> None:
    """Take steps of full-report IBU until it is at rest or the time is up; a rerun goes on from there."""
    job = outcome.job
    for place, at_rest in full_steps(table, m, job.columns, job.eps_column, outcome.place, leave_out=job.leave_out):
        outcome = replace(outcome, place=place, steps=outcome.steps + FULL_STEPS)
        if at_rest or outcome.steps >= MOST_STEPS:
            outcome = replace(outcome, found=replace(outcome.found, full=place), full=DONE)
        held().outcome = outcome
        if outcome.full == DONE or time.perf_counter() > until:
            return
        if bar is not None:
            bar.progress(outcome.steps / MOST_STEPS, _steps_words(outcome.steps))


class _Bar:
    """How far counting is, and how long it will still take."""

    def __init__(self, rows: int) -> None:
        self._rows, self._start = rows, time.perf_counter()
        self._bar = st.progress(0.0, progress_words(0, rows, 0.0))

    def tell(self, counted: int) -> None:
        spent = time.perf_counter() - self._start
        self._bar.progress(min(1.0, counted / self._rows), progress_words(counted, self._rows, spent))


def progress_words(counted: int, rows: int, seconds: float) -> str:
    """Say how far counting is.

    >>> progress_words(0, 10**6, 0.0), progress_words(250_000, 10**6, 10.0)
    ('0 of 1,000,000 reports counted', '250,000 of 1,000,000 reports counted, about 30 s left')
    """
    told = f"{counted:,} of {rows:,} reports counted"
    if not counted or counted >= rows:
        return told
    left = seconds * (rows - counted) / counted
    return f"{told}, about {f'{math.ceil(left / 60)} min' if left > 90 else f'{math.ceil(left)} s'} left"
