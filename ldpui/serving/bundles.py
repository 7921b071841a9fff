"""What a page sends, handed to the server's loop in bundles.

Streamlit wakes the loop for every element, some ninety times a page, and each time two threads pass the interpreter's
lock back and forth: that took a third of a page's processor time. Here the loop is woken once for all that has been
drawn until it looks. The order stays, and so does everything else.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from typing import Any

from streamlit.runtime.app_session import AppSession

_METHOD = "_call_soon_on_event_loop"


class _Bundle:
    """What waits to be called on a session's loop."""

    def __init__(self, session: Any, wake: Callable[[Any, Callable[[], None]], None]) -> None:
        self._session, self._wake = session, wake
        self._waiting: deque[Callable[[], None]] = deque()
        self._woken = False

    def add(self, callback: Callable[[], None]) -> None:
        # Append first, then check `_woken`: `_call` does it in the other order, so that no callback is left waiting.
        self._waiting.append(callback)
        if not self._woken:
            self._woken = True
            self._wake(self._session, self._call)

    def _call(self) -> None:
        self._woken = False
        while self._waiting:
            try:
                self._waiting.popleft()()
            except Exception as error:  # as the loop itself does: the others are called all the same
                context = {"message": "Exception in a session's callback", "exception": error}
                self._session._event_loop.call_exception_handler(context)


def gather() -> None:
    """Have the messages of all sessions gathered, if this Streamlit sends them as it did."""
    wake = getattr(AppSession, _METHOD, None)
    if wake is None or getattr(wake, "gathers", False):
        return

    def gathered(session: Any, callback: Callable[[], None]) -> None:
        bundle = session.__dict__.get("_bundle")
        if bundle is None:
            bundle = session.__dict__.setdefault("_bundle", _Bundle(session, wake))
        bundle.add(callback)

    gathered.gathers = True  # type: ignore[attr-defined]
    setattr(AppSession, _METHOD, gathered)
