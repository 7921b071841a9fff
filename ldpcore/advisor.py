"""Advice before a collection: how accurate it will be, the least ε or number of users that an accuracy needs, and why.

The truth that errors are measured against is the histogram of the users who report, as for `ldpcore.run`: how well they
stand for anybody else is another question (`ldpcore.theory.sampling_mse`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist

import numpy as np

from ldpcore import _validate as check
from ldpcore._search import bisect, fit_root, meet
from ldpcore.attack import frequencies_of
from ldpcore.datasets import Histogram
from ldpcore.experiment import Result, Setting, run
from ldpcore.mechanisms import InfeasibleError, Mechanism
from ldpcore.mechanisms.grr import SingleValueReports
from ldpcore.mechanisms.longitudinal import EPS_INF_MAX
from ldpcore.mechanisms.subset import SS

FloatArray = check.FloatArray

KINDS = ("every bin", "tv")
# Raw MI, the paper's MI, the nearest histogram, IBU as iterated, IBU's limit.
ESTIMATORS = {"none": "raw MI", "mi": "MI", "norm-sub": "Norm-Sub", "ibu": "IBU", "limit": "IBU's limit"}
SOUGHT = ("eps", "n")
RANGES: dict[str, tuple[float, float]] = {"eps": (0.05, 10.0), "n": (100, 10**9)}
RUNS = 200


@dataclass(frozen=True)
class Accuracy:
    """What is wanted of an estimated histogram.

    Attributes
    ----------
    kind : {"every bin", "tv"}
        "every bin": all bins at once within ±`bound` of the truth, in a share `level` of all collections. "tv": the
        expected total variation, half the sum of all errors, is at most `bound`.
    bound : float
        A share of the users: 0.01 is one percentage point.
    level : float
        For "every bin" alone.
    """

    kind: str = "every bin"
    bound: float = 0.01
    level: float = 0.95

    def __post_init__(self) -> None:
        check.choice("kind", self.kind, KINDS)
        check.real("bound", self.bound, positive=True)
        check.real("level", self.level, 0.01, 0.999)

    @property
    def metric(self) -> str:
        """The metric of a single run."""
        return "max" if self.kind == "every bin" else "tv"


@dataclass(frozen=True)
class Measured:
    """An error over many collections, and its standard error (0 in closed form, nan for a single run)."""

    value: float
    se: float
    runs: int = 0


# ---- what is reached ---------------------------------------------------------------


def achieved(result: Result, estimator: str, accuracy: Accuracy) -> Measured:
    """Return what an estimator reached: the bound that the share `level` of the runs kept, or the mean total variation.

    The quantile is that of Harrell and Davis (Biometrika 1982): a mean of the runs in order, weighted by how likely
    each is the quantile of another sample. The spread of those weights is its standard error (Maritz and Jarrett 1978).
    """
    error = result.error(estimator, accuracy.metric)
    if accuracy.kind == "tv":
        return Measured(error.mean, error.se, error.values.size)
    return quantile(error.values, accuracy.level)


def quantile(values: FloatArray, level: float) -> Measured:
    """Return a quantile and its standard error."""
    ordered, weights = np.sort(values), _quantile_weights(values.size, level)
    mean = float(weights @ ordered)
    if values.size < 2 or not np.isfinite(mean):
        return Measured(mean, math.nan, values.size)
    return Measured(mean, float(np.sqrt(weights @ (ordered - mean) ** 2)), values.size)


@lru_cache(maxsize=64)
def _quantile_weights(size: int, level: float) -> FloatArray:
    """Return the masses of Beta((size+1)·level, (size+1)(1-level)) between 0, 1/size, 2/size, …, 1."""
    fine = 16
    x = (np.arange(size * fine) + 0.5) / (size * fine)
    log_density = ((size + 1) * level - 1) * np.log(x) + ((size + 1) * (1 - level) - 1) * np.log1p(-x)
    density = np.exp(log_density - log_density.max()).reshape(size, fine).sum(axis=1)
    return np.asarray(density / density.sum())


def raw_error(m: Mechanism, frequencies: object, n: float, accuracy: Accuracy) -> float:
    """Return the error of raw MI from the exact variance of every bin, with normal noise.

    "every bin": the x with Π(2Φ(x/σ_v) - 1) = level. That takes the bins for independent. They are for unary encodings
    and hashing; for GRR and SS, whose counts pull each other down, the true x is at most this one (Šidák 1967), and
    for k = 2, where their two errors are the same number, it is that of one bin.
    "tv": ½Σ√(2/π)σ_v, whatever the dependence.
    """
    f = frequencies_of("frequencies", frequencies, m.k)
    sigma = np.sqrt(m.noise_variance(f, 1) / n)
    if accuracy.kind == "tv":
        return float(math.sqrt(2 / math.pi) * sigma.sum() / 2)
    spreads, times = np.unique(sigma, return_counts=True)
    largest = float(spreads[-1])
    # One bin alone needs the lower end; k bins that are all as noisy as the noisiest need the upper.
    low = largest * NormalDist().inv_cdf((1 + accuracy.level) / 2)
    if m.k == 2 and isinstance(m, (SingleValueReports, SS)):
        return low
    high = largest * NormalDist().inv_cdf((1 + accuracy.level ** (1 / m.k)) / 2)
    wanted = math.log(accuracy.level)

    def inside(x: float) -> float:
        # Bins with far less noise than the noisiest are surely inside; erf says so with 1.
        return float(times @ np.log([math.erf(x / (s * math.sqrt(2))) for s in spreads.tolist()]))

    return bisect(lambda x: inside(x) < wanted, low, high)


# ---- what is needed ----------------------------------------------------------------


@dataclass(frozen=True)
class Answer:
    """The least ε, or number of users, that reaches an accuracy.

    Attributes
    ----------
    value : float
        The answer; the lowest of its range if that is enough, infinite if the highest is not.
    low, high : float
        Between these the noise of the simulation can't decide (95 %); both are the value in closed form.
    method : {"closed form", "simulation"}
    """

    value: float
    low: float
    high: float
    method: str

    @property
    def reached(self) -> bool:
        return math.isfinite(self.value)


def smallest_eps(
    setting: Setting, estimator: str, accuracy: Accuracy, data: Histogram | None = None, *, runs: int = RUNS
) -> Answer:
    """Return the least ε (ε₁, with ε∞ in the setting's proportion to it), from 0.05 to 10, that reaches an accuracy."""
    return needed(setting, accuracy, "eps", (estimator,), data, runs=runs)[estimator]


def needed_users(
    setting: Setting, estimator: str, accuracy: Accuracy, data: Histogram | None = None, *, runs: int = RUNS
) -> Answer:
    """Return the least number of users, from 100 to 10⁹, that reaches an accuracy; the histogram keeps its shape."""
    return needed(setting, accuracy, "n", (estimator,), data, runs=runs)[estimator]


def needed(
    setting: Setting,
    accuracy: Accuracy,
    sought: str,
    estimators: Sequence[str] = tuple(ESTIMATORS),
    data: Histogram | None = None,
    *,
    runs: int = RUNS,
) -> dict[str, Answer]:
    """Return the least ε ("eps") or number of users ("n") for several estimators; they share the simulations.

    Raw MI has a closed form (normal noise). For the others the error is simulated, `runs` times, at a few places,
    chosen by false position between one that is too low and one that is enough; a line through those nearest to the
    bound, both axes logarithmic, gives the answer and its uncertainty.
    """
    check.choice("sought", sought, SOUGHT)
    curve = _Curve(setting, accuracy, sought, data, check.integer("runs", runs, 2))
    names = [check.choice("estimators", name, ESTIMATORS) for name in estimators]
    return {name: _closed_form(curve) if name == "none" else _simulated(curve, name) for name in names}


class _Curve:
    """Errors against ε or n, all else as in a setting; what was simulated is kept."""

    def __init__(self, s: Setting, accuracy: Accuracy, sought: str, data: Histogram | None, runs: int) -> None:
        self.setting, self.accuracy, self.sought, self.runs = s, accuracy, sought, runs
        self.data = s.make_histogram() if data is None else data
        self.frequencies = self.data.counts / self.data.n
        self.low, self.high = _possible(s) if sought == "eps" else RANGES["n"]
        self._found: dict[tuple[float, bool], Result] = {}

    def place(self, x: float) -> float:
        """Return the nearest place that can be asked for."""
        x = min(max(x, self.low), self.high)
        return round(x) if self.sought == "n" else x

    def raw(self, x: float) -> float:
        """Return raw MI's error in closed form."""
        s = at(self.setting, self.sought, x)
        return raw_error(s.make_mechanism(), self.frequencies, s.n, self.accuracy)

    def error(self, x: float, estimator: str) -> Measured:
        """Return an estimator's simulated error."""
        key = (x, estimator == "ibu")
        if key not in self._found:
            s = at(self.setting, self.sought, x)
            s = replace(s, runs=self.runs, max_iter=s.max_iter if estimator == "ibu" else 1)
            self._found[key] = run(s, scaled(self.data, s.n))
        return achieved(self._found[key], estimator, self.accuracy)

    def simulated(self, iterated: bool) -> list[float]:
        """Return the places that were simulated, with IBU's iterations or without."""
        return [x for x, ibu in self._found if ibu == iterated]


def at(setting: Setting, sought: str, x: float) -> Setting:
    """Return the setting with another ε or n; ε∞ keeps its proportion to ε₁."""
    if sought == "n":
        return replace(setting, n=round(x))
    if x == setting.eps:  # the very same setting, to the last digit of ε∞
        return setting
    wide = None if setting.eps_inf is None else min(setting.eps_inf / setting.eps * x, EPS_INF_MAX)
    return replace(setting, eps=x, eps_inf=wide)


def _possible(setting: Setting) -> tuple[float, float]:
    """Return the least and the largest ε that the mechanism can have, with ε∞ in proportion.

    L-OUE and L-SOUE can't have all: at a large share of ε∞ the first only large ones, the second only small ones. The
    setting itself is possible, so each end is found by bisection from there.
    """

    def possible(eps: float) -> bool:
        try:
            at(setting, "eps", eps)
        except InfeasibleError:
            return False
        return True

    low, high = RANGES["eps"]
    here = min(max(setting.eps, low), high)
    if not possible(low):
        low = bisect(lambda e: not possible(e), low, here) * (1 + 1e-9)  # just inside
    if not possible(high):
        # The same from the other side.
        high = -bisect(lambda e: not possible(-e), -high, -here) * (1 - 1e-9)
    return low, high


def scaled(data: Histogram, n: int) -> Histogram:
    """Return a histogram of the same shape with n users: shares of n, rounded so that they add up."""
    if n == data.n:
        return data
    exact = data.counts * (n / data.n)
    counts = np.floor(exact).astype(np.int64)
    most_left = np.argsort(counts - exact, kind="stable")
    counts[most_left[: n - int(counts.sum())]] += 1
    return replace(data, counts=counts)


def _closed_form(curve: _Curve) -> Answer:
    low, high, bound = curve.low, curve.high, curve.accuracy.bound
    x = math.inf
    if curve.sought == "n":
        n = curve.setting.n
        x = math.ceil(n * (curve.raw(n) / bound) ** 2)
    elif curve.raw(high) <= bound:
        x = low if curve.raw(low) <= bound else bisect(lambda e: curve.raw(e) > bound, low, high)
    value = math.inf if x > high else max(x, low)
    return Answer(value, value, value, "closed form")


def _simulated(curve: _Curve, estimator: str) -> Answer:
    """Find where the error meets the bound; x and error in logarithms, the error relative to the bound."""
    low, high = math.log(curve.low), math.log(curve.high)

    def miss(u: float) -> tuple[float, float]:
        found = curve.error(curve.place(math.exp(u)), estimator)
        if found.value == 0:
            return -math.inf, 0.0
        return math.log(found.value / curve.accuracy.bound), found.se / found.value

    begin = _closed_form(curve).value
    start = math.log(begin) if math.isfinite(begin) else high
    slope = 0.5 if curve.sought == "n" else 1.0
    place = meet(miss, low, high, start, slope)
    if place is None:
        return Answer(math.inf, math.inf, math.inf, "simulation")
    if place == low:
        return Answer(curve.low, curve.low, curve.low, "simulation")
    points = {math.log(x): miss(math.log(x)) for x in curve.simulated(estimator == "ibu")}
    ends = [curve.place(math.exp(u)) for u in fit_root(points, miss, place, low, high, slope)]
    return Answer(ends[0], ends[1], ends[2], "simulation")


# ---- why ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Candidate:
    """A mechanism with an estimator, and what it reaches."""

    mechanism: Mechanism
    estimator: str
    error: Measured

    @property
    def name(self) -> str:
        return f"{self.mechanism.name} with {ESTIMATORS[self.estimator]}"


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, the smallest error first."""
    return sorted(candidates, key=lambda c: c.error.value)


def as_good(candidates: Sequence[Candidate]) -> list[str]:
    """Return the mechanisms, other than the first's, that noise can't tell from the first; each with its best."""
    best: dict[str, Candidate] = {}
    for c in ranked(candidates):
        best.setdefault(c.mechanism.name, c)
    first, *others = best.values()
    return [c.mechanism.name for c in others if close(first.error, c.error)]


def close(first: Measured, second: Measured) -> bool:
    """Tell whether two errors are equal, or differ by no more than two standard errors of their difference."""
    spread = math.hypot(*(0.0 if math.isnan(e.se) else e.se for e in (first, second)))
    return abs(second.value - first.value) <= 2 * spread


_AHEAD = {"error": "is {} ahead of", "eps": "needs {} less ε than", "n": "needs {} fewer users than"}


def why(
    candidates: Sequence[Candidate], accuracy: Accuracy, frequencies: object, n: int, measured: str = "error"
) -> str:
    """Say in one sentence, from the numbers, why the first is first.

    Two things can make it so: its reports carry less noise than those of the best other mechanism (raw MI's error in
    closed form tells), and its estimator makes more of the same reports than MI does. What the candidates are ranked by
    may be their "error", or the "eps" or "n" that they need.
    """
    check.choice("measured", measured, _AHEAD)
    order = ranked(candidates)
    first = order[0]
    rival = next((c for c in order if c.mechanism.name != first.mechanism.name), None)
    plain = next((c for c in order if c.mechanism.name == first.mechanism.name and c.estimator == "mi"), None)
    helped = _estimators_part(first, plain, measured)
    if rival is None:
        return f"{first.name}: no other mechanism was asked{helped}."
    if others := as_good(order):
        names = listed([first.mechanism.name, *others])
        equal = rival.error.value == first.error.value
        text = f"{names} do equally well" if equal else f"{names} differ by less than the noise of the simulation"
        head = "" if equal else "Too close to call: "
        return f"{head}{text}, so let the size of a report or the attacker's chance decide{helped}."
    gap = 100 * (1 - first.error.value / rival.error.value)
    ahead = f"{first.name} {_AHEAD[measured].format(_percent(gap))} {rival.name}, the best of any other mechanism"
    own, other = (raw_error(c.mechanism, frequencies, n, accuracy) for c in (first, rival))
    less = 100 * (1 - own / other)
    if less >= 1:
        # Users needed go with the square of the noise.
        explained = 100 * (1 - (own / other) ** (2 if measured == "n" else 1))
        because = "because" if gap < 2 * explained else "partly because"
        return f"{ahead}, {because} its reports carry less noise: {_percent(less)} less before estimation{helped}."
    noise = "about the same noise" if less > -1 else f"{_percent(-less)} more noise"
    makes = "" if first.estimator == rival.estimator else f": {ESTIMATORS[first.estimator]} makes more of them"
    return f"{ahead}, although its reports carry {noise} before estimation{makes}{helped}."


def _estimators_part(first: Candidate, plain: Candidate | None, measured: str) -> str:
    if plain is None or first.estimator == "mi" or close(first.error, plain.error):
        return ""
    ratio = first.error.value / plain.error.value
    if measured != "error":
        return f"; with MI it would need {_percent(100 * (1 / ratio - 1))} more" if math.isfinite(1 / ratio) else ""
    return f"; {ESTIMATORS[first.estimator]} takes {_percent(100 * (1 - ratio))} off MI's error with the same reports"


def _percent(x: float) -> str:
    return f"{x:.0f}%" if x >= 1.5 else f"{x:.1g}%"


def listed(names: Sequence[str]) -> str:
    """Write names one after the other.

    >>> listed(["SS"]), listed(["SS", "OUE", "OLH"])
    ('SS', 'SS, OUE and OLH')
    """
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
