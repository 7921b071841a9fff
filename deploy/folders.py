"""The folder that the command keeps its files in: gone at its end, and at the latest when the next one starts."""

from __future__ import annotations

import fcntl
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

_PREFIX = "ldp-explorer-"


@contextmanager
def own_folder() -> Iterator[Path]:
    """Give a folder for files of this process, and remove those of processes that were killed."""
    _remove_left()
    with tempfile.TemporaryDirectory(prefix=_PREFIX) as name, _locked(Path(name)):
        yield Path(name)


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold a lock on a folder, which ends with the process, however that ends."""
    handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    finally:
        os.close(handle)


def _remove_left() -> None:
    """Remove the folders that nobody holds. One that is empty may be of a process that has only just made it."""
    for folder in Path(tempfile.gettempdir()).glob(f"{_PREFIX}*"):
        # Another's, or one that has gone meanwhile; one that is held raises too.
        with suppress(OSError), _locked(folder):
            if folder.stat().st_uid == os.getuid() and any(folder.iterdir()):
                shutil.rmtree(folder)
