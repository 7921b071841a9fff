"""The errors that the Advisor ranks: at the setting, and at other ε and numbers of users."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy, Candidate, Measured
from ldpui import cache, session
from ldpui.computing import compute, work
from ldpui.own import Upload
from ldpui.privacy import same_privacy
from ldpui.progress import Bar
from pages.practice.advisor import runs
from pages.practice.advisor.participants import EPS_GRID, suited

LEVEL = 0.95
ADVISED = tuple(e for e in ldp.ESTIMATORS.values() if e.advised)
# Those that take many steps come last.
QUICK = tuple(e.key for e in ADVISED if not e.iterated)
ITERATED = tuple(e.key for e in ADVISED if e.iterated)
# auto tries all others on many halves of the users and takes longest, so it is computed only on demand.
AUTO = "auto"


@cache.by_setting(4_000, 500, apart=True)
def errors(s: ldp.Setting, data: Upload | None, estimators: tuple[str, ...]) -> dict[tuple[str, str], Measured]:
    """Return what estimators reach at a setting, by (kind of accuracy, estimator)."""
    return compute.run(work.achieved, *_task(s, data, estimators), key=cache.same(work.achieved, s, data, estimators))


def _task(s: ldp.Setting, data: Upload | None, estimators: tuple[str, ...]) -> tuple[Any, ...]:
    return s, cache.own_histogram(s, data), estimators, LEVEL


def candidates(settings: Sequence[ldp.Setting], kind: str, iterated: bool = False) -> list[Candidate]:
    """Simulate the quick estimators, or those that take many steps, for every mechanism."""
    if not iterated:
        return _quick(settings, kind, runs.steady)
    often = [replace(t, runs=runs.iterated(settings)) for t in settings]
    _run_the_long_ones(often)
    return _measured(often, kind, ITERATED)


def _run_the_long_ones(settings: Sequence[ldp.Setting]) -> None:
    """Have what takes longer than a moment simulated in slices on all workers, each of which can be left."""
    for t in settings:
        data = session.data_of(t)
        keys = suited(ITERATED, data)
        if len(work.slices(t)) > 1 and errors.known(t, data, keys) is None:
            with Bar(f"IBU of {t.mechanism}") as bar:
                result = cache.run_slices(t, data, bar.tell)
            errors.keep(work.reached(result, keys, LEVEL), t, data, keys)


def with_auto(settings: Sequence[ldp.Setting], kind: str) -> list[Candidate]:
    """Simulate `auto` for every mechanism, with progress."""
    with Bar(AUTO) as bar:
        return _measured([runs.without_iterations(t, runs.choosing(t)) for t in settings], kind, (AUTO,), bar.tell)


def _quick(settings: Sequence[ldp.Setting], kind: str, often: Callable[[ldp.Setting], int]) -> list[Candidate]:
    return _measured([runs.without_iterations(t, often(t)) for t in settings], kind, QUICK)


def _measured(
    settings: Sequence[ldp.Setting],
    kind: str,
    estimators: tuple[str, ...],
    tell: Callable[[int, int], None] | None = None,
) -> list[Candidate]:
    data = session.data_of(settings[0])
    estimators = suited(estimators, data)
    # All settings are computed at once, on all workers; below they are only looked up.
    for _ in errors.fill(work.achieved, [(t, data, estimators) for t in settings], _task, tell, long=True):
        pass
    return [
        Candidate(mechanism, key, reached[kind, key])
        for mechanism, reached in ((t.make_mechanism(), errors(t, data, estimators)) for t in settings)
        for key in estimators
    ]


def refined(settings: Sequence[ldp.Setting], kind: str, candidates: Sequence[Candidate]) -> list[Candidate]:
    """Simulate the mechanism of the first, and those too close to it to call, more often."""
    leading = {core.ranked(candidates)[0].mechanism.name, *core.as_good(candidates)}
    often = [t for t in settings if t.mechanism in leading]
    better = {(c.mechanism.name, c.estimator): c for c in _quick(often, kind, runs.fine)}
    return [better.get((c.mechanism.name, c.estimator), c) for c in candidates]


def in_closed_form(estimator: str) -> bool:
    """Tell whether an estimator's error is known without simulation: that of raw MI is."""
    return ldp.estimator(estimator).closed_form


@cache.by_setting(4_000, 500, apart=True)
def error_at(s: ldp.Setting, data: Upload | None, eps: float, n: int, estimator: str, kind: str) -> Measured:
    """Return an estimator's error at another ε and n; the histogram keeps its shape."""
    key = cache.same(work.error_at, s, data, eps, n, estimator, kind)
    return compute.run(work.error_at, *_task_at(s, data, eps, n, estimator, kind), key=key)


def _task_at(s: ldp.Setting, data: Upload | None, eps: float, n: int, estimator: str, kind: str) -> tuple[Any, ...]:
    here = cache.histogram(s, data)
    return core.at(core.at(s, "eps", eps), "n", n), here, estimator, Accuracy(kind, 1.0, LEVEL)


def _possible(s: ldp.Setting, eps: float) -> bool:
    try:
        core.at(s, "eps", eps)
    except ldp.Refused:
        return False
    return True


@dataclass(frozen=True)
class ErrorGrid:
    """Errors over ε (across) and the number of users (down); nan where that ε is not possible."""

    eps: tuple[float, ...]
    users: tuple[int, ...]
    errors: tuple[tuple[float, ...], ...]


def error_grid(s: ldp.Setting, first: Candidate, accuracy: Accuracy) -> ErrorGrid:
    """Return the errors of the first over ε and the number of users, with progress."""
    t = same_privacy(core.at(s, "eps", first.mechanism.eps), first.mechanism.name)
    often = runs.grid(s, first)
    iterated = ldp.estimator(first.estimator).iterated
    t = replace(t, runs=often) if iterated else runs.without_iterations(t, often)
    users, data = runs.users(first), session.data_of(t)
    z = np.full((len(users), len(EPS_GRID)), np.nan)
    places = {
        (t, data, eps, n, first.estimator, accuracy.kind): (i, j)
        for j, eps in enumerate(EPS_GRID)
        if _possible(t, eps)
        for i, n in enumerate(users)
    }
    work.check([t], iterated=iterated, places=len(places))
    with Bar("other ε and n") as bar:
        for call in error_at.fill(work.error_at, list(places), _task_at, bar.tell, long=True):
            z[places[call]] = error_at(*call).value
    return ErrorGrid(EPS_GRID, users, tuple(map(tuple, z.tolist())))
