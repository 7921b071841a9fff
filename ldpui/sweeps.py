"""Sweeps on a page: results appear as they are computed, and a change of the controls stops the old sweep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

import ldpcore as ldp
from ldpui import auto_choices, cache, session
from ldpui.computing import compute, work
from ldpui.own import Upload
from ldpui.progress import Bar


@dataclass(frozen=True)
class Measure:
    """An error, or a gain over MI, at a setting: an estimator's key, or that after "gain_"; mean and standard error."""

    setting: ldp.Setting
    quantity: str
    mean: float
    se: float

    @property
    def estimator(self) -> ldp.Estimator:
        """Whose error or gain it is."""
        return ldp.estimator(self.quantity.removeprefix("gain_"))

    @property
    def is_gain(self) -> bool:
        """Whether it is a gain."""
        return self.quantity.startswith("gain_")


class Mean(NamedTuple):
    """A mean over runs. A tuple, because thousands of them are unpickled at every step of a page."""

    mean: float
    se: float


@dataclass(frozen=True, eq=False)
class Errors:
    """What estimators miss at a setting, and what auto chose how often; nothing where it was not asked."""

    _means: dict[tuple[str, str], Mean]
    chosen: dict[str, int]

    @classmethod
    def of(cls, losses: work.Losses, estimators: tuple[str, ...]) -> Errors:
        """Return the mean losses of estimators by every metric, and their gains over MI."""
        means = {}
        for metric in ldp.METRICS:
            for name in estimators:
                loss = losses.of(name, metric)
                means[metric, name] = _mean(loss)
                if name != "mi":
                    mi = losses.of("mi", metric)
                    # Over an infinite error every finite one gains all, which says nothing.
                    gain = _mean(ldp.gain(mi, loss)) if np.isfinite(mi).all() else Mean(np.nan, np.nan)
                    means[metric, f"gain_{name}"] = gain
        return cls(means, auto_choices.tally(losses.chosen))

    def at(self, setting: ldp.Setting, metric: str) -> list[Measure]:
        """Return the errors and gains by a metric, of the setting that these are the errors of."""
        return [Measure(setting, quantity, *mean) for (by, quantity), mean in self._means.items() if by == metric]


def _mean(values: npt.ArrayLike) -> Mean:
    summary = ldp.Summary(values)
    return Mean(summary.mean, summary.se)


@cache.by_setting(20_000, 5_000, apart=True)
def errors(setting: ldp.Setting, data: Upload | None, estimators: tuple[str, ...]) -> Errors:
    """Return the estimators' losses at a setting, their gains over MI, and what auto chose."""
    ((_, losses),) = simulated([setting], data, estimators, lambda done, total: None)
    return Errors.of(losses, estimators)


def simulated(
    settings: Sequence[ldp.Setting],
    data: Upload | None,
    estimators: tuple[str, ...],
    tell: Callable[[int, int], None],
) -> Iterator[tuple[ldp.Setting, work.Losses]]:
    """Simulate settings on all workers; yield each with what the estimators miss, as they are done."""
    keys = _with_mi(estimators)
    work.check_plain(settings, len(keys))
    work.check(settings, iterated=work.takes_steps(keys))
    if "auto" in keys:
        work.check_auto(settings)
    parts = list(work.parts(settings, _cost(keys)))
    tasks = [(part, cache.own_histogram(part.settings[0], data), keys) for part in parts]
    known = [cache.same(work.losses, part, data, keys) for part in parts]
    waiting = Counter(setting for part in parts for setting in part.settings)
    pieces: dict[ldp.Setting, dict[int, work.Losses]] = {}
    done = 0
    for answer in compute.stream(work.losses, tasks, known):
        if answer is not None:
            done += 1
            part = parts[answer[0]]
            for setting, losses in zip(part.settings, answer[1], strict=True):
                here = pieces.setdefault(setting, {})
                here[part.first] = losses
                if len(here) == waiting[setting]:
                    yield setting, work.joined([here[first] for first in sorted(here)])
        tell(done, len(parts))


def begin(settings: Sequence[ldp.Setting], estimators: tuple[str, ...]) -> None:
    """Have settings begun that a page is going to have `simulated`, on data that are not somebody's own."""
    keys = _with_mi(estimators)
    for part in work.parts(settings, _cost(keys)):
        compute.begin(work.losses, part, None, keys, key=cache.same(work.losses, part, None, keys))


def _with_mi(estimators: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(("mi", *estimators)))


def _cost(estimators: tuple[str, ...]) -> Callable[[ldp.Setting], int]:
    """Return what says how much a setting takes with these estimators: the slowest of them does."""
    if "auto" in estimators:
        return work.auto_amount
    return work.amount if work.takes_steps(estimators) else work.plain_amount


def chosen(settings: Sequence[ldp.Setting], estimators: tuple[str, ...]) -> list[tuple[ldp.Setting, dict[str, int]]]:
    """Return what auto chose how often at settings whose errors are known."""
    data = session.data_of(settings[0]) if settings else None
    known = [(setting, errors.known(setting, data, estimators)) for setting in settings]
    return [(setting, here.chosen) for setting, here in known if here is not None and here.chosen]


def limits(settings: Sequence[ldp.Setting]) -> list[tuple[ldp.Setting, work.Limits]]:
    """Ask theory about many settings, with progress."""
    data = session.data_of(settings[0]) if settings else None
    calls = [(setting, data) for setting in settings]
    with Bar("What theory allows") as bar:
        for _ in cache.limits.fill(work.limits, calls, lambda t, _: (t, cache.own_histogram(t, data)), bar.tell):
            pass
    return [(setting, cache.limits(setting, data)) for setting in settings]


def progressive(
    settings: Sequence[ldp.Setting],
    metric: str,
    estimators: tuple[str, ...],
    draw: Callable[[list[Measure]], None],
) -> list[Measure]:
    """Compute the errors of many settings; call `draw` with what there is, a few times a second, if it has grown."""
    data = session.data_of(settings[0]) if settings else None
    known = {setting: errors.known(setting, data, estimators) for setting in settings}
    rows: list[Measure] = []

    def measures() -> list[Measure]:
        now = ((setting, known[setting]) for setting in settings)
        return [measure for setting, here in now if here is not None for measure in here.at(setting, metric)]

    def drawn() -> None:
        known_now = measures()
        if len(known_now) > len(rows):  # what has not changed is not drawn anew
            rows[:] = known_now
            draw(rows)

    new = [setting for setting, here in known.items() if here is None]
    with Bar("Simulating", drawn) as bar:
        for setting, losses in simulated(new, data, estimators, bar.tell):
            known[setting] = errors.keep(Errors.of(losses, estimators), setting, data, estimators)
    return measures()
