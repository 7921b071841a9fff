"""Reports that were really collected: what made them, the file that holds them, and what the server makes of them.

A file lives in the session of the one who brought it, and nowhere else: not on disk, not in the URL, in no shared
cache. What is kept is the file as it came (50 MB at most), the one before it as long as the new one gives no result,
and the last result; the table that is read from a file lives only as long as it is counted.
"""

from __future__ import annotations

import json
import logging
import math
import shlex
import time
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore.report_tables import (
    EPS_NAMES,
    FIT_ALARM,
    FULL_STEPS,
    estimate_counts,
    estimate_table,
    full_steps,
    report_size,
    some_eps,
    worst_fit,
)
from ldpcore.tables import MAX_BYTES, MAX_ROWS, read_table
from ldpui import cache, controls, registry, report_examples, words
from ldpui.readable import plain

if TYPE_CHECKING:
    from ldpcore.tables import Table

HASHING = ("BLH", "OLH", "L-BLH", "L-OLH")
CALIBRATED = ("L-GRR", "L-BLH", "L-OLH")
TO_DO, DONE, STOPPED, NOT_POSSIBLE = "to do", "done", "stopped", "not possible"
# Full-report IBU is waited for this many seconds before anything is shown, and takes so many steps in all.
AT_ONCE, MOST_STEPS = 1.0, 3_000
_SOURCE, _PENDING, _OUTCOME, _FAILED = "_reports_source", "_reports_pending", "_reports_outcome", "_reports_failed"
_SEEN, _NUMBER, _FROM_LINK = "_reports_seen", "_reports_number", "_reports_from_link"
_SETTINGS, _REFUSED, _BOX = "_reports_settings", "_reports_refused", "_reports_box"


# ---- what made the reports --------------------------------------------------------


@dataclass(frozen=True)
class Asked:
    """What the reader says about the reports; what does not concern the mechanism is None."""

    mechanism: str
    k: int
    eps: float | None  # None: every report has its own
    eps_inf: float | None
    calibration: str | None
    hash_family: str | None
    holds: str
    n: int | None  # None: as many as the counts say, or as there are rows
    pair: str | None
    header: bool

    @property
    def counts(self) -> bool:
        return self.holds == registry.COUNTS

    def options(self) -> dict[str, Any]:
        """Return the mechanism as the library and the command line take it, without what is left at its default."""
        names = ("eps_inf", "calibration", "hash_family")
        chosen = {name: getattr(self, name) for name in names if getattr(self, name) is not None}
        return {"k": self.k} | ({} if self.eps is None else {"eps": self.eps}) | chosen

    def make(self) -> ldp.Mechanism:
        """Make the mechanism; where reports bring their own ε, with some ε."""
        eps = some_eps(self.mechanism, self.eps_inf) if self.eps is None else self.eps
        return ldp.mechanism(self.mechanism, **self.options() | {"eps": eps})

    def told(self) -> str:
        """Write it as a reader does."""
        first = "ε₁" if self.eps_inf is not None else "ε"
        eps = f"{first} in a column" if self.eps is None else f"{first} = {self.eps:g}"
        inf = "" if self.eps_inf is None else f", ε∞ = {self.eps_inf:g}"
        more = [word for word in (self.calibration, self.hash_family) if word is not None]
        return ", ".join([self.mechanism, f"k = {self.k:,}", eps + inf, *more])


def _remember() -> None:
    """Give the controls the values that they had before the reader went to another page, where they are forgotten."""
    if _FROM_LINK not in st.session_state:
        st.session_state[_FROM_LINK] = any(key.startswith("r_") for key in st.query_params)
    kept = st.session_state.setdefault(_SETTINGS, {})
    for key in (key for key in registry.CONTROLS if key.startswith("r_")):
        if key in st.session_state:
            kept[key] = st.session_state[key]
        elif key in kept and key not in st.query_params:
            st.session_state[key] = kept[key]


