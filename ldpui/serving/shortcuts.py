"""Ways that Streamlit goes for every page or every control, made shorter; what is sent and what is read stay the same.

Each was found in a profile of a cached step, and is left as it is where this Streamlit has no such way (any more).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache, wraps
from typing import Any

from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import Runtime, app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.runtime.state import SafeSessionState
from streamlit.runtime.state.session_state_proxy import SessionStateProxy

# So many messages go to a browser without a pause. Streamlit holds 500 for one, and takes it for gone beyond that.
AT_ONCE = 100
_TAKEN: list[Any] = []


def take() -> None:
    """Take the short ways; a second time changes nothing."""
    for place, name, shorten in (
        (AppSession, "flush_browser_queue", _sent_at_once),
        (app_session, "_populate_theme_msg", _theme_read_once),
        (SessionStateProxy, "to_dict", _as_a_dict),
        (SafeSessionState, "filtered_state", _looked_up),
    ):
        way = vars(place).get(name)
        if way is not None and way not in _TAKEN:
            short = shorten(way)
            _TAKEN.append(short)
            setattr(place, name, short)


def _sent_at_once(flush: Callable[[Any], list[ForwardMsg]]) -> Callable[[Any], list[ForwardMsg]]:
    """Send what a page has drawn in one go: between two messages Streamlit goes once around its loop."""

    @wraps(flush)
    def flush_browser_queue(session: Any) -> list[ForwardMsg]:
        messages = flush(session)
        client = Runtime.instance().get_client(session.id) if len(messages) > 1 and Runtime.exists() else None
        if client is None:
            return messages
        for number, message in enumerate(messages[:AT_ONCE]):
            # The ends of scripts Streamlit counts; and it sends the last message, with a pause.
            if message.WhichOneof("type") == "script_finished" or number == len(messages) - 1:
                return messages[number:]
            try:
                client.write_forward_msg(message)
            except SessionClientDisconnectedError:
                return messages[number:]  # Streamlit tries again, and sees to it that the session ends
        return messages[AT_ONCE:]

    return flush_browser_queue


def _theme_read_once(populate: Callable[..., None]) -> Callable[..., None]:
    """Read the colours and sizes of the configuration once: nobody changes them while the server runs."""

    @cache
    def read(section: str) -> CustomThemeConfig:
        theme = CustomThemeConfig()
        populate(theme, section)
        return theme

    @wraps(populate)
    def populate_theme(message: CustomThemeConfig, section: str = "theme") -> None:
        theme = read(section)
        # Merging an empty message would mark the field as set.
        if theme.ByteSize():
            message.MergeFrom(theme)

    return populate_theme


class _State(Mapping[str, Any]):
    """What a session holds: a value is looked up where it is asked for. Streamlit copies all for each control."""

    def __init__(self, state: Any, whole: Callable[[Any], dict[str, Any]]) -> None:
        self._state, self._whole = state, whole

    def __contains__(self, key: object) -> bool:
        try:
            self[str(key)]
        except KeyError:
            return False
        return True

    def __getitem__(self, key: str) -> Any:
        with self._state._lock:
            return self._state._state[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self.copied())

    def __len__(self) -> int:
        return len(self.copied())

    def __repr__(self) -> str:
        return repr(self.copied())

    def copied(self) -> dict[str, Any]:
        """Return all of it, as a copy."""
        return self._whole(self._state)


def _looked_up(filtered: property) -> property:
    whole: Any = filtered.fget

    @wraps(whole)
    def filtered_state(state: Any) -> _State:
        return _State(state, whole)

    return property(filtered_state)


def _as_a_dict(to_dict: Callable[[Any], Any]) -> Callable[[Any], dict[str, Any]]:
    """Give those who want all of a session's values a copy, as before."""

    @wraps(to_dict)
    def to_a_dict(proxy: Any) -> dict[str, Any]:
        state = to_dict(proxy)
        return state.copied() if isinstance(state, _State) else state

    return to_a_dict
