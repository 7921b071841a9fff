"""Processes that compute for all visitors: as many as there are cores, in turn for everybody who waits.

What a worker itself does is in `worker`. The workers are those of
`ldpcore.sweep.workers`, which says why they are not those of a package; pebble's, which can be stopped and have time
limits, also import the main module of whoever starts them, which under Streamlit is the page.
"""

from __future__ import annotations

import logging
import os
import pickle
import subprocess
import sys
import threading
import time
from collections import OrderedDict, deque
from collections.abc import Callable, Hashable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Protocol

from ldpcore.sweep.workers import end
from ldpui.computing.shares import Shares
from ldpui.computing.worker import TooLongError, bounded

try:
    import resource
except ImportError:  # not on Windows, where a job's memory is not bounded
    resource = None  # type: ignore[assignment]

_START = "import sys; sys.path[:] = sys.argv[2:]; from ldpui.computing.worker import attend; attend(int(sys.argv[1]))"
# A job that nobody waits for may finish within this many seconds; a new process costs as much.
GRACE = 0.3
# So often it is looked whether somebody who was left a worker is still there; seconds.
SHARE = 1.0
# The kill of a job whose time is over is repeated until the process is gone: it may just have been starting. Seconds.
_AGAIN = 0.5
# A process may be killed from outside: its work is done again, once.
_ATTEMPTS = 2
# One that holds so many bytes after a job gives its place to a new one: what was freed need not have gone back.
HOLDS_MOST = 500 << 20
_LOG = logging.getLogger(__name__)


class LateError(TooLongError):
    """A job has taken longer than it may."""


class WorkerGoneError(Exception):
    """What worked on a job has ended, and the job with it."""


