"""What an observer believes about one user's value, after each of the reports that the user sent."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism, Rounds, hash_cells
from ldpcore.theory.attack import prior_of


def observer_beliefs(m: Mechanism, reports: Sequence[Any], prior: Any = None, *, memo: bool = True) -> FloatArray:
    """Return what an observer believes after each of the reports of one user whose value does not change, (reports, k).

    Parameters
    ----------
    m : Mechanism
        The mechanism. The reports of a one-time one have fresh noise.
    reports : sequence
        What was sent, one after the other: each as `privatize` of one value, or `report` of one user's memo, gives it.
    prior : array_like, shape (k,), optional
        What the observer believes beforehand; uniform if not given.
    memo : bool
        Whether the reports of a longitudinal mechanism are of one memo; if not, both rounds were drawn anew for each.

    Notes
    -----
    Fresh reports are independent: Pr[reports | v] ∝ λ^(reports that support v). Reports of one memo are not. Where bits
    are kept, a value whose bit was 1 in s of t reports has the likelihood ratio
    (p₁a + (1-p₁)b)/(q₁a + (1-q₁)b), a = p₂ˢ(1-p₂)ᵗ⁻ˢ and b = q₂ˢ(1-q₂)ᵗ⁻ˢ. Where a cell is kept, a value in cell c has
    p₁W_c + q₁·(sum of the other W), W_c = (p₂/q₂)^(reports that name c).

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m, rng = mechanism("GRR", k=4, eps=1.0), np.random.default_rng(1)
    >>> observer_beliefs(m, [np.array([2]), np.array([2])]).round(2)  # the same answer twice
    array([[0.17, 0.17, 0.48, 0.17],
           [0.1 , 0.1 , 0.71, 0.1 ]])
    """
    theta, reports, memo = prior_of(m, prior), _of_one_user(m, reports), check.truth("memo", memo)
    if not reports:
        return np.empty((0, m.k))
    if m.eps_inf is None or not memo:
        logs = m.effective_eps * _supported(m, reports)
    elif m.rounds is None:
        raise Refused(f"what reports of {m.name} say together is not known: it does not tell its two rounds")
    else:
        logs = (_bits if m.rounds.cells is None else _cells)(m, m.rounds, reports)
    with np.errstate(divide="ignore"):  # a value that is out of the question stays so
        logs = logs + np.log(theta)
    weights = np.exp(logs - logs.max(axis=1, keepdims=True))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _of_one_user(m: Mechanism, reports: Any) -> list[Any]:
    """Return reports one by one, or say which is none, or of several users."""
    every = check.sequence("reports", reports, "reports")
    for report in every:
        m.support_counts(report)
        if (users := m.report_kind.length(report)) != 1:
            raise Refused(f"reports must each be of one user; got one of {users:,}")
    return every


def _supported(m: Mechanism, reports: Sequence[Any]) -> FloatArray:
    """Return after each report how many so far support each value."""
    return np.cumsum([m.supports(report)[0] for report in reports], axis=0, dtype=np.float64)


def _bits(m: Mechanism, rounds: Rounds, reports: Sequence[Any]) -> FloatArray:
    ones = _supported(m, reports)
    sent = np.arange(1, len(reports) + 1)[:, None]
    # How much likelier a memo of 1 makes what was sent than one of 0.
    log_ratio = ones * math.log(rounds.p2 / rounds.q2) + (sent - ones) * math.log((1 - rounds.p2) / (1 - rounds.q2))
    own, other = (np.logaddexp(math.log(p) + log_ratio, math.log1p(-p)) for p in (rounds.p1, rounds.q1))
    return np.asarray(own - other)


def _cells(m: Mechanism, rounds: Rounds, reports: Sequence[Any]) -> FloatArray:
    if m.g is None:
        cells, named = np.arange(m.k), np.array([int(report[0]) for report in reports])
    else:
        seeds = {int(report.seed[0]) for report in reports}
        if len(seeds) > 1:
            raise Refused(f"the reports of one user have one hash function; got {len(seeds)}")
        cells = hash_cells(seeds.pop(), np.arange(m.k), m.g, family=m.hash_family or "splitmix64")
        named = np.array([int(report.value[0]) for report in reports])
    # Only the cells that play a part: there may be very many.
    part = np.unique(np.concatenate([cells, named]))
    times = np.cumsum(named[:, None] == part, axis=0)
    ratio = math.log(rounds.p2 / max(rounds.q2, 1e-300))
    most = times.max(axis=1, keepdims=True)
    weights = np.exp(ratio * (times - most))
    total = weights.sum(axis=1, keepdims=True) + ((rounds.cells or 0) - part.size) * np.exp(-ratio * most)
    own = weights[:, np.searchsorted(part, cells)]
    return np.asarray(np.log((rounds.p1 - rounds.q1) * own + rounds.q1 * total))
