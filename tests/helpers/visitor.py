"""A visitor without a browser: opens the dashboard as the browser's client does, and reads what a page says."""

from __future__ import annotations

import http.client
import secrets
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.sync.client import connect


@dataclass
class Visit:
    """What a page said: its headings and texts in order, its exceptions and red boxes, the theme's main colour.

    `steps` is what the browser does to its history: a path, or the query that the path gets.
    """

    texts: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    colour: str = ""
    steps: list[str] = field(default_factory=list)


class Visitor:
    """A session of one's own, as long as the `with` lasts."""

    def __init__(self, address: str, cookie: str = "", origin: str | None = None) -> None:
        self.address, self.session_id = address, ""
        self.widgets: dict[str, str] = {}  # the id of each by its key, or by its label
        self.files: dict[str, str] = {}  # what a button that makes a file is known by, by its label
        self.states: dict[str, WidgetState] = {}
        self._page, self._query = "", ""
        self._hashes: dict[str, str] = {}  # what a page that the server has named is called by
        url = address.replace("http", "ws", 1) + "/_stcore/stream"
        headers = {"Cookie": cookie} if cookie else {}
        self._connection = connect(
            url, subprotocols=["streamlit"], max_size=None, additional_headers=headers, origin=origin
        )

    def __enter__(self) -> Visitor:
        self.socket = self._connection.__enter__()
        return self

    def __exit__(self, *problem: Any) -> None:
        self._connection.__exit__(*problem)

    def run(self, page: str | None = None, query: str | None = None, seconds: float = 60) -> Visit:
        """Run a page, and return what it said."""
        self.ask(page, query)
        return self.listen(seconds)

    def listen(self, seconds: float = 60) -> Visit:
        """Wait until a page has been drawn, and return what it said."""
        seen = Visit()
        while True:
            message = ForwardMsg.FromString(self.socket.recv(timeout=seconds))
            kind = message.WhichOneof("type")
            if kind == "delta":
                self._note(message.delta.new_element, seen)
            elif kind == "new_session":
                self.session_id = message.new_session.initialize.session_id
                seen.colour = message.new_session.custom_theme.light.primary_color
            elif kind == "page_info_changed":
                seen.steps.append(f"?{message.page_info_changed.query_string}")
            elif kind == "navigation":
                pages = message.navigation.app_pages
                self._hashes = {"" if page.is_default else page.url_pathname: page.page_script_hash for page in pages}
                seen.steps.append(f"/{self._page}")
            elif kind == "script_finished" and message.script_finished != ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                if message.script_finished != ForwardMsg.FINISHED_SUCCESSFULLY:
                    seen.problems.append(ForwardMsg.ScriptFinishedStatus.Name(message.script_finished))
                return seen

    def ask(self, page: str | None = None, query: str | None = None) -> None:
        """Ask for a page, without waiting for it."""
        self._page = self._page if page is None else page
        self._query = self._query if query is None else query
        hello = BackMsg()
        hello.rerun_script.query_string = self._query
        hello.rerun_script.page_name = "" if self._page in self._hashes else self._page
        hello.rerun_script.page_script_hash = self._hashes.get(self._page, "")
        hello.rerun_script.widget_states.widgets.extend(self.states.values())
        self.socket.send(hello.SerializeToString())

    def clear_caches(self) -> None:
        """Ask for empty caches, as the menu for developers does; no page offers it."""
        self.socket.send(BackMsg(clear_cache=True).SerializeToString())

    def set(self, key: str, **value: Any) -> None:
        """Let a widget say something at the next run, whatever it may say."""
        self.states[key] = WidgetState(id=self.widgets[key], **value)

    def press(self, key: str, seconds: float = 60) -> Visit:
        """Press a button, by its key or, where it has none, by its label."""
        self.set(key, trigger_value=True)
        self.ask()
        del self.states[key]
        return self.listen(seconds)

    def upload(self, key: str, name: str, data: bytes, seconds: float = 60) -> Visit:
        """Do what the browser does with a file: ask for an address, send it there, tell the widget."""
        ask = BackMsg()
        ask.file_urls_request.request_id = "1"
        ask.file_urls_request.file_names.append(name)
        ask.file_urls_request.session_id = self.session_id
        self.socket.send(ask.SerializeToString())
        while (message := ForwardMsg.FromString(self.socket.recv(timeout=seconds))).WhichOneof(
            "type"
        ) != "file_urls_response":
            pass
        urls = message.file_urls_response.file_urls[0]
        assert self._put(urls.upload_url, name, data) == 204
        state = WidgetState(id=self.widgets[key])
        info = state.file_uploader_state_value.uploaded_file_info.add(name=name, size=len(data), file_id=urls.file_id)
        info.file_urls.CopyFrom(urls)
        self.states[key] = state
        return self.run(seconds=seconds)

    def take(self, label: str, seconds: float = 60) -> str:
        """Press a button that makes a file; return the path of the file, which the browser would fetch now."""
        ask = BackMsg()
        request = ask.backend_operation_request
        request.request_id, request.session_id = "1", self.session_id
        request.deferred_file.file_id = self.files[label]
        self.socket.send(ask.SerializeToString())
        while True:
            message = ForwardMsg.FromString(self.socket.recv(timeout=seconds))
            if message.WhichOneof("type") == "backend_operation_response":
                assert not message.backend_operation_response.error_msg
                return str(message.backend_operation_response.deferred_file.url)

    def _put(self, url: str, name: str, data: bytes) -> int:
        host = urlsplit(self.address).netloc
        connection = http.client.HTTPConnection(host, timeout=60)
        connection.request("GET", "/_stcore/health")
        answer = connection.getresponse()
        answer.read()
        token = answer.getheader("Set-Cookie").split(";")[0].split("=", 1)[1]
        mark = secrets.token_hex(8)
        head = f'--{mark}\r\nContent-Disposition: form-data; name="file"; filename="{name}"\r\n\r\n'
        headers = {
            "Content-Type": f"multipart/form-data; boundary={mark}",
            "X-Xsrftoken": token,
            "Cookie": f"_streamlit_xsrf={token}",
        }
        connection.request("PUT", url, head.encode() + data + f"\r\n--{mark}--\r\n".encode(), headers)
        status = connection.getresponse().status
        connection.close()
        return status

    def _note(self, element: Any, seen: Visit) -> None:
        kind = element.WhichOneof("type")
        if kind is None:
            return
        own = getattr(element, kind)
        if kind == "download_button":
            self.files[own.label] = own.deferred_file_id
        if getattr(own, "id", ""):
            key = str(own.id).rsplit("-", 1)[-1]
            self.widgets[getattr(own, "label", key) if key == "None" else key] = own.id
        if kind == "exception":
            seen.problems.append(f"{own.type}: {own.message}")
        elif kind == "alert" and own.format == own.ERROR:
            seen.problems.append(own.body)
        elif kind in ("heading", "markdown", "alert"):
            seen.texts.append(own.body)


def visit(address: str, seconds: float = 60) -> Visit:
    """Open the first page of a server and wait until its script has run."""
    with Visitor(address) as visitor:
        return visitor.run(seconds=seconds)
