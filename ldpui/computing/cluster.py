"""A Dask cluster in place of the worker processes; what is computed there is the same."""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import CancelledError
from typing import Any

from distributed import Client
from distributed.scheduler import KilledWorker

from ldpui.computing.pool import Job, Worker, WorkerGoneError
from ldpui.computing.worker import attempt

# So long a scheduler is waited for when the server starts, and when it was lost; seconds.
TIMEOUT = 10.0


def workers(address: str) -> list[Worker]:
    """Connect to a scheduler; return as many workers as its cluster has threads, and at least two.

    Raises OSError where there is none.
    """
    cluster = Cluster(address)
    threads = sum(cluster.client().ncores().values())
    return [Slot(cluster) for _ in range(max(2, threads))]


class Cluster:
    """The connection to a scheduler, made anew where it was lost: a scheduler may be started again."""

    def __init__(self, address: str) -> None:
        self._address, self._lock = address, threading.Lock()
        self._client: Any = None

    def client(self) -> Any:
        """Return a connection that is open."""
        with self._lock:
            if self._client is None or self._client.status not in ("running", "connecting", "newly-created"):
                self._client = Client(self._address, set_as_default=False, timeout=TIMEOUT)  # type: ignore[no-untyped-call]
            return self._client

    def close(self) -> None:
        """End the connection."""
        with self._lock, contextlib.suppress(Exception):
            if self._client is not None:
                self._client.close(timeout=2)
            self._client = None


class Slot:
    """A worker that hands one job at a time to the cluster, which finds somebody to do it.

    Memory is the cluster's to bound; it does the work of a worker that ends again by itself. A job that is ended is
    cancelled: one that is still in line is not begun, but one at work goes on there to its end, for nobody.
    """

    def __init__(self, cluster: Cluster) -> None:
        self._cluster = cluster
        self._at: tuple[Job, Any] | None = None  # the job that it is at, and the cluster's word for it

    def ask(self, job: Job) -> tuple[bool, Any]:
        try:
            client = self._cluster.client()
        except Exception as gone:
            raise WorkerGoneError("the scheduler of the cluster does not answer") from gone
        try:
            future = client.submit(attempt, job.function, job.arguments, pure=False)
            self._at = job, future
            ok, answer = future.result()
            return bool(ok), answer
        except (CancelledError, KilledWorker, OSError, TimeoutError) as gone:
            raise WorkerGoneError from gone
        except Exception as error:
            if client.status != "running":  # it was lost meanwhile
                raise WorkerGoneError from error
            return False, error
        finally:
            self._at = None

    def kill(self, job: Job | None = None) -> None:
        at = self._at
        if at is not None and job in (None, at[0]):
            at[1].cancel()

    def close(self) -> None:
        self.kill()
        self._cluster.close()
