"""A bar for what takes its time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import streamlit as st

T = TypeVar("T")
# Streamlit stops a script that is out of date only where it draws; so something is drawn this often, in seconds.
PAUSE = 0.25


def with_progress(jobs: Sequence[T], word: str, draw: Callable[[], None] | None = None) -> Iterator[T]:
    """Go through jobs with a bar; with it, `draw` draws what there is so far."""
    bar, begun, drawn = st.empty(), time.monotonic(), time.monotonic()
    for done, job in enumerate(jobs):
        now = time.monotonic()
        if done and now - drawn > PAUSE:
            drawn = now
            left = (now - begun) / done * (len(jobs) - done)
            bar.progress(done / len(jobs), f"{word}: {done} of {len(jobs)}, about {left:.0f} s left")
            if draw is not None:
                draw()
        yield job
    bar.empty()
