"""How far an estimate is from the truth, and what IBU gains over MI.

Every metric takes estimates of shape (..., k) and the true frequencies of shape (k,), and
returns one number for each estimate, shape (...): an error, which is best at 0, or a score, which is best at 1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused
from ldpcore.ranks import taus_of


def _pair(estimate: Any, true: Any, name: str = "estimate") -> tuple[FloatArray, FloatArray]:
    estimate, true = check.reals(name, estimate), check.reals("true", true)
    if true.ndim != 1 or true.size == 0 or estimate.ndim == 0 or estimate.shape[-1] != true.size:
        raise Refused(
            f"{name} must have shape (..., k) and true shape (k,); "
            f"got {name} of shape {estimate.shape} and true of shape {true.shape}"
        )
    return estimate, true


def _difference(estimate: Any, true: Any) -> FloatArray:
    estimate, true = _pair(estimate, true)
    return np.asarray(estimate - true)


def mse(estimate: Any, true: Any) -> FloatArray:
    """Mean squared error over the k values.

    Examples
    --------
    >>> float(mse([0.5, 0.5], [0.7, 0.3]).round(3))
    0.04
    """
    return np.asarray(np.mean(_difference(estimate, true) ** 2, axis=-1))


def mae(estimate: Any, true: Any) -> FloatArray:
    """Mean absolute error over the k values.

    Examples
    --------
    >>> float(mae([0.5, 0.5], [0.7, 0.3]).round(3))
    0.2
    """
    return np.asarray(np.mean(np.abs(_difference(estimate, true)), axis=-1))


def tv(estimate: Any, true: Any) -> FloatArray:
    """Total variation: half the sum of the absolute errors.

    Examples
    --------
    >>> float(tv([0.5, 0.5], [0.7, 0.3]).round(3))
    0.2
    """
    return np.asarray(np.sum(np.abs(_difference(estimate, true)), axis=-1) / 2)


def wasserstein(estimate: Any, true: Any) -> FloatArray:
    """Wasserstein-1 distance over the ordered bins, in bins: how far the mass has to move.

    Examples
    --------
    >>> float(wasserstein([1.0, 0.0, 0.0], [0.0, 0.0, 1.0]))  # all users move by two bins
    2.0
    """
    return np.asarray(np.sum(np.abs(np.cumsum(_difference(estimate, true), axis=-1)), axis=-1))


def kl(estimate: Any, true: Any) -> FloatArray:
    """Kullback-Leibler divergence KL(true || estimate), in nats.

    Infinite when an estimate is 0 (or negative) where the truth is not.

    Examples
    --------
    >>> float(kl([1.0, 0.0], [0.5, 0.5]))
    inf
    """
    estimate, true = _pair(estimate, true)
    here = true > 0  # 0 log 0 = 0: values without users don't count
    estimate, true = estimate[..., here], true[here]
    impossible = estimate <= 0
    terms = true * (np.log(true) - np.log(np.where(impossible, 1.0, estimate)))
    return np.asarray(np.sum(np.where(impossible, np.inf, terms), axis=-1))


def max_error(estimate: Any, true: Any) -> FloatArray:
    """Largest absolute error of the k values.

    Examples
    --------
    >>> max_error([[0.5, 0.5], [0.7, 0.3]], [0.7, 0.3]).round(3)
    array([0.2, 0. ])
    """
    return np.asarray(np.max(np.abs(_difference(estimate, true)), axis=-1))


def kendall(estimate: Any, true: Any) -> FloatArray:
    """Kendall's τ-b: how far the order of the bins is right, from -1 (reversed) over 0 (by chance) to 1 (all pairs).

    Of all pairs of bins, those in the right order less those in the wrong one; pairs that are equal in one of the
    histograms are neither, and count less in the whole. 0 where only one of them has all its bins equal.

    Examples
    --------
    >>> float(kendall([0.5, 0.3, 0.2], [0.6, 0.3, 0.1])), float(kendall([0.2, 0.3, 0.5], [0.6, 0.3, 0.1]))
    (1.0, -1.0)
    """
    estimate, true = _pair(estimate, true)
    taus = taus_of(estimate.reshape(-1, true.size), true)
    return np.asarray(np.reshape(taus, estimate.shape[:-1]), dtype=np.float64)


TOP = 10


def top_ten(estimate: Any, true: Any) -> FloatArray:
    """Return which share of the ten most frequent values an estimate has among its own ten largest.

    Of fewer than twenty values half are asked for. Values that tie for the last place of the true ones are all right;
    of estimates that tie, as many as there are places count by chance: a flat estimate finds what a guess finds.

    Examples
    --------
    >>> float(top_ten([0.4, 0.3, 0.2, 0.1], [0.4, 0.2, 0.3, 0.1]))  # two of four are asked for
    0.5
    """
    estimate, true = _pair(estimate, true)
    places = max(1, min(TOP, true.size // 2))
    right = true >= np.sort(true)[-places]
    last = np.sort(estimate, axis=-1)[..., [-places]]
    above, level = estimate > last, estimate == last
    left = places - above.sum(axis=-1)
    chance = (level & right).sum(axis=-1) / np.maximum(level.sum(axis=-1), 1)
    share = ((above & right).sum(axis=-1) + left * chance) / places
    return np.where(np.isnan(estimate).any(axis=-1), np.nan, share)


@dataclass(frozen=True)
class Decomposition:
    """The mean squared error of an estimator over its runs, in two parts that sum to it.

    Attributes
    ----------
    bias_squared : float
        Squared distance from the truth of what the estimator gives on average; mean over the bins.
    variance : float
        Squared distance of a run from that average; mean over bins and runs.

    Examples
    --------
    >>> Decomposition(0.03, 0.02).mse
    0.05
    """

    bias_squared: float
    variance: float

    @property
    def mse(self) -> float:
        """Both together."""
        return self.bias_squared + self.variance


def decompose(estimates: Any, true: Any) -> Decomposition:
    """Part the mean squared error over runs (runs, k) into bias² and variance.

    Without bias from the number of runs: what the average of so few runs is off by chance alone is counted as variance,
    and bias² can come out a little below 0 where there is none.

    Examples
    --------
    >>> decompose([[0.6, 0.4], [0.8, 0.2]], [0.5, 0.5])
    Decomposition(bias_squared=0.03, variance=0.02)
    """
    estimates, true = _pair(estimates, true, "estimates")
    rows = estimates.reshape(-1, true.size)
    if len(rows) < 2:
        raise Refused(f"estimates must have at least 2 runs to tell bias from variance; got {len(rows)}")
    variance = float(rows.var(axis=0, ddof=1).mean())
    whole = float(np.mean((rows - true) ** 2))
    return Decomposition(round(whole - variance, 15), round(variance, 15))


@dataclass(frozen=True)
class Metric:
    """A metric of how far an estimate is from the truth.

    Attributes
    ----------
    key, name, title, summary : str
        What programs call it, what people call it, its name written out, and in one line what it means.
    function : callable
        Takes estimates (..., k) and the true frequencies (k,), returns errors (...). To call the record itself
        is the same, but that it makes arrays of what it is given, and checks their shapes.
    unit : str
        Of the errors: "share" of the users, "share²", "bins" or "nats"; "score" where the best is 1. None if not given.
    per_bin : bool
        Whether it is the error of a bin, and not of the whole histogram: it falls with more bins by itself.
    best : {0.0, 1.0}
        What the truth itself has: 0 for an error, of which less is better, and 1 for a score, of which more is.

    Examples
    --------
    >>> RECORDS["mse"].higher_is_better, RECORDS["kendall"].higher_is_better
    (False, True)
    """

    key: str
    name: str
    title: str
    summary: str
    function: Callable[[Any, Any], FloatArray]
    unit: str = ""
    per_bin: bool = False
    best: float = 0.0

    def __call__(self, estimate: Any, true: Any) -> FloatArray:
        """Return the errors (...) of estimates (..., k); shapes that do not fit are refused.

        Examples
        --------
        >>> RECORDS["tv"]([[0.5, 0.5], [0.7, 0.3]], [0.7, 0.3]).round(3)
        array([0.2, 0. ])
        """
        return np.asarray(self.function(*_pair(estimate, true)))

    @property
    def higher_is_better(self) -> bool:
        """Whether it is a score and not an error."""
        return self.best > 0

    @property
    def loss_name(self) -> str:
        """The name of what is missing to the best."""
        return f"1 − {self.name}" if self.higher_is_better else self.name

    @property
    def loss_title(self) -> str:
        """The same written out."""
        return f"1 − {self.title}" if self.higher_is_better else self.title

    def loss(self, values: Any) -> FloatArray:
        """Return how much is missing to the best: an error itself, or 1 less a score.

        Examples
        --------
        >>> RECORDS["top10"].loss(0.75).item(), RECORDS["mae"].loss(0.75).item()
        (0.25, 0.75)
        """
        values = check.reals("values", values)
        return np.asarray(self.best - values if self.higher_is_better else values)


# To add one, write its function and put its record here.
RECORDS: dict[str, Metric] = {
    record.key: record
    for record in (
        Metric(
            "mse", "MSE", "mean squared error",
            "Mean squared error over the bins: large errors count most.", mse, "share²", per_bin=True,
        ),
        Metric("mae", "MAE", "mean absolute error", "Mean absolute error over the bins.", mae, "share", per_bin=True),
        Metric(
            "tv", "TV", "total variation distance",
            "Total variation: the share of users that would have to move to make the two equal.", tv, "share",
        ),
        Metric(
            "wasserstein", "Wasserstein", "Wasserstein-1 distance, in bins",
            "How many bins the users would have to move on average; near misses count little.", wasserstein, "bins",
        ),
        Metric(
            "kl", "KL", "Kullback–Leibler divergence, in nats",
            "Kullback–Leibler divergence: infinite where an estimate gives 0 to a bin that has users.", kl, "nats",
        ),
        Metric(
            "max", "Max", "largest error of any bin",
            "The largest error of any bin.", max_error, "share", per_bin=True,
        ),
        Metric(
            "kendall", "Kendall’s τ", "Kendall’s τ (order of the bins)",
            "How far the order of the bins is right: 1 if all of it is, 0 if by chance.", kendall, "score", best=1.0,
        ),
        Metric(
            "top10", "Top ten", "share of the true top ten found",
            "Which share of the ten most frequent bins is found.", top_ten, "score", best=1.0,
        ),
    )
}  # fmt: skip
"""All metrics by key, with their names and units."""
METRICS: dict[str, Callable[[Any, Any], FloatArray]] = dict(RECORDS)
"""What measures an error, by the metric's key."""


