"""Heavy work, done elsewhere: in worker processes, or on a cluster, while the page waits and can be left.

Whatever takes longer than a moment is called by `run`, or many calls at once by `stream`. What is called is a function
of `ldpcore`, or of another package that needs no Streamlit. A visitor's own data goes to a worker and back, and
nowhere else: give no `key` where there is any.
"""

from __future__ import annotations

import atexit
import logging
import os
import threading
import time
from collections.abc import Callable, Generator, Hashable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st
from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner import get_script_run_ctx

import ldpcore as ldp
from ldpcore.sweep.workers import LISTENER, cores
from ldpui.computing.pool import Job, Pool, Process, Worker, WorkerGoneError
from ldpui.serving import presence, turns

T = TypeVar("T")
# The variables by which a host decides: how many processes, or "off"; and a cluster in their place.
WORKERS, CLUSTER = "LDP_EXPLORER_WORKERS", "LDP_EXPLORER_DASK"
# More processes than this for each core are a slip of the host's.
_PER_CORE = 4
# What one job may take: bytes of memory, and seconds.
MEMORY, SECONDS = 1 << 30, 120.0
# So often a page that waits looks whether its visitor has moved on; so long a lost connection may take to come back.
PAUSE, ABSENCE = 0.05, 0.2
_LOG = logging.getLogger(__name__)
_pool: Pool | None = None
# What the page that a thread draws has begun and not yet asked for.
_thread = threading.local()


def start() -> None:
    """Start the workers, which from now on compute for all pages; without them every page computes for itself."""
    global _pool
    stop()
    workers = _workers()
    if workers:
        _pool = Pool(workers, lambda owner: isinstance(owner, _Owner) and presence.others(owner.session))


def stop() -> None:
    """End the workers."""
    global _pool
    if _pool is not None:
        _pool.close()
    _pool = None


atexit.register(stop)


def _workers() -> list[Worker]:
    """Return the workers that the host wants."""
    if address := os.environ.get(CLUSTER, "").strip():
        try:
            from ldpui.computing import cluster  # only where there is one

            return cluster.workers(address)
        except Exception as problem:  # Dask raises whatever it likes at an address that is none of its own
            # Its words are of the host's address: no visitor has come yet.
            why = str(problem)
            _LOG.error("%s: no cluster at %s (%s); pages compute on this machine instead", CLUSTER, address, why)
    number = _number(os.environ.get(WORKERS, "").strip().casefold())
    processes = [Process() for _ in range(number)]
    try:
        for process in processes:
            process.start()
    except OSError as problem:
        _LOG.warning("no worker processes can be started (%s): pages compute in the server", problem)
        return []
    return list(processes)


def _number(asked: str) -> int:
    """Return how many processes there will be, where the host asks for so many."""
    if asked in ("off", "no", "false"):
        return 0
    # With a single one, whoever has something long computed would hold up everybody else.
    usual = max(2, cores())
    most = _PER_CORE * usual
    if not asked:
        return usual
    if not asked.isdecimal():  # whoever meant to have none would not see that there are some
        _LOG.error("%s: %r is neither a number nor off; there are %d workers", WORKERS, asked, usual)
        return usual
    if len(asked) > len(str(most)) + 1 or int(asked) > most:  # each takes its memory, and none gets a core
        _LOG.error("%s: %s are more than %d for each core; there are %d", WORKERS, asked[:20], _PER_CORE, most)
        return most
    return int(asked)


def run(
    function: Callable[..., T],
    *arguments: Any,
    key: Hashable = None,
    memory: int | None = MEMORY,
    seconds: float = SECONDS,
    long: bool = True,
    tell: Callable[[Any], None] | None = None,
) -> T:
    """Call a function in a worker, and wait; the wait ends where the visitor moves on, and the work with it.

    Calls with the same `key` at the same time are one. What is done within a second or so is not `long`, and goes
    before what may be. `tell` gets what the function tells while it is at work, a few
    times a second (see `ldpcore.sweep.workers.tell`; a cluster tells nothing). A job that takes more memory, in bytes,
    or time raises what a page shows as a sentence: MemoryError, or `ldpcore.Refused`.
    """
    pool = _pool
    if pool is None:
        return _here(function, arguments, tell)
    with _waiting(pool) as (owner, jobs):
        job = _begun_jobs().pop(key, None) or pool.submit(Job(function, arguments, memory, seconds, long), owner, key)
        jobs.append(job)
        heard = None
        while not job.done.wait(PAUSE):
            owner.look()
            if tell is not None and job.heard is not heard:
                heard = job.heard
                tell(heard)
        result: T = _result(job)
        return result


