"""What the controls of a session say, where it is long: texts that were pasted, or what a program says in their place.

Streamlit bounds one message. But what a control has said stays until the control is gone, and every control can say as
much as a message has: so it is counted among what the server holds, before each run of a page.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import chain
from typing import Any

from streamlit.runtime.scriptrunner import get_script_run_ctx

from ldpcore.errors import Refused
from ldpui.serving import held_files

# Bytes. Shorter texts are not counted: the rest of a session takes many times as much.
LONG = 10_000
_SHORT = {bool, int, float, type(None)}


class Texts:
    """The long texts of one session, as something that the server counts."""

    def __init__(self) -> None:
        self.nbytes = 0

    def count(self, others: Sequence[Any] = ()) -> str | None:
        """Count what the controls say, and other values that a page has noted of them.

        Where that is too much, the server drops what is long of it; return the sentence that says so. It is still in
        the browser, which sends it again with the next step.
        """
        run = get_script_run_ctx()
        state = getattr(getattr(run, "session_state", None), "_state", None)
        if run is None or state is None:
            return None
        with run.session_state._lock:
            places = _places(state)
            # A quick way out: this runs at every step, and most sessions have no long text.
            if not self.nbytes and not any(map(_is_long, chain(*(place.values() for place in places), others))):
                return None
            used = held_files.in_use(run.session_id)
            _let_go_of_copies(state, used)
            long = [
                (place, key, content)
                for place in places
                for key, value in place.items()
                if _is_long(content := _content(value)) and id(content) not in used
            ]
            noted = [text for text in others if _is_long(text)]
            # A text that a page has noted may be the one that the control has.
            texts = {id(text): text for text in (*(content for _, _, content in long), *noted)}
            self.nbytes = sum(map(_size, texts.values()))
            try:
                held_files.hold(self)
            except Refused as refused:
                self.nbytes = 0
                for place, key, _ in long:
                    del place[key]
                held_files.drop(self)
                return f"The text in a box is not taken: {refused}."
        return None


def _let_go_of_copies(state: Any, used: set[int]) -> None:
    """Have one of a long text: a browser says all again with every step, and Streamlit keeps what was said before."""
    with suppress(AttributeError):  # what is asked here is Streamlit's own, and may be called otherwise some day
        before, now = state._old_state, state._new_widget_state.states
        for key, value in now.items():
            text = before.get(key)
            if isinstance(text, str) and sys.getsizeof(text) > LONG and isinstance(value.value, str):
                if text == value.value and id(value.value) not in used:
                    now[key] = type(value)(text)
                else:
                    before[key] = value.value


def _places(state: Any) -> list[dict[str, Any]]:
    """Return where Streamlit has what controls say; nowhere if it calls them otherwise some day."""
    try:
        return [state._old_state, state._new_session_state, state._new_widget_state.states]
    except AttributeError:
        return []


def _content(value: Any) -> Any:
    """Return what a control says: Streamlit wraps what is new."""
    return getattr(value, "value", value)


def _is_long(value: Any) -> bool:
    kind = type(value)
    if kind in _SHORT:
        return False
    if kind is str:
        return len(value) > LONG // 4 and sys.getsizeof(value) > LONG
    content = _content(value)
    return _size(content) > LONG if content is value else _is_long(content)


def _size(value: Any) -> int:
    """Return how many bytes a text takes, or all that a component has said."""
    size, parts = 0, [value]
    while parts:
        part = parts.pop()
        if isinstance(part, str | bytes | int | float):
            size += sys.getsizeof(part)
        elif isinstance(part, dict):
            size += sys.getsizeof(part)
            parts += [*part.keys(), *part.values()]
        elif isinstance(part, list | tuple):
            size += sys.getsizeof(part)
            parts += part
        elif hasattr(part, "ByteSize"):  # a message that nobody has read yet
            size += part.ByteSize()
    return size
