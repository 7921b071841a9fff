"""How far two estimators of one result are apart, and whether the runs are enough to tell."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import ldpcore as ldp
from ldpcore.arrays import FloatArray
from ldpcore.metrics import reduction
from ldpui.format import significant
from pages.explore.estimate.why import points

# Percent of squared error up to which two estimators may be called alike if the runs can't tell them apart: with one of
# them a bin is off by a tenth more at most.
_ALIKE = 20
# How many standard errors a mean of 2, 3, … runs is off by once in twenty (Student's t); of more runs about 2. Of
# two runs the noise is known so badly that with 2 of its errors nearly one verdict in three would be chance.
_TWICE = (12.7, 4.3, 3.2, 2.8, 2.6, 2.4, 2.4, 2.3, 2.3)


@dataclass(frozen=True)
class Difference:
    """By how much one estimator's mean squared error is below another's.

    Attributes
    ----------
    less : float
        In percent; negative where it is above.
    se : float
        The standard error of that, nan where there is none.
    sure : bool
        Whether the runs tell the two apart.
    """

    less: float
    se: float
    sure: bool

    def is_equal(self, same: float = 0.5) -> bool:
        """Tell whether the two may be called alike: within so many percent, or within the noise and nearly so."""
        return abs(self.less) < same or (not self.sure and abs(self.less) < _ALIKE)

    @property
    def is_open(self) -> bool:
        """Whether the noise of the runs leaves open which of two is better that can't be called alike."""
        return not self.sure and not self.is_equal()

    def standing(self, same: float) -> str:
        """Say how the second stands to the first, alike within so many percent."""
        if self.is_equal(same):
            return "about as good as"
        return ("" if self.sure else "not surely ") + ("better than" if self.less > 0 else "worse than")


def difference(r: ldp.Result, base: str, other: str) -> Difference:
    """Compare the second estimator of a result with the first."""
    if points(r, base) == 0:
        return Difference(0.0 if points(r, other) == 0 else -math.inf, 0.0, True)
    first, second = r.error(base).values, r.error(other).values
    return Difference(*reduction(first, second), _are_apart(first, second))


def _are_apart(first: FloatArray, second: FloatArray) -> bool:
    """Tell whether the mean of the differences, run by run, is more than its noise. One run has none to compare with.

    Not whether the ratio of the means is: where the first error is tiny and happens to vary, nobody knows that ratio
    well, and a second error a hundred times as large would pass for noise.
    """
    if first.size < 2:
        return True
    apart = first - second
    errors = _TWICE[apart.size - 2] if apart.size < len(_TWICE) + 2 else 2.0
    return bool(abs(apart.mean()) >= errors * apart.std(ddof=1) / np.sqrt(apart.size))


def against_mi(gap: Difference) -> str:
    """Say what an error is beside MI's."""
    if gap.is_equal():
        return "about as much as with MI"
    if gap.is_open:
        return "which the noise of the runs can't tell from MI's"
    if gap.less <= -100:
        return f"{significant(1 - gap.less / 100, 2)} times MI's squared error"
    return f"{_percent(abs(gap.less))} {'less' if gap.less > 0 else 'more'} squared error than MI"


def _percent(share: float) -> str:
    """Write a share with two digits; what is below 100 % is not all of it.

    >>> _percent(77.4), _percent(99.7), _percent(99.99996), _percent(100.0)
    ('77%', '99.7%', 'over 99.99%', '100%')
    """
    digits = next((d for d in (2, 3, 4) if significant(share, d) != "100" or share >= 100), 0)
    return f"{significant(share, digits)}%" if digits else "over 99.99%"
