"""Thresholding with Histogram Encoding."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.unary import UnaryEncoding, one_hot

# Other packages find the threshold to this accuracy, by the same method. Going on
# would gain nothing (the variance is flat at its minimum: the loss is below one
# part in 10⁹) and would make p and q differ from theirs in the sixth digit.
_THETA_TOLERANCE = 1e-5


def the_variance(theta: float, eps: float) -> float:
    """n·Var of a rare value's MI estimate, as a function of the threshold.

    (2e^{εθ/2}-1)/(1+e^{ε(θ-1/2)}-2e^{εθ/2})²; numerator and denominator divided by
    e^{εθ}, so that no ε overflows.
    """
    half, full = math.exp(-eps * theta / 2), math.exp(-eps * theta)
    return (2 * half - full) / (full + math.exp(-eps / 2) - 2 * half) ** 2 * full


def minimize_bounded(  # noqa: C901 - one algorithm, best read in one piece
    f: Callable[[float], float], low: float, high: float, tolerance: float
) -> float:
    """Brent's minimizer on an interval: parabolic steps, golden sections where they fail.

    R. P. Brent, Algorithms for Minimization without Derivatives (1973), chapter 5.
    """
    golden = 0.5 * (3 - math.sqrt(5))
    root_ulp = math.sqrt(2.2e-16)
    best = second = third = low + golden * (high - low)
    f_best = f_second = f_third = f(best)
    last = before_last = 0.0
    for _ in range(500):
        middle = 0.5 * (low + high)
        least = root_ulp * abs(best) + tolerance / 3
        if abs(best - middle) <= 2 * least - 0.5 * (high - low):
            break
        step = None
        if abs(before_last) > least:
            # The vertex of the parabola through the three best points.
            r = (best - second) * (f_best - f_third)
            s = (best - third) * (f_best - f_second)
            numerator = (best - third) * s - (best - second) * r
            denominator = 2 * (s - r)
            if denominator > 0:
                numerator = -numerator
            denominator = abs(denominator)
            useful = abs(numerator) < abs(0.5 * denominator * before_last)
            inside = denominator * (low - best) < numerator < denominator * (high - best)
            before_last = last
            if useful and inside:
                step = numerator / denominator
                if min(best + step - low, high - best - step) < 2 * least:
                    step = math.copysign(least, middle - best)
        if step is None:
            before_last = (low if best >= middle else high) - best
            step = golden * before_last
        last = step
        point = best + math.copysign(max(abs(step), least), step)
        f_point = f(point)
        if f_point <= f_best:
            low, high = (best, high) if point >= best else (low, best)
            third, f_third, second, f_second = second, f_second, best, f_best
            best, f_best = point, f_point
            continue
        low, high = (point, high) if point < best else (low, point)
        if f_point <= f_second or second == best:
            third, f_third, second, f_second = second, f_second, point, f_point
        elif f_point <= f_third or third in (best, second):
            third, f_third = point, f_point
    return best


@lru_cache(maxsize=1024)
def optimal_theta(eps: float) -> float:
    """Return the threshold in (1/2, 1) that minimizes the variance."""
    return minimize_bounded(lambda theta: the_variance(theta, eps), 0.5, 1.0, _THETA_TOLERANCE)


class THE(UnaryEncoding):
    """Thresholding with Histogram Encoding (Wang, Blocki, Li and Jha, USENIX Security 2017).

    The value is encoded as k reals, 1 for itself and 0 for the others, each gets
    Laplace noise of scale 2/ε, and a value is supported where the sum exceeds θ.
    `privatize` returns the thresholded bits (drawn as bits: Pr[1 + Lap > θ] = p and
    Pr[Lap > θ] = q): that is all the estimators use, and it leaks less than ε (see
    `effective_eps`). `support_counts` takes both such bits
    and the k reals that other packages send.
    """

    name = "THE"
    full_name = "Thresholding with Histogram Encoding"
    summary = "One number for each value plus Laplace noise; those above a threshold count."
    options = ("theta",)

    def __init__(self, *, k: int, eps: float, theta: float | None = None) -> None:
        super().__init__(k=k, eps=eps)
        self.theta = optimal_theta(self.eps) if theta is None else check.real("theta", theta, 0, 1)
        self.threshold = self.theta
        self._one_minus_p = 0.5 * math.exp(self.eps * (self.theta - 1) / 2)
        self.p = 1 - self._one_minus_p
        self.q = 0.5 * math.exp(-self.eps * self.theta / 2)

    def _own_choice(self) -> dict[str, Any]:
        return {"theta": optimal_theta(self.eps)}

    def encoding(self, value: int) -> str | None:
        text = f"{self.k} numbers, all 0 but a 1 for bin {value}; "
        return text + "each gets Laplace noise, and counts if above a threshold."

    @property
    def likelihood_ratio(self) -> float:
        return self.p * (1 - self.q) / (self.q * self._one_minus_p)

    def noisy_histograms(self, values: Any, rng: np.random.Generator) -> FloatArray:
        """Return the k noisy reals of each user, before the threshold: 8 bytes an entry, so for few users."""
        bits = one_hot(self._check_values(values), self.k)
        rng = check.generator("rng", rng)
        return bits + rng.laplace(scale=2 / self.eps, size=bits.shape)

    def supports(self, reports: Any) -> BoolArray:
        array = check.array_of("reports", reports)
        is_noisy = array.dtype.kind == "f" and array.ndim == 2 and bool(((array != 0) & (array != 1)).any())
        if is_noisy:
            if not np.isfinite(array).all():
                row, column = (int(i) for i in np.argwhere(~np.isfinite(array))[0])
                raise Refused(f"reports must hold finite numbers; row {row}, column {column} does not")
            array = array > self.theta
        return super().supports(array)
