"""Iterative Bayesian Update on full reports: the true likelihood."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray
from ldpcore.errors import Refused
from ldpcore.estimators.squarem import extrapolated
from ldpcore.estimators.starts import starts_of
from ldpcore.mechanisms.base import Mechanism

FULL_MAX_ENTRIES = 200_000_000
"""The largest n·k for full-report IBU, which holds a number for each: more would not fit into a small machine."""
# Below this many entries double precision costs nothing that anybody would notice.
_DOUBLE_UP_TO = 1 << 18
# Entries that are made double precision at a time, where the matrix as a whole is in single.
_BLOCK = 1 << 20
MAX_ITER_FULL = 3_000
TOL_FULL = 1e-7


@dataclass(frozen=True)
class FullRun:
    """How IBU on full reports went.

    Attributes
    ----------
    estimate : (k,) frequencies
    iterations : steps that were taken
    converged : whether the last step moved no value by the tolerance or more
    step : how far the last step moved a value at the most; above the tolerance if it was not reached

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m = ldp.mechanism("OUE", k=3, eps=2.0)
    >>> went = ldp.ibu_full_run(m.privatize([0, 0, 1, 2] * 50, np.random.default_rng(1)), m)
    >>> went.converged, went.step < 1e-7
    (True, True)
    """

    estimate: FloatArray
    iterations: int
    converged: bool
    step: float


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

    Where it stopped, at the tolerance or at `max_iter`, it does not say: `ibu_full_run` does.

    Parameters
    ----------
    reports
        Reports as `m.privatize` returns them.
    m : Mechanism
        The mechanism that made them.
    likelihood_ratio : float or array_like, shape (n,), optional
        One for each user where their ε differ; the mechanism's own if not given.
    max_iter, tol
        Stop when a step moves no value by `tol` or more, or after `max_iter` steps: all of them where `tol` is 0. Large
        data is held in single precision; steps that are lost in its rounding are taken in double, so that down to about
        10⁻¹⁵ every `tol` can be reached.
    start : array_like, optional
        Where to start, shape (k,): probabilities without a 0; uniform if not given.
    accelerate : bool
        Extrapolate from every two steps, wherever that raises the likelihood (SQUAREM, Varadhan and
        Roland 2008): the same limit in a small part of the steps. False gives IBU's own iterates.

    Examples
    --------
    >>> import ldpcore as ldp, numpy as np
    >>> m = ldp.mechanism("OUE", k=3, eps=4.0)
    >>> reports = m.privatize(np.repeat([0, 1, 2], [600, 300, 100]), np.random.default_rng(0))
    >>> ldp.ibu_full(reports, m).round(1)
    array([0.6, 0.3, 0.1])
    """
    options: dict[str, Any] = {"max_iter": max_iter, "tol": tol, "start": start, "accelerate": accelerate}
    return ibu_full_run(reports, m, likelihood_ratio=likelihood_ratio, **options).estimate


def ibu_full_run(
    reports: Any,
    m: Mechanism,
    *,
    likelihood_ratio: Any = None,
    max_iter: int = MAX_ITER_FULL,
    tol: float = TOL_FULL,
    start: Any = None,
    accelerate: bool = True,
) -> FullRun:
    """Do what `ibu_full` does, and tell how it went.

    Examples
    --------
    >>> import ldpcore as ldp, numpy as np
    >>> m = ldp.mechanism("OUE", k=3, eps=4.0)
    >>> reports = m.privatize(np.repeat([0, 1, 2], [600, 300, 100]), np.random.default_rng(0))
    >>> outcome = ldp.ibu_full_run(reports, m, tol=1e-12)
    >>> outcome.converged, outcome.step < 1e-12
    (True, True)
    """
    check.mechanism(m)
    check_entries(m.report_kind.length(reports), m.k)
    ratio = m.likelihood_ratio if likelihood_ratio is None else likelihood_ratio
    options: dict[str, Any] = {"max_iter": max_iter, "tol": tol, "start": start, "accelerate": accelerate}
    return ibu_supports_run(m.supports(reports), ratio, **options)


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

    Examples
    --------
    >>> import ldpcore as ldp, numpy as np
    >>> supports = np.array([[True, False], [True, True], [True, False]])
    >>> ldp.ibu_supports(supports, 3.0).round(2)
    array([1., 0.])
    """
    options: dict[str, Any] = {"max_iter": max_iter, "tol": tol, "start": start, "accelerate": accelerate}
    return ibu_supports_run(supports, likelihood_ratio, **options).estimate


def ibu_supports_run(
    supports: Any,
    likelihood_ratio: Any,
    *,
    max_iter: int = MAX_ITER_FULL,
    tol: float = TOL_FULL,
    start: Any = None,
    accelerate: bool = True,
) -> FullRun:
    """Do what `ibu_supports` does, and tell how it went.

    Examples
    --------
    >>> import numpy as np
    >>> from ldpcore.estimators import ibu_supports_run
    >>> run = ibu_supports_run(np.array([[True, False], [True, True], [False, True], [True, False]]), 3.0)
    >>> run.estimate.round(2), run.converged
    (array([0.83, 0.17]), True)
    """
    bits = check.array_of("supports", supports)
    if bits.ndim != 2 or bits.dtype != np.bool_ or bits.shape[0] == 0 or bits.shape[1] < 2:
        raise Refused(f"supports must be True or False for n users and k values; got {bits.dtype} {bits.shape}")
    check_entries(*bits.shape)
    max_iter = check.iterations(max_iter)
    tol, accelerate = check.real("tol", tol, 0), check.truth("accelerate", accelerate)
    theta = starts_of(start, (bits.shape[1],))[0]
    likelihood = _Likelihood(bits, likelihood_ratio, tol)
    return _climb(likelihood, theta, max_iter, tol) if accelerate else _iterate(likelihood, theta, max_iter, tol)


def check_entries(n: int, k: int) -> None:
    """Refuse more reports than full-report IBU has room for; to be asked before their supports are made."""
    if n * k > FULL_MAX_ENTRIES:
        raise Refused(
            f"full-report IBU takes at most n·k = {FULL_MAX_ENTRIES:,} entries; "
            f"got n = {n:,} reports of k = {k:,} values: use IBU on counts"
        )


def _iterate(likelihood: _Likelihood, theta: FloatArray, max_iter: int, tol: float) -> FullRun:
    """Take IBU's steps, one after the other."""
    step, done = np.inf, 0
    while done < max_iter and step >= tol:
        new = likelihood.step(theta)[0]
        step = likelihood.moved(theta, new)
        theta = new
        done += 1
    return FullRun(theta, done, step < tol, step)


