"""Who is here: the sessions that have drawn a page in the last seconds."""

from __future__ import annotations

import time

from streamlit.runtime import Runtime

# So long after a page was drawn its visitor is expected to ask for another one.
RECENT = 10.0
_drawn: dict[str, float] = {}


def note(session: str) -> None:
    """Note that a session draws a page."""
    _drawn[session] = time.monotonic()


def forget(session: str) -> None:
    """Forget a session that has ended."""
    _drawn.pop(session, None)


def has_drawn(session: str) -> bool:
    """Tell whether a session has drawn a page, and has not ended."""
    return session in _drawn


def others(session: str | None) -> bool:
    """Tell whether anybody else than this session is here."""
    since = time.monotonic() - RECENT
    return any(when > since and other != session and _connected(other) for other, when in list(_drawn.items()))


def _connected(session: str) -> bool:
    """Tell whether a session has a page open: who reloads one, or types an address, leaves a session behind."""
    return not Runtime.exists() or Runtime.instance().is_active_session(session)
