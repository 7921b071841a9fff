"""Whether reports fit the mechanism that is said to have made them.

Two tests for every mechanism, each at half of the alarm's level, so that right reports raise a false alarm once in
1,000 at the most, whatever the data. The first is about all reports together: the total support where chance decides it
(`total_support`), and what the rarest values have where every report supports equally many (`rare_values`). The
second is about each value (`single_values`). A verdict is "fits" only where the first would have noticed another ε.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from ldpcore import _validate as check
from ldpcore._validate import IntArray
from ldpcore.collected.rare_values import BUDGET, TooFew, simulated_floor, too_few
from ldpcore.collected.single_values import ImpossibleValues, impossible_values
from ldpcore.collected.total_support import eps_of_total, largest_eps, total_has_power, total_law, total_p_value
from ldpcore.estimators.counts import counts_of_one
from ldpcore.mechanisms import Mechanism
from ldpcore.roots import bracket
from ldpcore.theory.count_law import binomial_tails

FIT_ALARM = 0.001
"""The p-value below which reports are said not to fit the mechanism."""
VERDICTS = ("fits", "does not fit", "can't be checked")
"""What a check of the fit can say."""
FITS, DOES_NOT_FIT, UNCHECKED = VERDICTS
# An ε that is only bounded from below is sought to this relative accuracy.
_ACCURACY = 0.005


@dataclass(frozen=True)
class Fit:
    """How well reports fit a mechanism.

    Attributes
    ----------
    statistic : {"total support", "rare values", "single value", "cells", "seeds", "copies", "order"}
        What decided: the total support; what the rarest values have together, for GRR, L-GRR and SS, which always
        support the same number of values; the count of one value; of hashed reports, the number of cells or how
        many seeds differ; of bits and sets, how many are equal to others; or, of sets, by how many the value at an end
        of a set is held.
    observed, expected, sd : float
        The statistic, what the mechanism implies, and its standard deviation. For rare values `expected` is a
        lower bound, for copies an upper one, and for a single value the nearer end of what any data can give.
    p_value : float
        Chance of something at least this far off if the mechanism is the right one, of all tests together.
    eps : float or None
        The ε that the reports look like; None if none does. For rare values it is a lower bound, the smallest ε that
        is not rejected, and None where the stated one is not.
    fits : bool
        Whether the p-value is at least 0.001, so whether there is no alarm. See `verdict` for what that is worth.
    sentence : str
        The same in words.
    verdict : {"fits", "does not fit", "can't be checked"}
        "fits" where another ε would have been noticed. For GRR, L-GRR and SS it never would: a larger ε and
        flatter data give the same counts.
    values : tuple of int
        The values whose counts no data can explain, the worst first, where another ε does not explain them.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> fit = check_fit([740, 260], 1000, mechanism("GRR", k=2, eps=1.0))
    >>> fit.statistic, fit.verdict
    ('rare values', "can't be checked")
    """

    statistic: str
    observed: float
    expected: float
    sd: float
    p_value: float
    eps: float | None
    fits: bool
    sentence: str
    verdict: str = UNCHECKED
    values: tuple[int, ...] = ()


def check_fit(counts: Any, n: int, m: Mechanism, *, budget: int = BUDGET) -> Fit:
    """Check the support counts of n reports against what the mechanism's p and q imply.

    Parameters
    ----------
    counts : array_like, shape (k,)
        How many of the reports support each value.
    n : int
        Number of reports.
    m : Mechanism
        The mechanism that is said to have made them.
    budget : int
        How many counts may be simulated; only for mechanisms whose reports support equally many values.

    Examples
    --------
    >>> import numpy as np
    >>> from ldpcore import mechanism
    >>> m, rng = mechanism("OUE", k=10, eps=1.0), np.random.default_rng(1)
    >>> counts = m.with_eps(2.0).sample_counts([1000] * 10, 1, rng)[0]
    >>> fit = check_fit(counts, 10_000, m)
    >>> fit.verdict, round(fit.eps, 1)
    ('does not fit', 2.0)
    """
    array, n, budget = counts_of_one(counts, n, m), int(n), check.integer("budget", budget, 1, check.N_MAX)
    single = impossible_values(array, n, m.p, m.q, FIT_ALARM / 2)
    if m.support_law == "independent":
        return _by_total(array, n, m, single)
    if m.support_law == "fixed size":
        return _by_rare_values(array, n, m, single, budget)
    return _by_single_values(array, n, m, single)


# ---- where chance decides how many values a report supports -------------------------


def _by_total(counts: IntArray, n: int, m: Mechanism, single: ImpossibleValues) -> Fit:
    total, law = int(counts.sum()), total_law(m, n)
    of_total = total_p_value(total, n, m)
    p_value = min(1.0, 2 * min(of_total, single.p_value))
    eps = eps_of_total(total, n, m)
    why = f"the total support is {total:,} where {m.name} at ε = {m.eps:g} implies {law.expected:,.0f} ± {law.sd:,.0f}"

    def fit(verdict: str, sentence: str) -> Fit:
        fits = verdict != DOES_NOT_FIT
        return Fit("total support", float(total), law.expected, law.sd, p_value, eps, fits, sentence, verdict)

    if p_value >= FIT_ALARM:
        return fit(*_without_alarm(counts, n, m, why))
    if 2 * of_total < FIT_ALARM:
        if eps is not None and _explains(eps, counts, n, m):
            return fit(DOES_NOT_FIT, f"These reports look like ε ≈ {eps:.2f}, not {m.eps:g}{_eps_inf(m)}: {why}.")
        if not single.values or not _others_fit(counts, n, m, single.values):
            worst = f" {_impossible(counts, n, m, single.values)}" if single.values else ""
            return fit(DOES_NOT_FIT, f"These reports do not fit {m.name} at any ε: {why}.{worst}")
    return _leak(counts, n, m, single.values, p_value, others=_others_fit(counts, n, m, single.values))


def _without_alarm(counts: IntArray, n: int, m: Mechanism, why: str) -> tuple[str, str]:
    """Return the verdict and the sentence where nothing is wrong, but something might have been missed."""
    if not total_has_power(m, n, FIT_ALARM / 2):
        return UNCHECKED, (
            f"These reports can't be checked: {why}, but {_reports(n)} of quite another ε would look no different."
        )
    if m.g is None:
        return FITS, f"These reports fit: {why}."
    # Values that nobody has do not show in hashed reports, so neither does a k that is too large.
    if binomial_tails(n, m.q, int(counts[-1]))[1] < FIT_ALARM:
        return FITS, f"These reports fit: {why}."
    return UNCHECKED, (
        f"ε = {m.eps:g} fits: {why}. Whether there are k = {m.k:,} values can't be checked: hashed reports do not say "
        "it, and nobody seems to have the last of them."
    )


def _reports(n: int) -> str:
    return f"{n:,} reports" if n > 1 else "one report"


def _explains(eps: float, counts: IntArray, n: int, m: Mechanism) -> bool:
    """Return whether every single count is possible at another ε too."""
    other = m.with_eps(eps, same_shape=True)
    return not impossible_values(counts, n, other.p, other.q, FIT_ALARM / 2).values


def _others_fit(counts: IntArray, n: int, m: Mechanism, values: tuple[int, ...]) -> bool:
    """Return whether few values are off, and the total of the others is possible: their users are 0 to n."""
    if len(values) > max(1, m.k // 4):
        return False
    others = m.k - len(values)
    rest = int(counts.sum()) - int(counts[list(values)].sum())
    slack = 4 * math.sqrt(n * (m.p * (1 - m.p) + others * m.q * (1 - m.q))) + 1
    return bool(n * others * m.q - slack <= rest <= n * (others * m.q + m.p - m.q) + slack)


# ---- single values ------------------------------------------------------------------


def _leak(
    counts: IntArray, n: int, m: Mechanism, values: tuple[int, ...], p_value: float, *, others: bool = True
) -> Fit:
    """Name the values whose counts no data can explain, and say whether the `others` fit."""
    count, bound, sd = _nearest_possible(counts, n, m, values[0])
    rest = "The other values fit." if others else "No ε explains so many: users may share their noise."
    sentence = f"{_impossible(counts, n, m, values)} {rest}"
    return Fit("single value", count, bound, sd, p_value, None, False, sentence, DOES_NOT_FIT, values)


def _nearest_possible(counts: IntArray, n: int, m: Mechanism, value: int) -> tuple[float, float, float]:
    count = float(counts[value])
    chance = m.q if count < n * m.q else m.p
    return count, n * chance, math.sqrt(n * chance * (1 - chance))


def _impossible(counts: IntArray, n: int, m: Mechanism, values: tuple[int, ...]) -> str:
    count, bound, sd = _nearest_possible(counts, n, m, values[0])
    side = "least" if count < bound else "most"
    more = f" {len(values) - 1:,} more values are off as far." if len(values) > 1 else ""
    return (
        f"Value {values[0]:,} has {count:,.0f} reports where {m.name} at ε = {m.eps:g} gives every value at {side} "
        f"{bound:,.0f} ± {sd:,.0f}, whoever has it: it is not randomized as it should be.{more}"
    )


def _by_single_values(counts: IntArray, n: int, m: Mechanism, single: ImpossibleValues) -> Fit:
    """Check a mechanism of which only p and q are known."""
    if single.values and single.p_value < FIT_ALARM:
        return _leak(counts, n, m, single.values, single.p_value, others=len(single.values) < m.k)
    least = float(counts.min())
    sentence = f"These reports can't be checked: {m.name} says no more than p and q, and every count is possible."
    sd = math.sqrt(n * m.q * (1 - m.q))
    return Fit("single value", least, n * m.q, sd, single.p_value, None, True, sentence)


# ---- where every report supports equally many values ---------------------------------


def _by_rare_values(counts: IntArray, n: int, m: Mechanism, single: ImpossibleValues, budget: int) -> Fit:
    few = _too_few(counts, n, m, budget)
    p_value = min(1.0, 2 * min(few.p_value, single.p_value))
    rarest, them = (
        (f"rarest {few.values:,} of {m.k:,} values have", "them")
        if few.values > 1
        else (f"rarest of {m.k:,} values has", "it")
    )
    why = (
        f"the {rarest} {few.observed:,} reports where {m.name} at ε = {m.eps:g} gives {them} at least "
        f"{few.expected:,.0f} ± {few.sd:,.0f}"
    )
    eps, verdict = None, UNCHECKED
    if p_value >= FIT_ALARM:
        sentence = (
            f"These reports can't be checked: {why}, so nothing speaks against it, but a larger ε with flatter data "
            "would look the same."
        )
    else:
        verdict, eps = DOES_NOT_FIT, _smallest_eps(counts, n, m, min(budget, BUDGET // 3))
        sentence = f"These reports do not fit {m.name} at any ε: {why}."
        if eps is not None:
            sentence = f"These reports look like ε ≥ {eps:.2f}, not {m.eps:g}{_eps_inf(m)}: {why}."
    named = single.values if len(single.values) <= max(1, m.k // 10) else ()
    if named:
        sentence += f" Or only this is wrong: {_impossible(counts, n, m, named).replace('Value', 'value', 1)}"
    fits = verdict != DOES_NOT_FIT
    return Fit("rare values", float(few.observed), few.expected, few.sd, p_value, eps, fits, sentence, verdict, named)


def _too_few(counts: IntArray, n: int, m: Mechanism, budget: int) -> TooFew:
    return too_few(counts, simulated_floor(n, m.k, m.support_size or 1, m.p, budget=budget))


def _smallest_eps(counts: IntArray, n: int, m: Mechanism, budget: int) -> float | None:
    """Return the smallest ε above the stated one that is not rejected.

    The real one is smaller once in 1,000 collections at the most.
    """

    def rejected(eps: float) -> bool:
        other = m.with_eps(eps, same_shape=True)
        single = impossible_values(counts, n, other.p, other.q, FIT_ALARM / 2)
        return bool(single.values) or 2 * _too_few(counts, n, other, budget).p_value < FIT_ALARM

    low, most = m.eps, largest_eps(m)
    high = min(low + 0.5, most)
    while rejected(high):
        if high >= most:
            return None
        low, high = high, min(2 * high, most)
    # The lower end: rounding must not promise more than was seen.
    return bracket(rejected, low, high, accuracy=_ACCURACY)[0]


def _eps_inf(m: Mechanism) -> str:
    return "" if m.eps_inf is None else f" (with ε∞ = {m.eps_inf:g})"
