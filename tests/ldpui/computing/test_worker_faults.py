"""Workers that break, hang or hold on to things: what they may cost, and what not."""

import gc
import os
import pickle
import subprocess
import sys
import threading
import time
import weakref
from pathlib import Path

import pytest
from app_steps import ROOT
from worker_tasks import Unreadable

import ldpcore as ldp
from ldpcore.tables.dialect import Encoding, NotInEncodingError, RowError
from ldpui import sweeps
from ldpui.computing import compute, pool
from ldpui.computing.pool import Job, Pool, Process, WorkerGoneError

LINUX = pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="asks Linux")


def job(function, *arguments, seconds=60.0, long=False):
    return Job(function, arguments, None, seconds, long)


def wait_until(true, seconds=5):
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.01)
    assert true()


class Stubborn:
    """A worker in this process that works until it is let go, or killed, which it may not hear."""

    def __init__(self, deaf=0, broken=0):
        self.go, self.killed, self.asked = threading.Event(), threading.Event(), 0
        self._deaf, self._broken, self.kills = deaf, broken, 0

    def ask(self, job):
        self.asked += 1
        while not self.go.wait(0.01):
            if self.killed.is_set():
                self.killed.clear()
                raise WorkerGoneError
        return True, job.function(*job.arguments)

    def kill(self, job=None):
        self.kills += 1
        if self.kills <= self._broken:
            raise OSError("no such process")
        if self.kills > self._deaf:
            self.killed.set()

    def close(self):
        self.go.set()


@pytest.fixture
def pool_of():
    pools = []

    def make(*workers, company=lambda owner: False):
        pools.append(Pool(list(workers), company))
        return pools[-1]

    yield make
    for one in pools:
        for worker in one._workers:
            worker.close()
        one.close()


def test_a_kill_that_is_lost_comes_again(pool_of, monkeypatch):
    """Only one was sent: a job whose process was just starting went on for ever."""
    monkeypatch.setattr(pool, "_AGAIN", 0.02)
    worker = Stubborn(deaf=2)
    one = pool_of(worker).submit(job(str, "x", seconds=0.02), "a")
    assert one.done.wait(5)
    assert worker.kills == 3
    with pytest.raises(ldp.Refused, match=r"longer than 0\.02 seconds"):
        one.result()


def test_a_kill_that_fails_does_not_end_the_watch(pool_of, monkeypatch):
    monkeypatch.setattr(pool, "_AGAIN", 0.02)
    worker = Stubborn(broken=1)
    one = pool_of(worker).submit(job(str, "x", seconds=0.02), "a")
    assert one.done.wait(5)
    assert worker.kills == 2


class Thing:
    """What can be looked for."""


def test_a_pool_at_rest_holds_nothing_of_the_last_job(pool_of):
    worker = Stubborn()
    worker.go.set()
    line, thing = pool_of(worker), Thing()
    one = line.submit(job(lambda thing: thing, thing), "a")
    assert one.done.wait(5)
    gone = weakref.ref(thing)
    del thing, one

    def forgotten():
        gc.collect()
        return gone() is None

    wait_until(forgotten)


def test_a_job_that_is_left_does_not_wait_for_its_turn_to_be_dropped(pool_of):
    line = pool_of(Stubborn())
    first, queued = line.submit(job(str, "x"), "a"), line.submit(job(str, "y"), "b")
    wait_until(lambda: first.worker is not None)
    line.leave(queued, "b")
    assert queued not in [one for queue in line._queues.values() for one in queue]


def test_long_jobs_leave_one_worker_to_the_short_ones(pool_of):
    """Two visitors who had files counted held both workers, and everybody else up."""
    workers = [Stubborn(), Stubborn()]
    line = pool_of(*workers, company=lambda owner: True)
    long = [line.submit(job(str, "x", long=True), owner) for owner in ("a", "b", "c")]
    wait_until(lambda: sum(one.worker is not None for one in long) == 1)
    short = line.submit(job(str, "y"), "d")
    wait_until(lambda: short.worker is not None)
    for worker in workers:
        worker.go.set()
    assert all(one.done.wait(5) for one in (*long, short))


def test_who_is_alone_has_long_jobs_on_all_workers(pool_of):
    line = pool_of(Stubborn(), Stubborn())
    long = [line.submit(job(str, "x", long=True), "a") for _ in range(2)]
    wait_until(lambda: all(one.worker is not None for one in long))


