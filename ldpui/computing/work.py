"""What workers do for the pages, cut into parts that take a moment each. Nothing here needs Streamlit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

import ldpcore as ldp
from ldpcore import advisor
from ldpcore.advisor import Accuracy, Answer, Measured
from ldpcore.cli.command import run_words, shell_line
from ldpcore.experiment import Collection
from ldpcore.experiment.run import collect, iterate, join, simulated_reports
from ldpcore.mechanisms.registering import draws_users
from ldpcore.metrics import RECORDS, Metric
from ldpcore.sweep.pieces import SHARED
from ldpcore.sweep.workers import cores
from ldpui.computing import per_run
from ldpui.computing.per_run import PerRun
from ldpui.format import times

# IBU works on so many numbers in at most half a second, and in a fifth of that where it takes strides.
PART_WORK = 150_000_000
# The most that one page asks for.
WORK_MAX = 20_000_000_000
# What is done beside IBU, for each run and bin, as so many numbers of IBU: counts that do not come at once are drawn
# (the mean over the ε of a map; half as much again where ε is small), and the errors of each estimator are measured.
# Both were timed at 20 to 1,000 bins, and 10³ to 10⁸ users.
_DRAWN, _MEASURED = 4_000, 250
# Of a mechanism whose users are simulated, as so many numbers of IBU for each user and value.
_USER = 10
# Rows times values that are worked on together: fewer parts are quicker in all, more of them show sooner.
TOGETHER = 10_000
# The errors that numbers leave by being rounded, by unit; a metric that was added may have errors as small.
_ROUNDING = {"share": 1e-12, "share²": 1e-24, "bins": 1e-12, "nats": 1e-12, "score": 1e-12}


@dataclass(frozen=True, eq=False)
class Losses(PerRun):
    """What estimators miss in every run of a setting.

    Attributes
    ----------
    values : the losses by metric and estimator
    chosen : what kind of estimator auto chose in every run; none where it was not asked
    """

    chosen: tuple[str, ...] = ()


@dataclass(frozen=True)
class Part:
    """Some runs, from `first` on, of settings that share their data: of one setting, or all runs of several."""

    settings: tuple[ldp.Setting, ...]
    first: int
    number: int


def amount(setting: ldp.Setting) -> int:
    """Return on how many numbers IBU may have to work: runs, bins and iterations."""
    return setting.runs * setting.k * setting.max_iter


def drawing(setting: ldp.Setting) -> int:
    """Return what it takes to draw all runs, as so many numbers of IBU; next to nothing where counts come at once."""
    cls = ldp.mechanism_class(setting.mechanism)
    if draws_users(cls):
        return setting.runs * setting.k * max(_DRAWN, _USER * setting.n)
    return 0 if cls.counts_come_at_once() else setting.runs * setting.k * _DRAWN


def plain_amount(setting: ldp.Setting, estimators: int = 2) -> int:
    """Return what a setting takes beside IBU's iterations, with so many estimators, as so many numbers of IBU."""
    return drawing(setting) + setting.runs * setting.k * _MEASURED * estimators


def check_plain(settings: Sequence[ldp.Setting], estimators: int) -> None:
    """Refuse what would keep a server busy for minutes where nothing is iterated, and say how to do it oneself."""
    numbers = sum(plain_amount(setting, estimators) for setting in settings)
    what = f"to draw {times(settings[0].runs, 'run')} of {times(len(settings), 'setting')}" if settings else ""
    check_minute(numbers, settings, what)


def check_users(setting: ldp.Setting, places: int = 1) -> None:
    """Refuse to simulate more users than take a minute, for a mechanism of which nothing quicker is known.

    As one of so many places of a page, which are to take no longer than that together.
    """
    if draws_users(ldp.mechanism_class(setting.mechanism)) and places * drawing(setting) > WORK_MAX:
        raise ldp.Refused(
            f"{setting.mechanism} is simulated user by user, and {times(setting.runs, 'run')} of "
            f"{times(setting.n, 'user')} with k = {setting.k:,} would take too long here; take fewer of them, or "
            "ldpcore.run on your own machine"
        )


def check_minute(numbers: int, settings: Sequence[ldp.Setting], what: str) -> None:
    """Refuse what takes as long as IBU takes for more numbers than a page asks for; `what` says what it is."""
    if numbers <= WORK_MAX:
        return
    raise ldp.Refused(
        f"{what} would take more than a minute of one core here, where a page stops. Take fewer runs or bins; "
        f"{_elsewhere(settings)}"
    )


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
        f"{one.k:,} bins with {times(len(settings), 'mechanism')}. Take fewer of them; {way}"
    )


def takes_steps(estimators: Sequence[str]) -> bool:
    """Tell whether one of the estimators takes the steps that a setting allows; auto has a cost of its own."""
    return any(ldp.estimator(key).iterated for key in estimators if key != "auto")


