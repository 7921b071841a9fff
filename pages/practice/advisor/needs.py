"""What each mechanism and estimator needs to be accurate enough: the least ε, or the smallest number of users."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy, Answer, Candidate, Measured
from ldpui import cache, session
from ldpui.computing import compute, work
from ldpui.own import Upload
from ldpui.progress import Bar
from pages.practice.advisor import runs
from pages.practice.advisor.errors import AUTO, ITERATED, QUICK
from pages.practice.advisor.participants import Twin, suited, twin_of
from pages.practice.advisor.question import Question

# A search with many steps at every place is the slowest thing here.
_ITERATED_RUNS = 50
# So many places are simulated, about, until an answer is found.
_PLACES = 6


@dataclass(frozen=True)
class Need:
    """A mechanism with an estimator, what it needs, and the mechanism as it would then be."""

    mechanism: ldp.Mechanism
    estimator: str
    answer: Answer

    @property
    def candidate(self) -> Candidate:
        """The need in the place of an error, with a standard error; what is out of reach has none."""
        spread = (self.answer.high - self.answer.low) / 4 if self.answer.reached else 0.0
        return Candidate(self.mechanism, self.estimator, Measured(self.answer.value, spread))

    @property
    def name(self) -> str:
        return self.candidate.name


@dataclass(frozen=True)
class Needs:
    """What is needed, the least first, and the mechanisms that would be the same as others there."""

    rows: tuple[Need, ...] = ()
    twins: tuple[Twin, ...] = ()

    def candidates(self, settings: Sequence[ldp.Setting], sought: str) -> list[Candidate]:
        """Return the needs that can be met in the place of errors, every mechanism at the privacy of the first."""
        by_name = {t.mechanism: t for t in settings}
        met = [row for row in self.rows if row.answer.reached]
        if sought != "eps":
            return [row.candidate for row in met]
        return [replace(row.candidate, mechanism=_at_eps(by_name, row, met[0].answer.value)) for row in met]


def _at_eps(by_name: dict[str, ldp.Setting], row: Need, eps: float) -> ldp.Mechanism:
    """Return the mechanism at this ε, or as it is if it can't have that one."""
    try:
        return core.at(by_name[row.mechanism.name], "eps", eps).make_mechanism()
    except ldp.Refused:
        return row.mechanism


@cache.by_setting(1_000, 200, apart=True)
def answers(
    s: ldp.Setting, data: Upload | None, accuracy: Accuracy, sought: str, estimators: tuple[str, ...], often: int
) -> dict[str, Answer]:
    """Return the least ε or number of users for each estimator."""
    key = cache.same(work.needed, s, data, accuracy, sought, estimators, often)
    return compute.run(work.needed, *_task(s, data, accuracy, sought, estimators, often), key=key)


def _often(t: ldp.Setting) -> int:
    """Return how often the iterated estimators are simulated at each place of a search."""
    return min(runs.iterated([t]), _ITERATED_RUNS)


def check(settings: Sequence[ldp.Setting]) -> None:
    """Refuse a search with many steps that would take minutes."""
    work.check([replace(t, runs=_often(t)) for t in settings], places=_PLACES)


def _task(s: ldp.Setting, data: Upload | None, *rest: Any) -> tuple[Any, ...]:
    return s, cache.own_histogram(s, data), *rest


def search(q: Question) -> Iterator[Needs]:
    """Search for every mechanism and estimator, on all workers; yield what there is after each of them."""
    sought, needs, data = str(q.sought), Needs(), session.data_of(q.setting)
    quick_first = sorted(q.settings, key=lambda t: runs.is_slow(t.mechanism))
    jobs: dict[tuple[Any, ...], ldp.Setting] = {}
    quick, iterated = suited(QUICK, data), suited(ITERATED, data)
    for t in quick_first:
        jobs[replace(t, runs=1, max_iter=1), data, q.accuracy, sought, quick, runs.search(t)] = t
    for t in quick_first if q.iterated else ():
        jobs[replace(t, runs=1), data, q.accuracy, sought, iterated, _often(t)] = t
    # auto takes longest, because it tries all others on many halves of the users: fewest runs, and last.
    for t in quick_first if q.auto else ():
        jobs[replace(t, runs=1, max_iter=1), data, q.accuracy, sought, (AUTO,), runs.choosing(t)] = t
    with Bar("searching") as bar:
        for job in answers.fill(work.needed, list(jobs), _task, bar.tell, long=True):
            for key, answer in answers(*job).items():
                needs = _with(needs, jobs[job], key, answer, sought)
            yield needs


def _with(needs: Needs, t: ldp.Setting, estimator: str, answer: Answer, sought: str) -> Needs:
    """Add one answer, unless the mechanism would be the same as another one there."""
    there = core.at(t, sought, answer.value) if answer.reached and sought == "eps" else t
    m = there.make_mechanism()
    twin = twin_of(m) if answer.reached else None
    if twin is not None:
        return replace(needs, twins=(*needs.twins, twin))
    rows = sorted((*needs.rows, Need(m, estimator, answer)), key=lambda row: row.answer.value)
    return replace(needs, rows=tuple(rows))
