"""The workers: what they compute, in whose turn, and what becomes of work that is left, too large, or killed."""

import os
import signal
import threading
import time
from contextlib import suppress
from pathlib import Path

import pytest
from app_steps import QUICK, assert_calm, metrics, open_page
from worker_tasks import pid_after

import ldpcore as ldp
from ldpui.computing import compute, pool, work
from ldpui.computing.pool import Job, Pool, WorkerGoneError


@pytest.fixture(scope="module")
def workers():
    """Two processes, as a server has them."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(compute.WORKERS, "2")
        compute.start()
        yield compute._pool
        compute.stop()


def job(function, *arguments, seconds=60.0):
    return Job(function, arguments, None, seconds)


def test_work_is_done_in_other_processes_and_gives_the_same(workers):
    setting = ldp.Setting(data="poisson", mechanism="GRR", n=500, k=5, runs=2, max_iter=20)
    assert compute.run(os.getpid) != os.getpid()
    assert compute.run(os.nice, 0) > os.nice(0)  # whoever looks at a page goes before it
    assert (compute.run(work.run, setting, None).ibu == ldp.run(setting).ibu).all()
    answers = dict(answer for answer in compute.stream(pow, [(2, n) for n in range(6)]) if answer is not None)
    assert answers == {n: 2**n for n in range(6)}


def test_what_the_library_refuses_is_refused_here_too(workers):
    setting = ldp.Setting(data="poisson", n=500, k=5, runs=2, max_iter=20)
    with pytest.raises(ldp.Refused, match="data must have the setting's n"):
        compute.run(work.run, setting, ldp.Setting(data="poisson", n=400, k=5).make_histogram())


def test_a_job_that_takes_too_long_is_a_sentence(workers):
    with pytest.raises(ldp.Refused, match=r"longer than 0\.2 seconds"):
        compute.run(time.sleep, 30, seconds=0.2)


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="memory is bounded on Linux alone")
def test_a_job_that_takes_too_much_memory_fails_alone(workers):
    with pytest.raises(MemoryError):
        compute.run(bytearray, 1 << 30, memory=64 << 20)
    assert len(compute.run(bytearray, 1 << 20, memory=64 << 20)) == 1 << 20


def killed_at_work(workers):
    """Kill the process of whatever is at work, once; give up where nothing ever is."""
    end = time.monotonic() + 30
    while time.monotonic() < end:
        with workers._changed:
            at_work = [job.worker._process.pid for job in workers._running if job.worker._process is not None]
        if at_work:
            with suppress(ProcessLookupError):  # it ended by itself meanwhile: the next one, then
                os.kill(at_work[0], signal.SIGKILL)
                return
        time.sleep(0.01)


@pytest.mark.slow
def test_a_killed_worker_costs_no_result(workers):
    compute.run(os.getpid)  # it is there
    killer = threading.Timer(0.2, killed_at_work, (workers,))
    killer.start()
    assert compute.run(pid_after, 0.5) != os.getpid()
    killer.join()


def test_work_that_kills_its_worker_is_given_up(workers):
    with pytest.raises(ldp.Refused, match="ended"):
        compute.run(os._exit, 3)
    assert compute.run(abs, -1) == 1


def test_a_page_loses_nothing_when_a_worker_is_killed(workers):
    query = QUICK | {"k": "200", "runs": "20", "iterations": "3000", "tol": "0", "eps": "1.25", "seed": "31"}
    killer = threading.Thread(target=killed_at_work, args=(workers,))
    killer.start()
    at = open_page(query=query)
    killer.join()
    assert_calm(at)
    assert not at.error
    assert at.select_slider(key="eps").value == "1.25"
    assert len(metrics(at)) == 6


class Gated:
    """A worker that does nothing before it is let, and remembers what it did."""

    def __init__(self):
        self.gate, self.done, self.kills = threading.Semaphore(0), [], 0
        self._killed = threading.Event()

    def ask(self, job):
        while not self.gate.acquire(timeout=0.01):
            if self._killed.is_set():
                self._killed.clear()
                raise WorkerGoneError
        self.done.append(job.arguments[0])
        return True, job.function(*job.arguments)

    def kill(self, job=None):
        self.kills += 1
        self._killed.set()

    def close(self):
        self.kill()


@pytest.fixture
def gated():
    worker = Gated()
    line = Pool([worker])
    yield worker, line
    line.close()


def test_owners_take_turns_however_much_they_have_lined_up(gated):
    worker, line = gated
    first = [line.submit(job(str, f"a{i}"), "a") for i in range(4)]
    second = [line.submit(job(str, f"b{i}"), "b") for i in range(2)]
    for _ in range(6):
        worker.gate.release()
    for done in first + second:
        assert done.done.wait(5)
    # The first was at work before the other came; then they take turns.
    assert worker.done[:5] == ["a0", "a1", "b0", "a2", "b1"] or worker.done[:5] == ["a0", "b0", "a1", "b1", "a2"]


def test_who_has_just_come_does_not_stand_behind_those_who_have_had_much(gated):
    """Ten tabs with something long each made a newcomer wait for a slice of every one of them."""
    worker, line = gated
    now = time.monotonic()
    for tab in range(10):
        line._shares.add(tab, 2.0, now)
    tabs = [line.submit(job(str, f"{tab}, {n}"), tab) for n in range(2) for tab in range(10)]
    wait_until(lambda: tabs[0].worker is not None)
    newcomer = line.submit(job(str, "new"), "new")
    for _ in range(21):
        worker.gate.release()
    for one in (*tabs, newcomer):
        assert one.done.wait(5)
    assert worker.done[:2] == ["0, 0", "new"]
    # Those who have had as much as each other still take turns.
    assert worker.done[2:11] == [f"{tab}, 0" for tab in range(1, 10)]


def test_what_was_done_for_somebody_is_counted_to_them(gated):
    worker, line = gated
    one = line.submit(job(time.sleep, 0.6), "a")
    worker.gate.release()
    assert one.done.wait(5)
    assert [line._shares.steps(owner, time.monotonic()) for owner in ("a", "b")] == [1, 0]


def test_who_asks_for_what_another_has_lined_up_waits_no_longer_for_it(gated):
    """It stayed where it was: behind all that the other had lined up before it."""
    worker, line = gated
    first = [line.submit(job(str, f"a{i}"), "a", key=i) for i in range(6)]
    wait_until(lambda: first[0].worker is not None)
    assert line.submit(job(str, "b"), "b", key=5) is first[5]
    assert line.submit(job(str, "b"), "b", key=5) is first[5]
    assert line.busy == 6
    for _ in range(6):
        worker.gate.release()
    for done in first:
        assert done.done.wait(5)
    assert sorted(worker.done) == [f"a{i}" for i in range(6)]  # each once
    assert worker.done.index("a5") <= 2  # in one's first turn


def test_who_leaves_what_two_have_asked_for_takes_it_from_nobody_else(gated):
    worker, line = gated
    first = [line.submit(job(str, f"a{i}"), "a", key=i) for i in range(3)]
    wait_until(lambda: first[0].worker is not None)
    for owner in ("b", "c"):
        line.submit(job(str, owner), owner, key=2)
    line.leave(first[2], "b")
    line.leave(first[2], "a")
    for _ in range(3):
        worker.gate.release()
    assert first[2].done.wait(5)
    wait_until(lambda: line.busy == 0)
    assert sorted(worker.done) == ["a0", "a1", "a2"]


@pytest.mark.slow
def test_a_job_that_is_over_is_not_ended_in_the_next_ones_place():
    """A job that ended in the moment in which its time was over cost the next one its worker."""
    worker = pool.Process()
    over, next_one = job(os.getpid), job(pid_after, 0.6)
    try:
        ok, pid = worker.ask(over)
        assert ok
        answers = []
        thread = threading.Thread(target=lambda: answers.append(worker.ask(next_one)))
        thread.start()
        time.sleep(0.2)
        worker.kill(over)
        thread.join()
        assert answers == [(True, pid)]
    finally:
        worker.close()


def wait_until(true):
    end = time.monotonic() + 5
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


def test_an_owner_in_company_leaves_one_worker_to_others(monkeypatch):
    monkeypatch.setattr(pool, "SHARE", 0.05)
    workers, company = [Gated(), Gated(), Gated()], threading.Event()
    company.set()
    line = Pool(workers, lambda owner: company.is_set())
    try:
        mine = [line.submit(job(str, f"a{i}"), "a") for i in range(4)]
        wait_until(lambda: sum(one.worker is not None for one in mine) == 2)
        time.sleep(0.2)  # more than enough to look again
        assert sum(one.worker is not None for one in mine) == 2
        # The other's is taken at once, by the worker that was left.
        other = line.submit(job(str, "b"), "b")
        wait_until(lambda: other.worker is not None)
        workers[workers.index(other.worker)].gate.release()
        assert other.done.wait(5)
        # Alone, one has all of them.
        company.clear()
        wait_until(lambda: sum(one.worker is not None for one in mine) == 3)
    finally:
        line.close()


def test_with_one_worker_nobody_has_to_leave_it():
    worker = Gated()
    line = Pool([worker], lambda owner: True)
    try:
        one = line.submit(job(str, "x"), "a")
        worker.gate.release()
        assert one.done.wait(5)
    finally:
        line.close()


def test_equal_requests_are_one_and_live_as_long_as_somebody_waits(gated):
    worker, line = gated
    one = line.submit(job(str, "x"), "a", key="same")
    assert line.submit(job(str, "x"), "b", key="same") is one
    line.leave(one, "a")
    worker.gate.release()
    assert one.done.wait(5)
    assert (one.result(), worker.done) == ("x", ["x"])


def test_what_nobody_waits_for_is_ended(gated, monkeypatch):
    monkeypatch.setattr(pool, "GRACE", 0.05)
    worker, line = gated
    left, queued, wanted = (line.submit(job(str, name), name) for name in ("left", "queued", "wanted"))
    deadline = time.monotonic() + 5
    while left.worker is None and time.monotonic() < deadline:
        time.sleep(0.01)
    line.leave(left, "left")
    line.leave(queued, "queued")
    assert left.done.wait(5)
    assert worker.kills == 1
    worker.gate.release()
    assert wanted.done.wait(5)
    assert worker.done == ["wanted"]
    assert line.busy == 0
