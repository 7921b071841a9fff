"""Files and texts that visitors bring: what they are told before they do, and the host's switch against it."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

import ldpcore as ldp
from ldpcore.tables import MAX_BYTES, MAX_ROWS, SUFFIXES
from ldpui.computing import compute
from ldpui.computing.pool import LateError, WorkerGoneError
from ldpui.computing.reading import File
from ldpui.serving import held_files, host

T = TypeVar("T")

# Seconds after which the data of a visitor who has left is dropped; see `ldpui.serving.leaving`.
GRACE = 5
# What a file may take while it is read. The bytes are those of the address space, of which readers reserve more than
# they use; what they use is bounded by `ldpcore.tables` itself.
READ_MEMORY, READ_SECONDS = 3 << 29, 30.0
# To count the reports in it, or to look at every one of them again and again, is cut into slices of so many seconds,
# between which others have their turn. One that does not end by itself is ended, later.
SLICE, COUNT_SECONDS = 2.0, compute.SECONDS
# A file of so many bytes and rows is mostly done with in a moment: it is tried among what is short, for some seconds.
SMALL_BYTES, SMALL_ROWS, SHORT_SECONDS = 5 << 20, 200_000, 2.0
# What a host sets to "off" if visitors are not to bring anything.
SWITCH = "LDP_EXPLORER_UPLOADS"
# How to start the dashboard, as the README says it.
COMMAND = "python3 -m venv .venv && .venv/bin/pip install -q -e . && .venv/bin/streamlit run app.py"
_GOES = (
    "The {what} goes to the server that runs this app, which holds it in memory for your session alone and drops it "
    f"{GRACE} seconds after you close or reload the page or lose the connection; for real data, run the app yourself."
)
_OFF = "Uploads are switched off on this server. The examples work; for a {what} of your own, run the app yourself."
_YOURSELF = (
    "On a machine of your own the data stays there. In a copy of the project, with Python 3.11 or newer, this installs "
    "and starts the dashboard:"
)


def are_on() -> bool:
    """Tell whether visitors may bring files: so unless the host says anything but "on"."""
    return host.allows(SWITCH)


def check() -> None:
    """Refuse whatever a visitor brings where uploads are off, however it came."""
    if not are_on():
        raise ldp.Refused("uploads are switched off on this server")


def drop_unused() -> None:
    """Drop the visitor's files that no page uses any more: that their box is gone does not do it."""
    run = get_script_run_ctx()
    if run is not None:
        held_files.drop_unused(run.uploaded_file_mgr, run.session_id)


def is_small(file: File, rows: int | None = None) -> bool:
    """Tell whether a file is small, as far as it is known how many rows it has."""
    return file.nbytes <= SMALL_BYTES and (rows is None or rows <= SMALL_ROWS)


def ask(
    function: Callable[..., T],
    file: File,
    *arguments: Any,
    rows: int | None = None,
    seconds: float | None = None,
    long: bool = False,
    tell: Callable[[Any], None] | None = None,
) -> T:
    """Have a worker do something with a file that a visitor has brought, with bounds on memory and time.

    The server itself reads no file: one on which a reader breaks ends a worker. `function` is one of
    `ldpui.computing.reading`; what it returns is small beside the file, or a single column of it.
    What is done with a small file, as far as its `rows` are known, goes before what is `long`, unless it takes longer.
    """
    limit = READ_SECONDS if seconds is None else seconds
    job = partial(compute.run, function, file, *arguments, memory=READ_MEMORY, tell=tell)
    try:
        if not long and is_small(file, rows):
            with suppress(LateError):
                return job(seconds=min(limit, SHORT_SECONDS), long=False)
        return job(seconds=limit, long=True)
    except ldp.Refused as refused:
        if isinstance(refused.__cause__, WorkerGoneError):
            raise ldp.Refused(f"{file.name}: the process that tried to read it ended; save the file again") from None
        raise


def file_box(label: str, key: str, **more: Any) -> Any:
    """Draw a box for a file, and say where the file goes; where uploads are off, say that instead."""
    if not offered("file"):
        return None
    return st.file_uploader(
        label,
        type=[suffix.removeprefix(".") for suffix in SUFFIXES],
        key=key,
        max_upload_size=MAX_BYTES >> 20,
        help=f"At most {MAX_BYTES >> 20} MB and {MAX_ROWS:,} rows.",
        **more,
    )


def offered(what: str) -> bool:
    """Say above a box where a file or a text goes, or that there is no box; tell whether to draw it."""
    if are_on():
        st.caption(_GOES.format(what=what))
    else:
        st.info(_OFF.format(what=what), icon=":material/block:")
    with st.popover("Run it yourself", type="tertiary", icon=":material/terminal:"):
        st.markdown(_YOURSELF)
        st.code(COMMAND, language="bash", wrap_lines=True)
    return are_on()
