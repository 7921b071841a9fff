"""Processes that compute for all visitors: as many as there are cores, in turn for everybody who waits.

Here is nothing of Streamlit: what a worker imports of the dashboard is this file. The workers are those of
`ldpcore.sweep.workers`, which says why they are not those of a package; pebble's, which can be stopped and have time
limits, also import the main module of whoever starts them, which under Streamlit is the page.
"""

from __future__ import annotations

import os
import pickle
import subprocess
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

import ldpcore as ldp
from ldpcore.sweep.workers import end, serve

try:
    import resource
except ImportError:  # not on Windows, where a job's memory is not bounded
    resource = None  # type: ignore[assignment]

_START = "import sys; sys.path[:] = sys.argv[1:]; from ldpui.pool import attend; attend()"
# Who only looks at pages goes before who has something computed: workers leave the cores to the server, as `nice` says.
_NICE = 5
# One that nobody waits for any more is given so many seconds to come to its end; a new process costs as much.
GRACE = 0.3
# So often it is looked whether somebody who was left a worker is still there; seconds.
SHARE = 1.0
# A process may be killed from outside: its work is done again, once.
_ATTEMPTS = 2


class WorkerGoneError(Exception):
    """What worked on a job has ended, and the job with it."""


class Worker(Protocol):
    """One that does a job at a time."""

    def ask(self, job: Job) -> tuple[bool, Any]:
        """Do a job; return whether it worked, and the answer or the error. Raise WorkerGoneError if it ended."""

    def kill(self) -> None:
        """End the job at work, at once; the next one is done all the same."""

    def close(self) -> None:
        """End for good."""


@dataclass(eq=False)
class Job:
    """A call that somebody waits for.

    Attributes
    ----------
    function, arguments : what is called
    memory : bytes that it may take beyond what the process has already; None for any
    seconds : how long it may work
    waiting : those who wait for it, the first of whom it is counted to
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    memory: int | None
    seconds: float
    waiting: list[Hashable] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    answer: Any = None
    error: BaseException | None = None
    worker: Worker | None = None
    deadline: float = float("inf")
    late: bool = False
    heard: Any = None  # what it told last

    def result(self) -> Any:
        """Return what came of it, once it is done."""
        if self.error is not None:
            raise self.error
        return self.answer

    def finish(self, ok: bool, answer: Any) -> None:
        """Tell those who wait."""
        self.answer, self.error = (answer, None) if ok else (None, answer)
        self.done.set()


class Pool:
    """Jobs of many owners on a few workers: each owner in turn, whatever the others have lined up.

    `company` tells whether anybody else is there. Then one worker is left idle by an owner, as long as it has another:
    where all cores compute for one visitor, everybody else's pages take twice as long.
    """

    def __init__(self, workers: list[Worker], company: Callable[[Hashable], bool] = lambda owner: False) -> None:
        self._changed = threading.Condition()
        self._queues: OrderedDict[Hashable, deque[Job]] = OrderedDict()
        self._known: dict[Hashable, Job] = {}
        self._running: set[Job] = set()
        self._closed = False
        self._workers, self._company = workers, company
        self._threads = [threading.Thread(target=self._attend, args=(worker,), daemon=True) for worker in workers]
        self._threads.append(threading.Thread(target=self._watch, daemon=True))
        for thread in self._threads:
            thread.start()

    def submit(self, job: Job, owner: Hashable, key: Hashable = None) -> Job:
        """Line up a job for an owner; where one is under way that is known by the same key, it is that one."""
        with self._changed:
            if key is not None:
                same = self._known.get(key)
                if same is not None and same.waiting:
                    same.waiting.append(owner)
                    return same
                self._known[key] = job
            job.waiting.append(owner)
            self._queues.setdefault(owner, deque()).append(job)
            self._changed.notify_all()
        return job

    def leave(self, job: Job, owner: Hashable, at_once: bool = False) -> None:
        """Wait no longer for a job; it ends when nobody does, after a grace in which it may be done, or at once."""
        with self._changed:
            if owner in job.waiting:
                job.waiting.remove(owner)
            if job.waiting or job.done.is_set():
                return
            self._forget(job)
            if job in self._running:
                job.deadline = min(job.deadline, time.monotonic() + (0.0 if at_once else GRACE))
                self._changed.notify_all()

    def close(self) -> None:
        """End all work."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        for worker in self._workers:
            worker.kill()
        for thread in self._threads:
            thread.join(5)

    @property
    def busy(self) -> int:
        """How many jobs are at work or wait."""
        with self._changed:
            return len(self._running) + sum(map(len, self._queues.values()))

    def _forget(self, job: Job) -> None:
        for key in [key for key, known in self._known.items() if known is job]:
            del self._known[key]

    def _next(self) -> Job | None:
        """Take the next job: that of the owner whose turn it is, who then stands behind the others."""
        for owner in list(self._queues):
            queue = self._queues[owner]
            while queue and not self._has_its_share(owner):
                job = queue.popleft()
                if job.waiting:
                    self._queues.move_to_end(owner)
                    return job
            if not queue:
                del self._queues[owner]
        return None

    def _has_its_share(self, owner: Hashable) -> bool:
        """Tell whether an owner has all but one of the workers already, and should leave that one to others."""
        at_work = sum(job.waiting[:1] == [owner] for job in self._running)
        return at_work >= max(1, len(self._workers) - 1) and len(self._workers) > 1 and self._company(owner)

    def _attend(self, worker: Worker) -> None:
        """Hand jobs to a worker, one at a time."""
        while True:
            with self._changed:
                while not self._closed and (job := self._next()) is None:
                    # Whose share is used up may be alone the next time one looks.
                    self._changed.wait(SHARE if self._queues else None)
                if self._closed:
                    break
                assert job is not None  # noqa: S101 - the loop ended with one
                job.worker, job.deadline = worker, time.monotonic() + job.seconds
                self._running.add(job)
                self._changed.notify_all()
            ok, answer = self._worked(worker, job)
            with self._changed:
                self._running.discard(job)
                self._forget(job)
            job.finish(ok, answer)
        worker.close()

    def _worked(self, worker: Worker, job: Job) -> tuple[bool, Any]:
        for _ in range(_ATTEMPTS):
            try:
                return worker.ask(job)
            except WorkerGoneError:
                if job.late:
                    return False, ldp.Refused(
                        f"it took longer than {job.seconds:g} seconds of computing, the most that one job may take here"
                    )
                if not job.waiting or self._closed:
                    break
            except Exception as error:  # such as what can't be pickled
                return False, error
        return False, WorkerGoneError(f"a worker ended {_ATTEMPTS} times while it did the same work")

    def _watch(self) -> None:
        """End jobs whose time is over."""
        while True:
            with self._changed:
                if self._closed:
                    return
                now = time.monotonic()
                overdue = [job for job in self._running if job.deadline <= now]
                for job in overdue:
                    job.late, job.deadline = True, float("inf")
                next_one = min((job.deadline for job in self._running), default=float("inf"))
                if not overdue:
                    self._changed.wait(None if next_one == float("inf") else next_one - now)
            for job in overdue:
                if job.worker is not None:
                    job.worker.kill()


