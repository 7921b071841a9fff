"""Whether reports fit the mechanism that is said to have made them."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms import Mechanism
from ldpcore.roots import bisect
from ldpcore.theory.binomial import binomial

# Below this p-value reports are said not to fit.
FIT_ALARM = 0.001
# Up to this many possible supports the distribution of their sum is added up, beyond it is normal.
_EXACT_UP_TO = 4_000
_GRID = 100


@dataclass(frozen=True)
class Fit:
    """How well reports fit a mechanism.

    Attributes
    ----------
    statistic : {"total support", "rarest value"}
        What was looked at. Reports of GRR, L-GRR and SS always support the same number of values, so their total
        says nothing; there it is the rarest value: q alone gives it nq reports, whatever the data are.
    observed, expected, sd : float
        The statistic, what the mechanism implies, and its standard deviation.
    p_value : float
        Chance of something at least this far off if the mechanism is the right one: of both sides for
        the total, of too few for the rarest of k values (Bonferroni).
    eps : float or None
        The ε at which the observed would be the expected; None if no ε gives it. For the rarest value
        it is a lower bound, and None where it is below the stated ε: rare values then say nothing.
    fits : bool
        Whether the p-value is at least 0.001.
    sentence : str
        The same in words.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> check_fit([740, 260], 1000, mechanism("GRR", k=2, eps=1.0)).statistic
    'rarest value'
    """

    statistic: str
    observed: float
    expected: float
    sd: float
    p_value: float
    eps: float | None
    fits: bool
    sentence: str


def check_fit(counts: Any, n: int, m: Mechanism) -> Fit:
    """Check the support counts of n reports against what the mechanism's p and q imply.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m, rng = mechanism("OUE", k=10, eps=1.0), np.random.default_rng(1)
    >>> counts = m.with_eps(2.0).sample_counts([1000] * 10, 1, rng)[0]
    >>> fit = check_fit(counts, 10_000, m)
    >>> fit.fits, round(fit.eps, 1)
    (False, 2.0)
    """
    n = check.integer("n", n, 1, check.N_MAX)
    array = check.array_of("counts", counts)
    if array.shape != (m.k,):
        raise Refused(f"counts must have one entry for each of the k = {m.k} values; got shape {array.shape}")
    array = check.integer_array("counts", array, 0, n)
    if m.support_law == "independent":
        return _total_support(int(array.sum()), n, m)
    size = m.support_size
    if size is not None and int(array.sum()) != n * size:
        raise Refused(
            f"counts must sum to n·{size} = {n * size:,}, because every report of {m.name} supports {size} of the "
            f"values; got {int(array.sum()):,}"
        )
    return _rarest_value(array, n, m)


def with_eps(m: Mechanism, eps: float) -> Mechanism:
    """Return the same mechanism with another ε (another ε₁, with the same ε∞).

    >>> from ldpcore import mechanism
    >>> with_eps(mechanism("GRR", k=2, eps=1.0), 2.0)
    GRR(k=2, eps=2.0)
    """
    return m.with_eps(eps)


# ---- the total support ------------------------------------------------------------


def _total_support(total: int, n: int, m: Mechanism) -> Fit:
    """One report supports its own value with p and each of the k-1 others with q, all independently."""
    expected = n * (m.p + (m.k - 1) * m.q)
    sd = math.sqrt(n * (m.p * (1 - m.p) + (m.k - 1) * m.q * (1 - m.q)))
    if n * m.k <= _EXACT_UP_TO:
        chances = np.convolve(binomial(n, m.p), binomial(n * (m.k - 1), m.q))
        tail = min(float(chances[: total + 1].sum()), float(chances[total:].sum()))
        p_value = min(1.0, 2 * tail)
    else:
        p_value = math.erfc(max(0.0, abs(total - expected) - 0.5) / sd / math.sqrt(2))
    eps = _solve(lambda e: _mean_support(m, e), total / n, m)
    fits = p_value >= FIT_ALARM
    evidence = f"the total support is {total:,} where {m.name} at ε = {m.eps:g} implies {expected:,.0f} ± {sd:,.0f}"
    return Fit("total support", float(total), expected, sd, p_value, eps, fits, _sentence(fits, eps, m, evidence, "≈"))


def _mean_support(m: Mechanism, eps: float) -> float:
    """Return p + (k-1)q at another ε; hashed reports keep their number of cells, with which they were counted."""
    other = m.with_eps(eps, same_shape=True)
    return other.p + (other.k - 1) * other.q


# ---- the rarest value -------------------------------------------------------------


def _rarest_value(counts: IntArray, n: int, m: Mechanism) -> Fit:
    """Every count is at least Bin(n, q), whatever the data: a smaller one says that q, and so ε, is another."""
    least = int(counts.min())
    expected, sd = n * m.q, math.sqrt(n * m.q * (1 - m.q))
    if n <= _EXACT_UP_TO:
        tail = float(binomial(n, m.q)[: least + 1].sum())
    else:
        tail = 0.5 * math.erfc((expected - least - 0.5) / sd / math.sqrt(2))
    p_value = min(1.0, m.k * tail)
    fits = p_value >= FIT_ALARM
    # Sets keep their size, for that is in the file.
    eps = _solve(lambda e: m.with_eps(e, same_shape=True).q, least / n, m) if least < expected else None
    fixed = "every report supports the same number of values, so their total says nothing; "
    evidence = (
        f"the rarest value has {least:,} reports where {m.name} at ε = {m.eps:g} implies at least {expected:,.0f} ± "
        f"{sd:,.0f} ({fixed if m.support_size is not None else ''}a larger ε would "
        "show if a value is rare, a smaller one never)"
    )
    return Fit("rarest value", float(least), expected, sd, p_value, eps, fits, _sentence(fits, eps, m, evidence, "≥"))


# ---- which ε it would be ----------------------------------------------------------


def _solve(mean: Callable[[float], float], target: float, m: Mechanism) -> float | None:
    """Return the ε nearest to the stated one at which `mean` is the target, by bisection; None if there is none."""
    high = min(check.EPS_MAX, m.max_eps(m.eps_inf))
    grid = np.geomspace(check.EPS_MIN, high * (1 - 1e-9), _GRID)
    means = np.array([mean(float(e)) for e in grid])
    above = means > target
    changes = np.flatnonzero(above[1:] != above[:-1])
    # SUE with two values supports one of them on average at every ε: differences are rounding.
    if changes.size == 0 or np.ptp(means) < 1e-9:
        return None
    nearest = changes[np.argmin(np.abs(np.log(grid[changes] / m.eps)))]
    left = bool(above[nearest])
    return bisect(lambda e: (mean(e) > target) == left, float(grid[nearest]), float(grid[nearest + 1]))


def _sentence(fits: bool, eps: float | None, m: Mechanism, evidence: str, sign: str) -> str:
    if fits:
        # The rarest value sees one side only, and that only if some value is rare.
        limits = ", as far as can be seen" if sign == "≥" else ""
        return f"These reports fit{limits}: {evidence}."
    if eps is None:
        return f"These reports do not fit {m.name} at any ε: {evidence}."
    at = f" (with ε∞ = {m.eps_inf:g})" if m.eps_inf is not None else ""
    return f"These reports look like ε {sign} {eps:.2f}, not {m.eps:g}{at}: {evidence}."
