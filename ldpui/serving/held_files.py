"""How much the server holds of files: of one visitor, and of all together. Each has a bound of its own in Streamlit."""

from __future__ import annotations

import threading
from functools import wraps

from starlette.exceptions import HTTPException
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
            held = {owner: sum(len(one.data) for one in files.values()) for owner, files in _files(self)}
            of_one, of_all = held.get(session_id, 0) + len(file.data), sum(held.values()) + len(file.data)
            if of_one > OF_ONE:
                raise HTTPException(413, "This page holds too many files already; load it anew")
            if of_all > OF_ALL:
                raise HTTPException(507, "The server holds too many files of other visitors; try again in a minute")
            add(self, session_id, file)

    MemoryUploadedFileManager.add_file = add_file  # type: ignore[method-assign]


def _files(manager: MemoryUploadedFileManager) -> list[tuple[str, dict[str, UploadedFileRec]]]:
    """Return the files of each session, as they are now: others come and go meanwhile."""
    with manager._lock:
        return [(owner, dict(files)) for owner, files in manager.file_storage.items()]
