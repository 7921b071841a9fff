"""How the browser gets the client's own code: packed, and what draws charts before the first chart is there.

Streamlit sends its code as it is: over seven megabytes for a page with a chart. A class that opens a page has as many
phones as students behind one line. Packed it is a third of that; every file is packed once, when it is first asked for.
A browser asks for the largest file, which draws charts, when a page has sent it the first chart, and for those of the
controls likewise. Here it is told of them with the frame of the page, and has them by then. The large ones are packed
when the server starts.
"""

from __future__ import annotations

import asyncio
import gzip
import re
import threading
from collections.abc import Collection
from functools import cache
from pathlib import Path

import streamlit
from starlette.datastructures import Headers
from starlette.middleware import Middleware
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from streamlit import config

_CODE = Path(streamlit.__file__).parent / "static" / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css"}
# Smaller files are hardly smaller when packed.
_WORTH_IT = 2_000
# What draws the controls above a page, and charts, by the starts of names that go on with what is in the files.
_CONTROLS = "Slider NumberInput moment numbro ButtonGroup Selectbox BidiComponent".split()
_CHARTS = "js/PlotlyChart."
# The large files that pages need, those of the frame first.
_LARGE = (
    "js/protobuf.",
    "js/index.",
    _CHARTS,
    "js/StreamlitMarkdown.",
    "js/react-dom.",
    "js/arrowFormatUtils.",
    "js/DataFrame.",
)


@cache
def files() -> dict[str, Path]:
    """Return the files of the client that are worth packing, by the end of their address; no other is looked for."""
    large = (path for path in _CODE.rglob("*") if path.suffix in _TYPES and path.stat().st_size >= _WORTH_IT)
    return {path.relative_to(_CODE).as_posix(): path for path in large}


@cache
def packed(path: Path) -> bytes:
    """Return a file packed; once, for all who ask for it."""
    return gzip.compress(path.read_bytes(), 6, mtime=0)


@cache
def announcement() -> str:
    """Return what tells a browser of the files that a page with controls and a chart needs, the controls' first.

    It is empty where this Streamlit has no such files. The addresses are as in the frame: below that of the page.
    """
    controls = [name for each in _CONTROLS for name in files() if name.startswith(f"js/{each}.")]
    charts = [name for name in files() if name.startswith(_CHARTS)]
    links = [f"<./static/{name}>; rel=modulepreload" for name in controls + charts]
    # What draws charts is a megabyte, packed, and must not keep others waiting.
    return ", ".join(link + ("; fetchpriority=low" if _CHARTS in link else "") for link in links)


def pack_ahead() -> threading.Thread:
    """Pack the large files that pages need, while the server does something else: it takes half a second."""
    large = [path for start in _LARGE for name, path in files().items() if name.startswith(start)]
    thread = threading.Thread(target=lambda: [packed(path) for path in large], daemon=True)
    thread.start()
    return thread


class Delivery:
    """Stands between the server and the network, and leaves all but the client's code as it is.

    `with_charts` are the addresses of the pages that begin with a chart.
    """

    def __init__(self, app: ASGIApp, with_charts: Collection[str] = ()) -> None:
        self._app, self._with_charts = app, with_charts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = _asked_for(scope)
        if path is None:
            await self._app(scope, receive, _announcing(send) if self._shows_charts(scope) else send)
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

    def _shows_charts(self, scope: Scope) -> bool:
        """Tell whether a page is asked for that begins with a chart."""
        base = str(config.get_option("server.baseUrlPath") or "").strip("/")
        return scope["type"] == "http" and scope["path"].strip("/").removeprefix(base).strip("/") in self._with_charts


def _announcing(send: Send) -> Send:
    """Return what sends an answer, and with the frame of a page tells the browser what it will need."""
    links = announcement()

    async def announce(message: Message) -> None:
        if links and message["type"] == "http.response.start" and _is_page(Headers(raw=message["headers"])):
            message = {**message, "headers": [*message["headers"], (b"link", links.encode())]}
        await send(message)

    return announce


def _is_page(headers: Headers) -> bool:
    return headers.get("content-type", "").startswith("text/html")


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


def layers(with_charts: Collection[str]) -> tuple[Middleware, ...]:
    """Return what stands between server and network; `with_charts` are the addresses of pages that begin with one."""
    return (Middleware(Delivery, with_charts=frozenset(with_charts)),)
