"""How much the server holds of files: of one visitor, and of all together. Each has a bound of its own in Streamlit."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from functools import wraps

from starlette.exceptions import HTTPException
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ldpcore.tables import MAX_BYTES

# A new file comes while the one that it replaces is still there; a program may send any number that no page asked for.
OF_ONE, OF_ALL = 3 * MAX_BYTES, 20 * MAX_BYTES
_lock = threading.Lock()


def bound() -> None:
    """Have the server refuse a file that would be too much."""
    add = MemoryUploadedFileManager.add_file
    if hasattr(add, "__wrapped__"):
        return

    @wraps(add)
    def add_file(self: MemoryUploadedFileManager, session_id: str, file: UploadedFileRec) -> None:
        with _lock:
            _check(_held(self), session_id, len(file.data))
            add(self, session_id, file)

    MemoryUploadedFileManager.add_file = add_file  # type: ignore[method-assign]


def check(session: str, length: int, coming: Mapping[str, int]) -> None:
    """Refuse a file of so many bytes if it would be too much beside those that are held and those that are coming."""
    together = Counter(coming)
    if Runtime.exists() and isinstance(manager := Runtime.instance().uploaded_file_mgr, MemoryUploadedFileManager):
        together.update(_held(manager))
    _check(together, session, length)


def _check(there: Mapping[str, int], session: str, length: int) -> None:
    if there.get(session, 0) + length > OF_ONE:
        raise HTTPException(413, "This page holds too many files already; load it anew")
    if sum(there.values()) + length > OF_ALL:
        raise HTTPException(507, "The server holds too many files of other visitors; try again in a minute")


def _held(manager: MemoryUploadedFileManager) -> dict[str, int]:
    """Return how many bytes of files are held of each session, as it is now: others come and go meanwhile."""
    with manager._lock:
        storage = [(owner, list(files.values())) for owner, files in manager.file_storage.items()]
    return {owner: sum(len(file.data) for file in files) for owner, files in storage}
