"""The five synthetic distributions of the paper's experiment, with the paper's parameters as defaults."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.datasets.base import DiscreteDistribution, Distribution, drawing, parameter, probabilities
from ldpcore.errors import Refused

# Closed ranges, so that a form can show them. TINY stands for "above 0".
TINY, HUGE = 1e-9, 1e9


@dataclass(frozen=True)
class Gaussian(Distribution):
    """Normal distribution. The paper's text says σ² = 100, its code σ = 100: the same after binning."""

    name: ClassVar[str] = "gaussian"
    label: ClassVar[str] = "Gaussian"
    description: ClassVar[str] = "Normal distribution; the paper uses mean 1000 and standard deviation 100."

    mean: float = parameter(1000.0, -HUGE, HUGE)
    sd: float = parameter(100.0, TINY, HUGE)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        return _half_erfc((self.mean - check.reals("x", x)) / self.sd)

    def survival(self, x: npt.ArrayLike) -> FloatArray:
        return _half_erfc((check.reals("x", x) - self.mean) / self.sd)

    def quantile(self, u: npt.ArrayLike) -> FloatArray:
        return self.mean + self.sd * _standard_normal_quantile(probabilities("u", u))

    def upper_quantile(self, s: npt.ArrayLike) -> FloatArray:
        return self.mean - self.sd * _standard_normal_quantile(probabilities("s", s))

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        n, rng = drawing(n, rng)
        return rng.normal(self.mean, self.sd, n)


def _half_erfc(z: FloatArray) -> FloatArray:
    """Return Pr[Z > z] of a standard normal Z."""
    flat = (np.ravel(z) / math.sqrt(2)).tolist()
    return 0.5 * np.fromiter(map(math.erfc, flat), np.float64, len(flat)).reshape(np.shape(z))


def _standard_normal_quantile(u: FloatArray) -> FloatArray:
    inverse = NormalDist().inv_cdf  # relative error 1e-16 down to the smallest u, but undefined at 0 and 1
    at_ends = {0.0: -math.inf, 1.0: math.inf}
    values = [at_ends[p] if p in at_ends else inverse(p) for p in np.ravel(u).tolist()]
    return np.array(values, dtype=np.float64).reshape(np.shape(u))


@dataclass(frozen=True)
class Exponential(Distribution):
    """Exponential distribution."""

    name: ClassVar[str] = "exponential"
    label: ClassVar[str] = "Exponential"
    description: ClassVar[str] = "Exponential distribution; the paper uses rate 1."

    rate: float = parameter(1.0, TINY, HUGE)

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        return np.asarray(-np.expm1(-self.rate * np.maximum(check.reals("x", x), 0.0)))

    def survival(self, x: npt.ArrayLike) -> FloatArray:
        return np.asarray(np.exp(-self.rate * np.maximum(check.reals("x", x), 0.0)))

    def quantile(self, u: npt.ArrayLike) -> FloatArray:
        with np.errstate(divide="ignore"):  # u = 1 is at infinity, rightly
            return np.asarray(-np.log1p(-probabilities("u", u)) / self.rate)

    def upper_quantile(self, s: npt.ArrayLike) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.asarray(-np.log(probabilities("s", s)) / self.rate)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        n, rng = drawing(n, rng)
        return rng.exponential(1 / self.rate, n)


