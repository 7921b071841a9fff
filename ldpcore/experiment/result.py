"""What came of a setting: estimates, and what they got wrong."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from ldpcore import _validate as check
from ldpcore import metrics
from ldpcore._validate import BoolArray, FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.estimators import Choice, Options, choices, ibu_limit
from ldpcore.estimators import estimator as find_estimator
from ldpcore.estimators.counts import usable
from ldpcore.estimators.inversion import inverted
from ldpcore.estimators.postprocess import POSTPROCESSINGS, postprocess
from ldpcore.experiment.display import SHOWN, as_html, as_text
from ldpcore.experiment.setting import Setting
from ldpcore.experiment.summary import Summary
from ldpcore.mechanisms import Mechanism

if TYPE_CHECKING:
    import pandas as pd

# The estimates that a result has, or computes once.
_STORED = ("raw", "mi", "ibu", "limit", "auto")


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

    Examples
    --------
    >>> import ldpcore as ldp
    >>> r = ldp.run(ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=10, runs=3))
    >>> r.ibu.shape, r.error("norm-sub", "mae") < r.error("raw", "mae")
    ((3, 10), True)
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
        return inverted(self.counts, self.setting.n, self.mechanism)

    @cached_property
    def limit(self) -> FloatArray:
        """What IBU would converge to, shape (runs, k)."""
        return ibu_limit(usable(self.counts), self.mechanism, channel=self.setting.channel)

    @property
    def ordered(self) -> bool:
        """Whether the bins have an order: ranges of numbers do, categories do not."""
        return not self.labels

    @cached_property
    def choices(self) -> tuple[Choice, ...]:
        """What `auto` chooses in each run."""
        return tuple(choices(usable(self.counts), self.setting.n, self.mechanism, ordered=self.ordered))

    @cached_property
    def auto(self) -> FloatArray:
        """The estimates of what `auto` chooses, shape (runs, k)."""
        return np.stack([choice.estimate for choice in self.choices])

    def estimate(self, estimator: str) -> FloatArray:
        """Return the (runs, k) estimates of an estimator from counts, by its key in `ldpcore.ESTIMATORS`.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> r = ldp.run(ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=10, runs=3))
        >>> r.estimate("norm-sub").shape, bool((r.estimate("ibu") == r.ibu).all())
        ((3, 10), True)
        """
        record = find_estimator(estimator, needs="counts", argument="estimator")
        if record.ordered and not self.ordered:
            raise Refused(f"estimator {record.key} needs bins with an order; got categories")
        if record.key in _STORED:
            return np.asarray(getattr(self, record.key))
        s = self.setting
        post = next((name for name in (record.key, *record.aliases) if name in POSTPROCESSINGS), None)
        if post is not None:  # raw MI is known where no report supports anything, too
            return postprocess(self.raw, post, n=s.n, m=self.mechanism)
        start = s.ibu_start(self.counts, self.mi)
        options = Options(
            channel=s.channel, max_iter=s.max_iter, tol=s.tol, stop=s.stop, start=start, ordered=self.ordered
        )
        return record(usable(self.counts), s.n, self.mechanism, options)

    def error(self, estimator: str = "ibu", metric: str = "mse") -> Summary:
        """Return an estimator's error over the runs; of a metric whose best is 1, its score.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> r = ldp.run(ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=10, runs=3))
        >>> r.error("ibu", "mae").values.size, r.error("ibu", "mae") < r.error("raw", "mae")
        (3, True)
        """
        check.choice("metric", metric, metrics.METRICS)
        key = find_estimator(estimator, needs="counts", argument="estimator").key
        # Cached, because some estimators take long.
        if (key, metric) not in self._errors:
            self._errors[key, metric] = Summary(metrics.METRICS[metric](self.estimate(key), self.true))
        return self._errors[key, metric]

    def remember(self, estimator: str, metric: str, error: Summary) -> None:
        """Take an error as known, which a worker has measured on the same estimates.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> r = ldp.run(ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=10, runs=3))
        >>> r.remember("limit", "mse", ldp.Summary([0.25, 0.75, 0.5]))
        >>> r.error("limit", "mse").mean
        0.5
        """
        check.choice("metric", metric, metrics.METRICS)
        check.instance("error", error, Summary, "an ldpcore.Summary")
        self._errors[find_estimator(estimator, argument="estimator").key, metric] = error

    @cached_property
    def _errors(self) -> dict[tuple[str, str], Summary]:
        return {}

    def gain(self, metric: str = "mse", *, clip: bool = True, estimator: str = "ibu") -> Summary:
        """Return the utility gain Γ over MI in percent: of each run, clipped at 0 unless told otherwise, averaged.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> r = ldp.run(ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=10, runs=3))
        >>> r.gain("mse").values.shape, r.gain("mse", estimator="mi").mean
        ((3,), 0.0)
        """
        before, after = (self.loss(key, metric).values for key in ("mi", estimator))
        return Summary(metrics.gain(before, after, clip=clip))

    def loss(self, estimator: str = "ibu", metric: str = "mse") -> Summary:
        """Return what an estimator misses over the runs, of which less is better: an error, or 1 less a score.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> r = ldp.run(ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=10, runs=3))
        >>> r.loss("ibu", "top10").mean == 1 - r.error("ibu", "top10").mean
        True
        """
        record = metrics.RECORDS[check.choice("metric", metric, metrics.RECORDS)]
        return Summary(record.loss(self.error(estimator, metric).values))

    def decomposition(self, estimator: str = "ibu") -> metrics.Decomposition:
        """Return an estimator's bias² and variance over the runs, of which there must be two or more.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> r = ldp.run(ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=10, runs=3))
        >>> parts = r.decomposition("ibu")
        >>> round(parts.mse / r.error("ibu", "mse"), 6)
        1.0
        """
        return metrics.decompose(self.estimate(estimator), self.true)

    def __repr__(self) -> str:
        return as_text(self)

    def _repr_html_(self) -> str:
        return as_html(self)

    def summary(self) -> dict[str, float]:
        """Return the figures by name: errors and gains with their standard errors, and how it went.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> r = ldp.run(ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=10, runs=3))
        >>> figures = r.summary()
        >>> figures["mse_ibu"] == r.error("ibu").mean, round(figures["report_bits"], 2)
        (True, 3.32)
        """
        figures: dict[str, float] = {}
        for metric in ("mse", "mae"):
            for name in SHOWN:
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

    def table(self, estimators: Sequence[str] = SHOWN, names: Sequence[str] = ("mse", "mae")) -> pd.DataFrame:
        """Return errors as a tidy frame, a row for each estimator and metric: mean, standard error and quantiles.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> r = ldp.run(ldp.Setting(data="poisson", mechanism="GRR", n=5_000, k=10, runs=3))
        >>> r.table(["raw", "limit"], ["mse"])[["estimator", "metric"]].values.tolist()
        [['raw', 'mse'], ['limit', 'mse']]
        """
        import pandas as pd

        rows = []
        names = check.sequence("names", names, "metrics", str)
        for estimator in check.sequence("estimators", estimators, "keys", str):
            for name in names:
                error = self.error(estimator, name)
                spread = {"mean": error.mean, "se": error.se, "q05": error.quantile(0.05), "q95": error.quantile(0.95)}
                rows.append({"estimator": find_estimator(estimator).key, "metric": name, **spread})
        return pd.DataFrame(rows)
