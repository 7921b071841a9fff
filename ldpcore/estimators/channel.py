"""IBU for any channel: a matrix that says with which probability each value gives each output."""

from __future__ import annotations

import html
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.estimators.ibu import MAX_ITER, TOL
from ldpcore.estimators.postprocess import clip_and_rescale
from ldpcore.estimators.squarem import extrapolated
from ldpcore.estimators.starts import starts_of

# Rows of a channel may miss 1 by this much; typed in probabilities often do.
_ROUNDING = 1e-9
# The limit: so many accelerated steps at the most, and where to stop.
_LIMIT_STEPS, _LIMIT_TOL = 100_000, 1e-13
# What is smoothed after each step of EMS (Li et al., SIGMOD 2020).
_BINOMIAL = (0.25, 0.5, 0.25)


@dataclass(frozen=True, eq=False)
class ChannelRun:
    """What was made of the outputs of a channel; estimates have the shape (..., k).

    Attributes
    ----------
    eps : float
        The ε that the channel has: the largest ln of the ratio of two values' probabilities of one output; infinite
        where an output rules out a value.
    raw, mi : FloatArray
        Least squares, which is matrix inversion where the channel is square; and the same clipped at 0 and rescaled.
    ibu, iterations, converged
        IBU from a uniform start, and how it went.
    limit, limit_converged
        Where it leads, the most likely histogram, by steps that are accelerated.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> ldp.ibu_channel([70, 30], [[0.75, 0.25], [0.25, 0.75]])
    ChannelRun: k = 2 values, 2 outputs, ε = 1.099; IBU after 205 iterations, converged
    """

    eps: float
    raw: FloatArray
    mi: FloatArray
    ibu: FloatArray
    iterations: IntArray
    converged: BoolArray
    limit: FloatArray
    limit_converged: BoolArray
    outputs: int

    def __repr__(self) -> str:
        done = int(np.max(self.iterations))
        how = "converged" if np.all(self.converged) else "not converged"
        sizes = f"k = {self.ibu.shape[-1]:,} values, {self.outputs:,} outputs"
        return f"ChannelRun: {sizes}, ε = {self.eps:.4g}; IBU after {done:,} iterations, {how}"

    def _repr_html_(self) -> str:
        return f"<p><b>{html.escape(repr(self))}</b></p>"


def channel_eps(channel: Any) -> float:
    """Return the ε of a channel (k, m): no output changes the odds of two values by more than e^ε.

    Examples
    --------
    >>> round(channel_eps([[0.75, 0.25], [0.25, 0.75]]), 4)  # ln 3
    1.0986
    """
    A = check_channel(channel)
    used = A[:, A.any(axis=0)]
    if not used.all():
        return float("inf")
    return float(np.log(used.max(axis=0) / used.min(axis=0)).max())


def check_channel(channel: Any) -> FloatArray:
    """Return a channel as an array (k, m), or explain what is wrong with it."""
    A = check.array_of("channel", channel)
    if A.ndim != 2 or A.shape[0] < 2 or A.shape[1] < 2 or A.dtype.kind not in "iuf":
        raise Refused(f"channel must be a matrix of k rows (values) and m columns (outputs); got {A.dtype} {A.shape}")
    A = A.astype(np.float64)
    if (bad := ~(np.isfinite(A) & (A >= 0))).any():
        row, column = (int(i) for i in np.argwhere(bad)[0])
        raise Refused(f"channel must hold probabilities; got {A[row, column]:g} in row {row}, column {column}")
    sums = A.sum(axis=1)
    if (wrong := np.abs(sums - 1) > _ROUNDING).any():
        row = int(np.argmax(wrong))
        raise Refused(f"channel must have rows that sum to 1; got {sums[row]:.9g} in row {row}")
    return A


