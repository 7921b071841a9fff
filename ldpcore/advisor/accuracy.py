"""How accurate a collection will be.

The truth that errors are measured against is the histogram of the users who report, as for `ldpcore.run`: how well they
stand for anybody else is another question (`ldpcore.theory.sampling_mse`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore.advisor.every_bin import BinErrors, users_in_bins
from ldpcore.errors import Refused
from ldpcore.estimators import ESTIMATORS
from ldpcore.experiment import Result
from ldpcore.mechanisms import Mechanism
from ldpcore.roots import bisect
from ldpcore.theory.attack import frequencies_of

FloatArray = check.FloatArray

KINDS = ("every bin", "tv")
"""The two ways to say an accuracy: a bound on the error of every bin at once, or on the expected total variation."""
ADVISED = {e.key: e.name for e in ESTIMATORS.values() if e.advised}
"""The names of the estimators that are ranked, by key."""
SOUGHT = ("eps", "n")
"""What `needed` can look for: the smallest ε, or the smallest number of users."""
RANGES: dict[str, tuple[float, float]] = {"eps": (0.05, 10.0), "n": (100, 10**9)}
"""The least and the largest ε and number of users that `needed` looks at."""
RUNS = 200
"""The number of runs of a simulated accuracy, unless the caller says another."""
# From this variance of every count on the noise is taken for normal: at four standard deviations, which a thousand bins
# need, a tail is then right to a few percent of itself.
NORMAL_FROM = 2_000.0
# Errors of simulated runs are the same if they differ by less, relatively.
_SAME = 1e-9


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

    Examples
    --------
    >>> from ldpcore import advisor
    >>> advisor.Accuracy("every bin", 0.01, 0.9).metric
    'max'
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
    """An error over many collections, and its standard error (0 in closed form, nan for a single run).

    `chosen` says of `auto` what kind of estimator it chose in each of them.

    Examples
    --------
    >>> from ldpcore import advisor
    >>> advisor.Measured(0.012, 0.001, runs=200).runs
    200
    """

    value: float
    se: float
    runs: int = 0
    chosen: tuple[str, ...] = ()


def check_accuracy(accuracy: Any) -> Accuracy:
    """Return `accuracy` if it is one."""
    return check.instance("accuracy", accuracy, Accuracy, "an ldpcore.advisor.Accuracy")


# ---- what is reached ---------------------------------------------------------------


def achieved(result: Result, estimator: str, accuracy: Accuracy) -> Measured:
    """Return what an estimator reached: the bound that the share `level` of the runs kept, or the mean total variation.

    The quantile is that of Harrell and Davis (Biometrika 1982): a mean of the runs in order, weighted by how likely
    each is the quantile of another sample. The spread of those weights is its standard error (Maritz and Jarrett 1978).

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import advisor
    >>> result = ldp.run(ldp.Setting(mechanism="OUE", n=5_000, k=10, runs=50))
    >>> within = advisor.achieved(result, "limit", advisor.Accuracy("every bin", level=0.95))
    >>> 0.01 < within.value < 0.1, within.runs
    (True, 50)
    """
    check.instance("result", result, Result, "an ldpcore.Result, as run returns it")
    error = result.error(estimator, check_accuracy(accuracy).metric)
    if accuracy.kind == "tv":
        measured = Measured(error.mean, error.se, error.values.size)
    else:
        measured = quantile(error.values, accuracy.level)
    if estimator != "auto":
        return measured
    return replace(measured, chosen=tuple(choice.candidate.kind for choice in result.choices))


def quantile(values: FloatArray, level: float) -> Measured:
    """Return a quantile and its standard error.

    Where several runs have one and the same error, as with few users, the mean may lie just below it, and hold less
    than the level: there it is that error itself.

    Examples
    --------
    >>> import numpy as np
    >>> from ldpcore import advisor
    >>> round(advisor.quantile(np.arange(1, 100) / 100, 0.5).value, 3)
    0.5
    """
    values, level = check.reals("values", values).ravel(), check.share("level", level)
    if values.size == 0:
        raise Refused("values must hold the number of at least one run; got none")
    ordered, weights = np.sort(values), _quantile_weights(values.size, level)
    mean = float(weights @ ordered)
    if values.size < 2 or not np.isfinite(mean):
        return Measured(mean, math.nan, values.size)
    spread = float(np.sqrt(weights @ (ordered - mean) ** 2))
    within = int(np.searchsorted(ordered, mean * (1 + _SAME), side="right"))
    beyond = ordered[within:]
    several = beyond.size > 1 and beyond[1] <= beyond[0] * (1 + _SAME)
    if several and within < (level - (1 - level) / 5) * values.size:
        mean = float(beyond[0]) * (1 + _SAME)
    return Measured(mean, spread, values.size)


@lru_cache(maxsize=64)
def _quantile_weights(size: int, level: float) -> FloatArray:
    """Return the masses of Beta((size+1)·level, (size+1)(1-level)) between 0, 1/size, 2/size, …, 1."""
    fine = 16
    x = (np.arange(size * fine) + 0.5) / (size * fine)
    log_density = ((size + 1) * level - 1) * np.log(x) + ((size + 1) * (1 - level) - 1) * np.log1p(-x)
    density = np.exp(log_density - log_density.max()).reshape(size, fine).sum(axis=1)
    return np.asarray(density / density.sum())


def raw_error(m: Mechanism, frequencies: object, n: float, accuracy: Accuracy) -> float:
    """Return the error of raw MI from what is known of every bin's noise.

    "every bin": the x within which all bins are in a share `level` of all collections; "tv": half the sum of the mean
    absolute errors. With a variance of 2,000 or more in every count that is `normal_error`. Below, the exact laws of
    the counts tell (`every_bin`), and x is the one whose share is nearest to the level, as whole counts allow.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import advisor
    >>> m, wanted = ldp.mechanism("OUE", k=4, eps=1.0), advisor.Accuracy("tv", 0.01)
    >>> round(advisor.raw_error(m, [0.4, 0.3, 0.2, 0.1], 100_000, wanted), 5)
    0.01001
    """
    f, n = _checked(m, frequencies, n, accuracy)
    noise = m.noise_variance(f, 1)
    if noise.min() * n * (m.p - m.q) ** 2 < NORMAL_FROM:
        errors = _bin_errors(m, f, round(n), accuracy)
        return errors.total_variation() if accuracy.kind == "tv" else errors.bound(accuracy.level)
    return normal_error(m, f, n, accuracy)


def normal_error(m: Mechanism, frequencies: object, n: float, accuracy: Accuracy) -> float:
    """Return the error of raw MI from the exact variance of every bin, with normal noise.

    "every bin": the x with Π(2Φ(x/σ_v) - 1) = level. That takes the bins for independent. They are for unary encodings
    and hashing; for GRR and SS, whose counts pull each other down, the true x is at most this one (Šidák 1967), and
    for k = 2, where their two errors are the same number, it is that of one bin.
    "tv": ½Σ√(2/π)σ_v, whatever the dependence.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import advisor
    >>> m = ldp.mechanism("OUE", k=10, eps=1.0)
    >>> round(advisor.raw_error(m, [0.1] * 10, 20_000, advisor.Accuracy("tv")), 3)
    0.055
    """
    f, n = _checked(m, frequencies, n, accuracy)
    sigma = np.sqrt(m.noise_variance(f, 1) / n)
    if accuracy.kind == "tv":
        return float(math.sqrt(2 / math.pi) * sigma.sum() / 2)
    spreads, times = np.unique(sigma, return_counts=True)
    largest = float(spreads[-1])
    # One bin alone needs the lower end; k bins that are all as noisy as the noisiest need the upper.
    low = largest * NormalDist().inv_cdf((1 + accuracy.level) / 2)
    if m.k == 2 and m.support_size is not None:
        return low
    high = largest * NormalDist().inv_cdf((1 + accuracy.level ** (1 / m.k)) / 2)
    wanted = math.log(accuracy.level)

    def inside(x: float) -> float:
        # Bins with far less noise than the noisiest are surely inside; erf says so with 1.
        return float(times @ np.log([math.erf(x / (s * math.sqrt(2))) for s in spreads.tolist()]))

    return bisect(lambda x: inside(x) < wanted, low, high)


def raw_is_enough(m: Mechanism, frequencies: object, n: float, accuracy: Accuracy) -> bool:
    """Return whether raw MI reaches an accuracy: never by less than what was asked for, as the nearest share may be.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore import advisor
    >>> m, wanted = ldp.mechanism("OUE", k=4, eps=1.0), advisor.Accuracy("tv", 0.02)
    >>> [advisor.raw_is_enough(m, [0.4, 0.3, 0.2, 0.1], n, wanted) for n in (1_000, 100_000)]
    [False, True]
    """
    f, n = _checked(m, frequencies, n, accuracy)
    if accuracy.kind == "every bin" and m.noise_variance(f, 1).min() * n * (m.p - m.q) ** 2 < NORMAL_FROM:
        return _bin_errors(m, f, round(n), accuracy).share_within(accuracy.bound) >= accuracy.level
    return raw_error(m, f, n, accuracy) <= accuracy.bound


def _checked(m: Mechanism, frequencies: object, n: float, accuracy: Accuracy) -> tuple[FloatArray, float]:
    check.mechanism(m)
    check_accuracy(accuracy)
    return frequencies_of("frequencies", frequencies, m.k), check.real("n", n, 1, check.N_MAX)


def _bin_errors(m: Mechanism, f: FloatArray, n: int, accuracy: Accuracy) -> BinErrors:
    # Two bins of GRR or SS are off by the same number.
    same = m.k == 2 and m.support_size is not None and accuracy.kind == "every bin"
    return BinErrors.of(users_in_bins(f, n), m.p, m.q, same=same)
