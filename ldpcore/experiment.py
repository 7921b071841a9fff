"""One experiment: a data set, a mechanism, many runs of noise, both estimators, and what they got wrong."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ldpcore import _validate as check
from ldpcore import metrics
from ldpcore._validate import BoolArray, FloatArray, IntArray
from ldpcore.datasets import BINNINGS, Histogram, distribution, sample_histogram
from ldpcore.estimators import POSTPROCESSINGS, STOPS, ibu_full, ibu_limit, ibu_run, mi
from ldpcore.mechanisms import CALIBRATIONS, LONGITUDINAL, ONE_TIME, Mechanism, mechanism, mechanism_class

if TYPE_CHECKING:
    import pandas as pd

# The mechanisms whose published calibration is not tight.
CALIBRATED = ("L-GRR", "L-BLH", "L-OLH")
_ALL = ONE_TIME + LONGITUDINAL
STARTS = ("uniform", "observed", "mi")
# The name of data that is none of the built-in sets: it is handed over with the setting.
OWN_DATA = "own"
RUNS_MAX = 10_000
# Streams of one seed: the data has number 0 (see datasets.data_rng).
_NOISE, _REPORTS = 1, 2


@dataclass(frozen=True, kw_only=True)
class Setting:
    """All that decides the numbers of an experiment; frozen, hashable, made of scalars.

    Attributes
    ----------
    data : str
        One of `ldpcore.DATASETS`; `params` are (name, value) pairs of its parameters that are not the paper's.
        Or "own": then every function that runs the setting takes the data as a `Histogram`.
    mechanism, eps, eps_inf, calibration
        As for `ldpcore.mechanism`. `calibration` is "published" where it has no effect.
    n, k, binning
        Number of users, number of bins, and how to bin ("equal-width" or "paper").
    runs, seed
        Independent repetitions of the noise on one data set, and the number that decides all randomness.
    channel, max_iter, tol, stop, start
        IBU's; the defaults are the paper's, but for the channel, which is the exact one. `start` is
        "uniform", "observed" (the support counts, one added to each) or "mi" (the MI estimate likewise).
    """

    data: str = "gaussian"
    mechanism: str = "GRR"
    eps: float = 1.0
    n: int = 20_000
    k: int = 100
    runs: int = 20
    seed: int = 0
    eps_inf: float | None = None
    calibration: str = "published"
    channel: str = "exact"
    binning: str = "equal-width"
    max_iter: int = 10_000
    tol: float = 1e-12
    stop: str = "max_abs"
    start: str = "uniform"
    params: tuple[tuple[str, float], ...] = ()

    def __post_init__(self) -> None:
        # Frozen for everyone else. Checked and plain values make equal settings equal, and hash alike.
        for name, value in self._checked().items():
            object.__setattr__(self, name, value)
        self.make_mechanism()

    def _checked(self) -> dict[str, Any]:
        return {
            "params": self._checked_params(),
            "eps": check.epsilon("eps", self.eps),
            "n": check.integer("n", self.n, 1, check.N_MAX),
            "k": check.integer("k", self.k, 2, check.K_MAX),
            "runs": check.integer("runs", self.runs, 1, RUNS_MAX),
            "seed": check.integer("seed", self.seed, 0),
            "eps_inf": None if self.eps_inf is None else float(self.eps_inf),
            "calibration": self._checked_calibration(),
            "channel": check.choice("channel", self.channel, ("exact", "published")),
            "binning": check.choice("binning", self.binning, BINNINGS),
            "max_iter": check.integer("max_iter", self.max_iter, 1),
            "tol": check.real("tol", self.tol, 0),
            "stop": check.choice("stop", self.stop, STOPS),
            "start": check.choice("start", self.start, STARTS),
        }

    def _checked_params(self) -> tuple[tuple[str, float], ...]:
        """Parameters at their defaults need not be said, so that equal experiments are equal settings."""
        if self.data == OWN_DATA:
            if self.params:
                raise ValueError(f"params must be empty for data = 'own'; got {check.shown(self.params)}")
            return ()
        dist = distribution(self.data, self.params)
        defaults = {p.name: p.default for p in dist.parameters()}
        chosen = {name: getattr(dist, name) for name in defaults}
        return tuple(sorted((name, v) for name, v in chosen.items() if v != defaults[name]))

    def _checked_calibration(self) -> str:
        """Where calibrations do not differ there is only one, so that equal experiments are equal settings."""
        given = check.choice("calibration", self.calibration, CALIBRATIONS)
        return given if check.choice("mechanism", self.mechanism, _ALL) in CALIBRATED else "published"

    def make_mechanism(self) -> Mechanism:
        """Return the mechanism of this setting."""
        if mechanism_class(self.mechanism).longitudinal:
            return mechanism(self.mechanism, k=self.k, eps=self.eps, eps_inf=self.eps_inf, calibration=self.calibration)
        return mechanism(self.mechanism, k=self.k, eps=self.eps, eps_inf=self.eps_inf)

    def make_histogram(self) -> Histogram:
        """Draw the data set: the same for all settings that differ only in mechanism, ε or estimator."""
        if self.data == OWN_DATA:
            raise ValueError("data = 'own' has no distribution to draw from: hand the histogram over, as data=…")
        return sample_histogram(self.data, self.n, self.k, self.binning, self.seed, self.params)

    def noise_rng(self, stream: int = _NOISE) -> np.random.Generator:
        """Return the generator of the noise: another one for another mechanism or ε, the same for all estimators."""
        decides = ("data", "params", "mechanism", "eps", "eps_inf", "calibration", "n", "k", "binning")
        words = repr([getattr(self, name) for name in decides])
        sequence = np.random.SeedSequence(self.seed, spawn_key=(stream, zlib.crc32(words.encode())))
        return np.random.default_rng(sequence)

    def ibu_start(self, counts: IntArray, estimate_mi: FloatArray) -> FloatArray | None:
        """Return where IBU starts; one user is added to every value so that none is at 0."""
        if self.start == "uniform":
            return None
        weights = counts if self.start == "observed" else self.n * estimate_mi
        smoothed = weights + 1.0
        return np.asarray(smoothed / smoothed.sum(axis=-1, keepdims=True))

    def as_dict(self) -> dict[str, Any]:
        """Return the fields by name, `params` as a dict."""
        out = {f.name: getattr(self, f.name) for f in fields(self)}
        return out | {"params": dict(self.params)}


class Summary(float):
    """The mean over the runs, as a float, with the standard error, quantiles and values behind it."""

    values: FloatArray

    def __new__(cls, values: Any) -> Self:
        array = np.asarray(values, dtype=np.float64)
        self = super().__new__(cls, array.mean())
        self.values = array
        return self

    @property
    def mean(self) -> float:
        return float(self)

    @property
    def se(self) -> float:
        """Standard error of the mean; nan for a single run, or where a value is infinite."""
        if self.values.size < 2 or not np.isfinite(self.values).all():
            return float("nan")
        return float(self.values.std(ddof=1) / np.sqrt(self.values.size))

    def quantile(self, share: float) -> float:
        """Return the value that this share of the runs is at or below."""
        return float(np.quantile(self.values, share, method="inverted_cdf"))


@dataclass(frozen=True, eq=False)
class Result:
    """What came of a setting.

    Attributes
    ----------
    histogram, edges : (k,) users in each bin, and the k+1 edges of the bins
    labels : names of the bins where they are categories, else empty
    counts : (runs, k) support counts
    mi, ibu : (runs, k) estimates
    iterations, converged : (runs,) of IBU
    """

    setting: Setting
    mechanism: Mechanism
    histogram: IntArray
    edges: FloatArray
    counts: IntArray
    mi: FloatArray
    ibu: FloatArray
    iterations: IntArray
    converged: BoolArray
    labels: tuple[str, ...] = ()

    @cached_property
    def true(self) -> FloatArray:
        """True frequencies, shape (k,)."""
        return self.histogram / self.setting.n

    @cached_property
    def raw(self) -> FloatArray:
        """MI before its negatives are clipped, shape (runs, k)."""
        return self.estimate("none")

    @cached_property
    def limit(self) -> FloatArray:
        """What IBU would converge to, shape (runs, k)."""
        return ibu_limit(self.counts, self.mechanism, channel=self.setting.channel)

    def estimate(self, estimator: str) -> FloatArray:
        """Return the (runs, k) estimates of "mi", "ibu", "limit", or MI with the post-processing of that name."""
        check.choice("estimator", estimator, ("mi", "ibu", "limit", *POSTPROCESSINGS))
        if estimator in ("mi", "ibu", "limit"):
            return np.asarray(getattr(self, estimator))
        return mi(self.counts, self.setting.n, self.mechanism, post=estimator)

    def error(self, estimator: str = "ibu", metric: str = "mse") -> Summary:
        """Return an estimator's error, over the runs."""
        check.choice("metric", metric, metrics.METRICS)
        return Summary(metrics.METRICS[metric](self.estimate(estimator), self.true))

    def gain(self, metric: str = "mse", *, clip: bool = True, estimator: str = "ibu") -> Summary:
        """Return the utility gain Γ over MI in percent: of each run, clipped at 0 unless told otherwise, averaged."""
        before, after = self.error("mi", metric).values, self.error(estimator, metric).values
        return Summary(metrics.gain(before, after, clip=clip))

    def summary(self) -> dict[str, float]:
        """Return the figures by name: errors and gains with their standard errors, and how it went."""
        figures: dict[str, float] = {}
        for metric in ("mse", "mae"):
            for name in ("mi", "ibu", "limit"):
                error = self.error(name, metric)
                figures |= {f"{metric}_{name}": error.mean, f"{metric}_{name}_se": error.se}
            gain = self.gain(metric)
            figures |= {f"gain_{metric}": gain.mean, f"gain_{metric}_se": gain.se}
            figures[f"gain_{metric}_unclipped"] = self.gain(metric, clip=False).mean
        figures["iterations_mean"] = float(self.iterations.mean())
        figures["converged_runs"] = int(self.converged.sum())
        figures["effective_eps"] = self.mechanism.effective_eps
        figures["report_bits"] = self.mechanism.report_bits
        return figures

    def table(
        self, estimators: Sequence[str] = ("mi", "ibu", "limit"), names: Sequence[str] = ("mse", "mae")
    ) -> pd.DataFrame:
        """Return errors as a tidy frame, a row for each estimator and metric: mean, standard error and quantiles."""
        import pandas as pd

        rows = []
        for estimator in estimators:
            for name in names:
                error = self.error(estimator, name)
                spread = {"mean": error.mean, "se": error.se, "q05": error.quantile(0.05), "q95": error.quantile(0.95)}
                rows.append({"estimator": estimator, "metric": name, **spread})
        return pd.DataFrame(rows)


