"""What keeps the processes running, tried on processes that only sleep."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from browser_steps import ROOT, free_port

from deploy import __main__ as command
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


@pytest.mark.skipif(not Path("/proc/self/cmdline").exists(), reason="asks Linux")
def test_processes_end_with_a_supervisor_that_is_killed():
    """They went on, held their ports, and answered in the place of those of the next one."""
    program = (
        "import os, time; from deploy.supervisor import Process; "
        f"process = Process('one', {SLEEP!r}, os.environ); process.keep(); "
        "print(process.pid, flush=True); time.sleep(60)"
    )
    with subprocess.Popen([sys.executable, "-c", program], cwd=ROOT, stdout=subprocess.PIPE, text=True) as parent:
        child = int(parent.stdout.readline())
        until(lambda: b"prctl" not in _command(child))  # it is what it was to become
        parent.kill()
    until(lambda: not _command(child))


def _command(pid):
    """The words by which a process was started; none once it has ended."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


def test_a_process_that_cannot_be_started_is_tried_again(monkeypatch, caplog):
    """The error went up to where everything is kept running, and ended all of it."""
    process = Process("one", SLEEP, os.environ)

    def popen(*_, **__):
        raise BlockingIOError("no more processes")

    with monkeypatch.context() as patch:
        patch.setattr(supervisor.subprocess, "Popen", popen)
        process.keep()
    assert process.pid is None
    assert "no more processes" in caplog.text
    process.keep()
    assert process.pid is None  # not at once
    process._not_before = 0.0
    process.keep()
    assert process.pid is not None
    process.renew()


def test_a_renewal_that_fails_leaves_the_process_to_the_proxy(kept, monkeypatch):
    """It was told to send nobody there any more, and never told otherwise, also when the process came later."""
    said = []
    monkeypatch.setattr(Supervisor, "_asked", lambda self, port: True)
    monkeypatch.setattr(Supervisor, "_answers", lambda self, port: False)
    monkeypatch.setattr(Supervisor, "_tell", lambda self, words: said.append(words.split()[-2:]))

    def script(site):
        second = site.dashboards[2].pid
        site._renewing.set()
        until(lambda: len(said) == 2)
        assert said == [["state", "drain"], ["state", "ready"]]
        until(lambda: site.dashboards[1].pid is not None)
        assert site.dashboards[2].pid == second

    kept(script)


def test_those_that_hang_do_not_make_others_seem_silent(monkeypatch, tmp_path):
    monkeypatch.setattr(supervisor, "_ASK", 0.02)
    site = Supervisor(Door(":1", tuple(range(1, 21)), "/nowhere"), tmp_path)
    monkeypatch.setattr(Supervisor, "_asked", lambda self, port: port == 20 or bool(time.sleep(0.2)))
    thread = threading.Thread(target=site._listen)
    thread.start()
    until(lambda: site.dashboards[20].heard is not None, seconds=2)  # one after the other they take four
    site._over.set()
    thread.join()


def test_all_are_asked_to_end_before_any_is_waited_for(kept, monkeypatch, tmp_path):
    monkeypatch.setattr(Supervisor, "_asked", lambda self, port: True)
    monkeypatch.setattr(supervisor, "_LAST_WORDS", 1.0)
    deaf = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); open({!r}, 'w'); time.sleep(60)"
    begin = []

    def script(site):
        for port, process in site.dashboards.items():
            process._command = [sys.executable, "-c", deaf.format(str(tmp_path / str(port)))]
            process.renew()
        until(lambda: (tmp_path / "1").exists() and (tmp_path / "2").exists())
        begin.append(time.monotonic())

    kept(script)
    assert 0.9 < time.monotonic() - begin[0] < 1.9  # a second for all of them, not for each


def test_a_port_that_is_taken_is_a_sentence(monkeypatch, capsys):
    monkeypatch.setattr(command.shutil, "which", lambda name: name)
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        monkeypatch.setattr(sys, "argv", ["deploy", "--processes", "1", "--first-port", str(port)])
        assert command.main() == 1
    assert f"something else listens at {port}" in capsys.readouterr().err
    assert supervisor.busy([free_port()]) == []


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="needs HAProxy: apt-get install haproxy")
def test_a_door_that_is_taken_is_a_sentence(monkeypatch, capsys):
    """The dashboards were started, and the proxy again and again; or it shared the place with another one."""
    monkeypatch.setattr(command.Supervisor, "run", lambda site: pytest.fail("it was started"))
    first = free_port()
    with socket.create_server(("127.0.0.1", 0), reuse_port=True) as other:
        port = other.getsockname()[1]
        for bind in (f"127.0.0.1:{port}", f":{port}", f"*:{port}"):
            options = ["--processes", "1", "--first-port", str(first), "--bind", bind]
            monkeypatch.setattr(sys, "argv", ["deploy", *options])
            assert command.main() == 1
            assert f"something else listens at {bind}" in capsys.readouterr().err
    assert not any(
        map(supervisor.is_taken, (f":{port}", f"127.0.0.1:{port}", ":99999", "unix@/x", "a:1", "198.51.100.1:1"))
    )


