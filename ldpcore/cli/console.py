"""What the commands share: how they end, what they say, and the cluster that may do the work."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterator
from concurrent.futures import Executor
from contextlib import contextmanager
from typing import Any

from ldpcore.errors import Refused

OK, FAILED, USAGE, INTERRUPTED = 0, 1, 2, 130


def say(text: str) -> None:
    """Write to standard output."""
    sys.stdout.write(text + "\n")


def note(text: str) -> None:
    """Write to standard error."""
    sys.stderr.write(text + "\n")


def complain(what: object, code: int) -> int:
    """Say what is wrong, and return the exit code."""
    note(f"python -m ldpcore: {what}")
    return code


@contextmanager
def cluster(address: str | None) -> Iterator[Executor | None]:
    """Give the executor of a Dask cluster; None without an address."""
    if address is None:
        yield None
        return
    try:
        distributed: Any = importlib.import_module("distributed")
    except ImportError:
        raise Refused('--scheduler needs Dask: pip install "ldp-explorer[distributed]"') from None
    try:
        client = distributed.Client(address, timeout=10)
    except (OSError, ValueError, TypeError) as problem:  # the last where an address asks for TLS, and there is no key
        raise OSError(f"there is no Dask scheduler at {address!r}: {problem}") from None
    with client:
        yield client.get_executor()