def ask() -> Asked:
    """Draw the questions on what made the reports."""
    _remember()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        name = controls.choose(
            "Mechanism",
            "r_mechanism",
            ldp.ONE_TIME + ldp.LONGITUDINAL,
            help=words.REPORTS_MECHANISM,
            width=150,
        )
        k = controls.whole_number("Values k", "r_k", 2, registry.REPORT_BINS_MAX, help=words.REPORTS_K, width=130)
        holds = controls.choose(
            "The file holds", "r_holds", (registry.REPORTS, registry.COUNTS), help=words.REPORTS_HOLDS, width=170
        )
        with st.container(key="reports_each", width=190):
            each = controls.choose("ε is", "r_each", (registry.SAME, registry.COLUMN), help=words.REPORTS_EACH)
        return _ask_more(name, k, holds, each)


def _ask_more(name: str, k: int, holds: str, each: str) -> Asked:
    """Draw what only some mechanisms need. All of it is always there, hidden: what is not there leaves the URL."""
    chain, counts = name in ldp.LONGITUDINAL, holds == registry.COUNTS
    own_eps = each == registry.COLUMN and not counts
    with st.container(key="reports_eps", width=170):
        eps = _real("ε of one report (ε₁)" if chain else "Privacy budget ε", "r_eps", words.EPS)
    with st.container(key="reports_eps_inf", width=170):
        eps_inf = _real("ε∞ of all reports", "r_eps_inf", words.EPS_INF)
    with st.container(key="reports_calibration", width=150):
        calibration = controls.choose("Calibration", "r_calibration", ldp.CALIBRATIONS, help=words.REPORTS_CALIBRATION)
    with st.container(key="reports_family", width=310):
        families = (registry.OWN_HASH, registry.PEERS_HASH)
        family = controls.choose("Hash functions", "r_family", families, help=words.REPORTS_FAMILY)
    with st.container(key="reports_pair", width=190):
        orders = (registry.VALUE_SEED, registry.SEED_VALUE)
        pair = controls.choose("Columns without names", "r_pair", orders, help=words.REPORTS_PAIR)
    with st.container(key="reports_n", width=170):
        n = controls.whole_number("Reports n", "r_n", 0, registry.REPORT_USERS_MAX, help=words.REPORTS_N)
    hashing, asks_n = name in HASHING, counts and name not in ("GRR", "L-GRR", "SS")
    _hide(
        each=counts, eps=own_eps, eps_inf=not chain, calibration=name not in CALIBRATED, n=not asks_n,
        family=not hashing or counts, pair=not hashing or counts,
    )  # fmt: skip
    return Asked(
        mechanism=name,
        k=k,
        eps=None if own_eps else eps,
        eps_inf=eps_inf if chain else None,
        calibration=calibration if name in CALIBRATED and calibration != "published" else None,
        hash_family="xxh32" if hashing and family == registry.PEERS_HASH and not counts else None,
        holds=holds,
        n=n if asks_n else None,
        pair=pair if hashing and not counts else None,
        header=True,
    )


def _real(label: str, key: str, what: str) -> float:
    default, high = registry.CONTROLS[key].default, 100.0 if key == "r_eps_inf" else 50.0
    bound: dict[str, Any] = {"key": key, "bind": "query-params"}
    return float(st.number_input(label, 1e-4, high, default, 0.1, format="%g", help=what, **bound))


def _hide(**hidden: bool) -> None:
    # With the box around it, which would leave a gap.
    keys = [f".st-key-reports_{name}" for name, hide in hidden.items() if hide]
    where = ", ".join(f"{key}, [data-testid=stLayoutWrapper]:has(> {key})" for key in keys)
    st.html(f"<style>{where} {{ display: none; }}</style>")