@dataclass(frozen=True, eq=False)
class Collection:
    """What the server has before IBU: the data that the users hold, the support counts, and the MI estimate."""

    setting: Setting
    mechanism: Mechanism
    data: Histogram
    counts: IntArray
    mi: FloatArray
    start: FloatArray | None

    def result(self, estimates: FloatArray, iterations: IntArray, converged: BoolArray) -> Result:
        """Return the result, with what IBU made of the counts."""
        before = (self.setting, self.mechanism, self.data.counts, self.data.edges, self.counts, self.mi)
        return Result(*before, estimates, iterations, converged, self.data.labels)


def collect(setting: Setting, data: Histogram | None = None) -> Collection:
    """Draw the support counts of a setting, from its own data set or from `data`."""
    m = setting.make_mechanism()
    data = _fitting(setting, setting.make_histogram() if data is None else data)
    counts = m.sample_counts(data.counts, setting.runs, setting.noise_rng())
    # A collection in which no report supports anything tells nothing: MI and IBU both stay at uniform.
    usable = np.where(counts.any(axis=1, keepdims=True), counts, 1)
    estimate_mi = np.where(counts.any(axis=1, keepdims=True), mi(usable, setting.n, m), 1 / setting.k)
    return Collection(setting, m, data, usable, estimate_mi, setting.ibu_start(counts, estimate_mi))


