"""A visitor without a browser, of whom there can be hundreds: speaks to the server as the browser's client does."""

from __future__ import annotations

import asyncio
import contextlib
import time
from typing import Any, Self

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Subprotocol


class Visitor:
    """A session on a page; `moves` change controls by their keys, and wait until the page is drawn."""

    def __init__(self, address: str, page: str = "", query: str = "") -> None:
        self._url, self._page, self._query = address.replace("http", "ws", 1) + "/_stcore/stream", page, query
        self._ids: dict[str, str] = {}
        self._states: dict[str, WidgetState] = {}
        self._hash = ""
        self.problems: list[str] = []
        self._socket: ClientConnection | None = None

    async def __aenter__(self) -> Self:
        self._socket = await connect(
            self._url,
            subprotocols=[Subprotocol("streamlit")],
            max_size=None,
            compression=None,
            ping_interval=None,
            proxy=None,
        )
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.leave()

    async def leave(self) -> None:
        """Close the tab, whatever the page is doing."""
        if self._socket is not None:
            with contextlib.suppress(Exception):
                await self._socket.close()

    def set(self, key: str, **value: Any) -> None:
        """Move a control: `string_array_value`, `double_value` and so on, as the client names them."""
        state = WidgetState(id=self._ids[key])
        for name, part in value.items():
            if isinstance(part, list):
                getattr(state, name).data.extend(part)
            else:
                setattr(state, name, part)
        self._states[key] = state

    async def ask(self) -> None:
        """Ask for the page."""
        message = BackMsg()
        rerun = message.rerun_script
        rerun.query_string = self._query
        if self._hash:
            rerun.page_script_hash = self._hash
        else:
            rerun.page_name = self._page
        rerun.context_info.timezone, rerun.context_info.color_scheme = "UTC", "light"
        rerun.widget_states.widgets.extend(self._states.values())
        assert self._socket is not None
        await self._socket.send(message.SerializeToString())

    async def draw(self, seconds: float = 300) -> float:
        """Ask for the page, and wait until it is drawn; return how long it took, in seconds."""
        begun = time.perf_counter()
        await self.ask()
        assert self._socket is not None
        while True:
            raw = await asyncio.wait_for(self._socket.recv(), seconds)
            message = ForwardMsg.FromString(bytes(raw) if not isinstance(raw, str) else raw.encode())
            kind = message.WhichOneof("type")
            if kind == "delta":
                self._note(message.delta)
            elif kind == "navigation" and message.navigation.page_script_hash:
                self._hash = message.navigation.page_script_hash
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                return time.perf_counter() - begun

    def _note(self, delta: Any) -> None:
        """Remember the ids of the controls, and what went wrong."""
        element = delta.new_element if delta.WhichOneof("type") == "new_element" else None
        kind = None if element is None else element.WhichOneof("type")
        if element is None or kind is None:
            return
        part = getattr(element, kind)
        if kind == "exception" or (kind == "alert" and part.format == part.ERROR):
            self.problems.append(part.message if kind == "exception" else part.body)
        identity = getattr(part, "id", "")
        if isinstance(identity, str) and identity.startswith("$$"):
            self._ids[identity.split("-", 3)[-1].rpartition("-")[2]] = identity