def describe(asked: Asked) -> str:
    """Say what the file must look like."""
    about = f"**{ldp.mechanism_class(asked.mechanism).full_name}.** {words.MECHANISMS[asked.mechanism]} "
    if asked.counts:
        return about + (
            f"The file has a row for each of the k = {asked.k:,} values: a column *count* with the number of reports "
            "that support it, and a column *value* if the rows are not in the order 0, 1, 2, …"
        )
    if asked.mechanism in HASHING:
        return about + "The file has two columns, *seed* and *value* (the cell); one row a report."
    if asked.mechanism in ("GRR", "L-GRR"):
        return about + f"The file has one column of values from 0 to {asked.k - 1:,}; one row a report."
    if asked.mechanism == "SS":
        size = "ω" if asked.eps is None else f"ω = {report_size(asked.make())}"
        return about + f"The file has {size} columns of values, or one column such as *3 7 9*; one row a report."
    reals = ", or of real numbers before the threshold" if asked.mechanism == "THE" else ""
    return about + (
        f"The file has k = {asked.k:,} columns of 0 and 1{reals}, or one column of strings such as *0110…*; "
        "one row a report."
    )


# ---- the file ---------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Source:
    """A file as it came. `number` tells the files of a session apart."""

    number: int
    name: str
    data: bytes


@dataclass(frozen=True, eq=False)
class Seen:
    """What is known of a file that could be read."""

    number: int
    header: bool
    columns: tuple[str, ...]
    left_out: tuple[str, ...]


def _new_source(name: str, data: bytes) -> Source:
    number = st.session_state.get(_NUMBER, 0) + 1
    st.session_state[_NUMBER] = number
    return Source(number, name, data)


def _upload_key() -> str:
    return f"reports_file_{st.session_state.get(_BOX, 0)}"


def _brought() -> None:
    """Take what is in the upload box.

    A box that was emptied says nothing: the browser empties it too before a file is replaced by another one, and if
    that is a bad one, the page goes on with the one before. What is to be forgotten has a button of its own.
    """
    upload = st.session_state[_upload_key()]
    if upload is None:
        st.session_state.pop(_PENDING, None)
    else:
        st.session_state[_PENDING] = _new_source(upload.name, upload.getvalue())


def forget() -> None:
    """Drop the file and all that was made of it."""
    for key in (_SOURCE, _PENDING, _OUTCOME, _FAILED, _SEEN, _REFUSED):
        st.session_state.pop(key, None)
    # Another box, which is empty; Streamlit drops what was in the one before.
    st.session_state[_BOX] = st.session_state.get(_BOX, 0) + 1


def source() -> Source | None:
    """Return the file that the page works with."""
    return st.session_state.get(_SOURCE)


def upload_box(asked: Asked) -> Asked:
    """Offer to bring a file, and ask whether it has a header."""
    st.file_uploader(
        "Your reports, CSV or Parquet",
        type=["csv", "tsv", "txt", "parquet", "pq"],
        key=_upload_key(),
        on_change=_brought,
        max_upload_size=MAX_BYTES >> 20,
        help=f"At most {MAX_BYTES >> 20} MB and {MAX_ROWS:,} rows. {words.REPORTS_PRIVATE}",
    )
    st.caption(words.REPORTS_PRIVATE)
    bare = controls.switch("CSV without a header", "r_bare", help=words.REPORTS_BARE)
    if st.session_state.get(_FROM_LINK) and source() is None and _PENDING not in st.session_state:
        st.info(
            "The link that you opened holds the settings, not the reports: bring the file, or try an example.",
            icon=":material/link:",
        )
    return replace(asked, header=not bare)


