"""Iterative Bayesian Update on full reports: the true likelihood."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism

# The supports are held as a matrix of numbers; beyond this many it would not fit into a small machine.
FULL_MAX_ENTRIES = 200_000_000
# Below this many entries double precision costs nothing that anybody would notice.
_DOUBLE_UP_TO = 1 << 18
MAX_ITER_FULL = 3_000
TOL_FULL = 1e-7


def ibu_full(
    reports: Any,
    m: Mechanism,
    *,
    likelihood_ratio: Any = None,
    max_iter: int = MAX_ITER_FULL,
    tol: float = TOL_FULL,
    start: Any = None,
    accelerate: bool = True,
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
        Stop when a step moves no value by `tol` or more, or after `max_iter` steps.
    start : array_like, optional
        Where to start, shape (k,): probabilities without a 0; uniform if not given.
    accelerate : bool
        Extrapolate from every two steps, wherever that raises the likelihood (SQUAREM, Varadhan and
        Roland 2008): the same limit in a small part of the steps. False gives IBU's own iterates.
    """
    ratio = m.likelihood_ratio if likelihood_ratio is None else likelihood_ratio
    options: dict[str, Any] = {"max_iter": max_iter, "tol": tol, "start": start, "accelerate": accelerate}
    return ibu_supports(m.supports(reports), ratio, **options)


def ibu_supports(
    supports: Any,
    likelihood_ratio: Any,
    *,
    max_iter: int = MAX_ITER_FULL,
    tol: float = TOL_FULL,
    start: Any = None,
    accelerate: bool = True,
) -> FloatArray:
    """Estimate from the supports (n, k) of reports whose users may have different ε, even different mechanisms.

    θ_v ← θ_v/n · Σᵢ (1+(λᵢ-1)[v ∈ Sᵢ]) / (1+(λᵢ-1)θ(Sᵢ)); the arguments are those of `ibu_full`.
    """
    bits = check.array_of("supports", supports)
    if bits.ndim != 2 or bits.dtype != np.bool_ or bits.shape[0] == 0 or bits.shape[1] < 2:
        raise Refused(f"supports must be True or False for n users and k values; got {bits.dtype} {bits.shape}")
    if bits.size > FULL_MAX_ENTRIES:
        raise Refused(
            f"supports must have at most n·k = {FULL_MAX_ENTRIES:,} entries; got {bits.size:,}: use IBU on counts"
        )
    max_iter = check.integer("max_iter", max_iter, 1)
    tol = check.real("tol", tol, 0)
    k = bits.shape[1]
    theta = np.full(k, 1 / k) if start is None else check.full_support("start", start, k)
    if theta.shape != (k,):
        raise Refused(f"start must have shape ({k},); got {theta.shape}")
    likelihood = _Likelihood(bits, likelihood_ratio)
    return _climb(likelihood, theta, max_iter, tol) if accelerate else _iterate(likelihood, theta, max_iter, tol)


def _iterate(likelihood: _Likelihood, theta: FloatArray, max_iter: int, tol: float) -> FloatArray:
    """Take IBU's steps, one after the other."""
    for _ in range(max_iter):
        new = likelihood.step(theta)[0]
        moved = np.abs(new - theta).max()
        theta = new
        if moved < tol:
            break
    return theta


def _climb(likelihood: _Likelihood, theta: FloatArray, max_iter: int, tol: float) -> FloatArray:
    """Take two steps, extrapolate, and keep the extrapolation only if it is at least as likely as the steps."""
    one, _ = likelihood.step(theta)
    steps = 1
    while steps < max_iter:
        two, value = likelihood.step(one)
        steps += 1
        if np.abs(two - one).max() < tol or steps == max_iter:
            return two
        first, bend = one - theta, (two - one) - (one - theta)
        length = float(np.sqrt((first @ first) / max(float(bend @ bend), 1e-300)))
        # Nothing may come near 0 at one jump: from there IBU returns only slowly.
        jump = np.maximum(theta + 2 * length * first + length**2 * bend, 0.1 * two)
        jump /= jump.sum()
        after, reached = likelihood.step(jump)
        steps += 1
        # `reached` is the likelihood of the jump, `value` that of the first of the two steps.
        theta, one = (jump, after) if reached >= value else (one, two)
    return one


class _Likelihood:
    """The likelihood of the reports, and IBU's step on it."""

    def __init__(self, bits: BoolArray, likelihood_ratio: Any) -> None:
        self._n = len(bits)
        self._dtype = np.float64 if bits.size <= _DOUBLE_UP_TO else np.float32
        self._matrix = bits.astype(self._dtype)
        self._extra = _ratios(likelihood_ratio, self._n) - 1

    def step(self, theta: FloatArray) -> tuple[FloatArray, float]:
        """Return where IBU goes from `theta`, and the log-likelihood at `theta` itself, up to a constant."""
        seen = 1 + self._extra * (self._matrix @ theta.astype(self._dtype))
        weight = 1 / seen
        new = theta * (weight.sum() + (self._extra * weight).astype(self._dtype) @ self._matrix)
        return new / new.sum(), float(np.log(seen).sum())


def _ratios(likelihood_ratio: Any, n: int) -> FloatArray:
    ratios = check.array_of("likelihood_ratio", likelihood_ratio)
    if ratios.shape not in ((), (n,)) or ratios.dtype.kind not in "iuf":
        given = f"shape {ratios.shape}" if ratios.dtype.kind in "iuf" else check.shown(likelihood_ratio)
        raise Refused(f"likelihood_ratio must be one number or one for each of the n = {n} users; got {given}")
    bad = ~(np.isfinite(ratios) & (ratios >= 1))
    if bad.any():
        raise Refused(f"likelihood_ratio must be at least 1 and finite; got {np.atleast_1d(ratios)[bad.ravel()][0]:g}")
    return np.broadcast_to(ratios.astype(np.float64), (n,))
