"""What workers do for the pages, cut into parts that take a moment each. Nothing here needs Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

import ldpcore as ldp
from ldpcore import advisor
from ldpcore.advisor import Accuracy, Answer, Measured
from ldpcore.cli.command import run_words, shell_line
from ldpcore.experiment import Collection
from ldpcore.experiment.run import collect, iterate
from ldpcore.sweep.pieces import SHARED

# IBU works on so many numbers in about half a second.
PART_WORK = 150_000_000
# The most that one page asks for.
WORK_MAX = 20_000_000_000
# Rows times values that are worked on together: fewer parts are quicker in all, more of them show sooner.
TOGETHER = 10_000

# What an estimator misses in every run, by metric and estimator.
Losses = dict[str, dict[str, npt.NDArray[np.float64]]]


@dataclass(frozen=True)
class Part:
    """Some runs, from `first` on, of settings that share their data: of one setting, or all runs of several."""

    settings: tuple[ldp.Setting, ...]
    first: int
    number: int


def amount(setting: ldp.Setting) -> int:
    """Return on how many numbers IBU may have to work: runs, bins and iterations."""
    return setting.runs * setting.k * setting.max_iter


def auto_amount(setting: ldp.Setting) -> int:
    """Return what auto takes, as so many numbers of IBU: measured, at 20 to 1,000 bins."""
    return setting.runs * (5_000_000 + 65_000 * setting.k)


def check_auto(settings: Sequence[ldp.Setting]) -> None:
    """Refuse what would keep auto busy for minutes, and say how to do it oneself."""
    if sum(map(auto_amount, settings)) <= WORK_MAX:
        return
    one = settings[0]
    if one.data == ldp.OWN_DATA:
        way = 'ldpcore.run(…).error("auto", "mse") on your own machine has no such bound'
    else:
        code = f'import ldpcore as ldp; print(ldp.run(ldp.{one!r}).error("auto", "mse"))'
        each = "" if len(settings) == 1 else f" (the like for each of the {len(settings):,} mechanisms)"
        way = f"on your own machine there is no such bound: `{shell_line(['python', '-c', code])}`{each}"
    raise ldp.Refused(
        f"auto would take more than a minute of one core here, where a page stops: {one.runs} runs of "
        f"{one.k:,} bins with {len(settings)} mechanism{'s' if len(settings) > 1 else ''}. Take fewer of them; {way}"
    )


def check(settings: Sequence[ldp.Setting], iterated: bool = True) -> None:
    """Refuse what would keep a server busy for minutes, and say how to do it oneself."""
    numbers = sum(amount(setting) for setting in settings) if iterated and settings else 0
    if numbers <= WORK_MAX:
        return
    one = settings[0]
    if one.data == ldp.OWN_DATA:
        way = "ldpcore.run on your own machine has no such bound"
    else:
        each = "" if len(settings) == 1 else f" (the like for each of the {len(settings):,} settings)"
        way = f"on your own machine there is no such bound: `{shell_line(run_words(one))}`{each}"
    raise ldp.Refused(
        f"runs × bins × iterations come to {numbers:,} here, and a page stops at {WORK_MAX:,}, about a minute of one "
        f"core. Take fewer of them; {way}"
    )


def slices(setting: ldp.Setting, cost: Callable[[ldp.Setting], int] = amount) -> list[tuple[int, int]]:
    """Return the runs in parts that take a moment each, as first run and number of runs."""
    each = max(1, PART_WORK * setting.runs // cost(setting))
    return [(first, min(each, setting.runs - first)) for first in range(0, setting.runs, each)]


def parts(settings: Sequence[ldp.Setting], cost: Callable[[ldp.Setting], int] = amount) -> Iterator[Part]:
    """Cut the work on settings, which costs so many numbers each, into parts, in the order of those that come first."""
    groups: dict[tuple[Any, ...], list[ldp.Setting]] = {}
    for setting in settings:
        groups.setdefault((setting.runs, *(getattr(setting, name) for name in SHARED)), []).append(setting)
    for group in groups.values():
        one = group[0]
        if cost(one) > PART_WORK:
            yield from (Part((setting,), *part) for setting in group for part in slices(setting, cost))
            continue
        each = max(1, min(TOGETHER // (one.runs * one.k), PART_WORK // cost(one)))
        yield from (Part(tuple(group[i : i + each]), 0, one.runs) for i in range(0, len(group), each))


def together(*calls: Callable[[], Any]) -> list[Any]:
    """Make several calls in one job."""
    return [call() for call in calls]


# What Estimate says of every result, so that the worker has computed it already.
_SAID = [(key, "mse") for key in ("mi", "ibu", "limit", "norm-sub", "power-ns")]
_SAID += [(key, "mae") for key in ("mi", "ibu", "limit")]


def run(setting: ldp.Setting, data: ldp.Histogram | None) -> ldp.Result:
    """Run an experiment, and measure the errors that a page speaks of."""
    return measured(ldp.run(setting, data))


def measured(result: ldp.Result) -> ldp.Result:
    """Return a result that knows its errors, but does not carry the estimates behind them."""
    lean = replace(result)
    for key, metric in _SAID:
        lean.remember(key, metric, result.error(key, metric))
    return lean


def run_slice(
    setting: ldp.Setting, data: ldp.Histogram | None, first: int, number: int
) -> tuple[Collection | None, ldp.IBURun]:
    """Run IBU on some of the runs of an experiment; with the first of them comes what was collected."""
    collection = collect(setting, data)
    return collection if first == 0 else None, iterate(collection, first, number)


def losses(part: Part, data: ldp.Histogram | None, estimators: tuple[str, ...]) -> list[Losses]:
    """Return what estimators miss in the runs of a part, for each of its settings."""
    settings = part.settings
    if "ibu" not in estimators:  # its iterations are by far the most of the work
        settings = tuple(replace(setting, max_iter=1) for setting in settings)
    if len(settings) == 1:
        results = [_some_runs(settings[0], data, part.first, part.number)]
    else:
        results = ldp.run_together(settings, data)
    return [
        {metric: {key: result.loss(key, metric).values for key in estimators} for metric in ldp.METRICS}
        for result in results
    ]


def _some_runs(setting: ldp.Setting, data: ldp.Histogram | None, first: int, number: int) -> ldp.Result:
    whole, some = collect(setting, data), slice(first, first + number)
    start = None if whole.start is None else whole.start[some]
    part = replace(whole, counts=whole.counts[some], mi=whole.mi[some], start=start)
    ran = iterate(part, 0, number)
    return part.result(ran.estimates, ran.iterations, ran.converged)


def joined(pieces: Sequence[Losses]) -> Losses:
    """Return the losses of all runs, from those of some of them, in order."""
    first = pieces[0]
    return {
        metric: {key: np.concatenate([piece[metric][key] for piece in pieces]) for key in by_key}
        for metric, by_key in first.items()
    }


def limits(setting: ldp.Setting, data: ldp.Histogram | None) -> dict[str, float]:
    """Return what theory allows for the mean squared error at a setting."""
    m, n = setting.make_mechanism(), setting.n
    true = (data or setting.make_histogram()).frequencies
    return {
        "Cramér–Rao": ldp.theory.cramer_rao(m, true, n, against="users").mse,
        "Sampling": ldp.theory.sampling_mse(true, n),
        "Central model": ldp.theory.central_mse(setting.eps, n),
    }


def slow_estimate(result: ldp.Result, key: str, number: int) -> npt.NDArray[np.float64]:
    """Return what a slow estimator makes of one run, shape (1, k)."""
    names, one = ("counts", "mi", "ibu", "iterations", "converged"), [number]
    return replace(result, **{name: getattr(result, name)[one] for name in names}).estimate(key)


def choice(groups: Sequence[tuple[npt.NDArray[np.int64], int, ldp.Mechanism]], ordered: bool) -> ldp.Choice:
    """Return what auto chooses by the counts of one collection: one group of users for each ε."""
    return ldp.choose_groups(groups, ordered=ordered)


def achieved(
    setting: ldp.Setting, data: ldp.Histogram | None, estimators: tuple[str, ...], level: float
) -> dict[tuple[str, str], Measured]:
    """Return what estimators reach at a setting, by (kind of accuracy, estimator)."""
    result = ldp.run(setting, data)
    kinds = [Accuracy(kind, 1.0, level) for kind in advisor.KINDS]
    return {(a.kind, key): advisor.achieved(result, key, a) for a in kinds for key in estimators}


def error_at(setting: ldp.Setting, data: ldp.Histogram | None, estimator: str, accuracy: Accuracy) -> Measured:
    """Return an estimator's error at a setting with as many users; the histogram keeps its shape."""
    here = data or setting.make_histogram()
    if estimator == "raw":  # its error is known without simulation
        shares = here.counts / here.n
        return Measured(advisor.raw_error(setting.make_mechanism(), shares, setting.n, accuracy), 0.0)
    return advisor.achieved(ldp.run(setting, advisor.scaled(here, setting.n)), estimator, accuracy)


def needed(
    setting: ldp.Setting,
    data: ldp.Histogram | None,
    accuracy: Accuracy,
    sought: str,
    estimators: tuple[str, ...],
    runs: int,
) -> dict[str, Answer]:
    """Return the least ε or number of users for each estimator."""
    return advisor.needed(setting, accuracy, sought, estimators, data or setting.make_histogram(), runs=runs)
