"""What happens when a visitor leaves: everything that the session held is dropped a few seconds later.

Streamlit itself keeps a session for minutes after its connection is gone, with its uploads, in case that the same
browser comes back; and what it has given up stays in memory until something else happens. A server can't tell a page
that was closed from a connection that was lost, so there is a moment in which a lost one may come back.

A connection's end is told by Streamlit's cache of the session, which is emptied then. But any visitor can empty all
caches, by a message of a program's: so whoever seems to have left and is still there is looked at again.
"""

from __future__ import annotations

import asyncio
import gc
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakValueDictionary

import streamlit as st
from streamlit import runtime
from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ldpui import session
from ldpui.serving import downloads, presence
from ldpui.uploads import GRACE

# A full garbage collection pauses all visitors, so sessions that end together are collected together. Seconds.
SWEEP = 1.0


@dataclass
class _Sweep:
    due: bool = False


_sweep = _Sweep()
# Who was last in the cache of each session, as long as the cache or a timer knows it.
_known: WeakValueDictionary[str, _Visitor] = WeakValueDictionary()


@dataclass(eq=False)
class _Visitor:
    session_id: str
    holds: session.Session
    looked_at: bool = field(default=False, init=False)


def _left(visitor: _Visitor) -> None:
    """Drop what the visitor had, unless the connection comes back. Called where Streamlit ends connections."""
    if visitor.looked_at:
        return
    try:
        asyncio.get_running_loop().call_later(GRACE, _drop, visitor)
        visitor.looked_at = True
    except RuntimeError:
        # Not in the event loop: a page has cleared its caches (none of ours does). Nobody has left.
        return


def _drop(visitor: _Visitor) -> None:
    server = runtime.get_instance()
    visitor.looked_at = False
    if server.is_active_session(visitor.session_id):
        # The visitor is back, and has a new entry if a page was drawn since; without a new entry, look again later.
        if _known.get(visitor.session_id) is visitor:
            _left(visitor)
        return
    # First of all, and whatever becomes of the rest.
    visitor.holds.forget()
    presence.forget(visitor.session_id)
    # Always: files that were refused and texts that were not used are in no record of ours.
    if not _sweep.due:
        _sweep.due = True
        asyncio.get_running_loop().call_later(SWEEP, _collect)
    held = _held(server, visitor.session_id)
    server.close_session(visitor.session_id)
    downloads.drop_left(server.media_file_mgr)
    if held is not None:
        _empty(held)


def _empty(held: AppSession) -> None:
    """Drop all that controls and the address say, and what parts of the page are drawn again with: data, too.

    Of controls Streamlit would read all first, and stop at what it does not know.
    """
    with suppress(AttributeError):  # what is asked here is Streamlit's own, and may be called otherwise some day
        parts: Any = held._fragment_storage
        parts.clear()
        parts.clear_outside_wrappers()
    state = held.session_state
    with suppress(AttributeError):
        state._new_widget_state.states.clear()
        state.query_params = type(state.query_params)()
    state.clear()


def _held(server: Runtime, session_id: str) -> AppSession | None:
    """Return what Streamlit holds of a session: texts that were typed or pasted, and the data on its page.

    It has to be emptied: the server's loop holds on to the session that it has sent something to last, until it sends
    something to another one.
    """
    with suppress(AttributeError):  # as above
        info = server._session_mgr.get_session_info(session_id)
        return None if info is None else info.session
    return None


def _collect() -> None:
    """Free what was dropped: a session is held by rings of references, which would be noticed at some later time."""
    _sweep.due = False
    gc.collect()


@st.cache_resource(scope="session", on_release=_left, show_spinner=False)
def _visitor() -> _Visitor:
    run = get_script_run_ctx()
    visitor = _Visitor("" if run is None else run.session_id, session.current())
    _known[visitor.session_id] = visitor
    return visitor


def watch() -> None:
    """Notice when the visitor of this page leaves; to be called in every run, for a lost connection may come back."""
    presence.note(_visitor().session_id)
