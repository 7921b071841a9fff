"""How the browser gets the client's own code: packed.

Streamlit sends its code as it is: over seven megabytes for a page with a chart. A class that opens a page has as many
phones as students behind one line. Packed it is a third of that; every file is packed once, when it is first asked for.
"""

from __future__ import annotations

import asyncio
import gzip
import re
from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

_CODE = Path(streamlit.__file__).parent / "static" / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
# Smaller files are hardly smaller when packed.
_WORTH_IT = 2_000


@cache
def files() -> dict[str, Path]:
    """Return the files of the client that are worth packing, by the end of their address; no other is looked for."""
    large = (path for path in _CODE.rglob("*") if path.suffix in _TYPES and path.stat().st_size >= _WORTH_IT)
    return {path.relative_to(_CODE).as_posix(): path for path in large}


@cache
def packed(path: Path) -> bytes:
    """Return a file packed; once, for all who ask for it."""
    return gzip.compress(path.read_bytes(), 6, mtime=0)


class Delivery:
    """Stands between the server and the network, and leaves all but the client's code as it is."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = _asked_for(scope)
        if path is None:
            await self._app(scope, receive, send)
            return
        # In a thread, not in the event loop: packing the largest file takes a quarter of a second, once.
        content = await asyncio.to_thread(packed, path)
        headers = {
            "content-encoding": "gzip",
            "vary": "accept-encoding",
            # As Streamlit sends them: the names change with what is in the files.
            "cache-control": "public, immutable, max-age=31536000",
        }
        await Response(content, headers=headers, media_type=_TYPES[path.suffix])(scope, receive, send)


def _asked_for(scope: Scope) -> Path | None:
    """Return the file that is asked for, if it is one to be packed and whoever asks can unpack it."""
    if scope["type"] != "http" or scope["method"] != "GET":
        return None
    path = files().get(scope["path"].partition("/static/")[2])
    return path if path and _unpacks(Headers(scope=scope).get("accept-encoding", "")) else None


def _unpacks(accepted: str) -> bool:
    """Tell whether a header names gzip, and not as what is not wanted: with the weight 0."""
    for word in accepted.lower().split(","):
        name, _, weight = word.partition(";")
        if name.strip() == "gzip":
            return not re.fullmatch(r"\s*q\s*=\s*0(\.0*)?\s*", weight)
    return False


LAYERS = (Middleware(Delivery),)
