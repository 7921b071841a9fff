"""Intervals for a value's frequency, from the count of the reports that support it.

Two questions, two intervals. "noise" is about the users who reported: the count is Bin(c, p) + Bin(n-c, q), and c, how
many of the n have the value, is not known. "population" is about the population that they are a sample of: the count
is Bin(n, q + (p-q)θ). Both may reach below 0 and above 1, as the raw, unbiased estimate does; there the count is taken
for Bin(n, q + (p-q)f), in which both questions become one. `cut` keeps what is possible, for drawing around any
estimate: of all estimates only raw MI has an interval of its own that holds what it promises.

Two ways to compute them, and the switch. Where a count's variance is at least `EXACT_BELOW` = 50, score intervals: all
f with |f̃ - f| ≤ z√Var(f), the variance at f itself and not at the estimate. Rounding to whole counts then moves their
coverage by at most φ(z)/√50 = 0.8 points (at levels above 95 % the switch is at a larger variance). Below, exact ones:
for every possible truth the most likely counts are taken until their chance is as near to the level as whole counts
allow, and not more than a fifth of 1 - level below it; a count's interval is all truths that take it (Sterne 1954).

What they hold at 95 %. No truth is held less often than 94 %, whatever n, p and q. Pooled over bins with users in them
it is 94-97 %. Above that they are only where whole counts leave no choice: a value that nobody has, at nq = 0.1, is
counted 0 times with 90.5 % and at most once with 99.5 %, and nothing lies between the two. So a histogram of mostly
empty bins at a small nq is held by up to 99.9 %: too careful, never too bold.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray, IntArray
from ldpcore.estimators.counts import whole_counts
from ldpcore.mechanisms import Mechanism
from ldpcore.theory.count_law import sum_window

INTERVALS = ("noise", "population")
"""The two kinds of intervals: for the users who reported, or for the population that they are a sample of."""
EXACT_BELOW = 50.0
# Truths that are tried: so many to a standard deviation of the count, or every number of users where those are fewer.
_ROWS = 25
# Truths are sought where a score interval with so many standard deviations more than asked for ends.
_REACH = 1.5
_NEARLY = 0.999
# Truths that are computed at once: near each other, so that their windows are about as wide.
_BLOCK = 200


@dataclass(frozen=True)
class Support:
    """What decides the law of a support count: the number of reports, and the mechanism's p and q."""

    n: int
    p: float
    q: float


def cut(interval: FloatArray) -> FloatArray:
    """Return an interval of shape (2, k) cut to [0, 1]: what is left of it is held as often as the whole."""
    return np.clip(interval, 0.0, 1.0)


def intervals(counts: Any, n: int, m: Mechanism, *, kind: str = "noise", level: float = 0.95) -> FloatArray:
    """Return the intervals to draw around any estimate from these counts: those of raw MI cut to [0, 1].

    They hold the truth as often as they promise, whatever estimate is drawn inside. A bootstrap of IBU or of another
    biased estimate does not: it moves around the estimate, and so misses what the estimate itself misses (nominal 95 %
    gives 0 to 89 %).

    Parameters
    ----------
    counts : array_like of int, shape (..., k)
        Support counts of n reports, such as `Result.counts`.
    n : int
        Number of reports.
    m : Mechanism
        The mechanism that made them.
    kind : {"noise", "population"}
        For the frequencies among the n users, or for those of the population that they are a sample of.
    level : float
        What they promise, above 0 and below 1.

    Returns
    -------
    ndarray, shape (..., 2, k)
        The lower and the upper ends.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> ldp.intervals([560, 440], 1_000, ldp.mechanism("GRR", k=2, eps=1.0)).round(3)
    array([[0.57 , 0.311],
           [0.689, 0.43 ]])
    """
    array = whole_counts(counts, n, m)
    check.choice("kind", kind, INTERVALS)
    ends = cut(count_interval(kind, array.ravel(), Support(int(n), m.p, m.q), check.share("level", level)))
    return np.moveaxis(ends.reshape(2, *array.shape), 0, -2)


