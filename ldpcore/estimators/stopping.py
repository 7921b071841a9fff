"""When to stop IBU, chosen by the counts: by cross-validation along its path."""

from __future__ import annotations

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.estimators.candidates import Candidate
from ldpcore.estimators.choice import Choice, Judged, make_choice
from ldpcore.estimators.groups import Group, combined
from ldpcore.estimators.halves import checked_splits, halves_of_rows, row_generator
from ldpcore.estimators.path import Observed, ibu_path
from ldpcore.mechanisms.base import Mechanism

CROSS_VALIDATION = "cv"
# As far as the counts may let IBU go, in its own time T: all but a ten-millionth of the way, near uniform.
FARTHEST = 16
# Numbers of all halves that are worked on together: more would leave the cache.
_CHUNK = 1 << 16


def most_steps(m: Mechanism, channel: str, least: int) -> int:
    """Return up to how many steps the counts may choose where nobody says it: 16 T, or `least` if that is more.

    >>> from ldpcore import mechanism
    >>> most_steps(mechanism("OUE", k=200, eps=1.0), "exact", 10_000)
    874529
    """
    clock = m.ibu_time_of(channel)
    return max(least, round(FARTHEST * clock)) if np.isfinite(clock) else least


def stopping_choices(
    rows: FloatArray, m: Mechanism, starts: FloatArray, channel: str, max_iter: int, n: int | None, seed: int
) -> list[Choice]:
    """Choose the number of steps for each row of counts (rows, k), with starts (rows, k), up to `max_iter`.

    All arguments are taken as checked.
    """
    sizes = [_size(row, m) if n is None else int(n) for row in rows]
    times = sorted({max(1, round(max_iter / 2**power)) for power in range(max_iter.bit_length())})
    chunk = 1 if n is None else max(1, _CHUNK // (2 * checked_splits(None, m.k) * m.k))
    out: list[Choice] = []
    for begin in range(0, len(rows), chunk):
        some = slice(begin, begin + chunk)
        out += _choices(rows[some], sizes[begin], m, starts[some], m.channel(check.channel(channel)), times, seed)
    return out


def _size(counts: FloatArray, m: Mechanism) -> int:
    """Return the number of reports where nobody says it: as many as would give so many supports on average."""
    return max(1, int(np.ceil(counts.max())), round(float(counts.sum()) / (m.p + (m.k - 1) * m.q)))


def _choices(
    rows: FloatArray,
    n: int,
    m: Mechanism,
    starts: FloatArray,
    channel: tuple[float, float],
    times: list[int],
    seed: int,
) -> list[Choice]:
    candidates = [Candidate("ibu", time) for time in times]
    whole = ibu_path([Observed.of(rows, *channel)], times, starts)
    half, splits = n // 2, checked_splits(None, m.k)
    every = [[Group(row, n, m)] for row in rows]
    if not half:
        return [make_choice(candidates, whole[:, row], None, every[row], splits) for row in range(len(rows))]
    first = halves_of_rows(rows, n, half, m, splits, [row_generator(row, seed) for row in rows])
    parts = [Group(c.reshape(-1, m.k), size, m) for c, size in ((first, half), (rows[:, None] - first, n - half))]
    again = np.repeat(starts, splits, axis=0)
    fits = [ibu_path([Observed.of(part.counts, *channel)], times, again) for part in parts]
    judges = [combined([part]) for part in reversed(parts)]
    out = []
    for row in range(len(rows)):
        here = slice(row * splits, (row + 1) * splits)
        judged = [
            Judged(fit[:, here], judge.raw[here], judge.free[here], judge.fixed[here])
            for fit, judge in zip(fits, judges, strict=True)
        ]
        out.append(make_choice(candidates, whole[:, row], (judged[0], judged[1]), every[row], splits))
    return out
