"""Phones of a live class without a browser: they speak to the server as Streamlit's client does, and may lie."""

from __future__ import annotations

import asyncio
import contextlib
import json
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import connect

# What Streamlit puts before the name of what a component sends, and after it.
_TRIGGERS = "$$STREAMLIT_INTERNAL_KEY_{}__events"


@dataclass
class Phone:
    """One connection: what the page last told the program of the phone, and what it may send."""

    socket: Any
    room: str
    token: str = field(default_factory=lambda: secrets.token_hex(16))
    told: dict[str, Any] | None = None
    texts: list[str] = field(default_factory=list)
    failures: int = 0
    _id: str = ""
    _fragment: str = ""
    _page: str = ""

    async def join(self) -> None:
        """Open the page with the room's code, or draw it again as it is now."""
        self.texts.clear()
        await self._run(BackMsg())

    async def report(self, report: Any, **changes: Any) -> None:
        """Send a report, whatever it is."""
        message = {"round": 1, "token": self.token, "report": report} | changes
        await self.send(json.dumps([{"event": "report", "value": message}]))

    async def send(self, text: str) -> None:
        """Send any text in the place of a report, and wait until the server has dealt with it."""
        await self._run(self._message(text))

    def _message(self, text: str) -> BackMsg:
        message = BackMsg()
        message.rerun_script.fragment_id = self._fragment
        widgets = message.rerun_script.widget_states.widgets
        widgets.add(id=self._id, json_value="{}")
        widgets.add(id=_TRIGGERS.format(self._id), json_trigger_value=text)
        return self._named(message)

    async def clear_caches(self) -> None:
        """Ask the server to clear all that Streamlit caches."""
        await self.socket.send(BackMsg(clear_cache=True).SerializeToString())

    async def flood(self, reports: list[Any]) -> None:
        """Send reports, each as if it were another phone's, without waiting for anything; then wait for the last."""
        for report in reports[:-1]:
            await self.socket.send(self._message(self._events(report)).SerializeToString())
        await self._run(self._message(self._events(reports[-1])))

    def _events(self, report: Any) -> str:
        return json.dumps(
            [{"event": "report", "value": {"round": 1, "token": secrets.token_hex(16), "report": report}}]
        )

    async def _run(self, message: BackMsg) -> None:
        await self.socket.send(self._named(message).SerializeToString())
        await self._finish()

    def _named(self, message: BackMsg) -> BackMsg:
        message.rerun_script.query_string = f"room={self.room}"
        # The first message names the page, the others say which it was found to be.
        message.rerun_script.page_name = "" if self._page else "class"
        message.rerun_script.page_script_hash = self._page
        return message

    async def _finish(self) -> None:
        while True:
            answer = ForwardMsg.FromString(await self.socket.recv())
            kind = answer.WhichOneof("type")
            if kind == "delta":
                self._note(answer)
            elif kind == "new_session":
                self._page = answer.new_session.page_script_hash
            elif kind == "script_finished":
                self.failures += answer.script_finished == ForwardMsg.FINISHED_WITH_COMPILE_ERROR
                # One that was cut short by the next is followed by that.
                if answer.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    return

    def _note(self, answer: ForwardMsg) -> None:
        element = answer.delta.new_element
        kind = element.WhichOneof("type")
        if kind == "bidi_component" and element.bidi_component.component_name == "ldp_class_answer":
            self.told = json.loads(element.bidi_component.json)
            self._id, self._fragment = element.bidi_component.id, answer.delta.fragment_id
        elif kind in ("alert", "markdown"):
            self.texts.append(getattr(element, kind).body)
        elif kind == "exception":
            self.failures += 1


@contextlib.asynccontextmanager
async def phone(address: str, room: str) -> AsyncIterator[Phone]:
    """Open a connection, and the page of a room."""
    url = address.replace("http", "ws", 1) + "/_stcore/stream"
    patient = {"open_timeout": 60, "ping_interval": None, "close_timeout": 60}
    async with connect(url, subprotocols=["streamlit"], max_size=None, max_queue=None, **patient) as socket:
        made = Phone(socket, room)
        await made.join()
        yield made


async def classroom(address: str, room: str, reports: list[Any]) -> list[Phone]:
    """Let as many phones join as there are reports, all at once, and each send its own."""

    async def one(report: Any) -> Phone:
        async with phone(address, room) as joined:
            await joined.report(report)
            return joined

    return list(await asyncio.gather(*(one(report) for report in reports)))
