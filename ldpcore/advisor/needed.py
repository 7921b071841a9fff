"""The least ε, or number of users, that an accuracy needs."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ldpcore import _validate as check
from ldpcore.advisor.accuracy import RANGES, RUNS, SOUGHT, Accuracy, Measured, achieved, check_accuracy, raw_is_enough
from ldpcore.advisor.search import fit_root, meet
from ldpcore.datasets.binning import Histogram, check_histogram
from ldpcore.errors import UnsuitedError
from ldpcore.estimators import ESTIMATORS, Estimator, estimator
from ldpcore.experiment import RUNS_MAX, Result, Setting, check_setting, run
from ldpcore.mechanisms.longitudinal import EPS_INF_MAX
from ldpcore.roots import bisect


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

    Examples
    --------
    >>> from ldpcore import advisor
    >>> advisor.Answer(1.25, 1.2, 1.3, "simulation").reached
    True
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
    """Return the least ε (ε₁, with ε∞ in the setting's proportion to it), from 0.05 to 10, that reaches an accuracy.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import advisor
    >>> s = ldp.Setting(mechanism="OUE", n=20_000, k=10)
    >>> round(advisor.smallest_eps(s, "raw", advisor.Accuracy(bound=0.02)).value, 2)
    1.84
    """
    return _needed(setting, accuracy, "eps", {estimator: _record(estimator)}, data, runs)[estimator]


def needed_users(
    setting: Setting, estimator: str, accuracy: Accuracy, data: Histogram | None = None, *, runs: int = RUNS
) -> Answer:
    """Return the least number of users, from 100 to 10⁹, that reaches an accuracy; the histogram keeps its shape.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import advisor
    >>> s = ldp.Setting(mechanism="OUE", n=20_000, k=10)
    >>> advisor.needed_users(s, "raw", advisor.Accuracy(bound=0.02)).value
    74219
    """
    return _needed(setting, accuracy, "n", {estimator: _record(estimator)}, data, runs)[estimator]


def needed(
    setting: Setting,
    accuracy: Accuracy,
    sought: str,
    estimators: Sequence[str] | None = None,
    data: Histogram | None = None,
    *,
    runs: int = RUNS,
) -> dict[str, Answer]:
    """Return the least ε ("eps") or number of users ("n") for several estimators; they share the simulations.

    `estimators` are keys of `ldpcore.ESTIMATORS` that need no more than counts; if not given, those that are advised,
    without those that use the order of the bins where `data` are categories.

    Raw MI has a closed form (`raw_error`). For the others the error is simulated, `runs` times, at a few places,
    chosen by false position between one that is too low and one that is enough; a line through those nearest to the
    bound, both axes logarithmic, gives the answer and its uncertainty.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import advisor
    >>> s = ldp.Setting(mechanism="OUE", n=20_000, k=10)
    >>> answers = advisor.needed(s, advisor.Accuracy(bound=0.02), "n", ["raw", "norm-sub"], runs=20)
    >>> {key: answer.method for key, answer in answers.items()}
    {'raw': 'closed form', 'norm-sub': 'simulation'}
    """
    check.choice("sought", sought, SOUGHT)
    names = _advised(data) if estimators is None else estimators
    records = {name: _record(name, "estimators") for name in check.sequence("estimators", names, "keys", str)}
    return _needed(setting, accuracy, sought, records, data, runs)


def _advised(data: Histogram | None) -> list[str]:
    ordered = data is None or not check_histogram(data).labels
    return [e.key for e in ESTIMATORS.values() if e.advised and (ordered or not e.ordered)]


def _record(name: str, argument: str = "estimator") -> Estimator:
    return estimator(name, needs="counts", argument=argument)


def _needed(
    setting: Setting, accuracy: Accuracy, sought: str, records: dict[str, Estimator], data: Histogram | None, runs: int
) -> dict[str, Answer]:
    check_setting("setting", setting)
    check_accuracy(accuracy)
    data = None if data is None else check_histogram(data)
    curve = _Curve(setting, accuracy, sought, data, check.integer("runs", runs, 2, RUNS_MAX))
    return {
        name: _closed_form(curve) if record.closed_form else _simulated(curve, record)
        for name, record in records.items()
    }


class _Curve:
    """Errors against ε or n, all else as in a setting; what was simulated is kept."""

    def __init__(self, s: Setting, accuracy: Accuracy, sought: str, data: Histogram | None, runs: int) -> None:
        self.setting, self.accuracy, self.sought, self.runs = s, accuracy, sought, runs
        self.data = s.make_histogram() if data is None else data
        self.frequencies = self.data.counts / self.data.n
        self.low, self.high = possible_eps(s) if sought == "eps" else RANGES["n"]
        self._results: dict[tuple[float, bool], Result] = {}

    def place(self, x: float) -> float:
        """Return the nearest place that can be asked for."""
        x = min(max(x, self.low), self.high)
        return round(x) if self.sought == "n" else x

    def enough(self, x: float) -> bool:
        """Return whether raw MI reaches the accuracy, in closed form."""
        s = at(self.setting, self.sought, x)
        return raw_is_enough(s.make_mechanism(), self.frequencies, s.n, self.accuracy)

    def error(self, x: float, estimator: Estimator) -> Measured:
        """Return an estimator's simulated error."""
        key = (x, estimator.iterated)
        if key not in self._results:
            s = at(self.setting, self.sought, x)
            # IBU takes most of the time: a single step is enough where the estimator does not iterate.
            s = replace(s, runs=self.runs, max_iter=s.max_iter if estimator.iterated else 1)
            self._results[key] = run(s, scaled(self.data, s.n))
        return achieved(self._results[key], estimator.key, self.accuracy)

    def simulated(self, iterated: bool) -> list[float]:
        """Return the places that were simulated, with IBU's iterations or without."""
        return [x for x, ibu in self._results if ibu == iterated]


def at(setting: Setting, sought: str, x: float) -> Setting:
    """Return the setting with another ε or n; ε∞ keeps its proportion to ε₁.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import advisor
    >>> advisor.at(ldp.Setting(mechanism="L-OSUE", eps=1.0, eps_inf=4.0), "eps", 2.0).eps_inf
    8.0
    """
    check_setting("setting", setting)
    if check.choice("sought", sought, SOUGHT) == "n":
        return replace(setting, n=round(check.real("x", x, 1, check.N_MAX)))
    x = check.epsilon("x", x)
    if x == setting.eps:  # the very same setting, to the last digit of ε∞
        return setting
    wide = None if setting.eps_inf is None else min(setting.eps_inf / setting.eps * x, EPS_INF_MAX)
    return replace(setting, eps=x, eps_inf=wide)


def possible_eps(setting: Setting) -> tuple[float, float]:
    """Return the least and the largest ε that the mechanism can have, with ε∞ in proportion.

    L-OUE and L-SOUE can't have all: at a large share of ε∞ the first only large ones, the second only small ones. The
    setting itself is possible, so each end is found by bisection from there.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import advisor
    >>> advisor.possible_eps(ldp.Setting(mechanism="L-OSUE"))
    (0.05, 10.0)
    """

    def possible(eps: float) -> bool:
        try:
            at(setting, "eps", eps)
        except UnsuitedError:
            return False
        return True

    check_setting("setting", setting)
    low, high = RANGES["eps"]
    here = min(max(setting.eps, low), high)
    if not possible(low):
        low = bisect(lambda e: not possible(e), low, here) * (1 + 1e-9)  # just inside
    if not possible(high):
        # The bound from above: bisected on -ε.
        high = -bisect(lambda e: not possible(-e), -high, -here) * (1 - 1e-9)
    return low, high


def scaled(data: Histogram, n: int) -> Histogram:
    """Return a histogram of the same shape with n users: shares of n, rounded so that they add up.

    Examples
    --------
    >>> import numpy as np, ldpcore as ldp
    >>> from ldpcore import advisor
    >>> advisor.scaled(ldp.Histogram(np.array([2, 1]), np.arange(3.0)), 10).counts
    array([7, 3])
    """
    check_histogram(data)
    n = check.integer("n", n, 1, check.N_MAX)
    if n == data.n:
        return data
    exact = data.counts * (n / data.n)
    counts = np.floor(exact).astype(np.int64)
    most_left = np.argsort(counts - exact, kind="stable")
    counts[most_left[: n - int(counts.sum())]] += 1
    return replace(data, counts=counts)


def _closed_form(curve: _Curve) -> Answer:
    low, high = curve.low, curve.high
    value = math.inf
    if curve.enough(low):
        value = low
    elif curve.enough(high):
        # In logarithms: users go from 100 to a billion.
        value = math.exp(bisect(lambda u: not curve.enough(math.exp(u)), math.log(low), math.log(high)))
        value = _next_user(curve, value) if curve.sought == "n" else value
    return Answer(value, value, value, "closed form")


def _next_user(curve: _Curve, value: float) -> float:
    """Return the first whole number of users that is enough, near the place where bisection ended."""
    n = max(math.floor(value) - 1, math.ceil(curve.low))
    while not curve.enough(n):
        n += 1
    return n


def _simulated(curve: _Curve, estimator: Estimator) -> Answer:
    """Find where the error meets the bound; x and error in logarithms, the error relative to the bound."""
    low, high = math.log(curve.low), math.log(curve.high)

    def miss(u: float) -> tuple[float, float]:
        error = curve.error(curve.place(math.exp(u)), estimator)
        if error.value == 0:
            return -math.inf, 0.0
        return math.log(error.value / curve.accuracy.bound), error.se / error.value

    begin = _closed_form(curve).value
    start = math.log(begin) if math.isfinite(begin) else high
    slope = 0.5 if curve.sought == "n" else 1.0
    place = meet(miss, low, high, start, slope)
    if place is None:
        return Answer(math.inf, math.inf, math.inf, "simulation")
    if place == low:
        return Answer(curve.low, curve.low, curve.low, "simulation")
    points = {math.log(x): miss(math.log(x)) for x in curve.simulated(estimator.iterated)}
    ends = [curve.place(math.exp(u)) for u in fit_root(points, miss, place, low, high, slope)]
    return Answer(ends[0], ends[1], ends[2], "simulation")