def test_equal_sweeps_of_two_visitors_are_computed_once(pool_of, monkeypatch):
    """Parts had no key: each visitor's own were computed."""
    worker = Stubborn()
    monkeypatch.setattr(compute, "_pool", pool_of(worker))
    settings = [ldp.Setting(data="poisson", k=k, n=500, runs=2, max_iter=9, seed=7) for k in (4, 5, 6)]
    found = []

    def visit():
        found.append(dict(sweeps.simulated(settings, None, ("mi", "ibu"), lambda done, total: None)))

    visitors = [threading.Thread(target=visit, daemon=True) for _ in range(2)]
    for visitor in visitors:
        visitor.start()
    known = compute._pool._known
    wait_until(lambda: len(known) == 3 and all(len(one.waiting) == 2 for one in list(known.values())))
    worker.go.set()
    for visitor in visitors:
        visitor.join(10)
    assert worker.asked == 3
    first, second = found
    assert list(first) == list(second) == settings
    for setting in settings:
        alone = ldp.run(setting).loss("ibu", "mse").values
        assert first[setting].of("ibu", "mse") == pytest.approx(alone)


# ---- processes ----------------------------------------------------------------------


@pytest.fixture(scope="module")
def process():
    one = Process()
    yield one
    one.close()


@pytest.mark.slow
def test_a_broken_answer_does_not_become_the_next(process):
    """What was left of it in the pipe was read as the answer to the next job, and so on."""
    with pytest.raises(WorkerGoneError):
        process.ask(job(Unreadable, 10_000))
    assert process.ask(job(abs, -3)) == (True, 3)


def test_what_cannot_be_sent_is_an_error_of_its_own_job(process):
    pid = process.ask(job(os.getpid))[1]
    ok, error = process.ask(job(threading.Lock))
    assert (ok, type(error)) == (False, TypeError)
    ok, error = process.ask(job(Unreadable.fail))
    assert (ok, type(error)) == (False, RuntimeError)
    assert "OddError: out of" in str(error)
    assert process.ask(job(os.getpid)) == (True, pid)


@pytest.mark.parametrize("error", [RowError(7, "it is odd", "age"), NotInEncodingError(4, Encoding("utf-16-le", 2))])
def test_refusals_of_files_arrive_as_they_are(error):
    again = pickle.loads(pickle.dumps(error))  # noqa: S301 - our own
    assert (type(again), str(again)) == (type(error), str(error))
    assert again.__dict__ == error.__dict__


@LINUX
def test_a_worker_writes_no_core(process):
    import resource

    assert process.ask(job(resource.getrlimit, resource.RLIMIT_CORE)) == (True, (0, 0))


@LINUX
def test_a_worker_at_rest_holds_nothing_of_the_last_job(process):
    """Up to 50 MB of somebody's file, and what was read of it, were there until the next job came."""
    pid = process.ask(job(os.getpid))[1]
    before, size = pool.resident(pid), 64 << 20
    assert process.ask(job(len, bytes(size))) == (True, size)
    wait_until(lambda: pool.resident(pid) - before < size // 2)
    assert len(process.ask(job(bytes, size))[1]) == size
    wait_until(lambda: pool.resident(pid) - before < size // 2)


@LINUX
def test_a_worker_that_has_grown_gives_its_place_to_another(process, monkeypatch):
    pid = process.ask(job(os.getpid))[1]
    monkeypatch.setattr(pool, "HOLDS_MOST", 1 << 20)
    assert process.ask(job(abs, -1)) == (True, 1)
    monkeypatch.undo()
    assert process.ask(job(os.getpid))[1] != pid


SERVER = """
import sys, threading
from ldpui.computing.pool import Job, Process
process = Process()
from worker_tasks import pid_after
print(process.start().pid, flush=True)
process.ask(Job(pid_after, (60,), None, 60.0))
"""


@pytest.mark.slow
@LINUX
@pytest.mark.parametrize("seconds", [0, 1], ids=["starting", "at work"])
def test_workers_end_with_a_server_that_is_killed(seconds):
    """One went on to the end of its job, for nobody; one that was just starting took another process for its server."""
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests/helpers")])
    environment = os.environ | {"PYTHONPATH": path}
    with subprocess.Popen([sys.executable, "-c", SERVER], stdout=subprocess.PIPE, env=environment, text=True) as server:
        pid = int(server.stdout.readline())
        time.sleep(seconds)
        server.kill()
    wait_until(lambda: not Path(f"/proc/{pid}").exists() or " Z " in Path(f"/proc/{pid}/stat").read_text(), 20)
