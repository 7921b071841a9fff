"""Whether hashed reports fit: their number of cells is in the file.

A reported cell is uniform over the g cells, whatever the user has, because the hash function is random. So n reports
all stay below s < g with a chance of (s/g)ⁿ, and the largest value seen gives g away: with 100 reports and up to a
dozen cells it is g - 1 but for a chance of (11/12)¹⁰⁰ = 0.02 %, with 1,000 reports and up to a hundred but for 0.004 %.
The seeds are in the file too, and users who draw them at random hardly ever have the same.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ldpcore._validate import EPS_MIN, FloatArray
from ldpcore.collected.copies import MOST, Prints, repeats_p_value
from ldpcore.collected.fit import DOES_NOT_FIT, FIT_ALARM, Fit
from ldpcore.collected.total_support import eps_of_total, largest_eps, total_law, total_p_value
from ldpcore.mechanisms import HASH_FAMILIES, HashedReports, Mechanism
from ldpcore.mechanisms.hashing import SEED_BITS
from ldpcore.roots import bisect

# The cells are looked at beside the counts: a tenth of the alarm's level, so that both together hold it, but for that
# tenth. With some hundred reports another number of cells is beyond it by far.
CELLS_ALARM = FIT_ALARM / 10
# And whether there is any 0 among the values: this is surer, so that it adds nothing to the two.
FROM_ONE_ALARM = CELLS_ALARM / 100
# So many reports are counted again with the cells that were seen.
RECOUNTED = 50_000
_STEPS = 50
_SEVERAL = 20


def cells_of(values: Any) -> int:
    """Return how many cells the reported values show: the largest and one more, at least 2."""
    return max(2, int(np.max(values)) + 1)


def cells_p_value(seen: int, n: int, g: int) -> float:
    """Return the chance that n reports of g cells show only `seen` of them; 0 if they show more than there are."""
    return 0.0 if seen > g else math.exp(n * math.log(seen / g))


def most_cells(seen: int, n: int) -> int:
    """Return the largest g of which n reports would show only `seen` cells with a chance of at least 1 in 1,000."""
    return int(seen * math.exp(min(-math.log(FIT_ALARM) / n, 20.0)))


def seeds_p_value(different: int, n: int, halvings: int = 0) -> float:
    """Return a bound on the chance that n seeds drawn at random of 2^(32 - halvings) are only so `different`.

    The i-th seed repeats an earlier one with a chance of at most i/2³², which `copies` makes a bound of.

    >>> seeds_p_value(3, 3), seeds_p_value(9_990, 10_000) < 1e-20
    (1.0, True)
    """
    return repeats_p_value(n - different, n * (n - 1) / 2 ** (SEED_BITS - halvings + 1))


def check_seeds(prints: Prints, n: int, m: Mechanism) -> Fit | None:
    """Check that every report has a hash function of its own; None if nothing speaks against it.

    Whatever shares one (users with a fixed seed or a seed made of their value, or a report that is there several
    times) is not independent, which the estimates' intervals take it to be, and the total support does not show it.
    """
    prints = prints.settled()
    seen, different = prints.n, prints.values.size
    # How far the bound of the fingerprints was halved depends on the seeds, so all bounds count: the one after j
    # halvings with a share of 1/(j+1)(j+2) of the alarm, which sum to 1.
    shares = (prints.halvings + 1) * (prints.halvings + 2) if n > MOST else 1
    p_value = min(1.0, shares * seeds_p_value(different, seen, prints.halvings))
    if p_value >= CELLS_ALARM:
        return None
    looked = f"these {n:,} reports" if seen == n else f"{seen:,} of these {n:,} reports, drawn by their seeds,"
    again = "" if m.eps_inf is None else ", as in a file of several collections of the same users: count each alone"
    seeds = f"{different:,} different seeds" if different > 1 else "the same seed"
    sentence = (
        f"These reports are not those of so many users, each with a hash function of its own: {looked} have {seeds}, "
        "where seeds drawn at random hardly ever repeat. Users share hash functions, or some have reported more than "
        f"once{again}. The intervals take all reports to be independent, and may be too narrow here."
    )
    expected = seen - seen * (seen - 1) / 2 ** (SEED_BITS - prints.halvings + 1)
    return Fit("seeds", float(different), expected, 0.0, p_value, None, False, sentence, DOES_NOT_FIT)


@dataclass(frozen=True)
class _Cells:
    """What the cells of hashed reports say: a check that failed, and what a message about a single cell adds."""

    fit: Fit
    hint: str = ""


def check_hashed_fit(reports: Any, m: Mechanism) -> Fit | None:
    """Check the number of cells of hashed reports (seed, value); None if it is the stated mechanism's.

    Where it is not, the reports are counted again with the cells that they show, and their total support tells ε: of
    all ε at which the mechanism would choose as many cells the most likely.
    """
    answer = _look_at_cells(reports, m)
    return None if answer is None else answer.fit


def hint_on_cells(reports: Any, m: Mechanism) -> str:
    """Return what may be wrong where a cell is larger than the stated mechanism has any, to be added to a message."""
    answer = _look_at_cells(reports, m)
    return "" if answer is None else answer.hint


def _look_at_cells(reports: Any, m: Mechanism) -> _Cells | None:
    if m.g is None or not _are_pairs(reports):
        return None
    seeds, values = (np.asarray(a) for a in reports)
    n, cells, g = values.size, cells_of(values), m.g
    none_is_0 = math.exp(n * math.log1p(-1 / max(cells, g))) if int(values.min()) > 0 else 1.0
    if none_is_0 < FROM_ONE_ALARM:
        return _from_one(none_is_0, cells, m)
    if "g" not in m.options:
        return None
    p_value = cells_p_value(cells, n, g)
    # Of reports with so many cells a share 1 - g/cells has a value of g or more; far fewer such values are slips.
    slip = cells > g and (n < _SEVERAL or (values >= g).sum() < n * (1 - g / cells) / 2)
    if p_value >= CELLS_ALARM or slip:
        return None
    why = (
        f"their values go up to {cells - 1:,}, so they were made with {cells:,} cells where {m.name} at ε = {m.eps:g} "
        f"has {g:,}"
    )
    own = _own_eps(m, cells, most_cells(cells, n))
    eps: float | None = float(np.median(own)) if own.size else None
    hint = ""
    if most_cells(cells, n) == cells:
        eps, more, hint = _recounted(HashedReports(seeds[:RECOUNTED], values[:RECOUNTED]), m, cells, own)
        why += more
    sentence = f"These reports do not fit {m.name} at any ε: {why}."
    if eps is not None:
        at = "" if m.eps_inf is None else f" (with ε∞ = {m.eps_inf:g})"
        sentence = f"These reports look like ε ≈ {eps:.2f}, not {m.eps:g}{at}: {why}."
        hint = f"; these reports look like ε ≈ {eps:.2f}{hint}"
    return _Cells(Fit("cells", float(cells), float(g), 0.0, p_value, eps, False, sentence, DOES_NOT_FIT), hint)


def _from_one(p_value: float, cells: int, m: Mechanism) -> _Cells:
    """Say that nobody reports the first cell, which is no matter of ε: all are as likely."""
    g = m.g or 2
    sentence = (
        f"These reports do not fit {m.name} at any ε: none of their values is 0, though all cells are as likely. They "
        f"may count from 1, where the {g:,} cells of {m.name} at ε = {m.eps:g} are 0 to {g - 1:,}."
    )
    fit = Fit("cells", float(cells), float(g), 0.0, p_value, None, False, sentence, DOES_NOT_FIT)
    return _Cells(fit, "; none of the values is 0, so they may count from 1")


def name_other_family(fit: Fit, reports: HashedReports, m: Mechanism) -> Fit:
    """Say so where reports whose total support is off would fit with another family of hash functions.

    Counted with the wrong one, reports support values at random, and look like those of a small ε.
    """
    if fit.fits or fit.statistic != "total support" or "hash_family" not in m.options:
        return fit
    largest = int(np.max(reports.seed))
    for family in _families(m, largest)[1:]:
        other = type(m)(**(m.parameters | {"hash_family": family}))
        total = int(other.support_counts(reports).sum())
        if total_p_value(total, len(reports.value), other) >= FIT_ALARM:
            more = f" With the hash functions of {family} in place of {m.hash_family} they would fit."
            return replace(fit, eps=None, sentence=fit.sentence + more)
    return fit


def _are_pairs(reports: Any) -> bool:
    """Tell whether these are seeds and values at all; what else is wrong with them, `support_counts` says."""
    if not isinstance(reports, tuple) or len(reports) != 2:
        return False
    seeds, values = (np.asarray(a) for a in reports)
    whole = seeds.dtype.kind in "iu" and values.dtype.kind in "iu"
    return whole and values.ndim == 1 and seeds.shape == values.shape and values.size > 0 and int(values.min()) >= 0


def _own_eps(m: Mechanism, least: int, most: int) -> FloatArray:
    """Return the ε, in small steps, at which the mechanism itself would choose so many cells: more ε, more cells."""
    free = {name: value for name, value in m.parameters.items() if name != "g"}

    def cells(eps: float) -> int:
        return int(type(m)(**(free | {"eps": eps})).g or 2)

    largest = largest_eps(m)
    low = bisect(lambda eps: cells(eps) < least, EPS_MIN, largest)
    high = bisect(lambda eps: cells(eps) <= most, EPS_MIN, largest)
    # Inside of both ends, where rounding can't choose other cells.
    inside = np.linspace(low, high, _STEPS + 2)[1:-1]
    return inside[[least <= cells(float(eps)) <= most for eps in inside]]


def _recounted(reports: HashedReports, m: Mechanism, cells: int, own: FloatArray) -> tuple[float | None, str, str]:
    """Count again with so many cells; return the ε of the total support, what it says of it, and of hash functions.

    Counted with the wrong hash functions, reports look like those of hardly any ε: where no ε at which the mechanism
    would choose these cells explains the total support, other families are tried.
    """
    answers = []
    for family in _families(m, int(np.max(reports.seed))):
        recounted = type(m)(**(m.parameters | {"g": cells, "hash_family": family}))
        total = int(recounted.support_counts(reports).sum())
        eps, explained = _eps_at(recounted, total, len(reports.value), own)
        other = "" if family == m.hash_family else f" and the hash functions of {family} in place of {m.hash_family}"
        hint = other.replace(" and", " with", 1)
        more = ", and no ε explains their total support"
        if eps is not None:
            law = total_law(recounted.with_eps(eps, same_shape=True), len(reports.value))
            more = (
                f"; with {cells:,} cells{other} the total support is {total:,} where ε = {eps:.2f} implies "
                f"{law.expected:,.0f} ± {law.sd:,.0f}"
            )
        if explained:
            return eps, more, hint
        answers.append((eps, more, hint))
    return answers[0]


def _families(m: Mechanism, largest: int) -> list[str | None]:
    """Return the families of hash functions that can have a seed as large, the stated one first."""
    others = [f for f, bits in HASH_FAMILIES.items() if f != m.hash_family and largest < 2**bits]
    return [m.hash_family, *others]


def _eps_at(m: Mechanism, total: int, n: int, own: FloatArray) -> tuple[float | None, bool]:
    """Return the ε of reports whose cells are known, and whether the mechanism would choose these cells there.

    The total alone says it without bias, but with much noise. If it does not speak against the ε at which the mechanism
    would choose these cells itself, the answer is their mean, weighted by how likely each makes the total.
    """
    others = [m.with_eps(float(e), same_shape=True) for e in own]
    if max((total_p_value(total, n, other) for other in others), default=0.0) < FIT_ALARM:
        return eps_of_total(total, n, m), False
    laws = [total_law(other, n) for other in others]
    weights = np.array([math.exp(-(((total - law.expected) / law.sd) ** 2) / 2) / law.sd for law in laws])
    return float(np.average([other.eps for other in others], weights=weights)), True