def _climb(likelihood: _Likelihood, theta: FloatArray, max_iter: int, tol: float) -> FullRun:
    """Take two steps, extrapolate, and keep the extrapolation only if it is at least as likely as the steps."""
    one, _ = likelihood.step(theta)
    steps, moved = 1, likelihood.moved(theta, one)
    while steps < max_iter:
        two, value = likelihood.step(one)
        steps, moved = steps + 1, likelihood.moved(one, two)
        if moved < tol or steps == max_iter:
            return FullRun(two, steps, moved < tol, moved)
        jump = extrapolated(theta, one, two, 0.1)
        after, reached = likelihood.step(jump)
        steps += 1
        # `reached` is the likelihood of the jump, `value` that of the first of the two steps.
        theta, one = (jump, after) if reached >= value else (one, two)
        moved = float(np.abs(one - theta).max())
    return FullRun(one, steps, moved < tol, moved)


class _Likelihood:
    """The likelihood of the reports, and IBU's step on it.

    Much data is held in single precision, whose rounding moves a step by some 10⁻⁸. When steps come near to that, it is
    measured once, against a step in double precision; if it is in the way of the tolerance, the last steps are taken in
    double precision.
    """

    def __init__(self, bits: BoolArray, likelihood_ratio: Any, tol: float) -> None:
        self._n = len(bits)
        self._single = bits.size > _DOUBLE_UP_TO
        self._matrix: npt.NDArray[Any] = bits.astype(np.float32 if self._single else np.float64)
        self._extra = _ratios(likelihood_ratio, self._n) - 1
        self._tol = tol
        self._rounding: float | None = None

    def step(self, theta: FloatArray) -> tuple[FloatArray, float]:
        """Return where IBU goes from `theta`, and the log-likelihood at `theta` itself, up to a constant."""
        return self._step(theta, np.float32 if self._single else np.float64)

    def moved(self, before: FloatArray, after: FloatArray) -> float:
        """Return the largest move of a step, and see to it that the next ones are precise enough."""
        size = float(np.abs(after - before).max())
        if self._single and size < _NEAR_ROUNDING * float(after.max()):
            if self._rounding is None:
                exact, _ = self._step(before, np.float64)
                self._rounding = float(np.abs(exact - after).max())
            self._single = 4 * self._rounding < self._tol or size > 4 * self._rounding
        return size

    def _step(self, theta: FloatArray, kind: Any) -> tuple[FloatArray, float]:
        likelihoods = 1 + self._extra * self._of_rows(theta, kind)
        weight = 1 / likelihoods
        new = theta * (weight.sum() + self._of_columns(self._extra * weight, kind))
        return new / new.sum(), float(np.log(likelihoods).sum())

    def _of_rows(self, theta: FloatArray, kind: Any) -> npt.NDArray[Any]:
        return np.concatenate([rows @ theta.astype(kind) for _, rows in self._blocks(kind)])

    def _of_columns(self, weights: FloatArray, kind: Any) -> npt.NDArray[Any]:
        parts = [weights[which].astype(kind) @ rows for which, rows in self._blocks(kind)]
        return np.asarray(parts[0] if len(parts) == 1 else np.sum(parts, axis=0))

    def _blocks(self, kind: Any) -> Iterator[tuple[slice, npt.NDArray[Any]]]:
        """Yield the matrix in a precision: whole if it has that, else a few rows at a time."""
        if self._matrix.dtype == kind:
            yield slice(None), self._matrix
            return
        size = max(1, _BLOCK // self._matrix.shape[1])
        for begin in range(0, self._n, size):
            which = slice(begin, begin + size)
            yield which, self._matrix[which].astype(kind)


# Steps below this share of the largest frequency may be lost in single precision's rounding.
_NEAR_ROUNDING = 1e-4


def _ratios(likelihood_ratio: Any, n: int) -> FloatArray:
    ratios = check.array_of("likelihood_ratio", likelihood_ratio)
    if ratios.shape not in ((), (n,)) or ratios.dtype.kind not in "iuf":
        what = f"shape {ratios.shape}" if ratios.dtype.kind in "iuf" else check.shown(likelihood_ratio)
        raise Refused(f"likelihood_ratio must be one number or one for each of the n = {n} users; got {what}")
    bad = ~(np.isfinite(ratios) & (ratios >= 1))
    if bad.any():
        raise Refused(f"likelihood_ratio must be at least 1 and finite; got {np.atleast_1d(ratios)[bad.ravel()][0]:g}")
    return np.broadcast_to(ratios.astype(np.float64), (n,))
