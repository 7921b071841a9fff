"""The law of a support count, Bin(c, p) + Bin(n - c, q), and of its like: exact, many rows at once.

A count of a million reports takes only some hundred values with a chance worth naming, so every law is a window: the
first count, and the probabilities from there on. What is left out on either side has a chance below 1e-12.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldpcore._validate import FloatArray, IntArray

# A window reaches so many standard deviations to both sides, and so many counts more, for means near 0.
_SPREADS, _EXTRA = 8.0, 16
_SMALL = 16
# ln m! less Stirling's formula, for m below 16; m = 0 is never used (its terms are left out).
_STIRLING_ERROR = np.array(
    [0.0] + [math.lgamma(m + 1) - (m + 0.5) * math.log(m) + m - 0.5 * math.log(2 * math.pi) for m in range(1, _SMALL)]
)


def _stirling_error(m: FloatArray) -> FloatArray:
    large = np.maximum(m, _SMALL)
    series = (1 / 12 - (1 / 360 - 1 / 1260 / large**2) / large**2) / large
    return np.where(m < _SMALL, _STIRLING_ERROR[np.minimum(m, _SMALL - 1).astype(np.int64)], series)


def _deviance(x: FloatArray, mean: FloatArray) -> FloatArray:
    """Return x ln(x/mean) + mean - x, without the cancellation where x is near the mean."""
    off = (x - mean) / mean
    return np.asarray(x * np.log1p(off) - (x - mean))


def binomial_pmf(trials: Any, chance: Any, x: Any) -> FloatArray:
    """Return the binomial probabilities of x successes; all arguments are broadcast, chances of 0 and 1 are allowed.

    Loader's form (2000): Stirling's errors and two deviances, so that no digits are lost for many trials.
    """
    n, p, x = (np.asarray(a, dtype=np.float64) for a in np.broadcast_arrays(trials, chance, x))
    out = np.zeros(x.shape)
    inside = (x > 0) & (x < n) & (p > 0) & (p < 1)
    ni, pi, xi = n[inside], p[inside], x[inside]
    log = _stirling_error(ni) - _stirling_error(xi) - _stirling_error(ni - xi)
    log -= _deviance(xi, ni * pi) + _deviance(ni - xi, ni * (1 - pi))
    out[inside] = np.exp(log) * np.sqrt(ni / (2 * math.pi * xi * (ni - xi)))
    with np.errstate(divide="ignore", invalid="ignore"):
        none = np.where(n == 0, 1.0, np.exp(n * np.log1p(-p)))
        every = np.where(n == 0, 1.0, np.exp(n * np.log(p)))
    return np.asarray(np.where(x == 0, none, np.where(x == n, every, out)))


def binomial_window(trials: Any, chance: Any) -> tuple[IntArray, FloatArray]:
    """Return, for each row, the first count of its window and the probabilities from there on, shape (rows, width)."""
    n, p = (np.atleast_1d(np.asarray(a, dtype=np.float64)) for a in np.broadcast_arrays(trials, chance))
    mean, half = n * p, _SPREADS * np.sqrt(n * p * (1 - p)) + _EXTRA
    first = np.maximum(np.floor(mean - half), 0)
    width = int((np.minimum(np.ceil(mean + half), n) - first).max()) + 1
    return first.astype(np.int64), binomial_pmf(n[:, None], p[:, None], first[:, None] + np.arange(width))


def sum_window(trials: Any, p: Any, others: Any, q: Any) -> tuple[IntArray, FloatArray]:
    """Return the windows of Bin(trials, p) + Bin(others, q), one row for each; convolved, so exact.

    With p above 1/2 and large counts only the few misses are random, and the windows are as short as their spread.
    """
    rows = np.broadcast_arrays(*(np.atleast_1d(a) for a in (trials, p, others, q)))
    first_a, a = binomial_window(rows[0], rows[1])
    first_b, b = binomial_window(rows[2], rows[3])
    if a.shape[1] > b.shape[1]:
        a, b = b, a
    out = np.zeros((len(a), a.shape[1] + b.shape[1] - 1))
    for x in range(a.shape[1]):
        out[:, x : x + b.shape[1]] += a[:, x, None] * b
    return first_a + first_b, out


def binomial_tails(trials: int, chance: float, x: int) -> tuple[float, float]:
    """Return Pr[Bin ≤ x] and Pr[Bin ≥ x], the smaller of them with full relative accuracy.

    Terms fall at least as fast as a normal density from x outwards, so 12 standard deviations from x are enough.
    """
    reach = int(12 * math.sqrt(trials * chance * (1 - chance))) + 60
    below = float(binomial_pmf(trials, chance, np.arange(max(0, x - reach), x + 1)).sum()) if x >= 0 else 0.0
    above = float(binomial_pmf(trials, chance, np.arange(x, min(trials, x + reach) + 1)).sum()) if x <= trials else 0.0
    if x > trials * chance:
        return min(1.0, 1 - above + float(binomial_pmf(trials, chance, x))), min(1.0, above)
    return min(1.0, below), min(1.0, 1 - below + float(binomial_pmf(trials, chance, x)))


def upper_tail(trials: Any, p: float, others: Any, q: float, x: Any) -> FloatArray:
    """Return Pr[Bin(trials, p) + Bin(others, q) ≥ x] for whole x above the mean, by a saddle point.

    Lugannani and Rice's formula for whole numbers (Daniels 1987); the saddle point is the root of a quadratic. With a
    variance of 30 it is right to 1 % of the tail, where a normal tail at four standard deviations is off by a factor.
    """
    a, b, at = (np.asarray(v, dtype=np.float64) for v in np.broadcast_arrays(trials, others, x))
    out = np.where(at > a + b, 0.0, 1.0)
    # Nobody is beyond the last count, and at it all succeed.
    last = at == a + b
    out[last] = np.exp(a[last] * math.log(p) + b[last] * math.log(q))
    inner = (at > a * p + b * q) & (at < a + b)
    out[inner] = _saddle_point(a[inner], p, b[inner], q, at[inner])
    return np.asarray(out)


def _saddle_point(a: FloatArray, p: float, b: FloatArray, q: float, x: FloatArray) -> FloatArray:
    # a·pu/(1-p+pu) + b·qu/(1-q+qu) = x, with u = e^s.
    square = p * q * (a + b - x)
    linear = a * p * (1 - q) + b * q * (1 - p) - x * (p * (1 - q) + q * (1 - p))
    constant = -x * (1 - p) * (1 - q)
    u = (-linear + np.sqrt(linear**2 - 4 * square * constant)) / (2 * square)
    s, share_a, share_b = np.log(u), p * u / (1 - p + p * u), q * u / (1 - q + q * u)
    w = np.sqrt(2 * np.maximum(s * x - a * np.log1p(p * (u - 1)) - b * np.log1p(q * (u - 1)), 0))
    curve = np.sqrt(a * share_a * (1 - share_a) + b * share_b * (1 - share_b))
    normal = np.array([0.5 * math.erfc(v / math.sqrt(2)) for v in w.tolist()])
    with np.errstate(divide="ignore", invalid="ignore"):
        tail = normal + np.exp(-(w**2) / 2) / math.sqrt(2 * math.pi) * (1 / (-np.expm1(-s) * curve) - 1 / w)
    # Next to the mean both fractions are huge and cancel: the tail is a half.
    return np.asarray(np.clip(np.where(w > 1e-3, tail, 0.5), 0.0, 1.0))