def gain(metric_mi: Any, metric_ibu: Any, clip: bool = True) -> FloatArray:
    """Return Γ in percent, run by run: what part of MI's error IBU takes away.

    Parameters
    ----------
    metric_mi, metric_ibu : array_like of the same shape
        The errors of MI and of IBU in each run.
    clip : bool
        True: Γ = 100 max((MI - IBU)/MI, 0), as in the paper, which clips each run before it averages.
        False: a loss is negative.

    Notes
    -----
    Equal errors are no gain, also when both are 0 or both infinite. Any loss against an MI
    without error is -inf (0 if clipped), any finite error against an infinite one a gain of 100.

    Examples
    --------
    >>> gain([4.0, 4.0], [3.0, 5.0])
    array([25.,  0.])
    >>> gain([4.0, 4.0], [3.0, 5.0], clip=False)
    array([ 25., -25.])
    """
    mi, ibu = check.reals("metric_mi", metric_mi), check.reals("metric_ibu", metric_ibu)
    if mi.shape != ibu.shape:
        raise Refused(f"metric_mi and metric_ibu must have the same shape; got {mi.shape} and {ibu.shape}")
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        percent = 100 * ((mi - ibu) / mi)
    percent = np.where(np.isposinf(mi) & np.isfinite(ibu), 100.0, percent)
    percent = np.where(mi == ibu, 0.0, percent)
    return np.asarray(np.maximum(percent, 0.0) if check.truth("clip", clip) else percent)


