"""Iterative Bayesian Update on full reports: the true likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.mechanisms.base import Mechanism

# The supports are held as a matrix of numbers; beyond this many it would not fit into a small machine.
FULL_MAX_ENTRIES = 200_000_000
# Below this many entries double precision costs nothing that anybody would notice.
_DOUBLE_UP_TO = 1 << 20


def ibu_full(
    reports: Any,
    m: Mechanism,
    *,
    likelihood_ratio: Any = None,
    max_iter: int = 10_000,
    tol: float = 1e-7,
    start: Any = None,
) -> FloatArray:
    """Estimate the frequencies by IBU on the reports themselves (generalised IBU), shape (k,).

    Parameters
    ----------
    reports
        Reports as `m.privatize` returns them.
    m : Mechanism
        The mechanism that made them.
    likelihood_ratio : float or array_like, shape (n,), optional
        One for each user where their ε differ; the mechanism's own if not given.
    max_iter, tol
        Stop when no value moves by `tol` or more, or after `max_iter` iterations.
    start : array_like, optional
        Where to start, shape (k,): probabilities without a 0; uniform if not given.
    """
    ratio = m.likelihood_ratio if likelihood_ratio is None else likelihood_ratio
    return ibu_supports(m.supports(reports), ratio, max_iter=max_iter, tol=tol, start=start)


def ibu_supports(
    supports: Any, likelihood_ratio: Any, *, max_iter: int = 10_000, tol: float = 1e-7, start: Any = None
) -> FloatArray:
    """Estimate from the supports (n, k) of reports whose users may have different ε, even different mechanisms.

    θ_v ← θ_v/n · Σᵢ (1+(λᵢ-1)[v ∈ Sᵢ]) / (1+(λᵢ-1)θ(Sᵢ))
    """
    bits = np.asarray(supports)
    if bits.ndim != 2 or bits.dtype != np.bool_ or bits.shape[0] == 0 or bits.shape[1] < 2:
        raise ValueError(f"supports must be True or False for n users and k values; got {bits.dtype} {bits.shape}")
    if bits.size > FULL_MAX_ENTRIES:
        raise ValueError(
            f"supports must have at most n·k = {FULL_MAX_ENTRIES:,} entries; got {bits.size:,}: use IBU on counts"
        )
    n, k = bits.shape
    max_iter = check.integer("max_iter", max_iter, 1)
    tol = check.real("tol", tol, 0)
    theta = np.full(k, 1 / k) if start is None else check.full_support("start", start, k).reshape(k)
    dtype = np.float64 if bits.size <= _DOUBLE_UP_TO else np.float32
    matrix = bits.astype(dtype)
    extra = _ratios(likelihood_ratio, n) - 1
    for _ in range(max_iter):
        weight = 1 / (1 + extra * (matrix @ theta.astype(dtype)))
        new = theta * (weight.sum() + (extra * weight).astype(dtype) @ matrix) / n
        new /= new.sum()
        step = np.abs(new - theta).max()
        theta = new
        if step < tol:
            break
    return theta


def _ratios(likelihood_ratio: Any, n: int) -> FloatArray:
    ratios = np.asarray(likelihood_ratio, dtype=np.float64)
    if ratios.shape not in ((), (n,)):
        raise ValueError(
            f"likelihood_ratio must be one number or one for each of the n = {n} users; got {ratios.shape}"
        )
    if not (np.isfinite(ratios) & (ratios >= 1)).all():
        raise ValueError("likelihood_ratio must be at least 1 and finite for every user")
    return np.broadcast_to(ratios, (n,))
