"""A bar for what takes its time."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import TypeVar

import streamlit as st

T = TypeVar("T")
_PAUSE = 0.25


def with_progress(jobs: Sequence[T], word: str) -> Iterator[T]:
    """Go through jobs with a bar; drawing is also where Streamlit stops a script that is out of date."""
    bar, begun, drawn = st.empty(), time.monotonic(), time.monotonic()
    for done, job in enumerate(jobs):
        now = time.monotonic()
        if done and now - drawn > _PAUSE:
            drawn = now
            left = (now - begun) / done * (len(jobs) - done)
            bar.progress(done / len(jobs), f"{word}: {done} of {len(jobs)}, about {left:.0f} s left")
        yield job
    bar.empty()
