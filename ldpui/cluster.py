"""A Dask cluster in place of the worker processes; what is computed there is the same."""

from __future__ import annotations

from concurrent.futures import CancelledError
from typing import Any

from distributed import Client
from distributed.scheduler import KilledWorker

from ldpui.pool import Job, Worker, WorkerGoneError


def workers(address: str) -> list[Worker]:
    """Connect to a scheduler; return as many workers as its cluster has threads, and at least two."""
    client: Any = Client(address, set_as_default=False, timeout=30)  # type: ignore[no-untyped-call]
    threads = sum(client.ncores().values())
    return [Slot(client) for _ in range(max(2, threads))]


class Slot:
    """A worker that hands one job at a time to the cluster, which finds somebody to do it.

    Memory is the cluster's to bound; it does the work of a worker that ends again by itself.
    """

    def __init__(self, client: Any) -> None:
        self._client = client
        self._future: Any = None

    def ask(self, job: Job) -> tuple[bool, Any]:
        try:
            self._future = self._client.submit(job.function, *job.arguments, pure=False)
            return True, self._future.result()
        except (CancelledError, KilledWorker, OSError, TimeoutError) as gone:
            raise WorkerGoneError from gone
        except Exception as error:
            return False, error
        finally:
            self._future = None

    def kill(self) -> None:
        future = self._future
        if future is not None:
            future.cancel()

    def close(self) -> None:
        self.kill()
