"""A thread without a loop: where tests with a browser ran before, the browser's own loop runs in that of the tests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor
from typing import Any


def in_a_thread(function: Callable[..., Any], *arguments: Any, seconds: float = 300) -> Any:
    """Call a function in a thread of its own, and return what it returns."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(function, *arguments).result(seconds)


def awaited(coroutine: Coroutine[Any, Any, Any], seconds: float = 120) -> Any:
    """Run what has to be awaited, and return what comes of it."""
    return in_a_thread(asyncio.run, coroutine, seconds=seconds)