@dataclass(frozen=True)
class Uniform(Distribution):
    """Uniform distribution over an interval."""

    name: ClassVar[str] = "uniform"
    label: ClassVar[str] = "Uniform"
    description: ClassVar[str] = "Uniform distribution; the paper uses the interval from 100 to 10,000."

    low: float = parameter(100.0, -HUGE, HUGE)
    high: float = parameter(10_000.0, -HUGE, HUGE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.low >= self.high:
            raise Refused(f"low must be below high; got low = {self.low!r} and high = {self.high!r}")

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        return np.asarray(np.clip((check.reals("x", x) - self.low) / (self.high - self.low), 0, 1))

    def survival(self, x: npt.ArrayLike) -> FloatArray:
        return np.asarray(np.clip((self.high - check.reals("x", x)) / (self.high - self.low), 0, 1))

    def quantile(self, u: npt.ArrayLike) -> FloatArray:
        return self.low + probabilities("u", u) * (self.high - self.low)

    def upper_quantile(self, s: npt.ArrayLike) -> FloatArray:
        return self.high - probabilities("s", s) * (self.high - self.low)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        n, rng = drawing(n, rng)
        return rng.uniform(self.low, self.high, n)


@dataclass(frozen=True)
class Poisson(DiscreteDistribution):
    """Poisson distribution: the only one over whole numbers, so many bins stay empty when k is large."""

    name: ClassVar[str] = "poisson"
    label: ClassVar[str] = "Poisson"
    description: ClassVar[str] = "Poisson distribution over whole numbers; the paper uses rate 5."

    rate: float = parameter(5.0, TINY, 1e6)

    def atoms(self) -> tuple[IntArray, FloatArray]:
        """Return the values and probabilities around the rate; those left out have less than 1e-30 in all."""
        # By Bernstein's inequality either tail is below exp(-t²/2(rate + t/3)), at most e^-72 for this t.
        t = 12 * math.sqrt(self.rate) + 100
        mode = int(self.rate)
        values = np.arange(max(0, int(self.rate - t)), int(self.rate + t) + 1)
        # Products of neighbours' ratios, outwards from the mode: no factorials, no overflow, no cancellation.
        up = np.cumprod(self.rate / values[values > mode])
        down = np.cumprod(values[(values > values[0]) & (values <= mode)][::-1] / self.rate)
        weights = np.concatenate((down[::-1], [1.0], up))
        return values, weights / weights.sum()

    def draw(self, n: int, rng: np.random.Generator) -> IntArray:
        n, rng = drawing(n, rng)
        return rng.poisson(self.rate, n)


@dataclass(frozen=True)
class Triangular(Distribution):
    """Triangular distribution: the density rises linearly from `left` to `mode` and falls to `right`."""

    name: ClassVar[str] = "triangular"
    label: ClassVar[str] = "Triangular"
    description: ClassVar[str] = "Triangular distribution; the paper uses 100 to 10,000 with the mode at 4,500."

    left: float = parameter(100.0, -HUGE, HUGE)
    mode: float = parameter(4500.0, -HUGE, HUGE)
    right: float = parameter(10_000.0, -HUGE, HUGE)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not self.left <= self.mode <= self.right or self.left == self.right:
            raise Refused(
                "mode must lie from left to right, and left below right; "
                f"got left = {self.left!r}, mode = {self.mode!r} and right = {self.right!r}"
            )

    def _rising(self, x: FloatArray) -> FloatArray:
        """Pr[X <= x] for x up to the mode."""
        side = (self.mode - self.left) or 1.0  # nothing rises when the mode is at the left end
        return np.asarray((np.clip(x, self.left, self.mode) - self.left) ** 2 / (side * (self.right - self.left)))

    def _falling(self, x: FloatArray) -> FloatArray:
        """Pr[X > x] for x from the mode on."""
        side = (self.right - self.mode) or 1.0
        return np.asarray((self.right - np.clip(x, self.mode, self.right)) ** 2 / (side * (self.right - self.left)))

    def cdf(self, x: npt.ArrayLike) -> FloatArray:
        x = check.reals("x", x)
        return np.where(x < self.mode, self._rising(x), 1 - self._falling(x))

    def survival(self, x: npt.ArrayLike) -> FloatArray:
        x = check.reals("x", x)
        return np.where(x < self.mode, 1 - self._rising(x), self._falling(x))

    def _inverse(self, u: FloatArray, s: FloatArray) -> FloatArray:
        """Return the value with the probability `u` below it and `s` = 1 - u above it."""
        width, rise, fall = self.right - self.left, self.mode - self.left, self.right - self.mode
        up, down = self.left + np.sqrt(u * width * rise), self.right - np.sqrt(s * width * fall)
        return np.where(u * width <= rise, up, down)

    def quantile(self, u: npt.ArrayLike) -> FloatArray:
        u = probabilities("u", u)
        return self._inverse(u, 1 - u)

    def upper_quantile(self, s: npt.ArrayLike) -> FloatArray:
        s = probabilities("s", s)
        return self._inverse(1 - s, s)

    def draw(self, n: int, rng: np.random.Generator) -> FloatArray:
        n, rng = drawing(n, rng)
        return rng.triangular(self.left, self.mode, self.right, n)
