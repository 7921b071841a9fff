"""Starts the processes and the proxy, starts again what ends, and renews the processes one after the other."""

from __future__ import annotations

import contextlib
import errno
import http.client
import logging
import os
import re
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from deploy.config import Door, name_of
from ldpcore.sweep.workers import cores

ROOT = Path(__file__).resolve().parent.parent
_LOG = logging.getLogger("deploy")
# Seconds: between two looks, until a process answers, until it ends, between two starts of one that does not stay.
_LOOK, _PATIENCE, _LAST_WORDS, _LONGEST_PAUSE = 0.2, 90.0, 10.0, 30.0
# One that has answered, is asked so often, and then does not answer for so many seconds is ended and started again.
_ASK, _SILENCE = 5.0, 60.0
# What a process is started by: Linux ends it with the supervisor, also with one that is killed. (With the thread that
# starts it, to be exact: so the main one does.) Not by `preexec_fn`, which may stop for ever where threads are.
_BOUND = """
import ctypes, os, signal, sys
try:
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)
except (AttributeError, OSError, TypeError):
    pass  # not on Linux
if os.getppid() == int(sys.argv[1]):
    os.execvp(sys.argv[2], sys.argv[2:])
"""


class Process:
    """A process that is to run: one of the dashboards, or the proxy."""

    def __init__(self, name: str, command: Sequence[str], environment: Mapping[str, str]) -> None:
        self.name, self._command, self._environment = name, list(command), dict(environment)
        self._process: subprocess.Popen[bytes] | None = None
        self._pause, self._not_before = 0.5, 0.0
        self._started = 0.0
        self._lock = threading.Lock()
        self.heard: float | None = None  # when it last answered; None until it first does

    @property
    def pid(self) -> int | None:
        """Its number, while it runs."""
        return None if self._process is None or self._process.poll() is not None else self._process.pid

    def keep(self) -> None:
        """Start it if it does not run; one that ends at once is started again after longer and longer pauses.

        To be called in the main thread.
        """
        if self._lock.acquire(blocking=False):  # else it is being renewed
            try:
                self._keep()
            finally:
                self._lock.release()

    def _keep(self) -> None:
        if self.pid is not None or time.monotonic() < self._not_before:
            return
        if self._process is not None:
            stayed = time.monotonic() - self._started > _LONGEST_PAUSE
            self._pause = 0.5 if stayed else min(2 * self._pause, _LONGEST_PAUSE)
            _LOG.warning("%s ended with %s and is started again", self.name, self._process.returncode)
        self._started, self.heard = time.monotonic(), None
        self._not_before = self._started + self._pause
        command = [sys.executable, "-c", _BOUND, str(os.getpid()), *self._command]
        try:
            self._process = subprocess.Popen(  # noqa: S603 - our own commands
                command, cwd=ROOT, env=self._environment, stdin=subprocess.DEVNULL
            )
        except OSError as problem:  # such as too many processes, or a Python that is just being replaced
            self._process, self._not_before = None, self._started + _LONGEST_PAUSE
            _LOG.error("%s cannot be started (%s) and is tried again later", self.name, problem)

    def ask_to_end(self) -> None:
        """Ask it to end, and do not wait."""
        if self._process is not None and self.pid is not None:
            self._process.terminate()

    def wait(self, until: float) -> None:
        """Wait until it has ended, and end it if it does not until then."""
        if self._process is None:
            return
        try:
            self._process.wait(max(0.0, until - time.monotonic()))
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def renew(self) -> None:
        """End it, to be started anew by `keep`."""
        with self._lock:
            self.ask_to_end()
            self.wait(time.monotonic() + _LAST_WORDS)
            self._process, self._not_before, self.heard = None, 0.0, None

    @property
    def silent(self) -> bool:
        """Whether it has answered, and no longer does."""
        return self.pid is not None and self.heard is not None and time.monotonic() - self.heard > _SILENCE


