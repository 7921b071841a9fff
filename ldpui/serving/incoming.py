"""What is on its way to the server: files, bounded before their first byte is read.

Streamlit has a whole file in memory before anybody can count it. Here room is taken for a file by the length that it
states, and given back when it has come or was refused: then it is among those that are held (`held_files`).
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager

from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from ldpcore.tables import MAX_BYTES
from ldpui.serving import held_files

# Around a file is a frame: its name, and marks where it begins and ends.
_LARGEST = MAX_BYTES + 2**20
# A page has one box for a file; who drops the next one into it may do so before the last has come.
AT_A_TIME = 3
# So long a file may take, with so many bytes a second: who sends slower keeps room from others.
SECONDS, BYTES_A_SECOND = 30.0, 200_000


class Incoming:
    """Stands between the server and the network, and looks at files alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._coming: dict[str, list[int]] = {}  # lengths, by session

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = _session(scope)
        if session is None:
            await self._app(scope, receive, send)
            return
        answered = False

        async def noted(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            length = _length(Headers(scope=scope))
            with self._room(session, length):
                async with asyncio.timeout(SECONDS + length / BYTES_A_SECOND):
                    await self._app(scope, receive, noted)
        except (HTTPException, TimeoutError) as refused:
            if answered:  # the server has said what there is to say
                raise
            status, words = (
                (refused.status_code, refused.detail)
                if isinstance(refused, HTTPException)
                else (408, "The file came too slowly")
            )
            # Who sent a part of it cannot go on with another request.
            await PlainTextResponse(words, status, {"connection": "close"})(scope, receive, send)

    @contextmanager
    def _room(self, session: str, length: int) -> Iterator[None]:
        """Take room for a file, beside what is held and what else is coming."""
        if len(self._coming.get(session, ())) >= AT_A_TIME:
            raise HTTPException(429, "This page sends too many files at a time")
        held_files.check(session, length, {owner: sum(lengths) for owner, lengths in self._coming.items()})
        own = self._coming.setdefault(session, [])
        own.append(length)
        try:
            yield
        finally:
            own.remove(length)
            if not own:
                del self._coming[session]


def _session(scope: Scope) -> str | None:
    """Return the session that sends a file, where one is sent."""
    if scope["type"] != "http" or scope["method"] != "PUT":
        return None
    _, separator, rest = scope["path"].partition("/_stcore/upload_file/")
    return rest.partition("/")[0] if separator else None


def _length(headers: Headers) -> int:
    """Return how long a file is, with its frame: it must say so beforehand."""
    length = headers.get("content-length", "")
    if "transfer-encoding" in headers or not length:
        raise HTTPException(411, "A file must say how long it is")
    if not (length.isascii() and length.isdecimal()):
        raise HTTPException(400, "A file must say how long it is, in digits")
    if len(length) > 12 or int(length) > _LARGEST:
        raise HTTPException(413, "The file is too large")
    return int(length)


LAYERS = (Middleware(Incoming),)