def count_interval(kind: str, counts: IntArray, support: Support, level: float) -> FloatArray:
    """Return the intervals of one collection's counts, shape (2, k).

    Parameters
    ----------
    kind : {"noise", "population"}
        Whether the frequencies are those among the n users, or those of the population that they are a sample of.
    counts : IntArray, shape (k,)
        How many of the n reports support each value.
    support : Support
        n, p and q.
    level : float
        What the intervals promise, 0.95 for 95 %.
    """
    distinct, place = np.unique(counts, return_inverse=True)
    raw = (distinct / support.n - support.q) / (support.p - support.q)
    z = NormalDist().inv_cdf(0.5 + level / 2)
    law = Variance.of(kind, [support], np.ones(1))
    ends = law.interval(raw, z)
    # Farther out in the tails counts are normal later.
    switch = EXACT_BELOW * max(1.0, z / 1.96) ** 4
    small = (law.se(raw) * support.n * (support.p - support.q)) ** 2 < switch
    if small.any():
        around = law.interval(raw[small], z + _REACH)
        ends[:, small] = _exact(kind, distinct[small], around, support, level)
    return np.asarray(ends[:, place.ravel()])


def mixed_interval(
    kind: str, raw: FloatArray, groups: Sequence[Support], weights: FloatArray, level: float
) -> FloatArray:
    """Return the intervals of a weighted mean of several groups' raw estimates (several ε), shape (2, k).

    Score intervals at all counts, so they hold less than they promise where the groups that weigh most are small, or
    expect hardly any report of a value. "noise" holds the frequencies among all users who reported, each counted once,
    and not only the weighted mean of the groups' frequencies that `raw` estimates without bias: chance alone decides
    who is in which group (ε must not depend on the value), so that a group's frequencies are those of a draw without
    replacement, and what this adds to the variance is in the interval. It holds the weighted mean too, more often.
    """
    z = NormalDist().inv_cdf(0.5 + level / 2)
    return Variance.of(kind, groups, weights).interval(raw, z)


@dataclass(frozen=True)
class Variance:
    """A variance a + bf - cf² of a raw estimate, as it depends on the true frequency f."""

    a: float
    b: float
    c: float

    @classmethod
    def of(cls, kind: str, groups: Sequence[Support], weights: FloatArray) -> Variance:
        """Return the variance of Σ weight·raw around the frequencies that `kind` is about."""
        a = b = c = squares = 0.0
        for group, weight in zip(groups, weights, strict=True):
            p, q, n = group.p, group.q, group.n
            share = float(weight) ** 2 / n
            squares += share
            a += share * q * (1 - q) / (p - q) ** 2
            # Noise alone: f p(1-p) + (1-f) q(1-q). With sampling: γ(1-γ), γ = q + (p-q)f.
            b += share * ((1 - p - q) if kind == "noise" else (1 - 2 * q)) / (p - q)
            c += 0.0 if kind == "noise" else share
        if kind == "noise" and len(groups) > 1:
            # Who is in which group: groups are drawn without replacement from all users. Equal weights per user: 0.
            users = sum(group.n for group in groups)
            drawn = max(0.0, squares - 1 / users) * users / (users - 1)
            b, c = b + drawn, c + drawn
        return cls(a, b, c)

    def se(self, raw: FloatArray) -> FloatArray:
        """Return the standard error with the estimate, cut to [0, 1], in the place of the truth."""
        f = np.clip(raw, 0, 1)
        # Where ε is so large that there is no noise, rounding can leave less than nothing.
        return np.asarray(np.sqrt(np.maximum(self.a + self.b * f - self.c * f**2, 0)))

    def interval(self, raw: FloatArray, z: float) -> FloatArray:
        """Solve (raw - f)² = z²(a + bf - cf²) for f; Wilson's interval is the case of one group with sampling."""
        whole = 1 + z**2 * self.c
        middle = (raw + z**2 * self.b / 2) / whole
        inside = middle**2 - (raw**2 - z**2 * self.a) / whole
        half = np.sqrt(np.maximum(inside, 0))
        return np.stack([middle - half, middle + half])


# ---- exact, at small counts --------------------------------------------------------


