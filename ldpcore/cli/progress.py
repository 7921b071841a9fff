"""How far a long command is: a bar on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import Self, TextIO

_WIDTH = 30
# Between two states of the bar, and between two lines.
_BAR_SECONDS, _LINE_SECONDS = 0.1, 10.0


class Progress:
    """Counts to `total` from `done`, on standard error; use it in a with-statement."""

    def __init__(self, what: str, total: int, done: int = 0, file: TextIO | None = None) -> None:
        self.what, self.total, self.done = what, total, done
        self._file = sys.stderr if file is None else file
        self._is_terminal = self._file.isatty()
        self._first, self._begin = done, time.monotonic()
        self._shown = float("-inf")

    def __enter__(self) -> Self:
        if self._first:
            self._file.write(f"{self._first} of {self.total} {self.what} were done before\n")
        self._show(last=False)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        self._show(last=True)

    def advance(self, number: int) -> None:
        """Count `number` more."""
        self.reach(self.done + number)

    def reach(self, done: int) -> None:
        """Count up to `done`."""
        self.done = done
        if time.monotonic() - self._shown > (_BAR_SECONDS if self._is_terminal else _LINE_SECONDS):
            self._show(last=False)

    def _show(self, *, last: bool) -> None:
        self._shown = time.monotonic()
        share = self.done / self.total if self.total else 1.0
        text = f"{self.done} of {self.total} {self.what}, {100 * share:.0f} %"
        if self.done - self._first > 0 and self.done < self.total:
            left = (self._shown - self._begin) / (self.done - self._first) * (self.total - self.done)
            text += f", {left:.0f} s left"
        if not self._is_terminal:
            self._file.write(text + "\n")
        else:
            full = int(_WIDTH * share)
            # Blanks at the end wipe out what a longer text has left.
            self._file.write(f"\r[{'#' * full}{'.' * (_WIDTH - full)}] {text}{' ' * 8}" + ("\n" if last else ""))
        self._file.flush()


class Bar:
    """Shows how far a function is that calls `on_progress(done, total)`: its first call says where it begins."""

    def __init__(self, what: str) -> None:
        self._what = what
        self._progress: Progress | None = None

    @property
    def done(self) -> int:
        return 0 if self._progress is None else self._progress.done

    def __call__(self, done: int, total: int) -> None:
        if self._progress is None:
            self._progress = Progress(self._what, total, done).__enter__()
        else:
            self._progress.reach(done)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None) -> None:
        if self._progress is not None:
            self._progress.__exit__(kind, error, at)
