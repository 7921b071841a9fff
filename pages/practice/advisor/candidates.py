"""What the page Advisor asks and computes."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy, Answer, Candidate, Measured
from ldpcore.theory.attack import Chance
from ldpui import cache, glossary, own, vocabulary, widgets
from ldpui.privacy import eps_inf, same_privacy
from pages.practice.advisor import controls

NAMES = core.ESTIMATORS
# All but IBU as iterated: they take no time.
QUICK = tuple(key for key in NAMES if not ldp.ESTIMATORS[key].iterated)
LEVEL = 0.95
MANY_REPORTS, AGAIN = 100, 10
MAP_RUNS = 200
# Rows times values times iterations of IBU that keep a reader waiting for about a second.
_IBU_WORK = 7e8
_PAUSE = 0.25
SOUGHT = {controls.SOLVE[1]: "eps", controls.SOLVE[2]: "n"}
HIDDEN = {controls.SOLVE[1]: ("privacy",), controls.SOLVE[2]: ("users",)}
EPS_GRID = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
N_GRID = tuple(10**power for power in range(2, 10))


# ---- the questions ------------------------------------------------------------------


def ask_accuracy() -> Accuracy:
    """Ask what counts as accurate enough. Both scales are there, one hidden: so both stay in the URL."""
    kind, bound = st.columns([1, 2], gap="medium", vertical_alignment="bottom")
    with kind:
        goal = widgets.pick("What must be accurate?", "goal", controls.GOALS, help=glossary.GOAL)
    with bound, st.container(key="goal_points"):
        points = widgets.slide("All bins within ± percentage points, 95% of the time", "points", controls.POINTS)
    with bound, st.container(key="goal_tv"):
        tv = widgets.slide("Total variation at most, on average", "tv", controls.TV_BOUNDS)
    every = goal == controls.GOALS[0]
    st.html(f"<style>.st-key-{'goal_tv' if every else 'goal_points'} {{ display: none; }}</style>")
    return Accuracy("every bin", float(points) / 100, LEVEL) if every else Accuracy("tv", float(tv), LEVEL)


def mechanisms(s: ldp.Setting, any_eps: bool = False) -> tuple[list[ldp.Setting], list[str]]:
    """Return the setting with each mechanism of its kind, and sentences on those that are left out.

    `any_eps`: ε is what is looked for, so a mechanism may take part if it can have any.
    """
    found, notes = [], []
    for name in ldp.ONE_TIME if s.mechanism in ldp.ONE_TIME else ldp.LONGITUDINAL:
        t, reason = _somewhere(s, name) if any_eps else _here(s, name)
        if t is None:
            notes.append(f"{name} is left out: {reason}.")
        else:
            found.append(t)
    return found, notes


def _here(s: ldp.Setting, name: str) -> tuple[ldp.Setting | None, str | None]:
    """Return the setting with a mechanism, or why it is left out."""
    try:
        t = same_privacy(s, name)
    except ldp.InfeasibleError as error:
        return None, str(error)
    same = twin(t.make_mechanism())
    return (None, same) if same else (t, None)


def _somewhere(s: ldp.Setting, name: str) -> tuple[ldp.Setting | None, str | None]:
    """Return the setting with a mechanism at an ε that it can have, the setting's own if it can."""
    for eps in (s.eps, *EPS_GRID):
        with contextlib.suppress(ldp.InfeasibleError):
            return same_privacy(core.at(s, "eps", eps), name), None
    return None, f"its first report can't cost {100 * s.eps / eps_inf(s):.0f}% of ε∞, whatever ε∞ is"


def twin(m: ldp.Mechanism) -> str | None:
    """Say of which other mechanism this one is the same here, if it is: then noise alone would tell them apart."""
    if getattr(m, "omega", None) == 1:
        return "here it sends a single value, and is the same as GRR"
    if m.name.endswith("OLH") and getattr(m, "g", None) == 2:
        return f"here it hashes to two cells, and is the same as {m.name.replace('OLH', 'BLH')}"
    return None


# ---- errors at a setting ------------------------------------------------------------


def steady_runs(t: ldp.Setting) -> int:
    """Return how often to simulate what is quick: a 95 % quantile needs more runs than a mean. SS takes its time."""
    return max(t.runs, 400 if t.mechanism != "SS" or t.k <= 100 else 200 if t.k <= 300 else 100)


def search_runs(t: ldp.Setting) -> int:
    """Return how often to simulate at each place of a search; its answer rests on several places."""
    return 40 if t.mechanism == "SS" and t.k > 300 else core.RUNS


