"""Longitudinal unary encoding: chains of two rounds that randomize every bit on its own."""

from __future__ import annotations

import math
from abc import abstractmethod

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, IntArray
from ldpcore.errors import InfeasibleError
from ldpcore.mechanisms._random import randomize_bits
from ldpcore.mechanisms.longitudinal import EPS_INF_MAX, LongitudinalMechanism
from ldpcore.mechanisms.memo import Memo
from ldpcore.mechanisms.rounds import Rounds
from ldpcore.mechanisms.unary import BitReports, odds_ratio, one_hot, oue_probabilities, sue_probabilities


class LongitudinalUnary(LongitudinalMechanism, BitReports):
    """Unary encoding of a memoised unary encoding; the second round makes the odds ratio e^ε₁.

    >>> m = LOSUE(k=10, eps=1.0, eps_inf=2.0)
    >>> round(odds_ratio(m.p, m.q), 6)  # e
    2.718282
    """

    def __init__(self, *, k: int, eps: float, eps_inf: float | None = None, calibration: str = "published") -> None:
        super().__init__(k=k, eps=eps, eps_inf=eps_inf, calibration=calibration)
        self.p1, self.q1 = self._first_round(self.eps_inf)
        self.p2, self.q2 = self._second_round()
        self.p = self.p1 * self.p2 + (1 - self.p1) * self.q2
        self.q = self.q1 * self.p2 + (1 - self.q1) * self.q2

    @staticmethod
    @abstractmethod
    def _first_round(eps: float, /) -> tuple[float, float]: ...

    @abstractmethod
    def _second_round(self) -> tuple[float, float]: ...

    @property
    def rounds(self) -> Rounds:
        return Rounds(self.p1, self.q1, self.p2, self.q2)

    def _first_answers(self, keys: IntArray, rng: np.random.Generator) -> BoolArray:
        return randomize_bits(one_hot(keys, self.k), self.p1, self.q1, rng)

    def _second_answers(self, memo: Memo, rng: np.random.Generator) -> BoolArray:
        return randomize_bits(memo.answers, self.p2, self.q2, rng)


class OptimizedSecondRound(LongitudinalUnary):
    """Second round with p₂ = 1/2: it can't make up for a first round that is only a little better than ε₁.

    >>> round(LOUE.max_eps(2.0), 3), round(LSOUE.max_eps(2.0), 3)
    (1.66, 1.311)
    """

    @classmethod
    def max_eps(cls, eps_inf: float | None = None) -> float:
        """With q₂ = 0 the chain costs as much as it can: a kept 1 is halved, a 0 stays."""
        p1, q1 = cls._first_round(check.epsilon("eps_inf", eps_inf, EPS_INF_MAX))
        return math.log(odds_ratio(p1 / 2, q1 / 2))

    def _second_round(self) -> tuple[float, float]:
        largest = self.max_eps(self.eps_inf)
        if self.eps >= largest:
            raise InfeasibleError(
                f"eps (ε₁) must be below {largest:.6g} for {self.name} with eps_inf (ε∞) = {self.eps_inf:g}, because "
                f"its second round halves every bit that is 1; got {self.eps:g}",
                largest,
            )
        return 0.5, _solve_q2(self.p1, self.q1, self.eps)


def _solve_q2(p1: float, q1: float, eps: float) -> float:
    """Return the x in (0, 1/2) for which p = p₁/2+(1-p₁)x and q = q₁/2+(1-q₁)x have the odds ratio e^ε.

    p(1-q)e^{-ε} = q(1-p) is a quadratic in x that is positive at 0 and negative at 1/2:
    its smaller root, in the form that does not cancel.
    """
    b = math.exp(-eps)
    zero_p, slope_p, zero_q, slope_q = p1 / 2, 1 - p1, q1 / 2, 1 - q1
    square = (1 - b) * slope_p * slope_q
    linear = b * slope_p - slope_q + (1 - b) * (zero_p * slope_q + slope_p * zero_q)
    constant = b * zero_p * (1 - zero_q) - zero_q * (1 - zero_p)
    return 2 * constant / (-linear + math.sqrt(linear**2 - 4 * square * constant))


class LSUE(LongitudinalUnary):
    """Longitudinal SUE, basic RAPPOR (Erlingsson, Pihur and Korolova, CCS 2014).

    >>> m = LSUE(k=10, eps=1.0, eps_inf=2.0)
    >>> round(m.p2 + m.q2, 6)
    1.0
    """

    name = "L-SUE"
    full_name = "Longitudinal Symmetric Unary Encoding (basic RAPPOR)"
    summary = "Basic RAPPOR: flips each answer once for good, and again at every report."
    _first_round = staticmethod(sue_probabilities)

    def _second_round(self) -> tuple[float, float]:
        q2 = (sue_probabilities(self.eps)[1] - self.q1) / (self.p1 - self.q1)
        return 1 - q2, q2


class LOSUE(LongitudinalUnary):
    """Longitudinal OUE then SUE (Arcolezi et al. 2022).

    >>> LOSUE(k=10, eps=1.0, eps_inf=2.0).p1
    0.5
    """

    name = "L-OSUE"
    full_name = "Longitudinal Unary Encoding, optimized then symmetric"
    summary = "First OUE, kept; then SUE at every report. Often the best of the four."
    _first_round = staticmethod(oue_probabilities)

    def _second_round(self) -> tuple[float, float]:
        # (ab-1)/(ab+a-b-1), numerator and denominator divided by ab.
        both = -math.expm1(-self.eps - self.eps_inf)
        gap = math.exp(-self.eps) - math.exp(-self.eps_inf)
        return both / (both + gap), gap / (both + gap)


class LOUE(OptimizedSecondRound):
    """Longitudinal OUE then OUE (Arcolezi et al. 2022).

    >>> m = LOUE(k=10, eps=1.0, eps_inf=2.0)
    >>> m.p1, m.p2
    (0.5, 0.5)
    """

    name = "L-OUE"
    full_name = "Longitudinal Optimized Unary Encoding"
    summary = "Two rounds of OUE: one kept, one fresh."
    _first_round = staticmethod(oue_probabilities)


class LSOUE(OptimizedSecondRound):
    """Longitudinal SUE then OUE (Arcolezi et al. 2022).

    >>> LSOUE(k=10, eps=1.0, eps_inf=2.0).p2
    0.5
    """

    name = "L-SOUE"
    full_name = "Longitudinal Unary Encoding, symmetric then optimized"
    summary = "First SUE, kept; then OUE at every report."
    _first_round = staticmethod(sue_probabilities)
