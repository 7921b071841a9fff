"""Generalized Randomized Response."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.reports import VALUES


def grr_probabilities(k: int, eps: float) -> tuple[float, float]:
    """Return p = e^ε/(e^ε+k-1) and q = 1/(e^ε+k-1), in a form that no ε overflows.

    >>> p, q = grr_probabilities(5, 1.0)
    >>> round(p / q, 6), round(p + 4 * q, 6)
    (2.718282, 1.0)
    """
    shrink = math.exp(-eps)
    return 1 / (1 + (k - 1) * shrink), shrink / (1 + (k - 1) * shrink)


def randomize_values(values: IntArray, k: int, keep: float, rng: np.random.Generator) -> IntArray:
    """Keep each value with probability `keep`, else replace it by one drawn uniformly from all k.

    With keep = p - q this is randomized response: the uniform draw may hit the
    true value again, and p = keep + (1 - keep)/k, q = (1 - keep)/k.

    >>> randomize_values(np.array([2, 0, 1]), 3, 1.0, np.random.default_rng(1)).tolist()
    [2, 0, 1]
    """
    replaced = rng.random(values.size) >= keep
    return np.where(replaced, rng.integers(0, k, size=values.size), values)


class SingleValueReports(Mechanism):
    """Mechanisms whose report is one value, and supports just that value: GRR and L-GRR.

    >>> issubclass(GRR, SingleValueReports), GRR.support_size
    (True, 1)
    """

    report_kind = VALUES
    support_law = "fixed size"
    support_size = 1

    @property
    def report_bits(self) -> float:
        return math.log2(self.k)

    def support_counts(self, reports: Any) -> IntArray:
        return np.bincount(self._check_reports(reports), minlength=self.k)

    def supports(self, reports: Any) -> BoolArray:
        values = self._check_reports(reports)
        bits = np.zeros((values.size, self.k), dtype=np.bool_)
        bits[np.arange(values.size), values] = True
        return bits

    def _check_reports(self, reports: Any) -> IntArray:
        array = check.integer_array("reports", reports, 0, self.k - 1)
        if array.ndim != 1:
            raise Refused(f"reports must be one-dimensional, one value a user; got shape {array.shape}")
        return array

    def _sample_counts(self, histogram: IntArray, runs: int, rng: np.random.Generator) -> IntArray:
        """Kept values stay where they are; all the others fall uniformly on the k values."""
        unchanged = rng.binomial(histogram, self.p - self.q, size=(runs, self.k))
        replaced = histogram.sum() - unchanged.sum(axis=1)
        return unchanged + rng.multinomial(replaced, np.full(self.k, 1 / self.k))


class GRR(SingleValueReports):
    """Generalized Randomized Response (Kairouz, Bonawitz and Ramage, ICML 2016).

    The report is the true value with probability p, and any given other one with
    probability q. For k = 2 it is Warner's randomized response of 1965.

    >>> m = GRR(k=4, eps=1.0)
    >>> m.support_counts([3, 3, 0]).tolist()
    [1, 0, 0, 2]
    """

    name = "GRR"
    full_name = "Generalized Randomized Response"
    summary = "Says the true value, or any other one: chance decides."

    def __init__(self, *, k: int, eps: float) -> None:
        super().__init__(k=k, eps=eps)
        self.p, self.q = grr_probabilities(self.k, self.eps)

    def _privatize(self, values: IntArray, rng: np.random.Generator) -> IntArray:
        return randomize_values(values, self.k, self.p - self.q, rng)