def example_box(asked: Asked) -> None:
    """Offer the example files, to try and to download."""
    name = controls.choose("No file at hand? Take an example of", "r_example", registry.REPORT_EXAMPLES)
    example = report_examples.EXAMPLES[name]
    settings = _settings_of(asked) | example.settings
    try:
        m = _example_mechanism(settings)
    except ValueError as problem:
        st.caption(f"There is no example at these settings: {plain(str(problem), 300)}.")
        return
    header = not settings["r_bare"]
    recipe = (name, m.name, tuple(sorted(_options_of(m).items())))
    frame = _example_frame(*recipe)
    humps = f"{m.k / 4:.0f} and {0.7 * m.k:.0f}"
    st.caption(f"{example.what} {len(frame):,} rows. The true values form two humps, around {humps}.")
    head = report_examples.as_csv(frame.head(3), header).decode().splitlines()
    st.code("\n".join(line if len(line) <= 46 else line[:45] + "…" for line in [*head, "…"]), language=None)
    file = f"example-{'-'.join(name.replace(',', '').replace('ε', 'eps').split())}"
    with st.container(horizontal=True):
        st.button(
            "Try it",
            key="reports_try",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_try_example,
            args=(f"{file}.csv", recipe, settings),
        )
        st.download_button(
            "CSV", lambda: report_examples.as_csv(frame, header), f"{file}.csv", "text/csv", on_click="ignore"
        )
        st.download_button(
            "Parquet",
            lambda: report_examples.as_parquet(frame),
            f"{file}.parquet",
            "application/vnd.apache.parquet",
            on_click="ignore",
        )


def _settings_of(asked: Asked) -> dict[str, Any]:
    """Return the words and numbers of the controls; for an example, those that do not concern it at their defaults."""
    hashed = registry.PEERS_HASH if asked.hash_family else registry.OWN_HASH
    return {
        "r_mechanism": asked.mechanism,
        "r_k": float(asked.k),
        "r_eps": float(st.session_state["r_eps"]),
        "r_eps_inf": float(st.session_state["r_eps_inf"]),
        "r_calibration": asked.calibration or "published",
        "r_family": hashed,
        "r_holds": registry.REPORTS,
        "r_each": registry.SAME,
        "r_pair": asked.pair or registry.VALUE_SEED,
        "r_bare": False,
        "r_n": float(st.session_state["r_n"]),
    }


def _example_mechanism(settings: dict[str, Any]) -> ldp.Mechanism:
    name = settings["r_mechanism"]
    options: dict[str, Any] = {"k": round(settings["r_k"]), "eps": settings["r_eps"]}
    if name in ldp.LONGITUDINAL:
        options |= {"eps_inf": settings["r_eps_inf"], "calibration": settings["r_calibration"]}
    if name in HASHING:
        options["hash_family"] = "xxh32" if settings["r_family"] == registry.PEERS_HASH else "splitmix64"
    return ldp.mechanism(name, **options)


def _options_of(m: ldp.Mechanism) -> dict[str, Any]:
    names = ("k", "eps", "eps_inf", "calibration", "hash_family")
    return {name: getattr(m, name) for name in names if hasattr(m, name)}


@st.cache_data(max_entries=30, show_spinner=False)
def _example_frame(name: str, mechanism: str, options: tuple[tuple[str, Any], ...]) -> pd.DataFrame:
    """Make an example once: nothing of it comes from a user."""
    return report_examples.example_frame(name, ldp.mechanism(mechanism, **dict(options)))


def _try_example(file: str, recipe: tuple[Any, ...], settings: dict[str, Any]) -> None:
    data = report_examples.as_csv(_example_frame(*recipe), not settings["r_bare"])
    st.session_state.update(settings)
    st.session_state.pop(_PENDING, None)
    st.session_state[_SOURCE] = _new_source(file, data)


# ---- from the file to the estimates -----------------------------------------------


@dataclass(frozen=True)
class Job:
    """All that a result hangs on."""

    number: int
    asked: Asked
    columns: tuple[str, ...] | None
    eps_column: str | None


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
        return self.job.asked.mechanism in ("GRR", "L-GRR") and not self.mixed


class _UnansweredError(Exception):
    """Something is still to be said by the reader."""


def work_out(asked: Asked, place: Any) -> tuple[Outcome | None, bool]:
    """Read, count and estimate what is new; return the last good result, and whether it has the settings asked for.

    In `place` the columns of the file can be chosen. Where a new file cannot be used, the one before it is.
    """
    table = _read_pending(asked)
    given = source()
    if given is None:
        return None, False
    try:
        seen, table = _look(given, asked, table)
        with place:
            job = _choose_columns(given, seen, asked)
        if _is_there(given, job, table):
            return _last(), True
        failure = _failures()[job.number]
        _complain(failure.sentence)
        if failure.again:
            st.button("Try again", icon=":material/refresh:", on_click=_failures().clear)
    except _UnansweredError as what:
        st.info(str(what), icon=":material/help:")
    except ValueError as problem:
        _complain(str(problem))
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


