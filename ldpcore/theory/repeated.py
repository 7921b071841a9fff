"""What many reports of one user cost, and what the server wins by averaging them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.mechanisms import Mechanism, Rounds
from ldpcore.theory.two_rounds import bit_laws, rounds_of


def effective_eps_after(m: Mechanism, reports: float, *, memo: bool = True) -> float:
    """Return what many reports of a user whose value does not change really cost.

    It is the logarithm of the largest Pr[reports | v] / Pr[reports | w] over all sequences of so many reports and all
    pairs of values: exact, not a bound.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    reports : int or math.inf
        How many reports are seen.
    memo : bool
        Whether the user keeps a memo. A longitudinal mechanism without one draws both rounds anew at every report; for
        a one-time mechanism a memo means that the first report is sent again and again.

    Notes
    -----
    Fresh reports multiply: `reports` times the effective ε of one. With a memo, let v and w be the two values.

    Bits (unary encodings): the bits are independent, and f₁(s)/f₀(s) rises with the number s of reports in which a bit
    is 1. So the largest ratio has v's bit in all reports and w's in none.

    Cells (L-GRR, L-BLH, L-OLH): with W_c = (p₂/q₂)^(reports that name c) the ratio is (q₁ΣW + (p₁-q₁)W_v) /
    (q₁ΣW + (p₁-q₁)W_w). It rises with W_v and falls with all others, so all reports name v's cell, and w is in another.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m = mechanism("L-SUE", k=10, eps=1.0, eps_inf=2.0)
    >>> [round(effective_eps_after(m, reports), 3) for reports in (1, 2, 10, math.inf)]
    [1.0, 1.612, 2.0, 2.0]
    >>> round(effective_eps_after(m, 10, memo=False), 3)
    10.0
    """
    check.mechanism(m)
    reports, memo = check.endless("reports", reports, check.ITER_MAX), check.truth("memo", memo)
    if m.eps_inf is None and memo:
        return m.effective_eps
    if not memo:
        return reports * m.effective_eps
    rounds = rounds_of(m)
    if reports == math.inf:
        return _memo_eps(rounds)
    return _cell_eps(rounds, rounds.cells, int(reports)) if rounds.cells else _bit_eps(rounds, int(reports))


def _memo_eps(rounds: Rounds) -> float:
    """Return what the memo itself costs."""
    p1, q1 = rounds.p1, rounds.q1
    return math.log(p1 / q1) if rounds.cells else math.log(p1 / q1) + math.log1p(-q1) - math.log1p(-p1)


def _bit_eps(rounds: Rounds, reports: int) -> float:
    own, other = bit_laws([0, reports], reports, (rounds.p1, rounds.q1), (rounds.p2, rounds.q2))
    return float((own - other)[1] - (own - other)[0])


def _cell_eps(rounds: Rounds, cells: int, reports: int) -> float:
    # W of the cells that no report names, if that of v's cell is 1.
    rest = math.exp(reports * (math.log(max(rounds.q2, 1e-300)) - math.log(rounds.p2)))
    with_v = rounds.p1 + (cells - 1) * rounds.q1 * rest
    with_w = rounds.q1 + ((cells - 2) * rounds.q1 + rounds.p1) * rest
    return math.log(with_v / with_w)


def changing_eps(m: Mechanism, reports: int, every: int, *, memo: bool = True) -> float:
    """Return what many reports cost in all if the user's value changes every so many of them.

    The value goes on to one that was not held before; after all k values it begins again, and finds the old memos.
    The cost is the logarithm of the largest ratio between two such histories that differ in every value.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    reports : int
        How many reports are sent in all.
    every : int
        After how many reports the value changes.
    memo : bool
        As in `effective_eps_after`.

    Notes
    -----
    Memos of different values are independent, so their costs add up: each value costs what its own reports cost. A
    one-time mechanism that hashes draws a new hash function with each of them. A longitudinal one keeps its own, and
    there is one memo for each of its g cells: in the worst case, which is counted here, the values go through all
    cells before they return to one.

    The two histories change at the same times and return at the same times; where a hash function is kept, so do their
    cells. **That** a memo has changed is not covered by any such sum. Against a history without a change, or one whose
    values fall into one cell where those of the other fall into two, the ratio has no bound but that of fresh reports.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m = mechanism("L-BLH", k=100, eps=1.0, eps_inf=2.0)
    >>> [round(changing_eps(m, 1_000, every), 2) for every in (1_000, 500, 100)]  # two cells, two memos
    [2.0, 4.0, 4.0]
    """
    check.mechanism(m)
    reports, every = (check.integer(name, x, 1, check.ITER_MAX) for name, x in (("reports", reports), ("every", every)))
    if not check.truth("memo", memo):
        return effective_eps_after(m, reports, memo=False)
    keys = m.memos
    periods, rest = divmod(reports, every)
    rounds, more = divmod(periods, keys)
    # So many values had one period more than the others, and the next one has what is left.
    shares = [(more, (rounds + 1) * every), (1, rounds * every + rest), (keys - more - 1, rounds * every)]
    return sum(number * effective_eps_after(m, times) for number, times in shares if number and times)


def averaged_variance(m: Mechanism, frequencies: Any, n: int, collections: float, *, memo: bool = True) -> FloatArray:
    """Return the variance of raw MI averaged over many collections from the same users, given their values.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    frequencies : array_like
        True frequencies; the variance of each is returned.
    n : int
        Number of users. All of them report at every collection, and their values stay.
    collections : int or math.inf
        How many collections are averaged.
    memo : bool
        As in `effective_eps_after`: without one every collection has fresh noise.

    Notes
    -----
    A user's part in the count of a value is supported or not, given the memo with p₂ or q₂. The mean over T collections
    has the variance a(1-a)(p₂-q₂)², which stays, and [a·p₂(1-p₂) + (1-a)·q₂(1-q₂)]/T, which averages out; a is p₁ for
    those who hold the value and q₁ for the others (1/g where values are hashed). Fresh noise averages out whole.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m = mechanism("L-SUE", k=10, eps=1.0, eps_inf=2.0)
    >>> [f"{averaged_variance(m, 0.0, 10_000, t) ** 0.5:.4f}" for t in (1, 10, math.inf)]
    ['0.0198', '0.0110', '0.0096']
    >>> [f"{averaged_variance(m, 0.0, 10_000, t, memo=False) ** 0.5:.4f}" for t in (1, 10, math.inf)]
    ['0.0198', '0.0063', '0.0000']
    """
    check.mechanism(m)
    f, n = check.reals("frequencies", frequencies, finite=True), check.integer("n", n, 1, check.N_MAX)
    collections = check.endless("collections", collections, check.ITER_MAX)
    own, other = _spreads(m, collections, check.truth("memo", memo))
    return np.asarray((f * own + (1 - f) * other) / (n * (m.p - m.q) ** 2))


def _spreads(m: Mechanism, collections: float, memo: bool) -> tuple[float, float]:
    """Return the variance of one user's mean support of a value: for those who hold it, and for the others."""
    once = m.p * (1 - m.p), m.q * (1 - m.q)
    if m.eps_inf is None or not memo:
        shrink = 1 if memo else 1 / collections
        return once[0] * shrink, once[1] * shrink
    rounds = rounds_of(m)
    q1 = rounds.q1 if m.g is None else 1 / m.g
    stays, goes = (rounds.p2 - rounds.q2) ** 2, (rounds.p2 * (1 - rounds.p2), rounds.q2 * (1 - rounds.q2))
    own, other = (a * (1 - a) * stays + (a * goes[0] + (1 - a) * goes[1]) / collections for a in (rounds.p1, q1))
    return own, other
