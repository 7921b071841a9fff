"""How much the server holds of what visitors bring: files and texts of one, and those and columns of all together.

Each file has a bound of its own in Streamlit. A session has one column in use, which the most rows of a file bound; but
a file of a few kilobytes can become the largest of them, so that all together are counted. What is in use counts
whether it is still in its box or not.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import wraps
from typing import Protocol
from weakref import WeakKeyDictionary

from starlette.exceptions import HTTPException
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.uploaded_file_manager import UploadedFileManager, UploadedFileRec

from ldpcore.errors import Refused
from ldpcore.tables import MAX_BYTES
from ldpui.serving import presence

# A new file comes while the one that it replaces is still there; a program may send any number that no page asked for.
OF_ONE, OF_ALL = 3 * MAX_BYTES, 20 * MAX_BYTES
_lock = threading.Lock()


class Held(Protocol):
    """Something that a session holds: a column in use, a file or a text, or what its controls say.

    A file has its bytes as `data`: they count once where they are in the file's box too.
    """

    @property
    def nbytes(self) -> int:
        """How many bytes it takes."""


@dataclass(frozen=True)
class _Room:
    """What something takes, and of whom: None for columns, which alone can be more than a visitor's files may be."""

    owner: str | None
    nbytes: int


# What sessions hold. The references are weak: what ends with its session leaves by itself.
_things: WeakKeyDictionary[Held, _Room] = WeakKeyDictionary()
_Files = Mapping[str, Collection[bytes]]


def bound() -> None:
    """Have the server refuse a file that would be too much."""
    add = MemoryUploadedFileManager.add_file
    if hasattr(add, "__wrapped__"):
        return

    @wraps(add)
    def add_file(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
        with _lock:
            _check_page(session_id)
            _check(_together(_in_boxes(self)), session_id, len(file.data))
            add(self, session_id, file)

    MemoryUploadedFileManager.add_file = add_file  # type: ignore[method-assign]


def check(session: str, length: int, coming: Mapping[str, int]) -> None:
    """Refuse a file of so many bytes that no page asks for, or that is too much beside what is held and is coming."""
    _check_page(session)
    together = _together(_files())
    together.update(coming)
    _check(together, session, length)


def hold(thing: Held, before: Held | None = None) -> None:
    """Count what a session takes into use in the place of something else, or refuse it: then that stays."""
    run = get_script_run_ctx(suppress_warning=True)
    _hold(thing, "" if run is None else run.session_id, before)


def hold_column(column: Held, before: Held | None) -> None:
    """Count a column that a session takes into use in the place of another one, or refuse it: then that one stays."""
    _hold(column, None, before)


def _hold(thing: Held, owner: str | None, before: Held | None) -> None:
    size, files = thing.nbytes, _files()
    with _lock:
        there = _together(files, without=(thing, before))
        in_its_box = _is_in_a_box(thing, files)
        if not in_its_box and size and sum(there.values()) + size > OF_ALL:
            raise Refused("the server holds too much data of other visitors; bring it again in a minute")
        if not in_its_box and size and owner is not None and there[owner] + size > OF_ONE:
            raise Refused("this page holds too much already; load it anew, and bring less")
        if before is not None:
            _things.pop(before, None)
        _things[thing] = _Room(owner, size)


def drop(*things: Held) -> None:
    """Count these no longer."""
    with _lock:
        for thing in things:
            _things.pop(thing, None)


def in_use(session: str) -> set[int]:
    """Return which files and texts of a session are in use, as the ids of their data."""
    with _lock:
        things = list(_things.items())
    return {id(getattr(thing, "data", None)) for thing, room in things if room.owner == session} - {id(None)}


def drop_unused(manager: UploadedFileManager, session: str) -> None:
    """Drop the files of a session that are in no use: of a box that is no longer drawn Streamlit keeps them."""
    used = in_use(session)
    if isinstance(manager, MemoryUploadedFileManager):
        with manager._lock:
            unused = [name for name, file in manager.file_storage.get(session, {}).items() if id(file.data) not in used]
        for name in unused:
            manager.remove_file(session, name)


def _check_page(session: str) -> None:
    """Refuse files of a session without a page: nobody would drop them, for only who has drawn one is seen to leave."""
    if not presence.has_drawn(session):
        raise HTTPException(403, "No page asks for this file; load it anew")


def _check(there: Mapping[str | None, int], session: str, length: int) -> None:
    if there.get(session, 0) + length > OF_ONE:
        raise HTTPException(413, "This page holds too many files already; load it anew")
    if sum(there.values()) + length > OF_ALL:
        raise HTTPException(507, "The server holds too many files of other visitors; try again in a minute")


def _together(files: _Files, without: Collection[Held | None] = ()) -> Counter[str | None]:
    """Return how many bytes are held of each visitor, those in boxes and those in use; columns under None."""
    there: Counter[str | None] = Counter({owner: sum(map(len, own)) for owner, own in files.items()})
    for thing, room in list(_things.items()):
        if not any(thing is other for other in without) and not _is_in_a_box(thing, files):
            there[room.owner] += room.nbytes
    return there


def _is_in_a_box(thing: Held, files: _Files) -> bool:
    """Tell whether the bytes of a file are the ones that its box has: they are one, and the box's count."""
    data = getattr(thing, "data", None)
    return any(data is file for own in files.values() for file in own)


def _files() -> _Files:
    """Return the files that are in the boxes of each session; none where there is no server."""
    if Runtime.exists() and isinstance(manager := Runtime.instance().uploaded_file_mgr, MemoryUploadedFileManager):
        return _in_boxes(manager)
    return {}


def _in_boxes(manager: MemoryUploadedFileManager) -> _Files:
    """Return the files in boxes as it is now: others come and go meanwhile."""
    with manager._lock:
        return {owner: [file.data for file in files.values()] for owner, files in manager.file_storage.items()}
