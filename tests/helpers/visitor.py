"""A visitor without a browser: opens the dashboard as the browser's client does, and reads what a page says."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect


@dataclass
class Visit:
    """What a page said: its headings and texts in order, its exceptions and red boxes, the theme's main colour."""

    texts: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    colour: str = ""


def visit(address: str, seconds: float = 60) -> Visit:
    """Open the first page of a server and wait until its script has run."""
    seen = Visit()
    url = address.replace("http", "ws", 1) + "/_stcore/stream"
    with connect(url, subprotocols=["streamlit"], max_size=None) as socket:
        hello = BackMsg()
        hello.rerun_script.query_string = ""
        socket.send(hello.SerializeToString())
        while True:
            message = ForwardMsg.FromString(socket.recv(timeout=seconds))
            kind = message.WhichOneof("type")
            if kind == "delta":
                _note(message.delta.new_element, seen)
            elif kind == "new_session":
                seen.colour = message.new_session.custom_theme.light.primary_color
            elif kind == "script_finished":
                if message.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
                    seen.problems.append(ForwardMsg.ScriptFinishedStatus.Name(message.script_finished))
                return seen


def _note(element: Any, seen: Visit) -> None:
    kind = element.WhichOneof("type")
    if kind == "exception":
        seen.problems.append(f"{element.exception.type}: {element.exception.message}")
    elif kind == "alert" and element.alert.format == element.alert.ERROR:
        seen.problems.append(element.alert.body)
    elif kind in ("heading", "markdown"):
        seen.texts.append(getattr(element, kind).body)
