"""Files that are made when somebody asks for them: each waits for the browser that asked, and goes with its visitor.

Streamlit holds such a file for nobody. The second time that anybody's page, or a part of one, is drawn after it was
made, it is dropped: among fifty phones of a class that is a moment, and the browser that comes for it finds nothing.
Where nobody draws a page it stays, and with it what was made of a visitor's own data. Here it is held with the button
by which it was made, until that one makes another, its page is drawn anew, or its visitor leaves.

And Streamlit makes all files that are asked for at once, on the few threads that also pack the client's code. Here a
session has one made after the other, and none when it has left.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import wraps
from pathlib import PurePosixPath
from typing import Any
from weakref import WeakKeyDictionary

from streamlit.runtime import Runtime
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.media_file_manager import MediaFileManager

from ldpui.serving import presence

_Handle = Callable[[Any, Any], Awaitable[None]]


def keep() -> None:
    """Hold files for those who asked for them, and make one at a time; a second time changes nothing."""
    for place, name, better in (
        (MediaFileManager, "execute_deferred", _held),
        (AppSession, "_handle_backend_operation_request", _in_turn),
    ):
        way = vars(place).get(name)
        if way is not None and not hasattr(way, "__wrapped__"):
            setattr(place, name, better(way))


def drop_left(files: MediaFileManager) -> None:
    """Drop the files of those who have left; the first time Streamlit only marks them."""
    for _ in range(2):
        files.remove_orphaned_files()


def _held(make: Callable[[Any, str], str]) -> Callable[[Any, str], str]:
    @wraps(make)
    def execute_deferred(files: Any, button: str) -> str:
        asked_by = _asked_by(files, button)
        address = make(files, button)
        if asked_by is not None and not _hold(files, *asked_by, PurePosixPath(address).stem):
            drop_left(files)
        return address

    return execute_deferred


def _asked_by(files: Any, button: str) -> tuple[str, str] | None:
    """Return the session that a button is of, and where it stands there."""
    # What is asked here is Streamlit's own, and may be called otherwise some day.
    with suppress(AttributeError, KeyError, TypeError):
        known = files._deferred_callables[button]
        return known["session_id"], known["coordinates"]
    return None


def _hold(files: Any, session: str, place: str, name: str) -> bool:
    """Hold a file with those of a session's page; tell whether its visitor is still there."""
    # Who leaves is forgotten first, and then has to wait for this lock to have the files let go.
    with files._lock:
        if presence.has_drawn(session):
            files._files_by_session_and_coord[session][f"made at {place}"] = name
            return True
    return False


def _in_turn(handle: _Handle) -> _Handle:
    lines: WeakKeyDictionary[Any, asyncio.Lock] = WeakKeyDictionary()

    @wraps(handle)
    async def handle_request(session: Any, request: Any) -> None:
        async with lines.setdefault(session, asyncio.Lock()):
            if not Runtime.exists() or Runtime.instance().is_active_session(session.id):
                await handle(session, request)

    return handle_request
