"""What a round's counts say, all of it from ldpcore; computed once for the counts of a moment.

It is kept with the round, and ends with its room: a cache that all visitors share would still have it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

import ldpcore as ldp
from ldpcore.arrays import FloatArray, IntArray
from ldpcore.collected.intervals import Support, count_interval, cut
from pages.study.live_class.rooms import RoundView

LEVEL = 0.95


@dataclass(frozen=True, eq=False)
class Estimates:
    """Estimates from the counts of a round with at least one report.

    Attributes
    ----------
    mi, ibu : array, shape (k,)
        Shares of the answers.
    interval : array, shape (2, k)
        95 % intervals for the shares among those who reported, each on its own.
    joint : array, shape (2, k)
        Wider ones that hold all k shares at once in about 95 % of all rounds.
    """

    mi: FloatArray
    ibu: FloatArray
    interval: FloatArray
    joint: FloatArray


def estimates(view: RoundView) -> Estimates | None:
    """Return what can be estimated; None where nobody has reported."""
    if not view.n:
        return None
    if "estimates" not in view.worked_out:
        view.worked_out["estimates"] = _estimates(view.mechanism, view.eps, view.counts, view.n)
    known: Estimates = view.worked_out["estimates"]
    return known


def _estimates(mechanism: str, eps: float, counts: tuple[int, ...], n: int) -> Estimates:
    m = ldp.mechanism(mechanism, k=len(counts), eps=eps)
    support = np.array(counts)
    # Where no report says yes to anything, both have nothing to go by: all answers are alike.
    even = np.full(m.k, 1 / m.k)
    return Estimates(
        mi=ldp.mi(support, n, m) if support.any() else even,
        ibu=ldp.ibu(support, m) if support.any() else even,
        interval=_intervals(support, n, m, LEVEL),
        joint=_intervals(support, n, m, 1 - (1 - LEVEL) / len(counts)),
    )


def _intervals(support: IntArray, n: int, m: ldp.Mechanism, level: float) -> FloatArray:
    """Return the intervals of shares, shape (2, k), also where a count is rarer than the level allows at any share.

    Such a count, of two reports that both name the same of eight answers, leaves no share at all. It is taken for what
    everybody, or nobody, would give on average: that interval is wider, and no less often right.
    """
    law = Support(n, m.p, m.q)
    ends = count_interval("noise", support, law, level)
    usual = np.clip(support, math.floor(n * m.q), math.ceil(n * m.p))
    none_left = (ends[0] > 1) | (ends[1] < 0)
    return cut(np.where(none_left, count_interval("noise", usual, law, level), ends))


# Of no room: what it says holds for all rounds of this kind.
@lru_cache(maxsize=500)
def guessed(mechanism: str, k: int, eps: float) -> float:
    """Return how often the best guess from one report is right, if all answers are equally likely before it."""
    return ldp.theory.attack_success(ldp.mechanism(mechanism, k=k, eps=eps))


def half_width(mechanism: str, k: int, eps: float, n: int) -> float:
    """Return about how far a 95 % interval of an answer that one in k gave reaches to each side, not cut at 0 and 1."""
    m = ldp.mechanism(mechanism, k=k, eps=eps)
    return 1.96 * float(np.sqrt(m.noise_variance(1 / k, n)))
