"""What a worker does: a job at a time, within bounds, for a server that it ends with.

Here is nothing of Streamlit: what a worker imports of the dashboard is this file, and what a job needs.
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import contextmanager, suppress
from typing import Any

from ldpcore.errors import Refused
from ldpcore.sweep.workers import serve
from ldpui.serving import logs

try:
    import resource
except ImportError:  # not on Windows, where a job's memory is not bounded
    resource = None  # type: ignore[assignment]

# Pages come before computations: workers run at this `nice` value, so that the server gets a core when it needs one.
_NICE = 5
# So often a worker looks whether its server is still there; seconds.
_ORPHANED = 1.0


class TooLongError(Refused):
    """Something takes longer, or would, than is waited for here."""


def attend(server: int) -> None:
    """Be a worker of a server, whose number is said: it may have ended while this process was starting."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    if resource is not None:  # what is left of a process that breaks holds visitors' data
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    logs.keep_words_out_of_a_worker()
    threading.Thread(target=_end_with, args=(server,), daemon=True).start()
    serve(telling=True)


def _end_with(server: int) -> None:
    """End this process when its server has ended: one that is killed can't say so, and nobody waits for the work."""
    while os.getppid() == server:
        time.sleep(_ORPHANED)
    os._exit(1)


def bounded(memory: int | None, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function that may take so many bytes of memory more than there are already."""
    try:
        with _at_most(memory):
            return function(*arguments)
    except Exception as error:
        logs.remember_steps(error)
        raise


def attempt(function: Callable[..., Any], arguments: tuple[Any, ...]) -> tuple[bool, Any]:
    """Call a function; return whether it worked, and the answer or the error.

    For those who would write what a function raises, and its arguments, into a log of theirs.
    """
    try:
        return True, function(*arguments)
    except Exception as error:
        logs.remember_steps(error)
        return False, error


@contextmanager
def _at_most(memory: int | None) -> Any:
    if memory is None or resource is None or not os.path.exists("/proc/self/statm"):  # noqa: PTH110
        yield
        return
    with open("/proc/self/statm", encoding="ascii") as numbers:  # noqa: PTH123
        taken = int(numbers.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = taken + memory if hard == resource.RLIM_INFINITY else min(taken + memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
