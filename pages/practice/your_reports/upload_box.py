"""The box for a file of collected reports, and reading what is in it."""

from __future__ import annotations

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from ldpui import glossary, uploads, widgets
from ldpui.format import plain
from pages.practice.your_reports.description import Description
from pages.practice.your_reports.state import reports


def draw() -> None:
    """Offer to bring a file, and ask whether it has a header."""
    here = reports()
    if here.by_link is None:
        here.by_link = any(key.startswith("r_") for key in st.query_params)
    uploads.file_box("Your reports, CSV or Parquet", _key(), on_change=_take)
    widgets.switch("CSV without a header", "r_bare", help=glossary.BARE)
    if here.by_link and here.upload is None and here.pending is None:
        st.info(
            "The link that you opened holds the settings, not the reports: bring the file, or try an example.",
            icon=":material/link:",
        )


def _key() -> str:
    return f"reports_file_{reports().box}"


def _take() -> None:
    """Take what is in the upload box.

    A box that was emptied says nothing: the browser empties it too before a file is replaced by another one, and if
    that is a bad one, the page goes on with the one before. What is to be forgotten has a button of its own.
    """
    file = st.session_state[_key()]
    reports().pending = reports().refusal = None
    # Hiding the box is not enough: nothing is taken where uploads are off, which is said in its place.
    # (A browser may also name a file that the server has dropped; then this is no `UploadedFile`.)
    if isinstance(file, UploadedFile) and uploads.are_on():
        reports().bring(file.name, file.getvalue())


def read(description: Description) -> None:
    """Have a new file read, or the one in use with or without a header.

    Only if that succeeds, the page works with it from now on; if not, what is wrong is said.
    """
    here = reports()
    if here.refusal is not None:
        complain(here.refusal)
    file = here.pending or (here.upload.file if here.upload is not None else None)
    if file is None:
        return
    version = (file.number, description.header)
    if here.upload is not None and here.upload.version == version:
        here.problem = None
    elif here.take(lambda: file.look(description.header), version):
        here.pending = None
    if here.problem is not None:
        complain(here.problem)
        if here.upload is not None:
            belongs_to_the_file_before()


def complain(sentence: str) -> None:
    """Say what is wrong; names and cells of files are shown as they are."""
    st.error(plain(sentence.rstrip("."), 500) + ".", icon=":material/error:")


def belongs_to_the_file_before() -> None:
    """Say whose the result below is."""
    st.info("What follows belongs to the file before it.", icon=":material/history:")
