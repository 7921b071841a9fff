"""The verdict on a setting, in sentences: what a bin is off by, how far IBU got, what a simple estimator gives, why."""

from __future__ import annotations

import math
from dataclasses import dataclass

import ldpcore as ldp
from ldpui import clock
from ldpui.format import times
from pages.explore.estimate.difference import against_mi, difference
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
    gap = difference(r, "mi", "ibu")
    reason = "" if gap.is_equal() or gap.is_open else why(r)
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
    gap = difference(r, "mi", "ibu")
    if gap.is_equal():
        return f"{off}, equally good here" + ("." if gap.sure else ": the difference is within the noise of the runs.")
    if gap.is_open:
        return f"{off}; the noise of the runs leaves open which is better."
    return f"{off}: {_size(gap.less, gap.se, r.setting.runs)}.{_owed(r, gap.less)}"


def _owed(r: ldp.Result, less: float) -> str:
    """Say who loses, and where the limit would turn the verdict, that it is owed to stopping early."""
    at_limit = difference(r, "mi", "limit")
    if less > 0:
        return " It owes that to stopping early." if _early(r) and at_limit.less < less / 2 else ""
    early = _early(r) and (at_limit.less > 0 or at_limit.is_equal())
    return " Here IBU loses, because it stopped early." if early else " Here IBU loses."


def _size(less: float, se: float, runs: int) -> str:
    """Say how much less, or more, squared error that is, and what ± means."""
    if 99.99 < less < 100:
        return "**over 99.99% less squared error**"
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
        standing[name] = difference(r, key, simple).standing(5)
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
    gap = difference(r, "mi", "limit")
    if gap.less == -math.inf:
        return f"; at its limit a bin is off by **{plain_digits(points(r, 'limit'), 2)}**"
    off = apart(points(r, "ibu"), points(r, "limit"))[1]
    return f"; at its limit a bin is off by **{off}**, {against_mi(gap)}"