def _failures() -> dict[int, Failure]:
    """Return the last failure with each file."""
    return st.session_state.setdefault(_FAILED, {})


def _last() -> Outcome | None:
    return st.session_state.get(_OUTCOME)


def _complain(sentence: str) -> None:
    st.error(plain(sentence.rstrip("."), 500) + ".", icon=":material/error:")


def _is_there(given: Source, job: Job, table: Table | None) -> bool:
    """Tell whether there is a result, computing it if that was not tried before."""
    last, failure = _last(), _failures().get(job.number)
    if (last is None or last.job != job) and (failure is None or failure.job != job):
        _compute(given, job, table)
    last = _last()
    return last is not None and last.job == job


def _read_pending(asked: Asked) -> Table | None:
    """Try to read a new file: only if that succeeds, the page works with it from now on."""
    pending = st.session_state.get(_PENDING)
    if pending is None:
        return None
    tried = (pending.number, asked.header)
    refused = st.session_state.get(_REFUSED)
    if refused is None or refused[0] != tried:
        try:
            table = _read(pending, asked.header)
        except ValueError as problem:
            refused = st.session_state[_REFUSED] = (tried, str(problem))
        else:
            st.session_state[_SOURCE] = st.session_state.pop(_PENDING)
            return table
    _complain(refused[1])
    if source() is not None:
        _belongs_to_the_file_before()
    return None


def _open(given: Source, header: bool) -> Table:
    with st.spinner("Reading the file…"):
        return read_table(given.data, given.name, header=header)


def _read(given: Source, header: bool) -> Table:
    table = _open(given, header)
    st.session_state[_SEEN] = Seen(given.number, header, table.columns, table.left_out)
    return table


def _look(given: Source, asked: Asked, table: Table | None) -> tuple[Seen, Table | None]:
    """Return which columns the file has; it is read again only if its header is now seen otherwise."""
    seen = st.session_state.get(_SEEN)
    if seen is None or (seen.number, seen.header) != (given.number, asked.header):
        table = _read(given, asked.header)
        seen = st.session_state[_SEEN]
    return seen, table


def _choose_columns(given: Source, seen: Seen, asked: Asked) -> Job:
    """Offer the columns to choose from, and find those that need not be chosen."""
    if asked.counts:
        return Job(given.number, asked, None, None)
    named = next((name for name in seen.columns if name.strip().lower() in EPS_NAMES), None)
    eps_column = None
    with st.expander("Columns of the file", icon=":material/view_column:"):
        if asked.eps is None:
            options = list(seen.columns)
            at = options.index(named) if named else None
            eps_column = st.selectbox(
                "Column of ε", options, at, key=f"reports_eps_{given.number}", help=words.REPORTS_EACH, width=300
            )
        chosen = st.multiselect(
            "Columns that hold the reports" + (", first the seed, then the value" if asked.pair else ""),
            list(seen.columns),
            key=f"reports_columns_{given.number}",
            placeholder="all that are needed",
            help=words.REPORTS_COLUMNS,
        )
        if seen.left_out:
            st.caption(f"Not read, because they hold lists or the like: {plain(', '.join(seen.left_out), 200)}.")
    if named and asked.eps is not None and not chosen:
        st.caption(f"The column {plain(named)} is not used: ε is said to be the same for all.")
    if asked.eps is None and eps_column is None:
        raise _UnansweredError("Which column holds the ε of each report? Choose it under *Columns of the file*.")
    return Job(given.number, asked, tuple(chosen) or _usual(seen, asked, eps_column, named), eps_column)