def reduction(metric_mi: Any, metric_ibu: Any) -> tuple[float, float]:
    """Return by how many percent IBU's mean error is below MI's, and the standard error of that.

    A loss is negative. The ratio of the means, not the mean of the ratios: a run in which MI happens to hit the truth
    counts no more than any other. The standard error is that of a ratio of paired means (delta method), nan for one.

    Examples
    --------
    >>> percent, error = reduction([4.0, 2.0, 3.0], [2.0, 1.0, 1.5])
    >>> round(percent), round(error)
    (50, 0)
    """
    mi, ibu = check.reals("metric_mi", metric_mi).ravel(), check.reals("metric_ibu", metric_ibu).ravel()
    if mi.shape != ibu.shape or mi.size == 0:
        raise Refused(f"metric_mi and metric_ibu must have the same shape; got {mi.shape} and {ibu.shape}")
    if not (np.isfinite(mi).all() and np.isfinite(ibu).all()) or mi.mean() == 0:
        return float(gain(mi.mean(), ibu.mean(), clip=False)), float("nan")
    ratio = ibu.mean() / mi.mean()
    if mi.size < 2:
        return float(100 * (1 - ratio)), float("nan")
    spread = (ibu - ratio * mi).std(ddof=1) / (mi.mean() * np.sqrt(mi.size))
    return float(100 * (1 - ratio)), float(100 * spread)
