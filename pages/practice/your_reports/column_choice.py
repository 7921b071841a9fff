"""Which columns of the file hold the reports: offered to choose, and found where nobody has to."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from ldpcore.collected.columns import Columns, eps_column_of
from ldpcore.collected.report_tables import header_seems_a_report
from ldpcore.mechanisms.reports import PAIRS, VALUES
from ldpcore.tables import CSV_SUFFIXES
from ldpui.format import plain
from pages.practice.your_reports import names, texts
from pages.practice.your_reports.choices import recall, remember
from pages.practice.your_reports.description import Description
from pages.practice.your_reports.jobs import Job, job_of
from pages.practice.your_reports.report_file import ReportFile


class UnansweredError(Exception):
    """Something is still to be said by the reader."""


def choose(upload: ReportFile, description: Description, value_names: tuple[str, ...]) -> Job:
    """Offer the columns to choose from; return what is to be computed."""
    number, description = upload.file.number, replace(description, header=upload.header)
    if description.counts:
        return Job(number, description)
    with st.expander("Columns of the file", icon=":material/view_column:"):
        eps_column = _eps_column(upload, description)
        chosen = _report_columns(upload, description)
        leave_out = _columns_to_leave_out(upload, description)
        job, columns = job_of(number, upload.head, description, chosen, leave_out, eps_column)
        words = _words(upload, description, columns, value_names)
        if upload.unreadable:
            left = plain(", ".join(upload.unreadable), 200)
            st.caption(f"Not read, for they hold structs, bytes or the like: {left}.")
    _ask_about_the_first_line(upload, columns, words)
    if description.eps is None and eps_column is None:
        raise UnansweredError("Which column holds the ε of each report? Choose it under *Columns of the file*.")
    _say_what_is_not_used(columns)
    return replace(job, words=words)


def _words(
    upload: ReportFile, description: Description, columns: Columns | None, value_names: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the names of the values where these stand in the cells: only where a report is one value."""
    if description.kind.report_kind is not VALUES or columns is None:
        return ()
    return names.words_of(upload, columns.reports[0], description.k, value_names)


def _eps_column(upload: ReportFile, description: Description) -> str | None:
    if description.eps is not None:
        return None
    options, named = list(upload.head.columns), eps_column_of(upload.head.columns)
    key = recall(f"reports_eps_{upload.file.number}")
    index = options.index(named) if named else None
    return remember(key, st.selectbox("Column of ε", options, index, key=key, help=texts.EACH, width=300))


def _report_columns(upload: ReportFile, description: Description) -> Sequence[str]:
    key = recall(f"reports_columns_{upload.file.number}")
    columns = st.multiselect(
        "Columns that hold the reports" + (", first the seed, then the value" if description.pair else ""),
        upload.head.columns,
        key=key,
        placeholder="all that are needed",
        help=texts.COLUMNS,
    )
    return remember(key, columns)


def _columns_to_leave_out(upload: ReportFile, description: Description) -> Sequence[str]:
    """Offer columns to leave out: nobody wants to choose all but one of a hundred."""
    if description.kind.report_kind in (VALUES, PAIRS):
        return ()
    key = recall(f"reports_out_{upload.file.number}")
    return remember(key, st.multiselect("Or: columns to leave out", upload.head.columns, key=key, placeholder="none"))


def _ask_about_the_first_line(upload: ReportFile, columns: Columns | None, words: tuple[str, ...]) -> None:
    text = upload.header and upload.file.name.lower().endswith(CSV_SUFFIXES)
    is_word = columns is not None and columns.reports[0] in words
    if text and (is_word or header_seems_a_report(upload.head.columns)):
        st.warning(texts.FIRST_LINE, icon=":material/help:")


def _say_what_is_not_used(columns: Columns | None) -> None:
    if columns is not None and columns.unused_eps:
        st.caption(f"The column {plain(columns.unused_eps)} is not used: ε is said to be the same for all.")
    if columns is not None and columns.numbering:
        left = plain(", ".join(columns.numbering), 200)
        st.caption(f"Not used, for it seems to number the rows or to name the users: {left}.")
