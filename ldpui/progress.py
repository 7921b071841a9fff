"""A bar for what takes its time."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self, TypeVar

import streamlit as st

T = TypeVar("T")
# Streamlit stops a script that is out of date only where it draws; so something is drawn this often, in seconds.
PAUSE = 0.25
# Work that is done sooner gets no bar: it would only push the page below it down and up again.
MOMENT = 0.5
# A picture that takes 20 ms to draw is drawn once a second: all visitors share the one interpreter that draws, and the
# step of another that meets a picture waits for it.
SHARE = 50


class Bar:
    """A bar that comes when something takes longer than a moment, and goes when it is done.

    Parameters
    ----------
    word : what is being done
    draw : draws what there is so far, with the bar
    total : how many there are, for a bar that is there from the start
    at_most : whether the end may come sooner; then nothing is said of the time that is left
    """

    def __init__(
        self, word: str, draw: Callable[[], None] | None = None, *, total: int | None = None, at_most: bool = False
    ) -> None:
        self._word, self._draw, self._at_most, self._place = word, draw, at_most, st.empty()
        self._begun = time.monotonic()
        self._drawn = self._begun + MOMENT - PAUSE
        self._next_picture = self._begun
        if total is not None:
            self._place.progress(0.0, progress_words(word, 0, total, at_most=at_most))

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
        seconds = None if self._at_most else now - self._begun
        self._place.progress(min(1.0, done / total), progress_words(self._word, done, total, seconds, self._at_most))
        if self._draw is not None and now >= self._next_picture:
            self._draw()
            self._next_picture = now + SHARE * (time.monotonic() - now)


def progress_words(word: str, done: int, total: int, seconds: float | None = None, at_most: bool = False) -> str:
    """Say how far something is and, where it is known how long that took, how long the rest will take.

    >>> progress_words("Counting", 0, 10**6), progress_words("Counting", 250_000, 10**6, 10.0)
    ('Counting: 0 of 1,000,000', 'Counting: 250,000 of 1,000,000, about 30 s left')
    >>> progress_words("Counting", 1, 1_000, 1.0), progress_words("Steps", 5, 9, at_most=True)
    ('Counting: 1 of 1,000, about 17 min left', 'Steps: 5 of at most 9')
    """
    words = f"{word}: {done:,} of {'at most ' if at_most else ''}{total:,}"
    if not done or done >= total or seconds is None:
        return words
    left = seconds * (total - done) / done
    return f"{words}, about {f'{math.ceil(left / 60)} min' if left > 90 else f'{math.ceil(left)} s'} left"


@contextmanager
def sign(place: Any, words: str, wanted: bool = True) -> Iterator[None]:
    """Show a sign at once, in a place where it moves nothing, while something is computed.

    Streamlit's spinner waits for half a second before it shows.
    """
    if wanted:
        place.markdown(f":material/hourglass_top: :small[{words}…]", width="content")
    yield
    # This is skipped where the script is cut short: then the next run draws the page anew, and the sign goes with it.
    place.empty()


def with_progress(jobs: Sequence[T], word: str, draw: Callable[[], None] | None = None) -> Iterator[T]:
    """Go through jobs with a bar; with it, `draw` draws what there is so far."""
    with Bar(word, draw) as bar:
        for done, job in enumerate(jobs):
            bar.tell(done, len(jobs))
            yield job
