"""How far IBU is followed, and at which of its steps it is looked at."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

import ldpcore as ldp
from ldpcore.experiment.run import Collection
from ldpui.charts.common import Array

PAPER_STEPS = 10_000
# So many places on each decade of steps; up to as many, every single step.
_PER_DECADE = 16
# After so many times T a path that starts near uniform has come to rest, but for bins that hardly go to 0.
_CLOCKS = 1_000
_FARTHEST = 10**15
# A path is at rest where its steps are the rounding of the numbers.
_AT_REST = 1e-14


def marks(last: float) -> list[int]:
    """Return the numbers of steps to look at: evenly spaced on a log scale, with the start and the paper's 10,000.

    >>> marks(10**4)[:6], marks(10**4)[-1], marks(10**20)[-1] == 10**15
    ([0, 1, 2, 3, 4, 5], 10000, True)
    """
    last = min(max(last, PAPER_STEPS), _FARTHEST)
    decades = np.log10(last)
    spaced = np.logspace(0, decades, int(np.ceil(_PER_DECADE * decades)) + 1)
    return sorted({0, PAPER_STEPS, *(round(step) for step in spaced)})


def horizon(m: ldp.Mechanism, setting: ldp.Setting) -> float:
    """Return how far a path is followed at most: past the cap, and far past T."""
    clock = m.ibu_time_of(setting.channel)
    return max(PAPER_STEPS, setting.max_iter, _CLOCKS * clock if np.isfinite(clock) else 0)


def up_to_rest(trace: ldp.IBUTrace, least: float) -> ldp.IBUTrace:
    """Return a trace without what comes after it is at rest, if that is after the least number of steps."""
    moving = np.flatnonzero((trace.steps >= _AT_REST) | (trace.iterations < least))
    end = int(moving[-1]) + 2
    return ldp.IBUTrace(trace.iterations[:end], trace.estimates[:end], trace.log_likelihood[:end], trace.steps[:end])


def following(c: Collection, start: Array | None) -> Callable[[], ldp.IBUTrace]:
    """Return the call that follows IBU on one collection, from one start or from several, shape (starts, k)."""
    s, counts = c.setting, c.usable[0]
    rows = counts if start is None or start.ndim == 1 else np.broadcast_to(counts, start.shape)
    at = marks(horizon(c.mechanism, s))
    return partial(ldp.ibu_trace, rows, c.mechanism, at, start=start, channel=s.channel, stop=s.stop)
