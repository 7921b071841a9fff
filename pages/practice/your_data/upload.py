"""Bringing data of one's own: from a file, from what is pasted, or an example, to a column that all pages can use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpcore.collected.report_tables import other_columns
from ldpcore.datasets import (
    OwnBinning,
    OwnCategories,
    OwnDates,
    OwnNumbers,
    categories_from,
    dates_from,
    kind_of,
    numbers_from,
)
from ldpcore.tables import Table, paste_table, read_table
from ldpui import links, own, session, uploads, vocabulary
from ldpui.own import Upload
from pages.practice.your_data import survey

# How a column is read, by what it is taken as.
READERS: dict[str, Callable[[Table, str], OwnNumbers | OwnDates | OwnCategories]] = {
    own.NUMBERS: numbers_from,
    own.DATES: dates_from,
    own.CATEGORIES: categories_from,
}


def take_file(file: Any, header: bool) -> bool:
    """Take over an uploaded file, once, and tell whether it was; what was there before stays if it can't be used."""

    def read() -> Table:
        uploads.check()
        return uploads.read(file.getvalue(), file.name, header)

    with st.spinner("Reading the file…"):
        return _take(read, (file.file_id, header))


def take_text() -> None:
    """Take over what was pasted."""

    def read() -> Table:
        uploads.check()
        return paste_table(st.session_state.get("own_text") or "")

    _take(read)


def take_example() -> None:
    """Take over the example."""
    _take(lambda: read_table(survey.as_csv(), survey.NAME))


def _take(read: Callable[[], Table], version: tuple[str, bool] | None = None) -> bool:
    taken = session.current().own.take(lambda: _first_usable(read()).checked(), version)
    if taken:
        st.session_state.pop("own_column", None)
        use_everywhere()
    return taken


def use_everywhere() -> None:
    """Let the next run choose the data on all pages."""
    session.current().own.choose = True


def forget() -> None:
    """Drop the data; the pages go back to what is built in."""
    session.current().own.forget()
    if st.session_state.get("data") == vocabulary.OWN:
        st.session_state["data"] = links.CONTROLS["data"].default


def _without_gaps(upload: Upload) -> Upload:
    """Give whole numbers a bin each if there are no more of them than bins: else some bins would hold none of them."""
    bins = int(vocabulary.SCALES["k"].number(str(links.value("k"))))
    return replace(upload, binning=OwnBinning(values=True)) if upload.can_have_values(bins) else upload


def _first_usable(table: Table) -> Upload:
    """Return the table with the first of its columns that can be used; an index only if there is nothing else."""
    refusal, numbering = None, other_columns(table)
    for column in sorted(table.columns, key=lambda name: name in numbering):
        kind = kind_of(table, column)
        if kind is not None:
            try:
                return _without_gaps(Upload(table, column, READERS[kind](table, column), OwnBinning()))
            except ldp.Refused as refused:
                refusal = refusal or refused
    raise refusal or ldp.Refused(f"{table.name} has no column of numbers, dates or words")
