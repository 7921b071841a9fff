"""Post-processings of the raw MI estimate (Wang et al., NDSS 2020).

Each takes raw estimates of shape (..., k) and returns the same shape. Only those in
`DISTRIBUTIONS` give non-negative estimates that sum to 1; Base-Pos and Base-Cut promise
no sum, Norm no sign, Power no sum.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism

# False-alarm rate of Base-Cut: the chance that any of k values nobody has is kept.
BASE_CUT_ALPHA = 0.05
_POWER_EXPONENTS = np.linspace(0.0, 3.0, 13)
_POWER_NODES = 96


def postprocess(raw: Any, method: str, *, n: int, m: Mechanism) -> FloatArray:
    """Apply the post-processing named `method` to raw MI estimates from n reports of mechanism `m`.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> postprocess([0.8, 0.3, -0.1], "norm-sub", n=1_000, m=mechanism("OUE", k=3, eps=1.0))
    array([0.75, 0.25, 0.  ])
    """
    check.mechanism(m)
    check.choice("method", method, POSTPROCESSINGS)
    array = check.reals("raw", raw)
    if array.ndim == 0 or array.shape[-1] != m.k or array.size == 0:
        raise Refused(f"raw must have one entry for each of the k = {m.k} values; got shape {array.shape}")
    return POSTPROCESSINGS[method](array, check.integer("n", n, 1, check.N_MAX), m)


def none(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Leave the estimate as it is: unbiased, but with negative values."""
    return raw


