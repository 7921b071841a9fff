"""Counts that no data can explain: of every single value, under every mechanism.

A value that nobody has is supported by Bin(n, q) reports, one that everybody has by Bin(n, p), and any other by
something between the two. So a count far below the first or far above the second is no matter of the data: the value's
bit was not randomized, was always set or never, or the mechanism is another.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ldpcore._validate import IntArray
from ldpcore.theory.count_law import binomial_tails


@dataclass(frozen=True)
class ImpossibleValues:
    """The values whose counts no data can explain, the worst first, and the p-value of all k values together."""

    values: tuple[int, ...]
    p_value: float


def impossible_values(counts: IntArray, n: int, p: float, q: float, alarm: float) -> ImpossibleValues:
    """Find the counts that are too small or too large for any data, with an error of `alarm` for all k together.

    Two tails for each of k values: the smallest of the 2k chances times 2k (Bonferroni).
    """
    tests = 2 * counts.size
    chances = np.full(counts.size, np.inf)
    # Only counts outside of [nq, np] can be off, and equal counts are looked at once.
    for outside, tail in ((counts < n * q, 0), (counts > n * p, 1)):
        distinct = np.unique(counts[outside])
        # Ascending counts have ascending lower tails: stop at the first that is not off.
        ordered = distinct.tolist() if tail == 0 else distinct[::-1].tolist()
        for count in ordered:
            chance = binomial_tails(n, (q, p)[tail], count)[tail]
            chances[counts == count] = chance
            if tests * chance >= alarm:
                break
    off = np.flatnonzero(tests * chances < alarm)
    worst = off[np.argsort(chances[off], kind="stable")]
    return ImpossibleValues(tuple(worst.tolist()), min(1.0, tests * float(chances.min())))
