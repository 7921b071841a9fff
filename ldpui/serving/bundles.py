"""What a page sends, handed to the server's loop in bundles.

Streamlit wakes the loop for every element, some ninety times a page, and each time two threads pass the interpreter's
lock back and forth: that took a third of a page's processor time. And the browser draws the whole page anew for every
few elements that come. Here elements wait for each other for a moment, and the loop is woken once for all of them. What
says that a page begins or has ended waits for nothing, and nothing waits behind it. The order stays, and so does
everything else.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from functools import partial, wraps
from typing import Any

from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

# So long an element waits for others; seconds. A page whose answers are known is drawn within that time.
PATIENCE = 0.05
_METHOD, _EVENT = "_call_soon_on_event_loop", "_on_scriptrunner_event"
_thread = threading.local()


class _Bundle:
    """What waits to be called on a session's loop."""

    def __init__(self, session: Any, wake: Callable[[Any, Callable[[], Any]], None]) -> None:
        self._session, self._wake = session, wake
        self._waiting: deque[Callable[[], None]] = deque()
        self._woken = self._patient = False

    def add(self, callback: Callable[[], None], patient: bool) -> None:
        # Append first, then check the marks: `_call` does it in the other order, so that no callback is left waiting.
        self._waiting.append(callback)
        if self._woken or (patient and self._patient):
            return
        if patient:
            self._patient = True
            self._wake(self._session, partial(self._session._event_loop.call_later, PATIENCE, self._call_late))
        else:
            self._woken = True
            self._wake(self._session, self._call)

    def _call_late(self) -> None:
        self._patient = False
        self._call()

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
    wake, event = getattr(AppSession, _METHOD, None), getattr(AppSession, _EVENT, None)
    if wake is None or event is None or getattr(wake, "gathers", False):
        return

    def gathered(session: Any, callback: Callable[[], None]) -> None:
        bundle = session.__dict__.get("_bundle")
        if bundle is None:
            bundle = session.__dict__.setdefault("_bundle", _Bundle(session, wake))
        bundle.add(callback, getattr(_thread, "is_element", False))

    gathered.gathers = True  # type: ignore[attr-defined]
    setattr(AppSession, _METHOD, gathered)
    setattr(AppSession, _EVENT, _telling_elements(event))


def _telling_elements(send: Callable[..., None]) -> Callable[..., None]:
    """Return what takes the events of a script, and tells for each whether it is no more than an element."""

    @wraps(send)
    def on_event(session: Any, sender: Any, event: Any, *arguments: Any, **options: Any) -> None:
        _thread.is_element = event == ScriptRunnerEvent.ENQUEUE_FORWARD_MSG
        try:
            send(session, sender, event, *arguments, **options)
        finally:
            _thread.is_element = False

    return on_event