class Supervisor:
    """The dashboards and their proxy.

    `run` ends with SIGTERM or SIGINT. SIGHUP renews the dashboards one after the other, after an upgrade: each is given
    `drain` seconds in which it gets no new visitors.
    """

    def __init__(
        self, door: Door, folder: Path, *, host: str = "", drain: float = 10.0, haproxy: str = "haproxy"
    ) -> None:
        self.door, self._drain = door, drain
        config = folder / "haproxy.cfg"
        config.write_text(door.config(), encoding="utf-8")
        # Tokens of forms are signed: all processes must know each other's.
        shared = os.environ | {"STREAMLIT_SERVER_COOKIE_SECRET": secrets.token_hex(32)}
        # All processes together have a worker for each core; but with a single one, whoever has something long computed
        # would hold up everybody else at that process.
        if not shared.get("LDP_EXPLORER_WORKERS", "").strip():  # compose files and units may set a variable to nothing
            shared["LDP_EXPLORER_WORKERS"] = str(max(2, cores() // len(door.ports)))
        if not door.uploads:
            shared["LDP_EXPLORER_UPLOADS"] = "off"
        # Rooms of live classes are in the first one, and the others say so.
        elsewhere = shared | {"LDP_EXPLORER_ROOMS": "elsewhere"}
        self.dashboards = {
            port: Process(name_of(port), _dashboard(port, door, host), elsewhere if number else shared)
            for number, port in enumerate(door.ports)
        }
        self.proxy = Process("haproxy", [haproxy, "-W", "-db", "-f", str(config)], os.environ)
        self._over, self._renewing = threading.Event(), threading.Event()

    def run(self) -> None:
        """Keep everything running until a signal says that it is over."""
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: self._over.set())
        signal.signal(signal.SIGHUP, lambda *_: self._renewing.set())
        _raise_limit_of_files()
        listener = threading.Thread(target=self._listen, daemon=True)
        renewal = threading.Thread(target=self._renew, daemon=True)
        listener.start()
        try:
            while not self._over.wait(_LOOK):
                for process in (*self.dashboards.values(), self.proxy):
                    if process.silent:
                        _LOG.error("%s does not answer any more and is started again", process.name)
                        process.renew()
                    process.keep()
                if self._renewing.is_set() and not renewal.is_alive():
                    self._renewing.clear()
                    # Beside this: whatever else ends meanwhile is started again all the same.
                    renewal = threading.Thread(target=self._renew, daemon=True)
                    renewal.start()
        finally:
            self._over.set()
            if renewal.is_alive():
                renewal.join(_LAST_WORDS)
            processes = (self.proxy, *self.dashboards.values())
            for process in processes:
                process.ask_to_end()
            until = time.monotonic() + _LAST_WORDS
            for process in processes:
                process.wait(until)

    def _renew(self) -> None:
        for port, process in self.dashboards.items():
            self._tell(f"set server dashboards/{name_of(port)} state drain")
            if self._over.wait(self._drain):
                return
            process.renew()
            answers = self._answers(port)
            # Also where it does not answer: the proxy sends nobody there until it does, whenever that is.
            self._tell(f"set server dashboards/{name_of(port)} state ready")
            if not answers:
                _LOG.error("%s does not answer after its renewal; the others are left as they are", process.name)
                return
            # It answers; until its next look the proxy would take it for dead, and the next one is about to go.
            self._tell(f"set server dashboards/{name_of(port)} health up")
            _LOG.warning("%s is renewed", process.name)

    def _answers(self, port: int) -> bool:
        end = time.monotonic() + _PATIENCE
        while time.monotonic() < end and not self._over.is_set():
            if self._asked(port):
                return True
            time.sleep(_LOOK)
        return False

    def _asked(self, port: int) -> bool:
        """Ask a process for its health."""
        with contextlib.suppress(OSError, http.client.HTTPException):
            url = f"http://127.0.0.1:{port}{self.door.base.rstrip('/')}/_stcore/health"
            with urllib.request.urlopen(url, timeout=5) as answer:
                return bool(answer.status == 200)
        return False

    def _listen(self) -> None:
        """Note which processes answer: one that hangs does not end by itself, and the proxy only goes round it."""
        # All at once: behind a dozen that hang, those that answer would be asked too seldom, and seem to hang too.
        with ThreadPoolExecutor(len(self.dashboards)) as threads:
            while not self._over.wait(_ASK):
                for process, answers in zip(
                    self.dashboards.values(), threads.map(self._asked, self.dashboards), strict=True
                ):
                    if answers:
                        process.heard = time.monotonic()

    def _tell(self, command: str) -> None:
        """Tell the proxy something; if it is just being started again, its checks of health will do."""
        with contextlib.suppress(OSError), socket.socket(socket.AF_UNIX) as wire:
            wire.connect(self.door.socket)
            wire.sendall(f"{command}\n".encode())
            wire.recv(1024)


def busy(ports: Iterable[int]) -> list[int]:
    """Return the ports that others have: what is left there of an earlier start would answer in place of ours."""
    return [port for port in ports if _refusal("127.0.0.1", port) is not None]


def is_taken(bind: str) -> bool:
    """Tell whether others have the proxy's own place, as far as that is an address of this machine and a port.

    Two proxies of one user would share it, and visitors, one by one, be sent to either. What else may be wrong with it,
    such as a port that takes rights, the proxy itself knows better.
    """
    place = re.fullmatch(r"(\*|[\d.]*):(\d{1,5})", bind)
    if place is None or int(place[2]) > 65_535:
        return False
    refusal = _refusal(place[1].strip("*"), int(place[2]))
    return refusal is not None and refusal.errno == errno.EADDRINUSE


def _refusal(address: str, port: int) -> OSError | None:
    """Return why nobody can listen at a port; None if one can."""
    with socket.socket() as door:
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            door.bind((address, port))
        except OSError as problem:
            return problem
    return None


def _dashboard(port: int, door: Door, host: str) -> list[str]:
    flags = {"server.address": "127.0.0.1", "server.port": port, "server.headless": "true"}
    if door.base:
        flags["server.baseUrlPath"] = door.base.strip("/")
    if door.framed_elsewhere:
        # In a frame of another site a browser sends no other cookie, and without it files are refused.
        flags["server.xsrfCookieSameSite"] = "none"
    if host:
        # The name in the visitor's address bar: sockets from pages of other names are refused.
        flags["browser.serverAddress"] = host
    return [sys.executable, "-m", "streamlit", "run", "app.py", *(f"--{name}={value}" for name, value in flags.items())]


def _raise_limit_of_files() -> None:
    """Allow as many open files as the system lets: every visitor takes a few, and 256 end a server at 80 visitors."""
    import resource

    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
