"""Who computes: workers where there are some, and the server where there are none."""

import os

import pytest

from ldpui.computing import compute, pool


def test_a_visitor_who_has_gone_leaves_the_work(monkeypatch):
    class Runtime:
        @staticmethod
        def exists():
            return True

        @staticmethod
        def instance():
            return Runtime

        @staticmethod
        def is_active_session(session):
            return False

    stopped = []
    monkeypatch.setattr(compute, "Runtime", Runtime)
    monkeypatch.setattr(compute.st, "stop", lambda: stopped.append(True))
    monkeypatch.setattr(compute, "ABSENCE", 0.0)
    owner = compute._Owner()
    owner.look()  # nobody's script
    owner.session, owner.seen = "somebody", 0.0
    owner.look()
    assert stopped == [True]


@pytest.mark.parametrize("word", ["off", "0", "no"])
def test_a_host_can_do_without_workers(monkeypatch, word):
    monkeypatch.setenv(compute.WORKERS, word)
    assert compute._workers() == []


def test_without_workers_the_server_computes(monkeypatch):
    monkeypatch.setattr(compute, "_pool", None)
    assert compute.run(os.getpid) == os.getpid()
    assert list(compute.stream(abs, [(-1,), (-2,)])) == [(0, 1), (1, 2)]


def test_where_no_process_can_be_started_the_server_computes(monkeypatch):
    def refuse(self):
        raise OSError("no more processes")

    monkeypatch.setattr(pool.Process, "start", refuse)
    monkeypatch.delenv(compute.WORKERS, raising=False)
    assert compute._workers() == []