def _fitting(setting: Setting, data: Histogram) -> Histogram:
    if (data.n, data.counts.size) != (setting.n, setting.k):
        raise ValueError(
            f"data must have the setting's n = {setting.n:,} users in k = {setting.k:,} bins; "
            f"got {data.n:,} in {data.counts.size:,}"
        )
    return data


def run(setting: Setting, data: Histogram | None = None) -> Result:
    """Run an experiment, on its own data set or on `data`. The same setting gives the same result, every time."""
    c = collect(setting, data)
    outcome = ibu_run(
        c.counts,
        c.mechanism,
        max_iter=setting.max_iter,
        tol=setting.tol,
        stop=setting.stop,
        start=c.start,
        channel=setting.channel,
    )
    return c.result(outcome.estimates, outcome.iterations, outcome.converged)


def run_full(setting: Setting, runs: int = 1, data: Histogram | None = None) -> FloatArray:
    """Run full-report IBU on freshly simulated users, shape (runs, k). Cost and memory grow with n·k."""
    m = setting.make_mechanism()
    data = _fitting(setting, setting.make_histogram() if data is None else data)
    values = np.repeat(np.arange(setting.k), data.counts)
    rng = setting.noise_rng(_REPORTS)
    return np.stack([ibu_full(m.privatize(values, rng), m) for _ in range(check.integer("runs", runs, 1))])
