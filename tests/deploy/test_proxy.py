"""The proxy's rules, tried on HAProxy itself with two servers that only tell who they are."""

from __future__ import annotations

import http.client
import shutil
import socket
import subprocess
import threading
import time
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from browser_steps import free_port

from deploy.config import Door

pytestmark = pytest.mark.skipif(shutil.which("haproxy") is None, reason="needs HAProxy: apt-get install haproxy")


class Told(BaseHTTPRequestHandler):
    """Answers with the port that was asked."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        words = str(self.server.server_port).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(words)))
        self.end_headers()
        self.wfile.write(words)

    do_PUT = do_POST = do_GET  # noqa: N815 - the library's names

    def log_message(self, *_):
        pass


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        """A connection that the proxy ends is none."""


class Proxied:
    """The proxy, with its servers."""

    def __init__(self, port, servers):
        self.port, self.servers = port, servers
        self.ports = [server.server_port for server in servers]

    def ask(self, path, server=None, method="GET", **headers):
        """Return the status, the port of who answered, and the server that the visitor's cookie is to name, if any."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=10)
        if server is not None:
            headers["Cookie"] = f"other=1; ldp_server=p{server}"
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        words = answer.read()
        connection.close()
        cookie = answer.getheader("Set-Cookie") or ""
        named = int(cookie.split(";")[0].removeprefix("ldp_server=p")) if cookie else None
        return answer.status, int(words) if words.isdigit() else None, named


@contextmanager
def proxied(folder, **settings):
    servers = [Server(("127.0.0.1", 0), Told) for _ in range(2)]
    for server in servers:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
    port = free_port()
    ports = tuple(server.server_port for server in servers)
    door = Door(f"127.0.0.1:{port}", ports, str(folder / "s"), **settings)
    config = folder / "haproxy.cfg"
    config.write_text(door.config())
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(["haproxy", "-db", "-f", str(config)], stdin=quiet, stdout=quiet, stderr=quiet)
    try:
        for _ in range(100):
            try:
                socket.create_connection(("127.0.0.1", port), 1).close()
                break
            except OSError:
                time.sleep(0.05)
        time.sleep(0.2)
        yield Proxied(port, servers)
    finally:
        process.kill()
        process.wait()
        for server in servers:
            server.shutdown()
            server.server_close()


@pytest.fixture(scope="module")
def door(tmp_path_factory):
    with proxied(tmp_path_factory.mktemp("proxy"), sessions=30, files=3, connections=40) as door:
        yield door


@pytest.mark.parametrize(
    "path",
    ["/_stcore/metrics", "/_stcore/%6Detrics", "/%5Fstcore/metrics", "/_stcore%2Fmetrics", "/_stcore/%61gent/interact"],
)
def test_closed_doors_stay_closed_however_they_are_spelled(door, path):
    """A letter written as %6D went past the rule, and the dashboard read it as the letter."""
    assert door.ask(path)[0] == 404
    assert door.ask("/_stcore/health")[0] == 200


def test_large_bodies_are_for_uploads_alone(door):
    assert door.ask("/x", method="POST", **{"Content-Length": "70000"})[0] == 413
    # Spelled otherwise it is an upload all the same: too large for one, and not let in as something else.
    large = {"Content-Length": str(60 * 2**20)}
    assert door.ask("/_stcore/uplo%61d_file/a/b", method="PUT", **large)[0] == 413


def test_the_page_of_rooms_is_one_process_for_everybody_and_they_stay(door):
    """Rooms are in the memory of one process: students whom the proxy sent to the other one found none."""
    first, second = door.ports
    for path in ("/class", "/class/", "/class?room=ABCDEFGH", "/cl%61ss"):
        # A new visitor, and one who was at the other process, are told to stay at the first …
        assert door.ask(path) == (200, first, first)
        assert door.ask(path, server=second) == (200, first, first)
        # … and who is there already stays.
        assert door.ask(path, server=first) == (200, first, None)
    # With that cookie the connection of the page goes there too, and so does every other page.
    for _ in range(3):
        assert door.ask("/_stcore/stream", server=first) == (200, first, None)
        assert door.ask("/compare", server=first) == (200, first, None)
        assert door.ask("/_stcore/stream", server=second) == (200, second, None)
    assert {door.ask("/")[1] for _ in range(6)} == {first, second}
    assert {door.ask("/classes")[1] for _ in range(6)} == {first, second}


def test_files_and_sessions_have_rates_of_their_own(door):
    statuses = [door.ask("/_stcore/upload_file/a/b", method="PUT", **{"Content-Length": "0"})[0] for _ in range(6)]
    assert statuses[0] == 200
    assert statuses[3:] == [429] * 3
    assert door.ask("/_stcore/stream")[0] == 200  # a session is none of them
    spelled = [door.ask("/_stcore/%73tream")[0] for _ in range(40)]
    assert spelled[-1] == 429


def test_one_address_has_so_many_connections_at_a_time(door):
    refused = 0
    with ExitStack() as open_ones:
        for _ in range(50):
            try:
                connection = open_ones.enter_context(socket.create_connection(("127.0.0.1", door.port), 5))
                connection.sendall(b"GET /_stcore/health HTTP/1.1\r\nHost: x\r\n\r\n")
                refused += not connection.recv(100)
            except OSError:
                refused += 1
    assert 10 <= refused <= 15


def test_without_the_first_process_the_page_of_rooms_is_still_there(tmp_path):
    with proxied(tmp_path) as door:
        first, second = door.ports
        door.servers[0].shutdown()
        door.servers[0].server_close()
        end = time.monotonic() + 15
        while door.ask("/class")[1] != second and time.monotonic() < end:
            time.sleep(0.2)
        assert door.ask("/class", server=first) == (200, second, second)