def base_pos(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Set negatives to 0."""
    return np.maximum(raw, 0)


def base_cut(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Set to 0 what noise alone could give: all below Φ⁻¹(1-α/k)σ, σ the noise of a value that nobody has."""
    sigma = float(np.sqrt(m.noise_variance(0.0, n)))
    threshold = NormalDist().inv_cdf(1 - BASE_CUT_ALPHA / m.k) * sigma
    return np.where(raw >= threshold, raw, 0)


def norm(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Add the same to all, so that the sum is 1."""
    return np.asarray(raw + (1 - raw.sum(axis=-1, keepdims=True)) / m.k)


def norm_mul(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Set negatives to 0 and rescale: the paper's MI. Uniform where nothing is left."""
    return clip_and_rescale(raw)


def clip_and_rescale(raw: FloatArray) -> FloatArray:
    """Do what `norm_mul` does, which needs no more than the raw estimate."""
    return _rescaled(np.maximum(raw, 0))


def norm_cut(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Keep the largest until they sum to 1 or more, set the rest to 0, rescale."""
    order = np.argsort(-raw, axis=-1, kind="stable")
    largest_first = np.maximum(np.take_along_axis(raw, order, axis=-1), 0)
    so_far = np.cumsum(largest_first, axis=-1)
    before = np.concatenate([np.zeros_like(so_far[..., :1]), so_far[..., :-1]], axis=-1)
    largest = np.where(before < 1, largest_first, 0)
    out = np.empty_like(raw)
    np.put_along_axis(out, order, largest, axis=-1)
    return _rescaled(out)


def norm_sub(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Shift all by the same and cut at 0, so that the sum is 1: the nearest distribution in Euclidean distance."""
    return _shift_to_simplex(raw, 1.0, 0.0)


def mle_apx(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Shift each value in proportion to its variance, and cut at 0, so that the sum is 1.

    The likelihood of the raw estimate is taken as Gaussian with the variance that the
    result itself implies, q(1-q) + f(p-q)(1-p-q) up to a factor.
    """
    return _shift_to_simplex(raw, m.q * (1 - m.q), (m.p - m.q) * (1 - m.p - m.q))


def power(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Replace each value by its posterior mean under a power-law prior, x^-α on [1/n, 1].

    The noise is taken as Gaussian with the variance of a value that nobody has; α is the one,
    of a grid from 0 to 3, under which the raw estimates of the run are most likely.
    """
    return power_posterior(raw, n, float(np.sqrt(m.noise_variance(0.0, n))))


def power_posterior(raw: FloatArray, n: int, sigma: float) -> FloatArray:
    """Do what `power` does where the noise of a value that nobody has is known to be `sigma`."""
    rows = raw.reshape(-1, raw.shape[-1])
    return np.stack([_power_row(row, 1 / max(n, 2), sigma) for row in rows]).reshape(raw.shape)


def power_ns(raw: FloatArray, n: int, m: Mechanism) -> FloatArray:
    """Power, then Norm-Sub."""
    return norm_sub(power(raw, n, m), n, m)


def _rescaled(nonnegative: FloatArray) -> FloatArray:
    """Divide by the sum; uniform where the sum is 0, because then the estimate says nothing."""
    k = nonnegative.shape[-1]
    # Dividing by the largest first keeps a sum of subnormal numbers from losing its digits.
    top = nonnegative.max(axis=-1, keepdims=True)
    scaled = np.where(top > 0, nonnegative / np.where(top > 0, top, 1), 1 / k)
    return np.asarray(scaled / scaled.sum(axis=-1, keepdims=True))


def _shift_to_simplex(raw: FloatArray, a: float, b: float) -> FloatArray:
    """Solve f = max(raw + y(a + b f), 0) with sum 1 for y and f.

    Where f > 0 it is (raw + ya)/(1 - yb), so those are the j largest for some j, and
    y = (1 - their raw sum)/(ja + b). Exactly one j agrees with itself.
    """
    k = raw.shape[-1]
    largest_first = -np.sort(-raw, axis=-1)
    sizes = np.arange(1, k + 1)
    # For one value ja + b is p(1-p), which is 0 where p rounds to 1.
    shift = (1 - np.cumsum(largest_first, axis=-1)) / np.maximum(sizes * a + b, 1e-300)
    inside = largest_first + shift * a > 0
    following = np.concatenate([largest_first[..., 1:], np.full((*raw.shape[:-1], 1), -np.inf)], axis=-1)
    agrees = inside & (following + shift * a <= 0) & (shift * b < 1)
    # Rounding can leave no size that agrees to the last bit: then the largest that is inside.
    first = np.argmax(agrees, axis=-1)
    last_inside = k - 1 - np.argmax(inside[..., ::-1], axis=-1)
    size = np.where(agrees.any(axis=-1), first, last_inside)[..., None]
    y = np.take_along_axis(shift, size, axis=-1)
    return _rescaled(np.maximum((raw + y * a) / (1 - y * b), 0))


def _power_row(raw: FloatArray, low: float, sigma: float) -> FloatArray:
    """Posterior means of one run. Integrates over ±8σ around each value, in log x, where the prior is smooth."""
    start = np.clip(raw - 8 * sigma, low, 0.999)
    stop = np.clip(np.maximum(raw, low) + 8 * sigma, 1.0001 * start, 1.0)
    log_x = np.linspace(np.log(start), np.log(stop), _POWER_NODES, axis=-1)
    x = np.exp(log_x)
    log_noise = -0.5 * ((x - raw[:, None]) / sigma) ** 2
    top = log_noise.max(axis=-1, keepdims=True)
    weight = np.exp(log_noise - top) * x
    weight[:, [0, -1]] /= 2  # trapezoids: the ends count half
    # From one exponent to the next the weights change by the same factor, which spares their exponentials.
    factor = np.exp((_POWER_EXPONENTS[0] - _POWER_EXPONENTS[1]) * log_x)
    constant = float((np.log(log_x[:, 1] - log_x[:, 0]) + top[:, 0]).sum())
    best, means = -np.inf, raw
    for alpha in _POWER_EXPONENTS:
        mass = weight.sum(axis=-1)
        fit = float(np.log(mass).sum()) + constant - len(raw) * _log_prior_mass(alpha, low)
        if fit > best:
            best, means = fit, np.einsum("vx,vx->v", weight, x) / mass
        weight *= factor
    return means


def _log_prior_mass(alpha: float, low: float) -> float:
    """Return ln of the integral of x^-α over [low, 1]."""
    power = 1 - alpha
    mass = -np.log(low) if abs(power) < 1e-12 else -np.expm1(power * np.log(low)) / power
    return float(np.log(mass))


POSTPROCESSINGS: dict[str, Callable[[FloatArray, int, Mechanism], FloatArray]] = {
    "none": none,
    "base-pos": base_pos,
    "base-cut": base_cut,
    "norm": norm,
    "norm-mul": norm_mul,
    "norm-cut": norm_cut,
    "norm-sub": norm_sub,
    "mle-apx": mle_apx,
    "power": power,
    "power-ns": power_ns,
}
"""The functions that post-process raw MI, by name: each takes (..., k) estimates, n and the mechanism."""
DISTRIBUTIONS = ("norm-mul", "norm-cut", "norm-sub", "mle-apx", "power-ns")
"""The post-processings whose estimates are distributions: none below 0, and their sum is 1."""
