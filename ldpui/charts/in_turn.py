"""Many pictures on one page, sent one after the other.

A browser takes a tenth of a second for a picture, or more, and shows nothing while it draws what it was sent at once: a
dozen pictures keep a reader before the page that was left, for seconds. Here a page opens with its words, and a frame
for every picture; then the pictures come, from above, each with a pause in which the browser draws.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import streamlit as st

from ldpui.serving import turns

# Seconds between two pictures.
PAUSE = 0.1


class Pictures:
    """The pictures of a page, which come in turn when it is `opened`, and at once when it is drawn again.

    Not for those in a part of the page that is drawn again without it: before such a part the page makes a `pause`.
    """

    def __init__(self, opened: bool) -> None:
        self._opened = opened
        self._waiting: list[tuple[Any, Callable[[], object]]] = []

    def place(self, height: int, draw: Callable[[], object]) -> None:
        """Put a picture here, so many pixels high; until its turn there is a frame in its place."""
        if not self._opened:
            draw()
            return
        place = st.empty()
        place.skeleton(height)
        self._waiting.append((place, draw))

    def pause(self) -> None:
        """Let the browser draw what there is so far, when the page is opened."""
        if self._opened:
            _pause()

    def send(self) -> None:
        """Draw those that wait; what has been drawn of the page is sent before."""
        for place, draw in self._waiting:
            _pause()
            with place:
                draw()
        self._waiting.clear()


def _pause() -> None:
    # The page gives up its turn, so that pages of other visitors are drawn during the pause.
    with turns.away():
        time.sleep(PAUSE)