def _usual(seen: Seen, asked: Asked, eps_column: str | None, named: str | None) -> tuple[str, ...] | None:
    """Return the columns of the reports where none are chosen; None for all that there are."""
    rest = tuple(name for name in seen.columns if name not in (eps_column, named))
    if asked.pair and len(rest) == 2 and {name.strip().lower() for name in rest} != {"seed", "value"}:
        return rest if asked.pair == registry.SEED_VALUE else rest[::-1]
    return rest if named and rest and named != eps_column else None


def _compute(given: Source, job: Job, table: Table | None) -> None:
    """Count and estimate; keep the result, or what was wrong."""
    if job.asked.counts and job.asked.n == 0:
        raise _UnansweredError("How many reports were there? Say it in *Reports n*: support counts alone do not tell.")
    try:
        m = job.asked.make()
        table = table or _open(given, job.asked.header)
        outcome = _first_result(given, table, m, job)
        st.session_state[_OUTCOME] = outcome
        _failures().clear()
        if outcome.full == TO_DO:
            with st.spinner("Full-report IBU looks at every report…"):
                _climb(outcome, table, m, time.perf_counter() + AT_ONCE)
    except ValueError as problem:
        _fail(job, str(problem))
    except MemoryError:
        _fail(job, "there is not enough memory for this file; take it in parts", again=True)
    except Exception:
        # Streamlit's own control flow does not derive from Exception.
        logging.getLogger(__name__).exception("reports failed")
        _fail(job, "something went wrong while the reports were counted", again=True)


def _fail(job: Job, sentence: str, again: bool = False) -> None:
    _failures()[job.number] = Failure(job, sentence, again)


def _first_result(given: Source, table: Table, m: ldp.Mechanism, job: Job) -> Outcome:
    """Estimate all that the counts alone can say."""
    if job.asked.counts:
        return Outcome(given, table.name, job, estimate_counts(table, m, job.asked.n), NOT_POSSIBLE)
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
            where = {"columns": job.columns, "eps_column": job.eps_column, "progress": bar.tell}
            return estimate_table(table, m, full_entries=0, **where)
    finally:
        place.empty()


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
    except (ValueError, MemoryError):
        _do_without()
    st.rerun()


def _steps_words(steps: int) -> str:
    return f"Full-report IBU looks at every report again and again: {steps:,} of at most {MOST_STEPS:,} steps"


def _do_without() -> None:
    last = _last()
    if last is not None and last.full == TO_DO:
        st.session_state[_OUTCOME] = replace(last, full=STOPPED)


def _climb(outcome: Outcome, table: Table, m: ldp.Mechanism, until: float, bar: Any = None) -> None:
    """Take steps of full-report IBU until it is at rest or the time is up; a rerun goes on from there."""
    job = outcome.job
    for place, at_rest in full_steps(table, m, job.columns, job.eps_column, outcome.place):
        outcome = replace(outcome, place=place, steps=outcome.steps + FULL_STEPS)
        if at_rest or outcome.steps >= MOST_STEPS:
            outcome = replace(outcome, found=replace(outcome.found, full=place), full=DONE)
        st.session_state[_OUTCOME] = outcome
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


# ---- what is said about a result --------------------------------------------------


def fit_words(found: ldp.Collected) -> tuple[bool, str]:
    """Return whether the reports fit, and the sentence with its p-value."""
    sentence, p_value = worst_fit(found.fit)
    shown = f"{p_value:.2g}" if p_value >= 1e-4 else "below 0.0001"
    return p_value >= FIT_ALARM, f"{sentence} p-value {shown}."


def left_out_words(outcome: Outcome) -> list[str]:
    """Say which estimates are not there, and why."""
    found, k = outcome.found, outcome.job.asked.k
    told = []
    if outcome.mixed:
        told.append("IBU on counts and its limit need one ε for all; full-report IBU takes their place.")
    if not outcome.with_reports:
        told.append("Full-report IBU needs the reports; support counts are not enough.")
    elif outcome.by_counts:
        told.append(f"A report of {outcome.job.asked.mechanism} is one value: full-report IBU is IBU's limit.")
    elif outcome.full == STOPPED:
        told.append("Full-report IBU was stopped.")
    elif outcome.full == NOT_POSSIBLE:
        told.append(
            f"Full-report IBU is left out: it keeps every report, here n·k = {found.n * k:,} entries, and this page "
            f"stops at {cache.FULL_ENTRIES:,}. The Python script below does it on your own machine."
        )
    return told