class Worker(Protocol):
    """One that does a job at a time."""

    def ask(self, job: Job) -> tuple[bool, Any]:
        """Do a job; return whether it worked, and the answer or the error. Raise WorkerGoneError if it ended."""

    def kill(self, job: Job | None = None) -> None:
        """End the job at work, at once, if it is this one or none is named; the next one is done all the same."""

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
    long : whether it may work for more than a second or so; see `Pool`
    waiting : those who wait for it, the first of whom it is counted to
    turn : in whose turn it was begun, and when
    """

    function: Callable[..., Any]
    arguments: tuple[Any, ...]
    memory: int | None
    seconds: float
    long: bool = False
    waiting: list[Hashable] = field(default_factory=list)
    done: threading.Event = field(default_factory=threading.Event)
    answer: Any = None
    error: BaseException | None = None
    worker: Worker | None = None
    turn: tuple[Hashable, float] = (None, 0.0)
    deadline: float = float("inf")
    late: bool = False
    heard: Any = None  # what it told last

    @property
    def name(self) -> str:
        """What is called, for the log."""
        return str(getattr(self.function, "__qualname__", "something"))

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

    Who has had less of the workers' time lately comes first: one who has just come does not stand behind ten who all
    have something long computed.

    `company` tells whether anybody else is there. Then one worker is left idle by an owner, as long as it has another:
    where all cores compute for one visitor, everybody else's pages take twice as long. And then long jobs, whosesoever,
    leave one worker to the short ones: two visitors who wait for files would hold everybody else up for minutes.
    """

    def __init__(self, workers: list[Worker], company: Callable[[Hashable], bool] = lambda owner: False) -> None:
        self._changed = threading.Condition()
        self._queues: OrderedDict[Hashable, deque[Job]] = OrderedDict()
        self._known: dict[Hashable, Job] = {}
        self._running: set[Job] = set()
        self._shares = Shares()
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
                    if same.worker is None:  # it comes with whoever of them has the first turn
                        self._line_up(same, owner)
                    return same
                self._known[key] = job
            job.waiting.append(owner)
            self._line_up(job, owner)
        return job

    def _line_up(self, job: Job, owner: Hashable) -> None:
        queue = self._queues.setdefault(owner, deque())
        if job not in queue:
            queue.append(job)
            self._changed.notify_all()

    def _unline(self, job: Job, *owners: Hashable) -> None:
        """Take a job out of the queues of these owners."""
        for owner in owners:
            queue = self._queues.get(owner)
            if queue is not None and job in queue:
                queue.remove(job)

    def leave(self, job: Job, owner: Hashable, at_once: bool = False) -> None:
        """Wait no longer for a job; it ends when nobody does, after a grace in which it may be done, or at once."""
        with self._changed:
            if owner in job.waiting:
                job.waiting.remove(owner)
            if owner not in job.waiting:  # it may hold somebody's file, and need not wait for its turn to be dropped
                self._unline(job, owner)
            if job.waiting or job.done.is_set():
                return
            self._forget(job)
            if job in self._running:
                job.deadline = min(job.deadline, time.monotonic() + (0.0 if at_once else GRACE))
                self._changed.notify_all()

    def close(self) -> None:
        """End all work; who waits for any is told that it will not come."""
        with self._changed:
            self._closed = True
            waiting = [job for queue in self._queues.values() for job in queue]
            self._queues.clear()
            self._changed.notify_all()
        for job in waiting:
            job.finish(False, WorkerGoneError("the workers were ended"))
        for worker in self._workers:
            worker.kill()
        for thread in self._threads:
            thread.join(5)

    @property
    def busy(self) -> int:
        """How many jobs are at work or wait."""
        with self._changed:
            return len(self._running) + len({job for queue in self._queues.values() for job in queue})

    def _forget(self, job: Job) -> None:
        for key in [key for key, known in self._known.items() if known is job]:
            del self._known[key]

    def _next(self) -> Job | None:
        """Take the next job: that of the owner whose turn it is, who then stands behind others who have had as much."""
        now = time.monotonic()
        for owner in sorted(self._queues, key=lambda owner: self._shares.steps(owner, now)):
            queue = self._queues[owner]
            while queue and not self._has_its_share(owner, queue[0]):
                job = queue.popleft()
                if job.waiting:
                    self._unline(job, *job.waiting)
                    self._queues.move_to_end(owner)
                    job.turn = owner, now
                    return job
            if not queue:
                del self._queues[owner]
        return None

    def _has_its_share(self, owner: Hashable, job: Job) -> bool:
        """Tell whether an owner, or long jobs, have all but one of the workers already, and should leave that one."""
        most = len(self._workers) - 1
        if most < 1:
            return False
        own = sum(other.waiting[:1] == [owner] for other in self._running)
        long = sum(other.long for other in self._running) if job.long else 0
        return max(own, long) >= most and self._company(owner)

    def _attend(self, worker: Worker) -> None:
        """Hand jobs to a worker, one at a time."""
        while self._attend_to_one(worker):
            pass
        worker.close()

    def _attend_to_one(self, worker: Worker) -> bool:
        """Wait for a job and have it done; tell whether to go on. Who waits holds nothing of the last one."""
        with self._changed:
            while not self._closed and (job := self._next()) is None:
                # Whose share is used up may be alone the next time one looks.
                self._changed.wait(SHARE if self._queues else None)
            if self._closed:
                return False
            assert job is not None  # noqa: S101 - the loop ended with one
            job.worker, job.deadline = worker, time.monotonic() + job.seconds
            self._running.add(job)
            self._changed.notify_all()
        ok, answer = self._worked(worker, job)
        with self._changed:
            self._running.discard(job)
            self._forget(job)
            owner, begun = job.turn
            now = time.monotonic()
            self._shares.add(owner, now - begun, now)
            self._changed.notify_all()
        job.finish(ok, answer)
        return True

    def _worked(self, worker: Worker, job: Job) -> tuple[bool, Any]:
        for _ in range(_ATTEMPTS):
            try:
                return worker.ask(job)
            except WorkerGoneError:
                if job.late:
                    return False, LateError(
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
                    job.late, job.deadline = True, now + _AGAIN
                next_one = min((job.deadline for job in self._running), default=float("inf"))
                if not overdue:
                    self._changed.wait(None if next_one == float("inf") else next_one - now)
            for job in overdue:
                if job.worker is not None:
                    try:
                        job.worker.kill(job)  # by its name: the worker may be at the next one by now
                    except Exception:  # the others' jobs have to be watched all the same
                        _LOG.exception("a job could not be ended")


class Process:
    """A worker that is a process of this machine; a new one is started where the last has ended."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._job: Job | None = None  # what it is at
        self._killed: subprocess.Popen[bytes] | None = None  # the last one that was ended from here

    def start(self) -> subprocess.Popen[bytes]:
        """Return the process, a new one if there is none."""
        with self._lock:
            if self._process is None or self._process.poll() is not None:
                if self._process is not None:
                    end(self._process)
                # As many processes as cores: none needs more threads than one. And pyarrow would reserve a gibibyte of
                # address space at once, which a bound on that could not tell from what is used; in KiB.
                environment = os.environ | {
                    "OPENBLAS_NUM_THREADS": "1",
                    "OMP_NUM_THREADS": "1",
                    "MIMALLOC_ARENA_RESERVE": "65536",
                }
                self._process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                    [sys.executable, "-c", _START, str(os.getpid()), *sys.path],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=environment,
                    start_new_session=True,
                )
            return self._process

    def ask(self, job: Job) -> tuple[bool, Any]:
        self._job = job
        try:
            return self._ask(job)
        finally:
            with self._lock:  # not while it is being ended
                self._job = None

    def _ask(self, job: Job) -> tuple[bool, Any]:
        words = pickle.dumps(pickle.dumps((bounded, (job.memory, job.function, job.arguments), {})))
        process = self.start()
        assert process.stdin is not None  # noqa: S101 - both are pipes
        assert process.stdout is not None  # noqa: S101
        try:
            process.stdin.write(words)
            process.stdin.flush()
            del words  # a file of somebody's is not held twice while it is read
            while (answer := pickle.load(process.stdout))[0] is None:  # noqa: S301 - from our own process
                job.heard = answer[1]
            ok, result = answer
        except Exception as gone:
            # Whatever it is: what is left of a broken answer would be taken for the answer to the next job.
            self._tell_why(process, job)
            self.kill()
            raise WorkerGoneError from gone
        if resident(process.pid) > HOLDS_MOST:
            self.kill()
            self.start()
        return bool(ok), result

    def _tell_why(self, process: subprocess.Popen[bytes], job: Job) -> None:
        """Log how a process ended by itself: what it said before that nobody has heard."""
        if process is self._killed:
            return
        with suppress(subprocess.TimeoutExpired):
            process.wait(0.5)
        _LOG.warning("a worker ended with %s while it did %s", process.returncode, job.name)

    def kill(self, job: Job | None = None) -> None:
        with self._lock:
            if self._process is not None and job in (None, self._job):
                self._killed = self._process
                self._process.kill()
                self._process.wait()

    def close(self) -> None:
        self.kill()
        if self._process is not None:
            end(self._process)
            self._process = None


def resident(pid: int) -> int:
    """Return how many bytes of memory a process holds; 0 where that can't be asked."""
    try:
        with open(f"/proc/{pid}/statm", encoding="ascii") as numbers:  # noqa: PTH123
            return int(numbers.read().split()[1]) * (1 if resource is None else resource.getpagesize())
    except (OSError, IndexError):
        return 0