def ibu_channel(
    observed: Any,
    channel: Any,
    *,
    max_iter: int = MAX_ITER,
    tol: float = TOL,
    start: Any = None,
    smoothing: bool = False,
) -> ChannelRun:
    """Estimate the frequencies of k values from how often each of m outputs was seen, for any channel.

    Parameters
    ----------
    observed : array_like, shape (..., m)
        How often each output was seen; every row is a collection of its own.
    channel : array_like, shape (k, m)
        The probability of each output for each value: rows sum to 1.
    max_iter, tol, start
        As for `ibu`: stop when a step moves no value by `tol` or more, or after `max_iter` steps.
    smoothing : bool
        Smooth over neighbouring values after each step (¼ ½ ¼), as EMS does (Li et al., SIGMOD 2020), and stop by the
        likelihood: when a step gains less than 10⁻³ in its logarithm. The limit is then where it stopped.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> run = ldp.ibu_channel([60, 30, 10], [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8]])
    >>> run.limit.round(3)
    array([0.714, 0.286, 0.   ])
    >>> round(run.eps, 3)  # ln 8
    2.079
    """
    A = check_channel(channel)
    k, m = A.shape
    observed_counts = _check_observed(observed, A)
    max_iter, tol = check.iterations(max_iter), check.real("tol", tol, 0)
    rows, smoothing = observed_counts.reshape(-1, m), check.truth("smoothing", smoothing)
    first = starts_of(start, (*observed_counts.shape[:-1], k), "observed")
    raw = np.linalg.lstsq(A.T, (rows / rows.sum(axis=1, keepdims=True)).T, rcond=None)[0].T
    climbs = [_Climb(A, row, theta, smoothing) for row, theta in zip(rows, first, strict=True)]
    went = [climb.iterate(max_iter, tol) for climb in climbs]
    limits = [climb.limit(estimate) for climb, (estimate, _, _) in zip(climbs, went, strict=True)]

    def gather(parts: Any, shape: tuple[int, ...]) -> Any:
        return np.array(list(parts)).reshape((*observed_counts.shape[:-1], *shape))

    return ChannelRun(
        eps=channel_eps(A),
        raw=gather(raw, (k,)),
        mi=clip_and_rescale(gather(raw, (k,))),
        ibu=gather((estimate for estimate, _, _ in went), (k,)),
        iterations=gather((steps for _, steps, _ in went), ()),
        converged=gather((rest for _, _, rest in went), ()),
        limit=gather((estimate for estimate, _ in limits), (k,)),
        limit_converged=gather((rest for _, rest in limits), ()),
        outputs=m,
    )


def _check_observed(observed: Any, A: FloatArray) -> FloatArray:
    m, array = A.shape[1], check.array_of("observed", observed)
    if array.ndim == 0 or array.shape[-1] != m:
        raise Refused(f"observed must have one entry for each of the m = {m} outputs; got shape {array.shape}")
    observed_counts = check.nonnegative_array("observed", array, m)
    impossible = ((observed_counts > 0) & ~A.any(axis=0)).reshape(-1, m).any(axis=0)
    if impossible.any():
        raise Refused(f"observed must be 0 where no value gives the output; got more at {int(impossible.argmax())}")
    return observed_counts


class _Climb:
    """IBU on the outputs of one collection."""

    def __init__(self, channel: FloatArray, observed: FloatArray, start: FloatArray, smoothing: bool) -> None:
        # An output that was never sent adds nothing to the sum of IBU, nor to the likelihood.
        used = observed > 0
        self._A = np.ascontiguousarray(channel[:, used])
        self._observed, self._n = observed[used], observed.sum()
        self._start, self._smoothing = start, smoothing

    def step(self, theta: FloatArray) -> tuple[FloatArray, float]:
        """Return where IBU goes from `theta`, and the log-likelihood at `theta` itself."""
        expected = np.maximum(theta @ self._A, 1e-300)
        new = theta * (self._A @ (self._observed / (self._n * expected)))
        if self._smoothing:
            new = _smoothed(new)
        return new / new.sum(), float(self._observed @ np.log(expected))

    def iterate(self, max_iter: int, tol: float) -> tuple[FloatArray, int, bool]:
        theta, value = self._start, -np.inf
        for done in range(1, max_iter + 1):
            new, now = self.step(theta)
            rest = now - value < _EMS_GAIN if self._smoothing else float(np.abs(new - theta).max()) < tol
            theta, value = new, now
            if rest:
                return theta, done, True
        return theta, max_iter, False

    def limit(self, theta: FloatArray) -> tuple[FloatArray, bool]:
        """Go on to where the steps lead, two steps and an extrapolation at a time (SQUAREM)."""
        if self._smoothing:
            return theta, True
        for _ in range(_LIMIT_STEPS // 3):
            one, _ = self.step(theta)
            two, value = self.step(one)
            if float(np.abs(one - theta).max()) < _LIMIT_TOL:
                return two, True
            after, reached = self.step(extrapolated(theta, one, two, 0.01))
            theta = after if reached >= value else two
        return theta, False


# EMS stops when a step gains less than this in the log-likelihood.
_EMS_GAIN = 1e-3


def _smoothed(theta: FloatArray) -> FloatArray:
    side, middle, _ = _BINOMIAL
    padded = np.concatenate([theta[:1], theta, theta[-1:]])
    return np.asarray(side * (padded[:-2] + padded[2:]) + middle * theta)