def _exact(kind: str, counts: IntArray, around: FloatArray, support: Support, level: float) -> FloatArray:
    """Return the intervals of ascending, distinct counts; `around` says where to look for each."""
    truths, ends = _truths(kind, around, support)
    low, high = _likely_counts(kind, truths, support, level)
    # The hull of the truths that take a count: from the first whose counts reach up to it to the last that reach down.
    reached, left = np.maximum.accumulate(high), np.minimum.accumulate(low[::-1])[::-1]
    first = np.searchsorted(reached, counts, side="left")
    last = np.searchsorted(left, counts, side="right") - 1
    return np.stack([ends[0, np.minimum(first, truths.size - 1)], ends[1, np.maximum(last, 0)]])


def _truths(kind: str, around: FloatArray, support: Support) -> tuple[FloatArray, FloatArray]:
    """Return ascending truths to try, as numbers of users nf, and the ends (2, rows) in f that each stands for.

    Between 0 and n the noise is that of a whole number of users, so those are tried, or as many of them as are
    needed. A truth stands for all up to its neighbours, which makes an interval wider by a 25th of a spread at most.
    """
    n, p, q = support.n, support.p, support.q
    least, most = -n * q / (p - q), n * (1 - q) / (p - q)
    steps: list[float] = []
    x = -np.inf
    for low, high in zip(*(around * n).tolist(), strict=True):
        x = max(x, low - 2, least)
        while x <= min(high + 2, most):
            steps.append(x)
            f = min(max(x / n, 0.0), 1.0)
            gamma = q + (p - q) * f
            spread = n * (f * p * (1 - p) + (1 - f) * q * (1 - q) if kind == "noise" else gamma * (1 - gamma))
            x += max(spread, 0.25) ** 0.5 / (p - q) / _ROWS
    # The ends of what is possible are tried too, but not where no count is near them: their windows can be wide.
    truths = np.array([*steps, *(x for x in (0.0, float(n), most) if steps[0] <= x <= around[1].max() * n + 2)])
    if kind == "noise":
        truths = np.where((truths > 0) & (truths < n), np.round(truths), truths)
    truths = np.unique(truths)
    # Up to just before the next truth, which answers for itself: 0 above all. Whole numbers have no truth between them.
    gaps = np.diff(truths)
    if kind == "noise":
        whole = (truths[:-1] >= 0) & (truths[1:] <= n)
        gaps = np.where(whole, gaps - 1, _NEARLY * gaps)
    else:
        gaps = _NEARLY * gaps
    before, after = np.concatenate([[0.0], gaps]), np.concatenate([gaps, [0.0]])
    return truths, np.stack([truths - before, truths + after]) / n


def _likely_counts(kind: str, truths: FloatArray, support: Support, level: float) -> tuple[IntArray, IntArray]:
    """Return the smallest and the largest count that each truth takes."""
    n, p, q = support.n, support.p, support.q
    gamma = np.clip(q + (p - q) * truths / n, 0.0, 1.0)
    users = (truths >= 0) & (truths <= n) if kind == "noise" else np.zeros(truths.shape, dtype=np.bool_)
    trials = np.where(users, truths, n)
    low, high = (np.empty(truths.size, dtype=np.int64) for _ in range(2))
    for rows in np.array_split(np.arange(truths.size), truths.size // _BLOCK + 1):
        chance = np.where(users[rows], p, gamma[rows])
        first, pmf = sum_window(trials[rows], chance, n - trials[rows], q)
        taken = _taken(pmf, level)
        low[rows] = first + np.argmax(taken, axis=1)
        high[rows] = first + taken.shape[1] - 1 - np.argmax(taken[:, ::-1], axis=1)
    return low, high


def _taken(pmf: FloatArray, level: float) -> BoolArray:
    """Mark the most likely counts of each row whose chance is nearest to the level, and not far below it."""
    order = np.argsort(-pmf, axis=1, kind="stable")
    total = np.cumsum(np.take_along_axis(pmf, order, axis=1), axis=1)
    enough = np.argmax(total >= min(level, 1 - 1e-9), axis=1)
    rows = np.arange(len(pmf))
    above, below = total[rows, enough], total[rows, np.maximum(enough - 1, 0)]
    fewer = (enough > 0) & (below >= level - (1 - level) / 5) & (level - below < above - level)
    rank = np.empty_like(order)
    np.put_along_axis(rank, order, np.arange(pmf.shape[1])[None], axis=1)
    return np.asarray(rank <= (enough - fewer)[:, None])
