"""IBU's path, followed in large steps: where IBU would be after t steps, for many t at a small part of their cost.

A step of IBU is θ ← θ·g(θ), g = A(φ/(Aθ)). As long as the steps are small, η of them in a row are one step along
u' = ln g with u = ln θ. Large values come to rest long before small ones, so the step is an exponential one (ETD2RK):
each value's own decay, at the pace ρ = -∂u'/∂u, is solved exactly, and only what is left over is followed by Heun's
method. So η may grow in proportion to t: 10⁸ steps of IBU take two hundred, to a few thousandths of the way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ldpcore._validate import FloatArray

# So many of IBU's own steps; then steps that grow by this share of the time since.
_OWN_STEPS, _OF_TIME = 40, 0.14
# In a step the fastest value may settle so many times over; beyond that, values begin to swing around each other.
_OF_PACE = 10.0
# The path has come to rest where no value would move by more than this.
_AT_REST = 1e-15


@dataclass(frozen=True, eq=False)
class Observed:
    """Support counts as IBU sees them: the shares φ (rows, k) of all supports, and a channel p, q whose rows sum to 1.

    `weight` is the part that these reports have among those of several ε.
    """

    shares: FloatArray
    p: float
    q: float
    weight: float = 1.0

    @classmethod
    def of(cls, counts: FloatArray, p: float, q: float, weight: float = 1.0) -> Observed:
        whole = p + (counts.shape[-1] - 1) * q
        total = counts.sum(axis=-1, keepdims=True)
        # A half in which nothing was supported says nothing: uniform.
        shares = np.where(total > 0, counts / np.where(total > 0, total, 1), 1 / counts.shape[-1])
        return cls(shares, p / whole, q / whole, weight)


def ibu_path(observed: Sequence[Observed], times: Sequence[float], start: FloatArray | None = None) -> FloatArray:
    """Return where IBU is at ascending `times` (numbers of steps), shape (times, rows, k).

    The reports may be of several ε, all over the same values.
    """
    rows, k = observed[0].shares.shape
    start = np.full((rows, k), 1 / k) if start is None else np.broadcast_to(start, (rows, k))
    # What has vanished after thousands of steps, as it is smaller than any number, has no logarithm.
    u = np.log(np.maximum(start, np.finfo(float).tiny))
    out = np.empty((len(times), rows, k))
    now = 0.0
    for i, mark in enumerate(times):
        while now < mark:
            theta = np.exp(u)
            growth, pace = _growth(observed, theta)
            if float((theta * np.abs(growth)).max()) < _AT_REST:
                break
            # No value may grow by more than a factor at a time: what comes back from near 0 would shoot past its place.
            bound = min(1 / max(float(growth.max()), 1e-300), _OF_PACE / max(float(pace.max()), 1e-300))
            most = min(_OF_TIME * (now - _OWN_STEPS), bound)
            step = min(mark - now, max(1.0, most))
            u = _after(observed, u, growth, pace, step)
            now += step
        out[i] = np.exp(u)
    return out


def _growth(observed: Sequence[Observed], theta: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return ln g, and the pace ρ at which each value comes to rest."""
    growth, pace = np.zeros_like(theta), np.zeros_like(theta)
    for part in observed:
        slope = part.p - part.q
        expected = np.maximum(slope * theta + part.q, 1e-300)
        ratio = part.shares / expected
        # In place: arrays of this size are made anew at the cost of a sum.
        grows, settles = slope * ratio, part.weight * slope**2 * theta
        grows += part.q * ratio.sum(axis=-1, keepdims=True)
        grows *= part.weight
        growth += grows
        settles *= ratio
        settles /= expected
        pace += settles
    np.maximum(growth, 1e-300, out=growth)
    pace /= growth
    return np.log(growth, out=growth), pace


def _after(
    observed: Sequence[Observed], u: FloatArray, growth: FloatArray, pace: FloatArray, step: float
) -> FloatArray:
    if step <= 1:
        return _normed(u + step * growth)
    z = np.maximum(step * pace, 1e-8)
    first = -np.expm1(-z) / z
    ahead = _normed(u + step * first * growth)
    rest = _growth(observed, np.exp(ahead))[0] - growth + pace * (ahead - u)
    second = np.where(z > 1e-3, (1 - first) / z, 0.5 - z / 6)
    return _normed(ahead + step * second * rest)


def _normed(u: FloatArray) -> FloatArray:
    below = u - u.max(axis=-1, keepdims=True)
    return np.asarray(below - np.log(np.exp(below).sum(axis=-1, keepdims=True)))