def check(settings: Sequence[ldp.Setting], iterated: bool = True, places: int = 1) -> None:
    """Refuse what would keep a server busy for minutes, at so many places, and say how to do it oneself."""
    numbers = places * sum(amount(setting) for setting in settings) if iterated and settings else 0
    if numbers <= WORK_MAX:
        return
    many = "" if places == 1 else f" at {places} places"
    raise ldp.Refused(
        f"runs × bins × iterations{many} come to {numbers:,} here, and a page stops at {WORK_MAX:,}, up to a minute of "
        f"one core. Take fewer of them; {_elsewhere(settings)}"
    )


def _elsewhere(settings: Sequence[ldp.Setting]) -> str:
    """Say how to run settings where nobody counts."""
    one = settings[0]
    if one.data == ldp.OWN_DATA:
        return "ldpcore.run on your own machine has no such bound"
    each = "" if len(settings) == 1 else f" (the like for each of the {len(settings):,} settings)"
    return f"on your own machine there is no such bound: `{shell_line(run_words(one))}`{each}"


def slices(setting: ldp.Setting, cost: Callable[[ldp.Setting], int] = amount) -> list[tuple[int, int]]:
    """Return the runs in parts that take a moment each, as first run and number of runs.

    Every part draws all runs, for the draws of a run come after those of the runs before it. So where that takes longer
    than a moment there are fewer parts, and it takes at most half as long as the rest.
    """
    each = max(1, max(PART_WORK, 2 * drawing(setting)) * setting.runs // cost(setting))
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
        yield from (Part(tuple(some), 0, one.runs) for some in _evenly(group, -(-len(group) // each)))


def _evenly(group: list[ldp.Setting], least: int) -> Iterator[list[ldp.Setting]]:
    """Share settings out evenly among so many parts, or a few more: as many for each core, so that all end together."""
    number = min(len(group), -(-least // cores()) * cores())
    ends = [len(group) * part // number for part in range(number + 1)]
    return (group[begin:end] for begin, end in pairwise(ends))


def together(*calls: Callable[[], Any]) -> list[Any]:
    """Make several calls in one job."""
    return [call() for call in calls]


# What Estimate says of every result, so that the worker has computed it already.
_SHOWN_ERRORS = [(key, "mse") for key in ("mi", "ibu", "limit", "norm-sub", "power-ns")]
_SHOWN_ERRORS += [(key, "mae") for key in ("mi", "ibu", "limit")]


def run(setting: ldp.Setting, data: ldp.Histogram | None) -> ldp.Result:
    """Run an experiment, and measure the errors that a page speaks of."""
    return measured(ldp.run(setting, data))


def measured(result: ldp.Result) -> ldp.Result:
    """Return a result that knows its errors, but does not carry the estimates behind them."""
    lean = replace(result)
    for key, metric in _SHOWN_ERRORS:
        lean.remember(key, metric, result.error(key, metric))
    return lean


@dataclass(frozen=True, eq=False)
class Slice:
    """Some runs of an experiment: what IBU made of them, and their errors; with the first, what was collected."""

    collection: Collection | None
    ran: ldp.IBURun
    errors: dict[tuple[str, str], npt.NDArray[np.float64]]


def run_slice(setting: ldp.Setting, data: ldp.Histogram | None, first: int, number: int) -> Slice:
    """Do some of the runs of an experiment, and measure the errors that a page speaks of."""
    collection = collect(setting, data)
    part = _some(collection, first, number)
    ran = iterate(part, 0, number)
    result = part.result(ran.estimates, ran.iterations, ran.converged)
    errors = {(key, metric): result.error(key, metric).values for key, metric in _SHOWN_ERRORS}
    return Slice(collection if first == 0 else None, ran, errors)


def whole(parts: Sequence[Slice]) -> ldp.Result:
    """Return the result of an experiment from all its slices, in order."""
    collection = parts[0].collection
    assert collection is not None  # noqa: S101 - it comes with the first
    result = join(collection, [part.ran for part in parts])
    for key, metric in _SHOWN_ERRORS:
        result.remember(key, metric, ldp.Summary(np.concatenate([part.errors[key, metric] for part in parts])))
    return result


def full_run(setting: ldp.Setting, data: ldp.Histogram | None, number: int) -> npt.NDArray[np.float64]:
    """Return what full-report IBU makes of one run, of those that `ldpcore.run_full` has, by its number from 0."""
    reports = next(islice(simulated_reports(setting, data), number, None))
    return ldp.ibu_full(reports, setting.make_mechanism())


def losses(part: Part, data: ldp.Histogram | None, estimators: tuple[str, ...]) -> list[Losses]:
    """Return what estimators miss in the runs of a part, for each of its settings."""
    settings = part.settings
    if "ibu" not in estimators:
        # IBU's steps are by far the most of the work, and nobody asked for its estimates: it takes one.
        settings = tuple(replace(setting, max_iter=1) for setting in settings)
    if len(settings) == 1:
        results = [_some_runs(settings[0], data, part.first, part.number)]
    else:
        results = ldp.run_together(settings, data)
    # The other estimators take as many steps as the page has asked for.
    results = [replace(result, setting=setting) for result, setting in zip(results, part.settings, strict=True)]
    # All at once, because they share their data: one by one, asking takes longer than measuring.
    estimates = np.stack([[result.estimate(key) for key in estimators] for result in results])
    lost = {key: but_for_rounding(metric, metric(estimates, results[0].true)) for key, metric in RECORDS.items()}
    return [
        Losses(
            {(metric, key): lost[metric][at, e] for metric in RECORDS for e, key in enumerate(estimators)},
            tuple(choice.candidate.kind for choice in result.choices) if "auto" in estimators else (),
        )
        for at, result in enumerate(results)
    ]


def but_for_rounding(metric: Metric, values: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    """Return what is missing to the best: 0 where it is what rounding leaves, which would stretch a log axis.

    >>> but_for_rounding(RECORDS["mae"], np.array([0.25, 1e-17])).tolist()
    [0.25, 0.0]
    """
    loss, rounding = metric.loss(values), _ROUNDING.get(metric.unit)
    return loss if rounding is None else np.where(np.abs(loss) <= rounding, 0.0, loss)


def _some_runs(setting: ldp.Setting, data: ldp.Histogram | None, first: int, number: int) -> ldp.Result:
    part = _some(collect(setting, data), first, number)
    ran = iterate(part, 0, number)
    return part.result(ran.estimates, ran.iterations, ran.converged)


def _some(whole: Collection, first: int, number: int) -> Collection:
    some = slice(first, first + number)
    start = None if whole.start is None else whole.start[some]
    return replace(whole, counts=whole.counts[some], mi=whole.mi[some], start=start)


def joined(pieces: Sequence[Losses]) -> Losses:
    """Return the losses of all runs, from those of some of them, in order."""
    return Losses(per_run.joined(pieces), tuple(kind for piece in pieces for kind in piece.chosen))


@dataclass(frozen=True)
class Limits:
    """What theory allows for the mean squared error: a bound, the error of sampling, and that of a trusted server."""

    cramer_rao: float
    sampling: float
    central: float


def limits(setting: ldp.Setting, data: ldp.Histogram | None) -> Limits:
    """Return what theory allows for the mean squared error at a setting."""
    m, n = setting.make_mechanism(), setting.n
    true = (data or setting.make_histogram()).frequencies
    return Limits(
        cramer_rao=ldp.theory.cramer_rao(m, true, n, against="users").mse,
        sampling=ldp.theory.sampling_mse(true, n),
        central=ldp.theory.central_mse(setting.eps, n),
    )


def slow_estimate(result: ldp.Result, key: str, number: int) -> npt.NDArray[np.float64]:
    """Return what a slow estimator makes of one run, shape (1, k)."""
    return _one_run(result, number).estimate(key)


def auto_choice(result: ldp.Result, number: int) -> ldp.Choice:
    """Return what auto chooses in one run."""
    return _one_run(result, number).choices[0]


def _one_run(result: ldp.Result, number: int) -> ldp.Result:
    names, one = ("counts", "mi", "ibu", "iterations", "converged"), [number]
    return replace(result, **{name: getattr(result, name)[one] for name in names})


def choice(groups: Sequence[tuple[npt.NDArray[np.int64], int, ldp.Mechanism]], ordered: bool) -> ldp.Choice:
    """Return what auto chooses by the counts of one collection: one group of users for each ε."""
    return ldp.choose_groups(groups, ordered=ordered)


def one_collection(setting: ldp.Setting, data: ldp.Histogram | None, number: int) -> Collection:
    """Return what was collected in one run, by its number from 1."""
    return _some(collect(setting, data), number - 1, 1)


def achieved(
    setting: ldp.Setting, data: ldp.Histogram | None, estimators: tuple[str, ...], level: float
) -> dict[tuple[str, str], Measured]:
    """Return what estimators reach at a setting, by (kind of accuracy, estimator)."""
    return reached(ldp.run(setting, data), estimators, level)


def reached(result: ldp.Result, estimators: tuple[str, ...], level: float) -> dict[tuple[str, str], Measured]:
    """Return what estimators reach in a result, by (kind of accuracy, estimator)."""
    kinds = [Accuracy(kind, 1.0, level) for kind in advisor.KINDS]
    return {(a.kind, key): advisor.achieved(result, key, a) for a in kinds for key in estimators}


def error_at(setting: ldp.Setting, data: ldp.Histogram | None, estimator: str, accuracy: Accuracy) -> Measured:
    """Return an estimator's error at a setting with as many users; the histogram keeps its shape."""
    here = data or setting.make_histogram()
    if ldp.estimator(estimator).closed_form:
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
