"""What keeps the processes running, tried on processes that only sleep."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time

import pytest

from deploy import supervisor
from deploy.config import Door
from deploy.supervisor import Process, Supervisor

SLEEP = [sys.executable, "-c", "import time; time.sleep(60)"]


@pytest.fixture
def kept(monkeypatch, tmp_path):
    """A supervisor that runs while `script`, given to the returned function, does something to it."""
    monkeypatch.setattr(supervisor, "_LOOK", 0.02)
    monkeypatch.setattr(supervisor, "_ASK", 0.02)
    monkeypatch.setattr(supervisor, "_dashboard", lambda *_: SLEEP)
    handlers = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)}
    site = Supervisor(Door(":1", (1, 2), "/nowhere"), tmp_path, drain=0.0)
    site.proxy = Process("proxy", SLEEP, os.environ)
    problems = []

    def run(script):
        def scripted():
            try:
                until(lambda: all(process.pid for process in (*site.dashboards.values(), site.proxy)))
                script(site)
            except BaseException as problem:
                problems.append(problem)
            finally:
                site._over.set()

        thread = threading.Thread(target=scripted)
        thread.start()
        site.run()
        thread.join()
        if problems:
            raise problems[0]

    yield run
    for number, handler in handlers.items():
        signal.signal(number, handler)


def until(true, seconds=10):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)
    assert true()


def test_a_process_that_hangs_is_started_again(kept, monkeypatch):
    """It did not end, so that nobody started it again, and the proxy went round it for ever."""
    monkeypatch.setattr(supervisor, "_SILENCE", 0.5)
    hung = threading.Event()

    def script(site):
        first, second = site.dashboards.values()
        before = (first.pid, second.pid)
        until(lambda: first.heard is not None and second.heard is not None)
        hung.set()
        until(lambda: second.pid not in (None, before[1]))
        assert first.pid == before[0]
        # One that has not answered yet may still be starting.
        pid = second.pid
        time.sleep(1)
        assert second.pid == pid

    monkeypatch.setattr(Supervisor, "_asked", lambda self, port: port == 1 or not hung.is_set())
    kept(script)


def test_while_processes_are_renewed_the_others_are_kept_alive(kept, monkeypatch):
    """A proxy that ended while the first process drained was missed until the last was renewed."""
    go_on = threading.Event()
    monkeypatch.setattr(Supervisor, "_asked", lambda self, port: True)
    monkeypatch.setattr(Supervisor, "_answers", lambda self, port: go_on.wait(10))

    def script(site):
        before = {port: process.pid for port, process in site.dashboards.items()}
        proxy = site.proxy.pid
        site._renewing.set()
        until(lambda: site.dashboards[1].pid not in (None, before[1]))
        os.kill(proxy, signal.SIGKILL)
        until(lambda: site.proxy.pid not in (None, proxy))
        assert site.dashboards[2].pid == before[2]
        go_on.set()
        until(lambda: site.dashboards[2].pid not in (None, before[2]))

    kept(script)