def begin(function: Callable[..., Any], *arguments: Any, key: Hashable) -> None:
    """Have a call begun, for which the page is going to wait by `run` or `stream` with the same key.

    Only where `beginnings` sees to it that nothing goes on that the page did not ask for after all.
    """
    owner = getattr(_thread, "owner", None)
    # Calls without a key are on somebody's own data, and none may be taken for another.
    if _pool is not None and owner is not None and key is not None and key not in _thread.begun:
        _thread.begun[key] = _pool.submit(Job(function, arguments, MEMORY, SECONDS), owner, key)


@contextmanager
def beginnings() -> Iterator[None]:
    """Draw a page that may begin calls; those that it does not wait for end with it."""
    pool, owner, begun = _pool, _Owner(), dict[Hashable, Job]()
    _thread.owner, _thread.begun = owner, begun
    try:
        yield
    finally:
        _thread.owner = None
        for job in begun.values():
            if pool is not None:
                pool.leave(job, owner)
        begun.clear()


def _begun_jobs() -> dict[Hashable, Job]:
    """Return what the page that this thread draws has begun."""
    return getattr(_thread, "begun", {})


def _here(function: Callable[..., T], arguments: tuple[Any, ...], tell: Callable[[Any], None] | None = None) -> T:
    """Call a function in the server itself."""
    before = LISTENER.set(tell)
    try:
        with turns.away():
            return function(*arguments)
    finally:
        LISTENER.reset(before)


def stream(
    function: Callable[..., T],
    tasks: Sequence[tuple[Any, ...]],
    keys: Sequence[Hashable] | None = None,
    seconds: float = SECONDS,
    long: bool = False,
) -> Generator[tuple[int, T] | None]:
    """Call a function with each of many arguments, on all workers; yield number and answer as they come.

    `keys` has one for each of them, as for `run`. While nothing comes, None is yielded a few times a second, so that a
    page can show how far it is.
    """
    pool = _pool
    if pool is None:
        yield from ((number, _here(function, task)) for number, task in enumerate(tasks))
        return
    with _waiting(pool) as (owner, jobs):
        for task, key in zip(tasks, keys or [None] * len(tasks), strict=True):
            begun = _begun_jobs().pop(key, None)
            jobs.append(begun or pool.submit(Job(function, task, MEMORY, seconds, long), owner, key))
        open_jobs = dict(enumerate(jobs))
        while open_jobs:
            ready = [number for number, job in open_jobs.items() if job.done.is_set()]
            for number in ready:
                yield number, _result(open_jobs.pop(number))
            if not ready:
                next(iter(open_jobs.values())).done.wait(PAUSE)
                owner.look()
                yield None


def _result(job: Job) -> Any:
    try:
        return job.result()
    except WorkerGoneError as gone:
        _LOG.warning("a job was given up: its worker ended, and so did a second one")
        raise ldp.Refused("the process that computed it ended, and so did a second one; try again") from gone


class _Owner:
    """Whoever waits: a session, as long as somebody looks at it."""

    def __init__(self) -> None:
        run_context = get_script_run_ctx()
        self.session = None if run_context is None else run_context.session_id
        self.seen, self.gone = time.monotonic(), False

    def look(self) -> None:
        """End the script, as Streamlit does, if its visitor has moved on, or has gone."""
        if self.session is None:
            return
        # Looking up a value is one of the places where Streamlit ends a script whose controls have been changed.
        st.session_state.get("_waiting")
        if not Runtime.exists() or Runtime.instance().is_active_session(self.session):
            self.seen = time.monotonic()
        elif time.monotonic() - self.seen > ABSENCE:
            self.gone = True
            st.stop()

    # All jobs of a session stand in one queue.
    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, _Owner) and self.session == other.session is not None)

    def __hash__(self) -> int:
        return hash(self.session)


@contextmanager
def _waiting(pool: Pool) -> Iterator[tuple[_Owner, list[Job]]]:
    """Wait for jobs, and leave them where the wait ends."""
    owner, jobs = _Owner(), list[Job]()
    with turns.away():
        try:
            yield owner, jobs
        finally:
            for job in jobs:
                pool.leave(job, owner, at_once=owner.gone)
