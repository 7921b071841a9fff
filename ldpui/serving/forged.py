"""Messages that no page of ours sends, such as text for a control of numbers: what they say of a control is not heard.

Streamlit takes it that a control's value can be read. Where it can't, the page is not drawn, and when the value is to
be put away the thread of the session ends: nothing that the visitor does is answered any more. Here such a control
stays where it was, or at its default.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import wraps
from typing import Any

from streamlit.errors import StreamlitAPIException
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state import session_state
from streamlit.runtime.state.session_state import SessionState, WStates

# What Streamlit's readers raise, but for KeyError: that says that there is nothing to read.
_UNREADABLE = (TypeError, ValueError, AttributeError, ArithmeticError, IndexError, RuntimeError, StreamlitAPIException)

# What charts and tables say of a selection is JSON too, though Streamlit calls it text as what is typed into a box.
_SELECTIONS = ("PlotlyChartSelectionSerde", "DataframeSelectionSerde", "VegaLiteStateSerde")
# JSON of more parts is not read; a thousand bins of ten bars each, selected together, have fewer. Six megabytes of such
# parts took 150 MB, and were read again and again for seconds, in which other visitors' pages were not drawn.
MOST_PARTS = 200_000


def ignore() -> None:
    """Let controls stay where they are if what is said of them can't be read; a second time changes nothing."""
    for place, name, deafen in ((WStates, "__getitem__", _readable), (SessionState, "set_widgets_from_proto", _kept)):
        way = vars(place).get(name)
        if way is not None and not hasattr(way, "__wrapped__"):
            setattr(place, name, deafen(way))


def _readable(read: Callable[[Any, str], Any]) -> Callable[[Any, str], Any]:
    """Read what a control says; what can't be read is the control's default."""

    @wraps(read)
    def getitem(states: Any, key: str) -> Any:
        if not _is_of_another_kind(states, key):
            with suppress(*_UNREADABLE):
                return read(states, key)
        # Not taken out: whoever reads may be on the way through all of them.
        states.states[key] = session_state.Value(_default(states.widget_metadata[key]))
        return states.states[key].value

    return getitem


def _kept(take: Callable[[Any, WidgetStates], None]) -> Callable[[Any, WidgetStates], None]:
    """Take what a browser says of all controls, but for what can't be read: then a control stays where it was.

    Streamlit clears what was said before, and stops at a control that it does not know. Where the next message comes
    before the page is drawn, all that a program has ever made up would stay.
    """

    @wraps(take)
    def set_widgets(state: Any, said: WidgetStates) -> None:
        new = state._new_widget_state
        for unknown in new.states.keys() - new.widget_metadata.keys():
            del new.states[unknown]
        take(state, said)
        for one in said.widgets:
            # As it is read in any case, to see what has changed.
            if one.id in new.widget_metadata and not _can_be_read(new, one.id):
                new.states.pop(one.id, None)

    return set_widgets


def _can_be_read(states: Any, key: str) -> bool:
    if _is_of_another_kind(states, key):
        return False
    with suppress(KeyError, *_UNREADABLE):
        WStates.__getitem__.__wrapped__(states, key)  # type: ignore[attr-defined]
        return True
    return False


def _is_of_another_kind(states: Any, key: str) -> bool:
    """Tell whether a control was told what it never says itself: text for a number, one word for two, endless JSON."""
    said, control = states.states.get(key), states.widget_metadata.get(key)
    if control is None or not isinstance(said, session_state.Serialized):
        return False
    kind = said.value.WhichOneof("value")
    if None in (kind, control.value_type):
        return False
    return _family(kind) != _family(control.value_type) or _has_many_parts(str(kind), said.value, control)


def _has_many_parts(kind: str, said: WidgetState, control: Any) -> bool:
    """Tell whether a control was told JSON of more parts than any of ours has; counted before it is read."""
    if said.ByteSize() < MOST_PARTS:
        return False
    reader = getattr(control.deserializer, "__self__", None)
    if kind not in ("json_value", "json_trigger_value") and type(reader).__name__ not in _SELECTIONS:
        return False
    text: str = getattr(said, kind)
    return sum(map(text.count, ",[{")) > MOST_PARTS


def _family(kind: str | None) -> str | None:
    """Return a kind of value; a browser says a whole number as one, where Streamlit has all numbers as floats."""
    return "double_value" if kind == "int_value" else kind


def _default(control: Any) -> Any:
    with suppress(KeyError, *_UNREADABLE):
        return control.deserializer(None)
    return None
