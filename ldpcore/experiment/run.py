"""One experiment: a data set, a mechanism, many runs of noise, and both estimators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, FloatArray, IntArray
from ldpcore.datasets.binning import Histogram, check_histogram
from ldpcore.errors import Refused
from ldpcore.estimators import IBURun, ibu_full, ibu_run, mi
from ldpcore.estimators.counts import usable
from ldpcore.estimators.full import check_entries
from ldpcore.experiment.result import Result
from ldpcore.experiment.setting import REPORTS_STREAM, RUNS_MAX, Setting, check_setting
from ldpcore.mechanisms import Mechanism


@dataclass(frozen=True, eq=False)
class Collection:
    """What the server has before IBU: the data that the users hold, the support counts, and the MI estimate.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.experiment import collect
    >>> collection = collect(ldp.Setting(mechanism="GRR", n=1_000, k=4, runs=2))
    >>> collection.counts.sum(axis=1).tolist(), collection.mi.shape
    ([1000, 1000], (2, 4))
    """

    setting: Setting
    mechanism: Mechanism
    data: Histogram
    counts: IntArray
    mi: FloatArray
    start: FloatArray | None

    @property
    def usable(self) -> IntArray:
        """The counts as IBU can take them: 1 for every value in a run in which no report supports any."""
        return usable(self.counts)

    def result(self, estimates: FloatArray, iterations: IntArray, converged: BoolArray) -> Result:
        """Return the result, with what IBU made of the counts.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> collection = collect(ldp.Setting(mechanism="GRR", n=1_000, k=4, runs=2))
        >>> result = collection.result(collection.mi, np.array([0, 0]), np.array([True, True]))  # IBU stayed at MI
        >>> result.gain("mse").mean
        0.0
        """
        before = (self.setting, self.mechanism, self.data.counts, self.data.edges, self.counts, self.mi)
        return Result(*before, estimates, iterations, converged, self.data.labels)


def collect(setting: Setting, data: Histogram | None = None) -> Collection:
    """Draw the support counts of a setting, from its own data set or from `data`.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.experiment import collect
    >>> setting = ldp.Setting(mechanism="OUE", n=1_000, k=4, runs=2)
    >>> bool((collect(setting).counts == ldp.run(setting).counts).all())
    True
    """
    m = check_setting("setting", setting).make_mechanism()
    data = _fitting(setting, setting.make_histogram() if data is None else data)
    counts = m.sample_counts(data.counts, setting.runs, setting.noise_rng())
    # A collection in which no report supports anything tells nothing: MI and IBU both stay at uniform.
    estimate_mi = np.where(counts.any(axis=1, keepdims=True), mi(usable(counts), setting.n, m), 1 / setting.k)
    return Collection(setting, m, data, counts, estimate_mi, setting.ibu_start(counts, estimate_mi))


def _fitting(setting: Setting, data: Histogram) -> Histogram:
    check_histogram(data)
    if (data.n, data.counts.size) != (setting.n, setting.k):
        raise Refused(
            f"data must have the setting's n = {setting.n:,} users in k = {setting.k:,} bins; "
            f"got {data.n:,} in {data.counts.size:,}"
        )
    return data


def run(setting: Setting, data: Histogram | None = None) -> Result:
    """Run an experiment, on its own data set or on `data`. The same setting gives the same result, every time.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> result = run(ldp.Setting(data="poisson", mechanism="OUE", eps=1.0, n=20_000, k=20))
    >>> result.true.shape, result.ibu.shape
    ((20,), (20, 20))
    >>> bool(result.error("ibu", "mse").mean < result.error("mi", "mse").mean)
    True
    """
    c = collect(setting, data)
    return join(c, [iterate(c, 0, setting.runs)])


def iterate(c: Collection, first: int, number: int) -> IBURun:
    """Run IBU on some runs of a collection; in parts it gives what it gives at once, but for rounding."""
    s, some = c.setting, slice(first, first + number)
    return ibu_run(
        c.usable[some],
        c.mechanism,
        max_iter=s.max_iter,
        tol=s.tol,
        stop=s.stop,
        start=None if c.start is None else c.start[some],
        channel=s.channel,
    )


def join(c: Collection, parts: Sequence[IBURun]) -> Result:
    """Return the result of a collection, with what IBU made of its runs, in order."""
    names = ("estimates", "iterations", "converged")
    return c.result(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def run_full(setting: Setting, runs: int = 1, data: Histogram | None = None) -> FloatArray:
    """Run full-report IBU on freshly simulated users, shape (runs, k). Cost and memory grow with n·k.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> run_full(ldp.Setting(data="poisson", mechanism="OUE", n=500, k=8), runs=2).shape
    (2, 8)
    """
    m = check_setting("setting", setting).make_mechanism()
    runs = check.integer("runs", runs, 1, RUNS_MAX)
    check_entries(setting.n, setting.k)
    return np.stack([ibu_full(reports, m) for reports in islice(simulated_reports(setting, data), runs)])


def simulated_reports(setting: Setting, data: Histogram | None = None) -> Iterator[Any]:
    """Yield the reports of the users in one run after the other, without end."""
    data = _fitting(setting, setting.make_histogram() if data is None else data)
    m, values = setting.make_mechanism(), np.repeat(np.arange(setting.k), data.counts)
    rng = setting.noise_rng(REPORTS_STREAM)
    while True:
        yield m.privatize(values, rng)
