"""Processes that work off a sweep.

`concurrent.futures.ProcessPoolExecutor` would do, but its fresh processes import the caller's main
module first: under Streamlit that runs the whole page again, and a script without
`if __name__ == "__main__"` starts itself without end. These import `ldpcore` and nothing else.

Nor does loky do as well (3.7.0, tried against tests/ldpcore/sweep/test_workers.py). It does not import the main module,
starts as fast and stops at once, but when a process is killed from outside, the pool breaks: the work of that process,
and what waits, ends in TerminatedWorkerError instead of being done again (test_a_killed_process_costs_no_result), and
the pool takes no more work (test_work_that_kills_its_process_is_given_up). Its processes also get the terminal's
Ctrl-C themselves. To make up for that takes as much code as is here, and two more packages.
"""

from __future__ import annotations

import os
import pickle
import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Generator, Sequence
from concurrent.futures import BrokenExecutor, Executor, Future, as_completed
from contextvars import ContextVar
from pathlib import Path
from typing import Any, TypeVar

_START = "import sys; sys.path[:] = sys.argv[1:]; from ldpcore.sweep.workers import serve; serve()"
# Where Linux tells a container how many microseconds of processor time it has in each of so many.
_QUOTA = Path("/sys/fs/cgroup/cpu.max")
# A process can be killed from outside, and then its work is done again; work that kills its process is given up.
_ATTEMPTS = 3

Answer = TypeVar("Answer")
_Task = tuple["Future[Any]", Callable[..., Any], tuple[Any, ...], dict[str, Any]]


def cores() -> int:
    """Return how many cores this process may use: those of the machine, or what a container is given of them."""
    there = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return max(1, min(there, _quota()))


