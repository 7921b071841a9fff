"""A bar for what takes its time."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import streamlit as st

T = TypeVar("T")
# Streamlit stops a script that is out of date only where it draws; so something is drawn this often, in seconds.
PAUSE = 0.25


class Bar:
    """A bar that comes when something takes longer than a moment, and goes when it is done.

    Parameters
    ----------
    word : what is being done
    draw : draws what there is so far, with the bar
    """

    def __init__(self, word: str, draw: Callable[[], None] | None = None) -> None:
        self._word, self._draw, self._place = word, draw, st.empty()
        self._begun = self._drawn = time.monotonic()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:
            self._place.empty()

    def tell(self, done: int, total: int) -> None:
        """Show how many are done, but not too often."""
        now = time.monotonic()
        if not done or done == total or now - self._drawn <= PAUSE:
            return
        self._drawn = now
        left = (now - self._begun) / done * (total - done)
        self._place.progress(done / total, f"{self._word}: {done:,} of {total:,}, about {left:.0f} s left")
        if self._draw is not None:
            self._draw()


@contextmanager
def sign(place: Any, words: str, wanted: bool = True) -> Iterator[None]:
    """Show a sign at once, in a place where it moves nothing, while something is computed.

    Streamlit's spinner waits for half a second before it shows.
    """
    if wanted:
        place.markdown(f":material/hourglass_top: :small[{words}…]", width="content")
    yield
    # Not where the script is cut short: the next one draws the page anew.
    place.empty()


def with_progress(jobs: Sequence[T], word: str, draw: Callable[[], None] | None = None) -> Iterator[T]:
    """Go through jobs with a bar; with it, `draw` draws what there is so far."""
    with Bar(word, draw) as bar:
        for done, job in enumerate(jobs):
            bar.tell(done, len(jobs))
            yield job
