"""What workers measure of estimators on runs that are there already: their errors, by every metric at once."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

import ldpcore as ldp
from ldpcore.metrics import Decomposition
from ldpui.computing import per_run, work
from ldpui.computing.per_run import PerRun
from ldpui.format import times

# What all estimators and metrics take for a run, and for each of its bins, as so many numbers of IBU: timed at 2 to
# 3,000 bins, and 10³ to 10⁶ users.
_RUN, _BIN = 500_000, 10_000


@dataclass(frozen=True, eq=False)
class Measures(PerRun):
    """What estimators get wrong in some runs.

    Attributes
    ----------
    values : the errors of all runs by metric and estimator
    parts : bias² and variance by estimator; none of a single run
    offsets : estimate minus truth, summed over the runs, by estimator: from these the parts of all runs are found
    """

    parts: dict[str, Decomposition]
    offsets: dict[str, npt.NDArray[np.float64]] = field(default_factory=dict)


def amount(setting: ldp.Setting) -> int:
    """Return what it takes to try every estimator on all runs, as so many numbers of IBU."""
    return setting.runs * (_RUN + _BIN * setting.k)


def check(setting: ldp.Setting) -> None:
    """Refuse what would keep a server busy for minutes, and say how to do it oneself."""
    work.check_minute(amount(setting), [setting], f"to try every estimator on {times(setting.runs, 'run')}")


def slices(setting: ldp.Setting) -> list[tuple[int, int]]:
    """Return the runs in even parts that take a moment each, as first run and number of runs. Nothing is drawn anew.

    No part of several has a single run, which NumPy adds up in another order: its last digit could differ.
    """
    number = max(1, min(setting.runs // 2, -(-amount(setting) // work.PART_WORK)))
    ends = [setting.runs * part // number for part in range(number + 1)]
    return [(begin, end - begin) for begin, end in pairwise(ends)]


def some_runs(result: ldp.Result, first: int, number: int) -> ldp.Result:
    """Return some runs of a result, without what it knows of its errors."""
    names, some = ("counts", "mi", "ibu", "iterations", "converged"), slice(first, first + number)
    return replace(result, **{name: getattr(result, name)[some] for name in names})


def measure(result: ldp.Result, estimators: tuple[str, ...]) -> Measures:
    """Return what estimators get wrong in the runs of a result."""
    return measure_estimates({key: result.estimate(key) for key in estimators}, result.true)


def measure_estimates(estimates: Mapping[str, npt.NDArray[np.float64]], true: npt.NDArray[np.float64]) -> Measures:
    """Return what estimates (runs, k) get wrong, by the key of their estimator."""
    return Measures(
        {(metric, key): error(some, true) for metric, error in ldp.METRICS.items() for key, some in estimates.items()},
        {key: ldp.metrics.decompose(some, true) for key, some in estimates.items() if len(some) > 1},
        {key: (some - true).sum(axis=0) for key, some in estimates.items()},
    )


def joined(pieces: Sequence[Measures]) -> Measures:
    """Return the measures of all runs, from those of some of them, in order."""
    if len(pieces) == 1:
        return replace(pieces[0], offsets={})
    values = per_run.joined(pieces)
    offsets = {key: np.sum([piece.offsets[key] for piece in pieces], axis=0) for key in pieces[0].offsets}
    return Measures(values, {key: _parts(values["mse", key], offset) for key, offset in offsets.items()})


def _parts(errors: npt.NDArray[np.float64], offset: npt.NDArray[np.float64]) -> Decomposition:
    """Return bias² and variance from the squared error of every run, and what all runs together are off in each bin.

    As `ldpcore.metrics.decompose` finds them from the estimates, and rounded as there.
    """
    runs, whole = errors.size, float(errors.mean())
    variance = (whole - float(np.mean((offset / runs) ** 2))) * runs / (runs - 1)
    return Decomposition(round(whole - variance, 15), round(variance, 15))
