"""IBU on one collection, from its start to far beyond the paper's 10,000 steps."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore.experiment import Collection
from ldpui import cache
from ldpui.charts.common import Array
from ldpui.computing import compute, work
from ldpui.own import Upload
from pages.study.ibu_lab.following import PAPER_STEPS, following, up_to_rest

# A share of the way that is the whole of it but for rounding.
_NEARLY = 1 - 1e-12


@dataclass(frozen=True, eq=False)
class Path:
    """How IBU went on one collection.

    Attributes
    ----------
    setting, mechanism, truth, edges, labels : the setting, and what the users hold
    counts, mi, limit : (k,) what the server counted, and two estimates from it
    trace : ldp.IBUTrace
        IBU with no rule that would stop it.
    rested : int or None
        After how many of its own steps the setting's rule stops it; None if it takes more than the trace has of those.
    """

    setting: ldp.Setting
    mechanism: ldp.Mechanism
    truth: Array
    edges: Array
    labels: tuple[str, ...]
    counts: Array
    mi: Array
    limit: Array
    trace: ldp.IBUTrace
    rested: int | None

    @property
    def steps(self) -> Array:
        """The numbers of steps at which the estimate is known, 0 first."""
        return self.trace.iterations.astype(np.float64)

    @property
    def start(self) -> Array:
        return np.asarray(self.trace.estimates[0])

    @cached_property
    def errors(self) -> Array:
        """What a bin is off by at each of them, in percentage points."""
        return points(self.trace.estimates, self.truth)

    @cached_property
    def gaps(self) -> Array:
        """By how much Σ φ ln(Aθ) falls short of its maximum."""
        return ldp.likelihood_gap(self.trace.estimates, self.counts, self.mechanism, channel=self.setting.channel)

    @cached_property
    def way(self) -> Array:
        """The share of the way from the start to the limit, by the sum of the absolute distances.

        No number of steps goes all of it, so what rounds to 1 is a little less. From the limit there is no way to go.
        """
        left = np.abs(self.trace.estimates - self.limit).sum(axis=-1)
        return np.asarray(np.minimum(1 - left / left[0], _NEARLY)) if left[0] > 0 else np.ones(len(left))

    @property
    def clock(self) -> float:
        """T, in steps."""
        return self.mechanism.ibu_time_of(self.setting.channel)

    def error_of(self, estimate: Array) -> float:
        """Return what a bin of another estimate is off by, in percentage points."""
        return float(points(estimate, self.truth))

    def at(self, values: Array, steps: float) -> float:
        """Return what one of the curves is after a number of steps, between two places of the trace if need be."""
        return float(np.interp(np.log1p(steps), np.log1p(self.steps), values))

    def nearest(self, steps: float) -> int:
        """Return the place in the trace that is nearest to a number of steps."""
        return int(np.abs(np.log1p(self.steps) - np.log1p(steps)).argmin())


def points(estimates: Array, truth: Array) -> Array:
    """Return what a bin is off by, in percentage points: the root of the mean squared error over the bins."""
    return np.asarray(100 * np.sqrt(ldp.METRICS["mse"](estimates, truth)))


@cache.by_setting(60, 10, apart=True)
def collection(setting: ldp.Setting, data: Upload | None, number: int) -> Collection:
    """Return what was collected in one run, by its number from 1."""
    work.check_users(setting)
    key = cache.same(work.one_collection, setting, data, number)
    return compute.run(work.one_collection, setting, cache.own_histogram(setting, data), number, key=key, long=False)


@cache.by_setting(60, 10, apart=True)
def path(setting: ldp.Setting, data: Upload | None, number: int) -> Path:
    """Follow IBU on a collection, by its number from 1."""
    c = collection(setting, data, number)
    counts, start = c.usable[0], None if c.start is None else c.start[0]
    rule: dict[str, Any] = {"tol": setting.tol, "stop": setting.stop, "channel": setting.channel}
    stopped = partial(ldp.ibu_run, counts, c.mechanism, max_iter=PAPER_STEPS, start=start, **rule)
    key = ("IBU's path", setting, number) if data is None else None
    trace, own = compute.run(work.together, following(c, start), stopped, key=key)
    return Path(
        setting,
        c.mechanism,
        c.data.frequencies,
        c.data.edges,
        c.data.labels,
        counts.astype(np.float64),
        c.mi[0],
        ldp.ibu_limit(counts, c.mechanism, channel=setting.channel),
        up_to_rest(trace, max(PAPER_STEPS, setting.max_iter)),
        int(own.iterations) if own.converged else None,
    )


@cache.by_setting(200, 20, apart=True)
def validated(setting: ldp.Setting, data: Upload | None, number: int) -> int:
    """Return how many steps cross-validation chooses for a collection, of at most as many as the setting allows."""
    c = collection(setting, data, number)
    start = None if c.start is None else c.start[0]
    more: dict[str, Any] = {"max_iter": setting.max_iter, "channel": setting.channel, "start": start, "n": setting.n}
    chosen = partial(ldp.ibu_run, c.usable[0], c.mechanism, stop="cv", **more)
    return int(compute.run(chosen, key=("IBU's stop", setting, number) if data is None else None).iterations)