_COLUMNS = {
    "raw": ("MI raw", words.REPORTS_RAW),
    "noise_low": ("noise only, from", words.REPORTS_NOISE),
    "noise_high": ("to", words.REPORTS_NOISE),
    "population_low": ("noise with sampling, from", words.REPORTS_POPULATION),
    "population_high": ("to ", words.REPORTS_POPULATION),
    "mi": ("MI", words.MI),
    "ibu": ("IBU", words.IBU),
    "limit": ("IBU limit", words.LIMIT),
    "full": ("Full-report IBU", words.FULL),
}


def percent_table(found: ldp.Collected) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the estimates in percent, and how their columns are called and written."""
    frame = found.table()
    there = [name for name in _COLUMNS if name in frame]
    shown = frame[["value", "count"]].join(100 * frame[there])
    number = st.column_config.NumberColumn
    places = max(2, math.ceil(math.log10(len(frame))))
    config = {name: number(_COLUMNS[name][0], help=_COLUMNS[name][1], format=f"%.{places}f%%") for name in there}
    support = number("support count", help=words.SUPPORT, format="localized")
    return shown, config | {"value": number("value"), "count": support}


# ---- to take away -----------------------------------------------------------------


def as_json(outcome: Outcome) -> str:
    """Write a result as JSON."""
    found, job = outcome.found, outcome.job
    frame = found.table()
    fits, sentence = fit_words(found)
    content = {
        "made_by": f"LDP Explorer {ldp.__version__}",
        "file": outcome.name,
        "settings": asdict(job.asked) | {"columns": job.columns, "eps_column": job.eps_column},
        "n": found.n,
        "level": found.level,
        "fits": fits,
        "fit": sentence,
        "p_values": [fit.p_value for fit in found.fit],
        "values": {name: frame[name].tolist() for name in frame},
    }
    return json.dumps(content, indent=1)


def command(outcome: Outcome) -> str | None:
    """Write the command that counts the same reports; None where there is none."""
    job, asked = outcome.job, outcome.job.asked
    if asked.counts or any("," in name for name in job.columns or ()):
        return None
    words_ = ["python", "-m", "ldpcore", "count", outcome.name, "--mechanism", asked.mechanism]
    for name, value in asked.options().items():
        words_ += [f"--{name.replace('_', '-')}", str(value)]
    if job.eps_column is not None:
        words_ += ["--eps-column", job.eps_column]
    if job.columns is not None:
        words_ += ["--columns", ",".join(job.columns)]
    if not asked.header:
        return None  # there the columns have other names
    return shlex.join(words_)


def script(outcome: Outcome) -> str:
    """Write a program that gives the same table."""
    job, asked = outcome.job, outcome.job.asked
    options = {"eps": some_eps(asked.mechanism, asked.eps_inf)} | asked.options()
    made = "".join(f", {name}={value!r}" for name, value in options.items())
    if asked.counts:
        use, call = "estimate_counts", f"estimate_counts(table, m, {asked.n!r})"
    else:
        use, call = (
            "estimate_table",
            f"estimate_table(table, m, columns={job.columns!r}, eps_column={job.eps_column!r})",
        )
    return f'''"""Made by LDP Explorer {ldp.__version__}. Run it with the name of the file of reports."""

import sys
from pathlib import Path

import ldpcore as ldp
from ldpcore.report_tables import {use}
from ldpcore.tables import read_table

path = Path(sys.argv[1])
table = read_table(path.read_bytes(), path.name, header={asked.header!r})
m = ldp.mechanism({asked.mechanism!r}{made})
found = {call}
for fit in found.fit:
    print(fit.sentence, f"p-value {{fit.p_value:.2g}}")
print(found.table().to_string(index=False))
'''