def _quota() -> int:
    """Return how many cores a container may keep busy, a part of one counted as a whole."""
    try:
        microseconds, period = _QUOTA.read_text(encoding="ascii").split()
        return -(-int(microseconds) // int(period))
    except (OSError, ValueError, ZeroDivisionError):  # there is no such file, or it says "max"
        return sys.maxsize


def drive(
    function: Callable[..., Answer], tasks: Sequence[tuple[Any, ...]], executor: Executor | None, workers: int
) -> Generator[tuple[int, Answer]]:
    """Have `function(*task)` done for every task; yield (number of the task, answer) as they are done.

    `executor` does the work, and is not shut down. Without one, that many processes of our own do; with one of them,
    or one task, this process does, one task after the other. Whatever ends the iteration early cancels the rest.
    """
    own = None
    if executor is None:
        if min(workers, len(tasks)) <= 1:
            for number, task in enumerate(tasks):
                yield number, function(*task)
            return
        executor = own = Workers(min(workers, len(tasks)))
    waiting: dict[Future[Answer], int] = {}
    try:
        for number, task in enumerate(tasks):
            waiting[executor.submit(function, *task)] = number
        # A copy: what is done leaves `waiting`, so that at the end it holds what has to be cancelled.
        for future in as_completed(list(waiting)):
            yield waiting.pop(future), future.result()
    finally:
        for future in waiting:
            future.cancel()
        if own is not None:
            own.shutdown(cancel_futures=True)


class Workers(Executor):
    """An executor on `workers` processes; functions and arguments are pickled, as everywhere."""

    def __init__(self, workers: int) -> None:
        self._tasks: queue.SimpleQueue[_Task | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._closed = self._stopped = False
        self._processes: dict[int, subprocess.Popen[bytes]] = {}
        self._threads = [threading.Thread(target=self._attend, args=(i,), daemon=True) for i in range(workers)]
        for thread in self._threads:
            thread.start()

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """Have `fn(*args, **kwargs)` done by the next process that is free."""
        if self._closed:
            raise RuntimeError("the workers have been shut down")
        future: Future[Any] = Future()
        self._tasks.put((future, fn, args, kwargs))
        return future

    def shutdown(self, wait: bool = True, *, cancel_futures: bool = False) -> None:
        """End the processes: when the work is done, or at once, in the middle of it, if `cancel_futures`."""
        with self._lock:
            self._closed, self._stopped = True, self._stopped or cancel_futures
            if self._stopped:
                for process in self._processes.values():
                    process.kill()
        for _ in self._threads:
            self._tasks.put(None)
        if wait:
            for thread in self._threads:
                thread.join()

    def _attend(self, number: int) -> None:
        """Hand tasks to process `number`, one at a time; it is started when the first one comes."""
        while (task := self._tasks.get()) is not None:
            future, fn, args, kwargs = task
            if self._stopped:
                future.cancel()
            if not future.set_running_or_notify_cancel():
                continue
            try:
                ok, answer = self._ask(number, (fn, args, kwargs))
            except Exception as problem:
                ok, answer = False, problem
            if ok:
                future.set_result(answer)
            else:
                future.set_exception(answer)
        process = self._processes.pop(number, None)
        if process is not None:
            end(process)

    def _ask(self, number: int, task: Any) -> tuple[bool, Any]:
        # Pickled twice: the other side can then read all of a task that it can't make sense of, and say so.
        words = pickle.dumps(pickle.dumps(task))
        for _ in range(_ATTEMPTS):
            process = self._process(number)
            assert process.stdin is not None  # noqa: S101 - both are pipes
            assert process.stdout is not None  # noqa: S101
            try:
                process.stdin.write(words)
                process.stdin.flush()
                answer: tuple[bool, Any] = pickle.load(process.stdout)  # noqa: S301 - from our own process
            except (OSError, EOFError, pickle.UnpicklingError):
                end(process)
                continue
            return answer
        raise BrokenExecutor(f"a worker process ended {_ATTEMPTS} times while it did the same work")

    def _process(self, number: int) -> subprocess.Popen[bytes]:
        with self._lock:
            if self._stopped:
                raise BrokenExecutor("the workers were stopped")
            process = self._processes.get(number)
            if process is None or process.poll() is not None:
                command = [sys.executable, "-c", _START, *sys.path]
                # In a session of its own: Ctrl-C is for the process that asked, which decides what to do about it.
                process = subprocess.Popen(  # noqa: S603 - our own interpreter and code
                    command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
                )
                self._processes[number] = process
            return process


def end(process: subprocess.Popen[bytes]) -> None:
    """Let a process end, which it does when its input ends, and wait for it."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            try:
                pipe.close()
            except OSError:  # what was not written yet has nobody to go to
                continue
    process.wait()


# The function that `tell` calls with the progress of the work at hand.
LISTENER: ContextVar[Callable[[Any], object] | None] = ContextVar("LISTENER", default=None)


def tell(news: Any) -> None:
    """Tell whoever waits for the work at hand how far it is, if anybody listens."""
    listener = LISTENER.get()
    if listener is not None:
        listener(news)


def serve(*, telling: bool = False) -> None:
    """Be a worker: read tasks from standard input, write answers to standard output, until the input ends.

    Who wants to hear what functions `tell` meanwhile asks for `telling`, and gets it as (None, news) before the answer.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # where there are no sessions
    source, out = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # nothing that a library prints may come between the answers

    def say(news: Any) -> None:
        pickle.dump((None, news), out)
        out.flush()

    LISTENER.set(say if telling else None)
    while True:
        try:
            # In a list, so that `_done` can take it out: the bytes of a large task are freed while it is worked on.
            words = [pickle.load(source)]  # noqa: S301 - from the process that started this one
        except (EOFError, pickle.UnpicklingError):  # it has gone, perhaps in the middle of a word
            return
        try:
            out.write(_done(words))
            out.flush()
        except BrokenPipeError:  # whoever asked has gone
            return


def _done(words: list[bytes]) -> bytes:
    """Do a task; return the answer, pickled whole: one of which only a part can be sent would garble the next."""
    try:
        fn, args, kwargs = pickle.loads(words.pop())  # noqa: S301 - from the process that started this one
        return pickle.dumps((True, fn(*args, **kwargs)), pickle.HIGHEST_PROTOCOL)
    except Exception as problem:
        return _refusal(problem)


def _refusal(problem: Exception) -> bytes:
    """Return an error pickled; some of those of other packages can't be read again, and are told in words."""
    try:
        words = pickle.dumps((False, problem))
        pickle.loads(words)  # noqa: S301 - our own
    except Exception:
        return pickle.dumps((False, RuntimeError(f"{type(problem).__name__}: {problem}")))
    return words
