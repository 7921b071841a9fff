"""Whose page is drawn: one visitor's after the other's, in the order in which they asked.

One interpreter draws the pages of all visitors. Drawn at the same time, all of them are done at the end, each after as
long as all take together; one after the other the first is done soon, and the last no later. Who waits for a worker
draws nothing, and lets the others go on. And nobody waits for long: what takes its time in spite of that holds nobody
up.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

# So long a page waits for its turn; then it is drawn beside the others. Seconds.
PATIENCE = 0.5
_line = threading.Semaphore()
_thread = threading.local()


@contextmanager
def turn() -> Iterator[None]:
    """Draw a page, or a part of one, when it is its turn; a part that is drawn with its page has the page's."""
    if _has_it():
        yield
        return
    _take()
    try:
        yield
    finally:
        _give_back()


@contextmanager
def away() -> Iterator[None]:
    """Wait for something, and let the others draw meanwhile."""
    had_it = _has_it()
    _give_back()
    yield
    # Not where the wait was cut short: whoever is called back then may have left the line already, and would block it.
    if had_it:
        _take()


def _has_it() -> bool:
    return getattr(_thread, "has_it", False)


def _take() -> None:
    _thread.has_it = _line.acquire(timeout=PATIENCE)


def _give_back() -> None:
    if _has_it():
        _thread.has_it = False
        _line.release()
