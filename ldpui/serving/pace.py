"""How quickly a page may speak: a connection that says much more than anybody can press is ended.

Streamlit answers each message by drawing the page, and asks for the next one without a pause as long as some have come:
a program that sent a hundred thousand short messages in six seconds kept the server from everybody for minutes, also
when it had left.
"""

from __future__ import annotations

import asyncio
import time

from starlette.middleware import Middleware
from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Messages of one connection: so many at once, and so many a second after that. A key that is held down says thirty.
BURST, PER_SECOND = 200, 40
# As a page is told that has broken the rules; a browser connects again, and all its settings are still there.
_CODE = 1008


class _Allowance:
    """How many messages more a connection may say at this moment."""

    def __init__(self) -> None:
        self._left, self._filled = float(BURST), time.monotonic()

    def take(self) -> bool:
        """Tell whether one more message is heard."""
        now = time.monotonic()
        self._left = min(BURST, self._left + (now - self._filled) * PER_SECOND)
        self._filled = now
        self._left -= 1
        return self._left >= 0


class Pace:
    """Stands between the server and the network, and looks at what pages say alone."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "websocket":
            await self._app(scope, receive, send)
            return
        allowance, ended = _Allowance(), False

        async def heard() -> Message:
            nonlocal ended
            await asyncio.sleep(0)  # others have their turn between two messages that have both come already
            message = await receive()
            if message["type"] != "websocket.receive" or allowance.take():
                return message
            ended = True
            await send({"type": "websocket.close", "code": _CODE})
            return {"type": "websocket.disconnect", "code": _CODE}

        async def said(message: Message) -> None:
            if not ended:  # what was about to be said is for nobody
                await send(message)

        await self._app(scope, heard, said)


LAYERS = (Middleware(Pace),)
