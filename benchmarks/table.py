"""Timings as rows, and rows as Markdown tables."""

from __future__ import annotations

import timeit
from collections.abc import Callable, Sequence
from dataclasses import dataclass

# Short pieces of work are repeated for at least this long, whoever's they are.
_LEAST_SECONDS = 0.2


def best_ms(work: Callable[[], object], repeats: int, setup: Callable[[], object] | str = "pass") -> float:
    """Return the shortest of at least `repeats` timings, in milliseconds; `setup` is run before each, untimed."""
    timer = timeit.Timer(work, setup)
    seconds: list[float] = []
    while len(seconds) < repeats or sum(seconds) < _LEAST_SECONDS:
        seconds.append(timer.timeit(number=1))
    return 1000 * min(seconds)


def best_pair_ms(first: Callable[[], object], second: Callable[[], object], repeats: int) -> tuple[float, float]:
    """Return the shortest timings of two pieces of work done in turn, so that a busy moment meets both."""
    pairs = [(timeit.timeit(first, number=1), timeit.timeit(second, number=1)) for _ in range(repeats)]
    return 1000 * min(a for a, _ in pairs), 1000 * min(b for _, b in pairs)


@dataclass(frozen=True)
class Row:
    """Two timings of one mechanism.

    `ratio` is the first over the second, unless `at_most` is set: then it is the second
    over the first, and the target is an upper bound.
    """

    mechanism: str
    first_ms: float
    second_ms: float
    target: float
    extrapolated: bool = False
    at_most: bool = False

    @property
    def ratio(self) -> float:
        return self.second_ms / self.first_ms if self.at_most else self.first_ms / self.second_ms

    @property
    def ok(self) -> bool:
        return self.ratio <= self.target if self.at_most else self.ratio >= self.target

    def cells(self) -> tuple[str, ...]:
        first = f"{_ms(self.first_ms)} *" if self.extrapolated else _ms(self.first_ms)
        target = f"{'≤' if self.at_most else '≥'} {self.target:g}x"
        ratio = f"{self.ratio:,.0f}x" if self.ratio >= 100 else f"{self.ratio:.2f}x"
        return self.mechanism, first, _ms(self.second_ms), ratio, target, "yes" if self.ok else "NO"


def _ms(value: float) -> str:
    return f"{value:,.0f}" if value >= 1000 else f"{value:.3g}"


@dataclass(frozen=True)
class Table:
    """A titled table of rows with a note under it."""

    title: str
    first: str
    second: str
    rows: Sequence[Row]
    note: str

    def __str__(self) -> str:
        head = ("mechanism", self.first, self.second, "ratio", "target", "ok")
        lines = markdown(head, [row.cells() for row in self.rows])
        met = sum(row.ok for row in self.rows)
        note = f"{self.note} Target met by {met} of {len(self.rows)}."
        if any(row.extrapolated for row in self.rows):
            note += " (*) Extrapolated along a line from fewer users."
        return f"## {self.title}\n\n{lines}\n\n{note}\n"


def markdown(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a Markdown table that is aligned as plain text too: the first column left, the others right."""
    widths = [max(len(line[i]) for line in (head, *rows)) for i in range(len(head))]

    def line(cells: Sequence[str]) -> str:
        padded = [cells[0].ljust(widths[0])] + [c.rjust(w) for c, w in zip(cells[1:], widths[1:], strict=True)]
        return f"| {' | '.join(padded)} |"

    rule = [":" + "-" * (widths[0] - 1)] + ["-" * (w - 1) + ":" for w in widths[1:]]
    return "\n".join([line(head), line(rule), *(line(row) for row in rows)])
