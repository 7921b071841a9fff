"""What happens when a visitor leaves: everything that the session held is dropped a few seconds later.

Streamlit itself keeps a session for minutes after its connection is gone, with its uploads, in case that the same
browser comes back; and what it has given up stays in memory until something else happens. A server can't tell a page
that was closed from a connection that was lost, so there is a moment in which a lost one may come back.
"""

from __future__ import annotations

import asyncio
import gc
from dataclasses import dataclass

import streamlit as st
from streamlit import runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ldpui import presence, session
from ldpui.uploads import GRACE

# Looking for what nobody holds stops everybody for a moment: a class that leaves together is swept up at once.
SWEEP = 1.0


@dataclass
class _Sweep:
    due: bool = False


_sweep = _Sweep()


@dataclass(frozen=True, eq=False)
class _Visitor:
    session_id: str
    holds: session.Session


def _left(visitor: _Visitor) -> None:
    """Drop what the visitor had, unless the connection comes back. Called where Streamlit ends connections."""
    try:
        asyncio.get_running_loop().call_later(GRACE, _drop, visitor)
    except RuntimeError:
        # Somebody has cleared all caches, in a thread of his own: nobody has left.
        return


def _drop(visitor: _Visitor) -> None:
    server = runtime.get_instance()
    if server.is_active_session(visitor.session_id):
        return
    server.close_session(visitor.session_id)
    presence.forget(visitor.session_id)
    if visitor.holds.forget() and not _sweep.due:
        _sweep.due = True
        asyncio.get_running_loop().call_later(SWEEP, _collect)


def _collect() -> None:
    """Free what was dropped: a session is held by rings of references, which would be noticed at some later time."""
    _sweep.due = False
    gc.collect()


@st.cache_resource(scope="session", on_release=_left, show_spinner=False)
def _visitor() -> _Visitor:
    run = get_script_run_ctx()
    return _Visitor("" if run is None else run.session_id, session.current())


def watch() -> None:
    """Notice when the visitor of this page leaves; to be called in every run, for a lost connection may come back."""
    presence.note(_visitor().session_id)