@pytest.mark.parametrize("empty", ["", " "])
def test_a_variable_that_says_nothing_is_none(empty, monkeypatch, tmp_path):
    """Each process had as many workers as there are cores."""
    monkeypatch.setattr(supervisor, "cores", lambda: 8)
    monkeypatch.setenv("LDP_EXPLORER_WORKERS", empty)
    site = Supervisor(Door(":1", (1, 2), ""), tmp_path)
    assert [process._environment["LDP_EXPLORER_WORKERS"] for process in site.dashboards.values()] == ["4", "4"]
    monkeypatch.setenv("LDP_EXPLORER_WORKERS", "off")
    site = Supervisor(Door(":1", (1, 2), ""), tmp_path)
    assert [process._environment["LDP_EXPLORER_WORKERS"] for process in site.dashboards.values()] == ["off", "off"]


@pytest.mark.parametrize(
    ("options", "words"),
    [
        # Tracebacks.
        ("--first-port 70000", "--first-port: must be a number from 1 to 65,535; got '70000'"),
        ("--first-port -5", "got '-5'"),
        ("--first-port 65535", "no ports beyond 65535"),
        ("--bind a\nb", "must be one line without quotes"),
        # These were started, and answered nobody, or everybody with 429.
        ("--requests -5", "--requests: must be a number from 1"),
        ("--connections 0", "--connections: must be a number from 1"),
        ("--drain nan", "--drain: must be a number from 0"),
        ("--base /ldp?x", "--base: must be a path"),
        ("--host https://ldp.example.org/", "--host: must be a name"),
        ("--processes 65", "--processes: must be a number from 1 to 64"),
    ],
)
def test_options_that_cannot_be_are_sentences(options, words, monkeypatch, capsys):
    name, value = options.split(" ", 1)
    monkeypatch.setattr(sys, "argv", ["deploy", "--print-config", name, value])
    with suppress(SystemExit):  # argparse's way
        assert command.main() == 1
    out, err = capsys.readouterr()
    assert (words in err, "Traceback" in err, out) == (True, False, "")


def test_a_path_is_the_same_with_and_without_its_strokes(monkeypatch, capsys):
    """Without the first one the proxy asked for health where there is none, and sent nobody anywhere."""
    for base in ("ldp", "/ldp", "ldp/", "/ldp/"):
        monkeypatch.setattr(sys, "argv", ["deploy", "--print-config", "--base", base])
        assert command.main() == 0
        assert "option httpchk GET /ldp/_stcore/health\n" in capsys.readouterr().out


@pytest.mark.skipif(shutil.which("haproxy") is None, reason="needs HAProxy: apt-get install haproxy")
@pytest.mark.parametrize(("option", "value"), [("--bind", "nonsense"), ("--certificate", "no-such-file.pem")])
def test_what_the_proxy_does_not_take_starts_nothing(option, value, monkeypatch, capsys):
    """The dashboards were started, and the proxy again and again."""
    monkeypatch.setattr(command.Supervisor, "run", lambda site: pytest.fail("it was started"))
    monkeypatch.setattr(sys, "argv", ["deploy", "--processes", "1", "--first-port", str(free_port()), option, value])
    assert command.main() == 1
    told = capsys.readouterr().err
    assert "HAProxy does not take these options" in told
    assert value in told


def test_a_configuration_to_be_used_alone_has_no_socket_for_the_supervisor(monkeypatch, capsys):
    """It named a folder that was gone when it was printed, and HAProxy refused to start with it."""
    monkeypatch.setattr(sys, "argv", ["deploy", "--print-config"])
    assert command.main() == 0
    config = capsys.readouterr().out
    assert "frontend door" in config
    assert "stats socket" not in config


@pytest.mark.parametrize(
    ("ancestors", "cookie", "flag"),
    [
        ("'self'", 'attr "SameSite=Lax"\n', None),
        ("'none'", 'attr "SameSite=Lax"\n', None),
        ("'self' https://lms.example.org", 'attr "SameSite=None" secure\n', "--server.xsrfCookieSameSite=none"),
        ("https://lms.example.org", 'attr "SameSite=None" secure\n', "--server.xsrfCookieSameSite=none"),
    ],
)
def test_cookies_go_where_frames_go(ancestors, cookie, flag):
    """In a frame of another site browsers sent none: files were refused, and visitors did not stay at their process."""
    door = Door(":1", (1,), "", ancestors=ancestors)
    assert door.config().count(cookie) == 2
    words = supervisor._dashboard(1, door, "")
    assert [word for word in words if "SameSite" in word] == ([flag] if flag else [])