def ibu_runs(settings: Sequence[ldp.Setting]) -> int:
    """Return how often to simulate IBU's iterations."""
    s = settings[0]
    return int(min(max(s.runs, _IBU_WORK // (len(settings) * s.k * s.max_iter)), steady_runs(s)))


@cache.by_setting(400, 60)
def errors(settings: tuple[ldp.Setting, ...], estimators: tuple[str, ...]) -> list[dict[tuple[str, str], Measured]]:
    """Return for each setting what its estimators reach, by (kind of accuracy, estimator)."""
    results = ldp.run_together(settings, own.histogram(settings[0]))
    kinds = [Accuracy(kind, 1.0, LEVEL) for kind in core.KINDS]
    return [{(a.kind, name): core.achieved(r, name, a) for a in kinds for name in estimators} for r in results]


def candidates(settings: Sequence[ldp.Setting], kind: str, iterated: bool = False) -> list[Candidate]:
    """Simulate the quick estimators, or IBU as iterated, for every mechanism."""
    estimators = ("ibu",) if iterated else QUICK
    if iterated:
        todo = [replace(t, runs=ibu_runs(settings)) for t in settings]
    else:
        todo = [replace(t, runs=steady_runs(t), max_iter=1) for t in settings]
    found = errors(tuple(todo), estimators)
    return [
        Candidate(t.make_mechanism(), name, reached[kind, name])
        for t, reached in zip(todo, found, strict=True)
        for name in estimators
    ]


@cache.by_setting(4_000, 500)
def error_at(s: ldp.Setting, eps: float, n: int, estimator: str, kind: str) -> Measured:
    """Return an estimator's error at another ε and n; the histogram keeps its shape."""
    accuracy = Accuracy(kind, 1.0, LEVEL)
    there = core.at(core.at(s, "eps", eps), "n", n)
    data = cache.histogram(s)
    if estimator == "raw":
        return Measured(core.raw_error(there.make_mechanism(), data.counts / data.n, n, accuracy), 0.0)
    return core.achieved(ldp.run(there, core.scaled(data, n)), estimator, accuracy)


def grid_runs(s: ldp.Setting, first: Candidate) -> int:
    """Return how often to simulate each place of the lines of equal error."""
    return s.runs if first.estimator == "ibu" else 40 if first.mechanism.name == "SS" else 100


def n_grid(first: Candidate) -> tuple[int, ...]:
    """Return the numbers of users of the lines of equal error; fewer for SS with many values, which takes its time."""
    return N_GRID[::2] + N_GRID[-1:] if first.mechanism.name == "SS" and first.mechanism.k > 100 else N_GRID


def error_grid(s: ldp.Setting, first: Candidate, accuracy: Accuracy) -> npt.NDArray[np.float64]:
    """Return the errors over EPS_GRID (across) and `n_grid` (down), with progress; nan where ε is not possible."""
    t = same_privacy(core.at(s, "eps", first.mechanism.eps), first.mechanism.name)
    slow = first.estimator == "ibu"
    t = replace(t, runs=grid_runs(s, first), max_iter=t.max_iter if slow else 1)
    users = n_grid(first)
    z = np.full((len(users), len(EPS_GRID)), np.nan)
    for i, j in with_progress(list(np.ndindex(*z.shape)), "other ε and n"):
        with contextlib.suppress(ldp.InfeasibleError):
            z[i, j] = error_at(t, EPS_GRID[j], users[i], first.estimator, accuracy.kind).value
    return z


def without_twins(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out mechanisms that are the same as another one: the two would never be told apart."""
    return [r for r in rows if not twin(r["setting"].make_mechanism())]


# ---- what is needed -----------------------------------------------------------------


@dataclass(frozen=True)
class Row:
    """A mechanism with an estimator, what it needs, and the mechanism as it would then be."""

    mechanism: ldp.Mechanism
    estimator: str
    answer: Answer

    @property
    def name(self) -> str:
        return f"{self.mechanism.name} with {NAMES[self.estimator]}"


@cache.by_setting(1_000, 200)
def answers(
    s: ldp.Setting, accuracy: Accuracy, sought: str, estimators: tuple[str, ...], runs: int
) -> dict[str, Answer]:
    """Return the least ε or number of users."""
    return core.needed(s, accuracy, sought, estimators, cache.histogram(s), runs=runs)


def needed_rows(
    settings: Sequence[ldp.Setting],
    accuracy: Accuracy,
    sought: str,
    iterated: bool,
    draw: Callable[[list[Row]], None],
) -> list[Row]:
    """Search for every mechanism and estimator; call `draw` with what there is after each mechanism."""
    rows: list[Row] = []
    quick_first = sorted(settings, key=lambda t: t.mechanism == "SS")
    jobs = [(t, QUICK) for t in quick_first] + ([(t, ("ibu",)) for t in quick_first] if iterated else [])
    for t, estimators in with_progress(jobs, "searching"):
        runs = search_runs(t) if estimators == QUICK else min(ibu_runs([t]), 50)
        plain = replace(t, runs=1, max_iter=t.max_iter if "ibu" in estimators else 1)
        for name, answer in answers(plain, accuracy, sought, estimators, runs).items():
            there = core.at(t, sought, answer.value) if answer.reached and sought == "eps" else t
            m = there.make_mechanism()
            if not (answer.reached and twin(m)):
                rows.append(Row(m, name, answer))
        draw(by_need(rows))
    return by_need(rows)


def by_need(rows: Sequence[Row]) -> list[Row]:
    """Return the rows, the least need first."""
    return sorted(rows, key=lambda r: r.answer.value)


def as_candidates(rows: Sequence[Row], settings: Sequence[ldp.Setting], sought: str) -> list[Candidate]:
    """Return what is needed in the place of errors, every mechanism at the privacy of the first."""
    found = []
    by_name = {t.mechanism: t for t in settings}
    for r in rows:
        if r.answer.reached:
            m = r.mechanism
            if sought == "eps":
                try:
                    m = core.at(by_name[m.name], "eps", rows[0].answer.value).make_mechanism()
                except ldp.InfeasibleError:
                    m = r.mechanism
            found.append(Candidate(m, r.estimator, as_measured(r.answer)))
    return found


def as_measured(answer: Answer) -> Measured:
    """Return what is needed as a number with a standard error; what is out of reach has none."""
    spread = (answer.high - answer.low) / 4 if answer.reached else 0.0
    return Measured(answer.value, spread)


def at_answer(s: ldp.Setting, found: Sequence[Candidate], sought: str | None) -> ldp.Setting:
    """Return the setting with the ε or n that was found."""
    return core.at(s, sought, found[0].error.value) if sought and found else s


def with_progress(jobs: Sequence[Any], word: str) -> Iterator[Any]:
    """Go through jobs with a bar; drawing is also where Streamlit stops a script that is out of date."""
    bar, begun, drawn = st.empty(), time.monotonic(), time.monotonic()
    for done, job in enumerate(jobs):
        now = time.monotonic()
        if done and now - drawn > _PAUSE:
            drawn = now
            left = (now - begun) / done * (len(jobs) - done)
            bar.progress(done / len(jobs), f"{word}: {done} of {len(jobs)}, about {left:.0f} s left")
        yield job
    bar.empty()


# ---- the attacker -------------------------------------------------------------------


@st.cache_data(max_entries=2_000, show_spinner=False)
def _guessed(name: str, k: int, eps: float, eps_inf: float | None, calibration: str, reports: float) -> Chance:
    more = {"eps_inf": eps_inf, "calibration": calibration} if eps_inf is not None else {}
    return ldp.theory.attack_success_after(ldp.mechanism(name, k=k, eps=eps, **more), reports)


def guessed(m: ldp.Mechanism, reports: float) -> Chance:
    """Return how often the best guess from so many reports of a user is right."""
    wide, how = m.eps_inf, m.calibration or "published"
    return _guessed(m.name, m.k, m.eps, wide, how, reports)


# ---- other data ---------------------------------------------------------------------


@dataclass(frozen=True)
class Elsewhere:
    """What every mechanism reaches with its best estimator, if the data were other."""

    label: str
    best: dict[str, Candidate]

    @property
    def order(self) -> list[str]:
        return sorted(self.best, key=lambda name: self.best[name].error.value)


def elsewhere(s: ldp.Setting, kind: str) -> list[Elsewhere]:
    """Ask the same for each of the six distributions, and for the visitor's own data if that is chosen."""
    names = list(ldp.DATASETS) + ([s.data] if s.data == ldp.OWN_DATA else [])
    found = []
    for name in with_progress(names, "other data"):
        t = s if name == s.data else replace(s, data=name, params=())
        best: dict[str, Candidate] = {}
        for c in core.ranked(candidates(mechanisms(t)[0], kind)):
            best.setdefault(c.mechanism.name, c)
        label = vocabulary.OWN if name == ldp.OWN_DATA else ldp.distribution(name).label
        found.append(Elsewhere(label, best))
    return found
