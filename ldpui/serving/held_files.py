"""How much the server holds of what visitors bring: files of one visitor, and files and columns of all together.

Each file has a bound of its own in Streamlit. A session has one column in use, which the most rows of a file bound; but
a file of a few kilobytes can become the largest of them, so that all together are counted.
"""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Mapping
from functools import wraps
from weakref import WeakKeyDictionary

from starlette.exceptions import HTTPException
from streamlit.runtime import Runtime
from streamlit.runtime.memory_uploaded_file_manager import MemoryUploadedFileManager
from streamlit.runtime.uploaded_file_manager import UploadedFileRec

from ldpcore.datasets import OwnCategories, OwnDates, OwnNumbers
from ldpcore.errors import Refused
from ldpcore.tables import MAX_BYTES

Column = OwnNumbers | OwnDates | OwnCategories

# A new file comes while the one that it replaces is still there; a program may send any number that no page asked for.
OF_ONE, OF_ALL = 3 * MAX_BYTES, 20 * MAX_BYTES
_lock = threading.Lock()
# The bytes of the columns that sessions have in use. One that is lost with its session is no longer among them.
_columns: WeakKeyDictionary[Column, int] = WeakKeyDictionary()


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
    together.update(_files())
    _check(together, session, length)


def hold_column(column: Column, before: Column | None) -> None:
    """Count a column that a session takes into use in the place of another one, or refuse it: then that one stays."""
    with _lock:
        others = _of_columns() - (0 if before is None else _columns.get(before, 0))
        if sum(_files().values()) + others + column.nbytes > OF_ALL:
            raise Refused("the server holds too much data of other visitors; bring it again in a minute")
        if before is not None:
            _columns.pop(before, None)
        _columns[column] = column.nbytes


def drop_column(column: Column) -> None:
    """Count a column no longer."""
    with _lock:
        _columns.pop(column, None)


def _check(there: Mapping[str, int], session: str, length: int) -> None:
    if there.get(session, 0) + length > OF_ONE:
        raise HTTPException(413, "This page holds too many files already; load it anew")
    if sum(there.values()) + _of_columns() + length > OF_ALL:
        raise HTTPException(507, "The server holds too many files of other visitors; try again in a minute")


def _of_columns() -> int:
    return sum(_columns.values())


def _files() -> dict[str, int]:
    """Return how many bytes of files this server holds of each session; none where there is no server."""
    if Runtime.exists() and isinstance(manager := Runtime.instance().uploaded_file_mgr, MemoryUploadedFileManager):
        return _held(manager)
    return {}


def _held(manager: MemoryUploadedFileManager) -> dict[str, int]:
    """Return how many bytes of files are held of each session, as it is now: others come and go meanwhile."""
    with manager._lock:
        storage = [(owner, list(files.values())) for owner, files in manager.file_storage.items()]
    return {owner: sum(len(file.data) for file in files) for owner, files in storage}
