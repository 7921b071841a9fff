"""One writer at a time for a file of results, and nothing left beside it by one that was killed."""

from __future__ import annotations

import os
import re
from pathlib import Path

from ldpcore.errors import Refused

try:
    import fcntl
except ImportError:  # not on Windows: there nothing is locked
    fcntl = None  # type: ignore[assignment]


class Lock:
    """A lock on a file of results, held until it is released or its process ends, however that ends.

    `who` is what a second writer is told that the first one is.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     lock = Lock(Path(folder, "results.csv"))
    ...     names = [path.name for path in Path(folder).iterdir()]
    ...     lock.release()
    ...     print(names, list(Path(folder).iterdir()))
    ['.results.csv.lock'] []
    """

    def __init__(self, path: Path, who: str = "sweep") -> None:
        self._who = who
        self._place = path.with_name(f".{path.name}.lock")
        self._file = -1
        while fcntl is not None and self._file < 0:
            self._file = self._try(path)
        clean(path)

    def _try(self, path: Path) -> int:
        """Return the locked file; -1 if it was taken away in between, by one who was done."""
        file = os.open(self._place, os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(file)
            raise Refused(
                f"another {self._who} is writing to {str(path)!r}; wait until it is over, or give the results another "
                "name"
            ) from None
        except OSError as problem:
            os.close(file)
            self._place.unlink(missing_ok=True)
            raise Refused(
                f"files beside {str(path)!r} cannot be locked ({problem.strerror}): there two could write over each "
                "other; write the results to a disk of this machine"
            ) from None
        if self._place.exists() and self._place.stat().st_ino == os.fstat(file).st_ino:
            return file
        os.close(file)
        return -1

    def __enter__(self) -> None:
        """Hold it for the work within."""

    def __exit__(self, *raised: object) -> None:
        self.release()

    def release(self) -> None:
        """Let others write."""
        if self._file >= 0:
            self._place.unlink(missing_ok=True)
            os.close(self._file)
        self._file = -1


def clean(path: Path) -> None:
    """Remove the unfinished files beside `path` that a killed process has left; its writer has the lock."""
    left = re.compile(rf"\.{re.escape(path.stem)}-[0-9a-f]{{8}}{re.escape(path.suffix)}")
    for other in path.parent.iterdir():
        if left.fullmatch(other.name):
            other.unlink(missing_ok=True)
