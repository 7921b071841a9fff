"""One user's life: the value, what is kept, what is sent, and what an observer believes after each report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism
from ldpcore.theory.attack import prior_of
from ldpcore.theory.observer import observer_beliefs


@dataclass(frozen=True, eq=False)
class Life:
    """What one user held and sent, report by report.

    Attributes
    ----------
    values : ndarray, shape (reports,)
        The value that the user holds at each report.
    memos : ndarray of bool, shape (reports, k), or None
        Which values the memo supports from which each report is made; None where nothing is kept.
    supports : ndarray of bool, shape (reports, k)
        Which values each report supports.
    beliefs : ndarray, shape (reports, k)
        What the observer believes after each report, of the value that is held then.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> life = live(mechanism("L-GRR", k=3, eps=1.0), [2] * 50, np.random.default_rng(1))
    >>> life.beliefs.shape, len(np.unique(life.memos, axis=0))
    ((50, 3), 1)
    """

    values: IntArray
    memos: BoolArray | None
    supports: BoolArray
    beliefs: FloatArray


def live(m: Mechanism, values: Any, rng: np.random.Generator, prior: Any = None, *, memo: bool = True) -> Life:
    """Let one user report, and follow what an observer makes of it.

    The observer knows the mechanism, how common each value is, and when the value changes, and then begins anew; what
    earlier values said is not used again, even where an old memo comes back.

    Parameters
    ----------
    m : Mechanism
        The mechanism.
    values : array_like, shape (reports,)
        The value that the user holds at each report.
    rng : numpy.random.Generator
        Draws all noise.
    prior : array_like, shape (k,), optional
        What the observer believes before the first report; uniform if not given.
    memo : bool
        Whether the user keeps a memo for each value. A longitudinal mechanism without one draws both rounds anew at
        every report; for a one-time mechanism a memo means that the report of a value is sent again and again.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m = mechanism("L-OSUE", k=4, eps=1.0, eps_inf=2.0)
    >>> kept, fresh = (live(m, [1] * 200, np.random.default_rng(2), memo=memo) for memo in (True, False))
    >>> round(float(kept.beliefs[-1].max()), 2), round(float(fresh.beliefs[-1].max()), 2)
    (0.71, 1.0)
    """
    check.mechanism(m)
    values = check.integer_array("values", values, 0, m.k - 1)
    if values.ndim != 1 or values.size == 0:
        raise Refused(f"values must be one for each report, at least one; got shape {values.shape}")
    rng, theta, memo = check.generator("rng", rng), prior_of(m, prior), check.truth("memo", memo)
    reports, memos = _sent(m, values, rng, memo)
    supports = np.concatenate([m.supports(report) for report in reports])
    memo_supports = np.concatenate([m.supports(one) for one in memos]) if memos else None
    beliefs = np.empty(supports.shape)
    for part in _stretches(values):
        beliefs[part] = _beliefs(m, reports[part], theta, memo)
    return Life(values, memo_supports, supports, beliefs)


def _sent(m: Mechanism, values: IntArray, rng: np.random.Generator, memo: bool) -> tuple[list[Any], list[Any]]:
    """Return the reports one by one, and what is kept at each of them."""
    device = m.device(int(values[0]), rng, memo=memo)
    reports, memos = [], []
    for value in values.tolist():
        device.hold(value, rng)
        reports.append(device.report(rng))
        memos.append(device.memo)
    return reports, memos if memo else []


def _stretches(values: IntArray) -> list[slice]:
    """Return the parts of a life in which the value stays."""
    edges = [0, *(np.flatnonzero(np.diff(values)) + 1).tolist(), values.size]
    return [slice(a, b) for a, b in pairwise(edges)]


def _beliefs(m: Mechanism, reports: Sequence[Any], theta: FloatArray, memo: bool) -> FloatArray:
    """Return what is believed after each of some reports of one value, shape (reports, k)."""
    if memo and m.eps_inf is None:
        # The same report again says nothing new.
        return np.repeat(observer_beliefs(m, reports[:1], theta), len(reports), axis=0)
    return observer_beliefs(m, reports, theta, memo=memo)
