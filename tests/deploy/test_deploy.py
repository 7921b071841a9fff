"""Two processes behind the proxy: visitors stay at theirs, and one that is killed is missed by nobody for long."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from browser_steps import FLAGS, HOW_TO_GET_ONE, PATIENCE_MS, READY, ROOT, chromium, free_port
from threads import in_a_thread
from visitor import Visitor

from deploy.config import Door
from ldpcore.sweep.workers import cores

pytestmark = pytest.mark.slow


def test_settings_of_the_proxy_are_single_words():
    door = Door(":80", (8601, 8602), "/run/x", "/etc/cert.pem", "'none'", "/ldp/", uploads=False)
    text = door.config()
    assert "bind :80 ssl crt /etc/cert.pem" in text
    assert "Strict-Transport-Security" in text
    assert "GET /ldp/_stcore/health" in text
    assert "frame-ancestors 'none'" in text
    assert "server p8602 127.0.0.1:8602 cookie p8602" in text
    assert "@" not in text.partition("\n\n")[2]
    with pytest.raises(ValueError, match="one line"):
        Door(":80", (8601,), "/run/x", ancestors="x\nbind :1").config()


class Site:
    """The whole thing, as the documented command starts it."""

    def __init__(self, process, port, ports):
        self.process, self.ports = process, ports
        self.address = f"http://127.0.0.1:{port}"

    def get(self, path, cookie="", method="GET", **headers):
        connection = http.client.HTTPConnection(self.address.removeprefix("http://"), timeout=10)
        headers |= {"Cookie": cookie} if cookie else {}
        connection.request(method, path, headers=headers)
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer

    def server_of(self, cookie="", path="/"):
        """Ask for a page; the name of the process that the visitor is sent to, if the proxy says one."""
        cookies = self.get(path, cookie).headers.get_all("Set-Cookie") or []
        names = [line.split(";")[0].split("=")[1] for line in cookies if line.startswith("ldp_server=")]
        return names[0] if names else None

    def pid_at(self, port):
        """The process that listens at a port, among the supervisor's children."""
        children = Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text().split()
        for pid in children:
            if f"--server.port={port}".encode() in Path(f"/proc/{pid}/cmdline").read_bytes():
                return int(pid)
        return None

    def until(self, true, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            with contextlib.suppress(OSError, http.client.HTTPException):
                if true():
                    return
            assert self.process.poll() is None
            time.sleep(0.1)
        pytest.fail(f"not within {seconds} seconds")


@pytest.fixture(scope="module")
def site():
    if shutil.which("haproxy") is None:
        pytest.skip("no HAProxy found; get it with `apt-get install haproxy`")
    port, first = free_port(), free_port()
    command = [sys.executable, "-m", "deploy", "--processes", "2", "--bind", f"127.0.0.1:{port}"]
    command += ["--first-port", str(first), "--drain", "0"]
    quiet = subprocess.DEVNULL
    process = subprocess.Popen(command, cwd=ROOT, stdin=quiet, stdout=quiet, stderr=quiet)
    site = Site(process, port, (first, first + 1))
    try:
        site.until(lambda: {site.server_of() for _ in range(4)} == {f"p{first}", f"p{first + 1}"})
        yield site
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(30)


def test_headers_and_closed_doors(site):
    answer = site.get("/")
    assert answer.status == 200
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert "frame-ancestors 'self'" in answer.headers["Content-Security-Policy"]
    assert answer.headers["Referrer-Policy"] == "same-origin"
    for path in ("/_stcore/metrics", "/_stcore/agent/openapi.json"):
        assert site.get(path).status == 404
    assert site.get("/_stcore/health").status == 200
    large = {"Content-Length": str(60 * 2**20)}
    assert site.get("/_stcore/upload_file/a/b", method="PUT", **large).status == 413
    assert site.get("/anything", method="POST", **large).status == 413


def test_a_visitor_stays_and_goes_on_when_the_process_is_killed(site):
    name = site.server_of()
    cookie = f"ldp_server={name}"
    # Who has a cookie is sent where it says, and is given no other.
    assert [site.server_of(cookie) for _ in range(4)] == [None] * 4
    port = int(name[1:])
    before = site.pid_at(port)
    with Visitor(site.address, cookie) as visitor:
        assert not visitor.run(query="eps=3&k=7").problems
        os.kill(before, signal.SIGKILL)
    # The address has the settings: whoever comes again with it sees the same, from the other process, or from the one
    # that has taken the place, where that was quicker than the proxy.
    site.until(lambda: site.server_of(cookie) not in (None, name) or site.pid_at(port) not in (None, before))
    with Visitor(site.address, cookie) as visitor:
        said = visitor.run(query="eps=3&k=7")
        assert not said.problems
    site.until(lambda: site.pid_at(port) not in (None, before))
    site.until(lambda: {site.server_of() for _ in range(4)} == {f"p{port}" for port in site.ports})


def test_rooms_are_in_the_first_process_and_the_others_say_so(site):
    first, second = (f"p{port}" for port in site.ports)
    assert [site.server_of(path="/class") for _ in range(3)] == [first] * 3
    assert site.server_of(f"ldp_server={second}", "/class") == first
    with Visitor(site.address, f"ldp_server={second}") as visitor:
        # Who comes within the page asks for no address: there it is said.
        said = visitor.run("class")
        assert any("the rooms of live classes are in one of them" in text for text in said.texts)
    with Visitor(site.address, f"ldp_server={first}") as visitor:
        assert not any("live classes are in one" in text for text in visitor.run("class").texts)


def test_all_processes_together_have_a_worker_for_each_core_and_two_each(site):
    for port in site.ports:
        environment = Path(f"/proc/{site.pid_at(port)}/environ").read_bytes().split(b"\0")
        number = next(line for line in environment if line.startswith(b"LDP_EXPLORER_WORKERS="))
        expected = os.environ.get("LDP_EXPLORER_WORKERS", str(max(2, cores() // 2)))
        assert number.decode() == f"LDP_EXPLORER_WORKERS={expected}"


def _look_on(sync_playwright, where, site):
    """Open a page, kill its process while it computes, and look whether the page comes to its end."""
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=where, args=FLAGS)
        context = browser.new_context()
        context.set_default_timeout(PATIENCE_MS)
        page = context.new_page()
        # Long enough to be at it when the process is killed.
        page.goto(f"{site.address}/compare?eps=1.25&k=300&runs=20&iterations=3000&tol=0&seed=41")
        page.wait_for_selector('[data-testid="stProgress"], [data-testid="stPlotlyChart"]')
        (cookie,) = (cookie for cookie in context.cookies() if cookie["name"] == "ldp_server")
        port = int(cookie["value"][1:])
        os.kill(site.pid_at(port), signal.SIGKILL)
        page.wait_for_selector('[data-testid="stApp"]:not([data-test-connection-state="CONNECTED"])')
        page.wait_for_selector(READY)
        page.wait_for_selector('[data-testid="stPlotlyChart"] .main-svg')
        assert "eps=1.25" in page.url
        assert "k=300" in page.url
        assert page.get_by_role("slider", name="ε").first.get_attribute("aria-valuetext") == "1.25"
        browser.close()


def test_a_browser_has_its_settings_and_its_chart_after_its_process_was_killed(site):
    """Nobody does anything but look: the page connects again by itself, and has what is in its address computed."""
    playwright_api = pytest.importorskip("playwright.sync_api")
    where = chromium()
    if where is None:
        pytest.skip(HOW_TO_GET_ONE)
    in_a_thread(_look_on, playwright_api.sync_playwright, where, site)
    site.until(lambda: {site.server_of() for _ in range(4)} == {f"p{port}" for port in site.ports})


def test_processes_are_renewed_one_after_the_other(site):
    before = {port: site.pid_at(port) for port in site.ports}
    site.process.send_signal(signal.SIGHUP)

    def renewed():
        assert site.get("/_stcore/health").status == 200
        return all(site.pid_at(port) not in (None, before[port]) for port in site.ports)

    site.until(renewed)
    site.until(lambda: {site.server_of() for _ in range(4)} == {f"p{port}" for port in site.ports})
