"""Support counts of users who reported in the same way, and what several such groups say together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from ldpcore._validate import FloatArray
from ldpcore.estimators.inversion import inverted
from ldpcore.mechanisms.base import Mechanism

# How often the counts may refute a histogram that is true.
_FALSE_ALARM = 0.01


@dataclass(frozen=True, eq=False)
class Group:
    """The support counts (..., k) of n reports that were made in the same way, for some collections alike."""

    counts: FloatArray
    n: int
    m: Mechanism

    @property
    def precision(self) -> float:
        """One over the noise variance of a value that nobody has."""
        return self.n / float(self.m.noise_variance(0.0, 1))

    @property
    def raw(self) -> FloatArray:
        return inverted(self.counts, self.n, self.m)

    @property
    def raw_variance(self) -> FloatArray:
        """The variance of `raw` that is the mechanism's, for the frequencies that `raw` itself says."""
        return self.m.noise_variance(np.clip(self.raw, 0, 1), self.n)


@dataclass(frozen=True, eq=False)
class Combined:
    """Raw MI of some groups together, weighted by precision.

    Attributes
    ----------
    raw : (..., k)
        The estimate.
    free, fixed : (..., k)
        Its variance: what comes from reports that may support any number of values, and what comes from reports that
        support a fixed number. The raw MI of the latter sums to 1 whatever the noise.
    sigma : float
        The standard deviation of the noise of a value that nobody has.
    """

    raw: FloatArray
    free: FloatArray
    fixed: FloatArray
    sigma: float


def _weights(groups: Sequence[Group]) -> list[float]:
    whole = sum(group.precision for group in groups)
    return [group.precision / whole for group in groups]


def combined(groups: Sequence[Group]) -> Combined:
    """Return what groups that all have users say together."""
    weights = _weights(groups)
    raw = np.asarray(sum(weight * group.raw for weight, group in zip(weights, groups, strict=True)))
    free, fixed = np.zeros_like(raw), np.zeros_like(raw)
    for weight, group in zip(weights, groups, strict=True):
        part = free if group.m.support_size is None else fixed
        part += weight**2 * group.raw_variance
    return Combined(raw, free, fixed, sum(group.precision for group in groups) ** -0.5)


def refuted(groups: Sequence[Group], histogram: FloatArray) -> bool:
    """Tell whether counts (k,) speak against a histogram (k,) of those who reported: falsely once in a hundred times.

    In the bin that is farthest off, raw MI differs from the histogram by more than noise would leave it in any of k
    bins. How far that is, is the tail of Bennett's inequality, which also holds where a bin has few reports and the
    normal law fails, written as the standard deviations of a normal law; half a report is left for whole numbers.

    >>> from ldpcore import mechanism
    >>> m = mechanism("GRR", k=3, eps=1.0)
    >>> [refuted([Group(np.array(counts), 900, m)], np.full(3, 1 / 3)) for counts in ([310, 305, 285], [360, 280, 260])]
    [False, True]
    """
    groups = [group for group in groups if group.n]
    weights = _weights(groups)
    raw = sum(weight * group.raw for weight, group in zip(weights, groups, strict=True))
    frequencies = np.clip(histogram, 0, 1)
    variance = np.asarray(
        sum(w**2 * group.m.noise_variance(frequencies, group.n) for w, group in zip(weights, groups, strict=True))
    )
    # The most that one report can move the estimate of a bin.
    grain = max(w / (group.n * (group.m.p - group.m.q)) for w, group in zip(weights, groups, strict=True))
    off = np.maximum(np.abs(raw - histogram) - grain / 2, 0)
    relative = np.divide(grain * off, variance, out=np.zeros_like(variance), where=variance > 0)
    exponent = variance / grain**2 * ((1 + relative) * np.log1p(relative) - relative)
    return bool(np.sqrt(2 * exponent.max()) > NormalDist().inv_cdf(1 - _FALSE_ALARM / (2 * histogram.size)))
