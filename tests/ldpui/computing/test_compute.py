"""Who computes: workers where there are some, and the server where there are none."""

import os
import threading

import pytest
from app_steps import COMPARE, ESTIMATE, QUICK, assert_calm, open_page

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


@pytest.mark.parametrize("word", ["-1", "1.5", "none", " "])
def test_what_a_host_asks_for_and_cannot_be_is_said(monkeypatch, caplog, word):
    """There were workers without a word, where somebody may have meant to have none."""
    monkeypatch.setattr(pool.Process, "start", lambda self: None)
    monkeypatch.setenv(compute.WORKERS, word)
    monkeypatch.setenv(compute.CLUSTER, " ")
    assert len(compute._workers()) >= 2
    said = [record.getMessage() for record in caplog.records]
    assert ([f"{compute.WORKERS}: {word!r} is neither a number nor off" in words for words in said]) == [True] * bool(
        word.strip()
    )


@pytest.mark.parametrize(("word", "number"), [("1", 1), ("12", 12), ("13", 12), ("1000", 12), ("9" * 5_000, 12)])
def test_a_host_gets_at_most_four_workers_for_each_core(monkeypatch, caplog, word, number):
    """A thousand were started, for two cores."""
    monkeypatch.setattr(pool.Process, "start", lambda self: None)
    monkeypatch.setattr(compute, "cores", lambda: 3)
    monkeypatch.setenv(compute.WORKERS, word)
    monkeypatch.setenv(compute.CLUSTER, "")
    assert len(compute._workers()) == number
    assert [len(record.getMessage()) < 120 for record in caplog.records] == [True] * (word not in ("1", "12"))


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


class Here:
    """A worker that works in this process, and notes what it does."""

    def __init__(self):
        self.done = []

    def ask(self, job):
        self.done.append(job.arguments)
        return True, job.function(*job.arguments)

    def kill(self, job=None):
        pass

    def close(self):
        pass


@pytest.fixture
def worker(monkeypatch):
    worker = Here()
    workers = pool.Pool([worker])
    monkeypatch.setattr(compute, "_pool", workers)
    yield worker
    workers.close()


@pytest.mark.parametrize("wait", [True, False])
def test_what_a_page_has_begun_is_done_once(worker, wait):
    with compute.beginnings():
        compute.begin(pow, 2, 5, key="power")
        compute.begin(pow, 2, 5, key="power")
        if wait:  # the pool has forgotten what is done
            compute._begun_jobs()["power"].done.wait(10)
        assert compute.run(pow, 2, 5, key="power") == 32
        assert worker.done == [(2, 5)]
        assert compute.run(pow, 2, 5, key="power") == 32  # asked for twice, it is done again
    assert worker.done == [(2, 5), (2, 5)]


def test_what_a_page_did_not_ask_for_ends_with_it(worker):
    begun = threading.Event()
    with compute.beginnings():
        compute.begin(begun.wait, 10, key="first")  # so that the second waits
        compute.begin(pow, 2, 5, key="second")
        second = compute._begun_jobs()["second"]
        assert second.waiting
    assert not second.waiting
    begun.set()
    compute.run(pow, 3, 3)
    assert (2, 5) not in worker.done


def test_outside_of_a_page_nothing_is_begun(worker):
    compute.begin(pow, 2, 5, key="power")
    assert compute.run(pow, 3, 3, key="power") == 27
    assert worker.done == [(3, 3)]


def test_what_has_no_key_is_not_begun(worker):
    with compute.beginnings():
        compute.begin(pow, 2, 5, key=None)
        assert compute.run(pow, 3, 3) == 27  # and not what another call has begun
    assert worker.done == [(3, 3)]


@pytest.mark.parametrize("page", [ESTIMATE, COMPARE])
def test_pages_ask_for_what_they_have_begun(worker, page, monkeypatch):
    begin, begun = compute.begin, []

    def noted(function, *arguments, key):
        begun.append(arguments)
        begin(function, *arguments, key=key)

    monkeypatch.setattr(compute, "begin", noted)
    state = QUICK | {"seed": 4712.0}
    assert_calm(open_page(page, state))
    assert begun
    for arguments in begun:
        assert worker.done.count(arguments) == 1  # not begun in vain, and then done again
    begun.clear()
    assert_calm(open_page(page, state))
    assert begun == []  # what is known need not be begun
