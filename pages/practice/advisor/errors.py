"""The errors that the Advisor ranks: at the setting, and at other ε and numbers of users."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy, Candidate, Measured
from ldpui import cache, session
from ldpui.own import Upload
from ldpui.privacy import same_privacy
from ldpui.progress import with_progress
from pages.practice.advisor import runs
from pages.practice.advisor.participants import EPS_GRID

LEVEL = 0.95
ADVISED = tuple(e for e in ldp.ESTIMATORS.values() if e.advised)
# Those that take many steps come last.
QUICK = tuple(e.key for e in ADVISED if not e.iterated)
ITERATED = tuple(e.key for e in ADVISED if e.iterated)


@cache.by_setting(400, 60)
def errors(
    settings: tuple[ldp.Setting, ...], data: Upload | None, estimators: tuple[str, ...]
) -> list[dict[tuple[str, str], Measured]]:
    """Return for each setting what its estimators reach, by (kind of accuracy, estimator)."""
    results = ldp.run_together(settings, cache.own_histogram(settings[0], data))
    kinds = [Accuracy(kind, 1.0, LEVEL) for kind in core.KINDS]
    return [{(a.kind, key): core.achieved(r, key, a) for a in kinds for key in estimators} for r in results]


def candidates(settings: Sequence[ldp.Setting], kind: str, iterated: bool = False) -> list[Candidate]:
    """Simulate the quick estimators, or those that take many steps, for every mechanism."""
    if not iterated:
        return _quick(settings, kind, runs.steady)
    return _measured([replace(t, runs=runs.iterated(settings)) for t in settings], kind, ITERATED)


def _quick(settings: Sequence[ldp.Setting], kind: str, often: Callable[[ldp.Setting], int]) -> list[Candidate]:
    return _measured([runs.without_iterations(t, often(t)) for t in settings], kind, QUICK)


def _measured(settings: Sequence[ldp.Setting], kind: str, estimators: tuple[str, ...]) -> list[Candidate]:
    measured = errors(tuple(settings), session.data_of(settings[0]), estimators)
    return [
        Candidate(t.make_mechanism(), key, by_kind[kind, key])
        for t, by_kind in zip(settings, measured, strict=True)
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
    return estimator == "raw"


@cache.by_setting(4_000, 500)
def error_at(s: ldp.Setting, data: Upload | None, eps: float, n: int, estimator: str, kind: str) -> Measured:
    """Return an estimator's error at another ε and n; the histogram keeps its shape."""
    accuracy = Accuracy(kind, 1.0, LEVEL)
    there = core.at(core.at(s, "eps", eps), "n", n)
    here = cache.histogram(s, data)
    if in_closed_form(estimator):
        return Measured(core.raw_error(there.make_mechanism(), here.counts / here.n, n, accuracy), 0.0)
    return core.achieved(ldp.run(there, core.scaled(here, n)), estimator, accuracy)


@dataclass(frozen=True, eq=False)
class ErrorGrid:
    """Errors over ε (across) and the number of users (down); nan where that ε is not possible."""

    eps: tuple[float, ...]
    users: tuple[int, ...]
    errors: npt.NDArray[np.float64]


def error_grid(s: ldp.Setting, first: Candidate, accuracy: Accuracy) -> ErrorGrid:
    """Return the errors of the first over ε and the number of users, with progress."""
    t = same_privacy(core.at(s, "eps", first.mechanism.eps), first.mechanism.name)
    often = runs.grid(s, first)
    iterated = ldp.estimator(first.estimator).iterated
    t = replace(t, runs=often) if iterated else runs.without_iterations(t, often)
    users, data = runs.users(first), session.data_of(t)
    z = np.full((len(users), len(EPS_GRID)), np.nan)
    for i, j in with_progress(list(np.ndindex(*z.shape)), "other ε and n"):
        with contextlib.suppress(ldp.InfeasibleError):
            z[i, j] = error_at(t, data, EPS_GRID[j], users[i], first.estimator, accuracy.kind).value
    return ErrorGrid(EPS_GRID, users, z)
