"""Bringing data of one's own: from a file, from what is pasted, or an example, to a column that all pages can use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import streamlit as st

from ldpcore.datasets import OwnBinning
from ldpui import session, uploads
from ldpui.address import links, vocabulary
from ldpui.computing import reading
from ldpui.computing.reading import File, UploadedTable
from ldpui.own import Upload
from ldpui.serving import held_files
from pages.practice.your_data import survey


def file_key() -> str:
    """Return the key of the upload box."""
    box = session.current().own.box
    return f"own_file_{box}" if box else "own_file"


def take_file(file: Any, header: bool) -> bool:
    """Take over an uploaded file, once, and tell whether it was; what was there before stays if it can't be used."""

    def read() -> Upload:
        uploads.check()
        return _opened(File(file.getvalue(), file.name, header))

    with st.spinner("Reading the file…"):
        return _take(read, (file.file_id, header))


def take_text() -> None:
    """Take over what was pasted."""

    def read() -> Upload:
        uploads.check()
        file = File(st.session_state.get("own_text") or "")
        held_files.hold(file, before=session.current().texts)  # the text was counted already, as that of its box
        return _opened(file)

    _take(read)


def take_example() -> None:
    """Take over the example."""
    _take(lambda: _opened(File(survey.as_csv(), survey.NAME)))


def _opened(file: File) -> Upload:
    """Have a file read, and its first column that can be used."""
    held_files.hold(file)
    opened = uploads.ask(reading.open_data, file)
    table = UploadedTable(file, opened.name, opened.columns, opened.rows)
    return Upload(table, opened.column, opened.data, OwnBinning())


def _take(read: Callable[[], Upload], version: tuple[str, bool] | None = None) -> bool:
    taken = session.current().own.take(lambda: _without_gaps(read()).checked(), version)
    if taken:
        st.session_state.pop("own_column", None)
        use_everywhere()
    return taken


def use_everywhere() -> None:
    """Let the next run choose the data on all pages."""
    session.current().own.choose = True


def forget() -> None:
    """Drop the data, with the file and the text that it came from; the pages go back to what is built in."""
    session.current().own.forget()
    if "own_text" in st.session_state:
        st.session_state["own_text"] = ""
    uploads.drop_unused()
    if st.session_state.get("data") == vocabulary.OWN:
        st.session_state["data"] = links.CONTROLS["data"].default


def _without_gaps(upload: Upload) -> Upload:
    """Give whole numbers a bin each if there are no more of them than bins: else some bins would hold none of them."""
    bins = int(vocabulary.SCALES["k"].number(str(links.value("k"))))
    return replace(upload, binning=OwnBinning(values=True)) if upload.can_have_values(bins) else upload