class Process:
    """A worker that is a process of this machine; a new one is started where the last has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> subprocess.Popen[bytes]:
        """Return the process, a new one if there is none."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                if self._process is not None:
                    end(self._process)
                # As many processes as cores: none needs more threads than one.
                environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                    [sys.executable, "-c", _START, *sys.path],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=environment,
                    start_new_session=True,
                )
            return self._process

    def ask(self, job: Job) -> tuple[bool, Any]:
        words = pickle.dumps(pickle.dumps((bounded, (job.memory, job.function, job.arguments), {})))
        process = self.start()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(words)
            process.stdin.flush()
            while (answer := pickle.load(process.stdout))[0] is None:  # noqa: S301 - from our own process
                job.heard = answer[1]
        except (OSError, EOFError, ValueError, pickle.UnpicklingError) as gone:
            self.kill()
            raise WorkerGoneError from gone
        ok, found = answer
        return bool(ok), found

    def kill(self) -> None:
        with self._lock:
            if self._process is not None:
                self._process.kill()
                self._process.wait()

    def close(self) -> None:
        self.kill()
        if self._process is not None:
            end(self._process)
            self._process = None


def attend() -> None:
    """Be a worker of a server."""
    if hasattr(os, "nice"):
        os.nice(_NICE)
    serve(telling=True)


def bounded(memory: int | None, function: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
    """Call a function that may take so many bytes of memory more than there are already."""
    with _at_most(memory):
        return function(*arguments)


@contextmanager
def _at_most(memory: int | None) -> Any:
    if memory is None or resource is None or not os.path.exists("/proc/self/statm"):  # noqa: PTH110
        yield
        return
    with open("/proc/self/statm", encoding="ascii") as numbers:  # noqa: PTH123
        taken = int(numbers.read().split()[0]) * resource.getpagesize()
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    wanted = taken + memory if hard == resource.RLIM_INFINITY else min(taken + memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (wanted, hard))
    try:
        yield
    finally:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_AS, (soft, hard))
