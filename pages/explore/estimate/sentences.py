"""The verdict on a setting, in sentences: what a bin is off by, how far IBU got, what a simple estimator gives, why."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

import ldpcore as ldp
from ldpcore.metrics import reduction
from ldpui import clock
from ldpui.format import significant, times
from pages.explore.estimate.digits import apart, plain_digits, rounded
from pages.explore.estimate.why import points, why

# What may stand beside MI, the weakest of the post-processings: histograms as well, and without iterations.
ALTERNATIVES = ("norm-sub", "power-ns")


@dataclass(frozen=True)
class Verdict:
    """Sentences on a result, in Markdown; one that would not be true of it is empty.

    Attributes
    ----------
    comparison, alternative : str
        What a bin is off by with MI and with IBU, and with a simple estimator beside them.
    convergence, why : str
        How far IBU got, and what its limit would give; what MI, or IBU, does to the largest bin.
    early : bool
        Whether IBU stopped where its limit would still be another.
    """

    comparison: str
    alternative: str
    convergence: str
    why: str
    early: bool

    def __str__(self) -> str:
        sentences = (self.comparison, self.alternative, self.convergence, self.why)
        return " ".join(sentence for sentence in sentences if sentence)


def verdict(r: ldp.Result) -> Verdict:
    """Say what came of a setting."""
    reason = "" if _equal(*_less(r, "mi", "ibu")) else why(r)
    return Verdict(_comparison(r), _alternative(r), _convergence(r), reason, _early(r))


def _comparison(r: ldp.Result) -> str:
    if points(r, "mi") == points(r, "ibu") == 0:
        return "MI and IBU both hit the truth."
    if points(r, "mi") == 0:
        return f"MI hits the truth; a bin is off by **{plain_digits(points(r, 'ibu'), 2)} percentage points with IBU**."
    mi, ibu = apart(points(r, "mi"), points(r, "ibu"))
    # Nobody can tell from one how the next would come out.
    a_bin = "In this one collection a bin" if r.setting.runs == 1 else "A bin"
    off = f"{a_bin} is off by **{mi} percentage points with MI** and **{ibu} with IBU**"
    less, se = _less(r, "mi", "ibu")
    if _equal(less, se):
        noise = math.isfinite(se) and 0 < abs(less) < 2 * se
        return f"{off}, equally good here" + (": the difference is within the noise of the runs." if noise else ".")
    return f"{off}: {_size(less, se, r.setting.runs)}.{_owed(r, less)}"


def _owed(r: ldp.Result, less: float) -> str:
    """Say who loses, and where the limit would turn the verdict, that it is owed to stopping early."""
    at_limit, se = _less(r, "mi", "limit")
    if less > 0:
        return " It owes that to stopping early." if _early(r) and at_limit < less / 2 else ""
    early = _early(r) and (at_limit > 0 or _equal(at_limit, se))
    return " Here IBU loses, because it stopped early." if early else " Here IBU loses."


def _less(r: ldp.Result, base: str, other: str) -> tuple[float, float]:
    """Return by how many percent the second estimator's mean squared error is below the first's, and how sure."""
    if points(r, base) == 0:
        return (0.0 if points(r, other) == 0 else -math.inf), 0.0
    return reduction(r.error(base).values, r.error(other).values)


def _equal(less: float, se: float, same: float = 0.5) -> bool:
    """Tell whether the noise of the runs, or less than so many percent, makes the difference."""
    return abs(less) < max(same, 2 * float(np.nan_to_num(se)))


def _size(less: float, se: float, runs: int) -> str:
    """Say how much less, or more, squared error that is, and what ± means."""
    if less > -100:
        number, error = rounded(abs(less), se)
        words = f"**{number}% {'less' if less > 0 else 'more'} squared error**"
    else:
        number, error = rounded(1 - less / 100, se / 100)
        words = f"**{number} times the squared error**"
    return words + (f" (± {error}: standard error over {runs} runs)" if error else "")


def _alternative(r: ldp.Result) -> str:
    """Say what the best simple estimator gives; 5 % of squared error can't be seen."""
    simple = min(ALTERNATIVES, key=lambda key: r.error(key).mean)
    standing = {}
    for name, key in (("MI", "mi"), ("IBU", "ibu")):
        less, se = _less(r, key, simple)
        standing[name] = "about as good as" if _equal(less, se, 5) else "better than" if less > 0 else "worse than"
    mi, ibu = standing.values()
    words = f"{mi} both" if mi == ibu else f"{mi} MI, {ibu} IBU"
    name, off = ldp.ESTIMATORS[simple].name, points(r, simple)
    off_text = plain_digits(off, 2) if ibu == "about as good as" else apart(off, points(r, "ibu"))[0]
    return f"{name}, a simple alternative without iterations, is off by **{off_text}**: {words}."


def _early(r: ldp.Result) -> bool:
    stopped, limit = points(r, "ibu"), points(r, "limit")
    return abs(limit - stopped) > 0.02 * stopped


def _convergence(r: ldp.Result) -> str:
    done, runs = int(r.converged.sum()), len(r.converged)
    steps = times(round(r.iterations.mean()), "iteration")
    if done == runs and not _early(r):
        return f"IBU converged after {steps}."
    if done == runs:
        # A step may be shorter than the tolerance long before the limit.
        return f"IBU's tolerance stopped it after {steps}{_way(r)}{_limit(r)}."
    cap = times(r.setting.max_iter, "iteration")
    limit = _limit(r) if _early(r) else "; its limit gives nearly the same"
    if done:
        return f"IBU converged in {done} of {runs} runs within {cap}{limit}."
    return f"IBU had not converged after {cap}{_way(r)}{limit}."


def _way(r: ldp.Result) -> str:
    """Say how much of the way to its limit IBU has gone by its clock, which is known near a uniform start."""
    if r.setting.start != "uniform":
        return ""
    share = r.mechanism.share_of_the_way(round(r.iterations.mean()), r.setting.channel)
    return f", by its clock {clock.how_much(share)} of the way to its limit" if share < clock.NEARLY_ALL else ""


def _limit(r: ldp.Result) -> str:
    """Say what IBU's limit gives, on both sides: stopping early can flatter IBU as well as hold it back."""
    less, se = _less(r, "mi", "limit")
    if less == -math.inf:
        return f"; at its limit a bin is off by **{plain_digits(points(r, 'limit'), 2)}**"
    more = f"{significant(abs(less), 2)}% {'less' if less > 0 else 'more'} squared error than MI"
    against = more if less > -100 else f"{significant(1 - less / 100, 2)} times MI's squared error"
    off = apart(points(r, "ibu"), points(r, "limit"))[1]
    return f"; at its limit a bin is off by **{off}**, {'about as much as with MI' if _equal(less, se) else against}"
