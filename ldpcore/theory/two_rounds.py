"""What is likely after many reports of one memo: the laws that attacks, budgets and beliefs share."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism, Rounds

Pair = tuple[float, float]


def rounds_of(m: Mechanism) -> Rounds:
    """Return the two rounds of a longitudinal mechanism, or say that it does not tell them.

    >>> from ldpcore import mechanism
    >>> rounds_of(mechanism("L-OSUE", k=4, eps=1.0)).p1
    0.5
    """
    if m.rounds is None:
        raise Refused(f"{m.name} does not say what its two rounds are, so nothing exact can be said of many reports")
    return m.rounds


def bit_laws(s: Any, reports: int, first: Pair, second: Pair) -> tuple[FloatArray, FloatArray]:
    """Return ln f₁(s) and ln f₀(s): how likely a bit is 1 in s of the reports, for the true and for another value.

    Both up to s·ln q₂ + (reports - s)·ln(1 - q₂), which is the same for all values and adds up over reports.

    >>> own, other = bit_laws([0, 1], 1, (1.0, 0.0), (0.75, 0.25))
    >>> np.exp(own - other).round(6).tolist()
    [0.333333, 3.0]
    """
    (p1, q1), (p2, q2) = first, np.clip(second, 1e-300, 1 - 1e-16)
    s = np.asarray(s)
    memo = s * math.log(p2 / q2) + (reports - s) * (math.log1p(-p2) - math.log1p(-q2))
    with np.errstate(divide="ignore"):
        own, other = (np.logaddexp(np.log(chance) + memo, np.log1p(-chance)) for chance in (p1, q1))
    return np.asarray(own), np.asarray(other)


def cell_weights(counts: IntArray, rounds: Rounds) -> tuple[FloatArray, FloatArray]:
    """Return how likely each cell is to be the memo, from how often the reports name it (…, cells).

    The weights W = (p₂/q₂)^counts are divided by the largest of their row; the second array has its logarithm.

    >>> from ldpcore.mechanisms import Rounds
    >>> weights, logs = cell_weights(np.array([[2, 1, 0]]), Rounds(0.8, 0.1, 0.5, 0.25, cells=3))
    >>> weights.tolist(), round(float(np.exp(logs[0])), 6)
    ([[1.0, 0.5, 0.25]], 4.0)
    """
    ratio = math.log(rounds.p2 / max(rounds.q2, 1e-300))
    most = counts.max(axis=-1)
    return np.exp(ratio * (counts - most[..., None])), ratio * most


def through_first_round(weights: FloatArray, rounds: Rounds) -> FloatArray:
    """Return Pr[reports | value in the cell] from the weights of the cells: p₁W + q₁·(the others' W).

    >>> from ldpcore.mechanisms import Rounds
    >>> through_first_round(np.array([1.0, 0.0, 0.0]), Rounds(0.8, 0.1, 0.5, 0.25, cells=3)).tolist()
    [0.8, 0.1, 0.1]
    """
    return np.asarray((rounds.p1 - rounds.q1) * weights + rounds.q1 * weights.sum(axis=-1, keepdims=True))
