"""How often the Advisor simulates: often enough to rank, not so often that a reader waits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Candidate
from ldpui.computing import work

MAP_RUNS = 200
N_GRID = tuple(10**power for power in range(2, 10))
# Runs times values times iterations that keep a reader waiting for about a second.
_ITERATED_WORK = 7e8
# Users times values in one run of a mechanism that can only be simulated user by user.
_ENTRIES = 4_000_000


def is_slow(name: str) -> bool:
    """Tell whether a mechanism takes its time.

    Counts of single values, or of values that are supported independently, are drawn at once. Sets of several values
    take about a hundred times as long (measured: 7 ms a run with 100 values, 0.1 s with 1,000).
    """
    return not ldp.mechanism_class(name).counts_come_at_once()


def too_many_users(name: str, n: float, k: int) -> bool:
    """Tell whether a mechanism would have to be simulated user by user, and there are too many for that."""
    return ldp.mechanism_class(name).support_law == "unknown" and n * k > _ENTRIES


def steady(t: ldp.Setting) -> int:
    """Return how often to simulate what is quick: a 95 % quantile needs more runs than a mean."""
    return max(t.runs, 400 if not is_slow(t.mechanism) or t.k <= 100 else 200 if t.k <= 300 else 100)


def fine(t: ldp.Setting) -> int:
    """Return how often to simulate the first, and those too close to it to call: 95 % is then good to half a point."""
    if is_slow(t.mechanism):
        return max(steady(t), 2_000 if t.k <= 30 else 1_000 if t.k <= 100 else 0)
    return max(steady(t), 2_000 if t.k <= 300 else 1_000)


def search(t: ldp.Setting) -> int:
    """Return how often to simulate at each place of a search; its answer rests on several places."""
    return 40 if is_slow(t.mechanism) and t.k > 300 else core.RUNS


def iterated(settings: Sequence[ldp.Setting]) -> int:
    """Return how often to simulate the estimators that take many steps."""
    s = settings[0]
    return int(min(max(s.runs, _ITERATED_WORK // (len(settings) * s.k * s.max_iter)), steady(s)))


def check(settings: Sequence[ldp.Setting]) -> None:
    """Refuse a question for whose answer those would take minutes."""
    work.check([replace(t, runs=iterated(settings)) for t in settings])


def choosing(t: ldp.Setting) -> int:
    """Return how often to simulate `auto`, which takes a tenth of a second a run with 100 values."""
    return max(4, min(20, 2_000 // t.k))


def grid(s: ldp.Setting, first: Candidate) -> int:
    """Return how often to simulate each place of the lines of equal error."""
    if ldp.estimator(first.estimator).iterated:
        return s.runs
    return 40 if is_slow(first.mechanism.name) else 100


def users(first: Candidate) -> tuple[int, ...]:
    """Return the numbers of users of the lines of equal error, fewer for mechanisms that take their time."""
    m = first.mechanism
    numbers = N_GRID[::2] + N_GRID[-1:] if is_slow(m.name) and m.k > 100 else N_GRID
    return tuple(n for n in numbers if n <= 1_000 or not too_many_users(m.name, n, m.k))


def without_iterations(t: ldp.Setting, runs: int) -> ldp.Setting:
    """Return the setting for estimators that take no steps: IBU is then not worth the time."""
    return replace(t, runs=runs, max_iter=1)
