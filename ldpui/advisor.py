"""What the page Advisor asks, computes and says."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy, Answer, Candidate, Measured
from ldpcore.attack import Chance
from ldpui import cache, compare, controls, own, registry, words
from ldpui.readable import significant
from ldpui.sentences import error_digits, times

# All but IBU as iterated: they take no time.
QUICK = ("none", "mi", "norm-sub", "limit")
NAMES = core.ESTIMATORS
LEVEL = 0.95
MANY_REPORTS, AGAIN = 100, 10
MAP_RUNS = 200
GRID_RUNS = 100
# Rows times values times iterations of IBU that keep a reader waiting for about a second.
_IBU_WORK = 7e8
_PAUSE = 0.25
SOUGHT = {registry.SOLVE[1]: "eps", registry.SOLVE[2]: "n"}
HIDDEN = {registry.SOLVE[1]: ("privacy",), registry.SOLVE[2]: ("users",)}
EPS_GRID = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)
N_GRID = (10**3, 10**4, 10**5, 10**6, 10**8)


# ---- the questions ------------------------------------------------------------------


def ask_accuracy() -> Accuracy:
    """Ask what counts as accurate enough. Both scales are there, one hidden: so both stay in the URL."""
    kind, bound = st.columns([1, 2], gap="medium", vertical_alignment="bottom")
    with kind:
        goal = controls.pick("What must be accurate?", "goal", registry.GOALS, help=words.GOAL)
    with bound, st.container(key="goal_points"):
        points = controls.slide("All bins within ± percentage points, 95% of the time", "points", registry.POINTS)
    with bound, st.container(key="goal_tv"):
        tv = controls.slide("Total variation at most, on average", "tv", registry.TV_BOUNDS)
    every = goal == registry.GOALS[0]
    st.html(f"<style>.st-key-{'goal_tv' if every else 'goal_points'} {{ display: none; }}</style>")
    return Accuracy("every bin", float(points) / 100, LEVEL) if every else Accuracy("tv", float(tv), LEVEL)


def mechanisms(s: ldp.Setting, any_eps: bool = False) -> tuple[list[ldp.Setting], list[str]]:
    """Return the setting with each mechanism of its kind, and sentences on those that can't have this privacy.

    `any_eps`: ε is what is looked for, so a mechanism may take part if it can have any.
    """
    found, notes = [], []
    for name in ldp.ONE_TIME if s.mechanism in ldp.ONE_TIME else ldp.LONGITUDINAL:
        tries = [s.eps, *(EPS_GRID if any_eps else ())]
        for eps in tries:
            try:
                found.append(compare.same_privacy(core.at(s, "eps", eps), name))
                break
            except ldp.InfeasibleError as error:
                if eps == tries[-1]:
                    notes.append(f"{name} is left out: {error}.")
    return found, notes


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
    if estimator == "none":
        return Measured(core.raw_error(there.make_mechanism(), data.counts / data.n, n, accuracy), 0.0)
    return core.achieved(ldp.run(there, core.scaled(data, n)), estimator, accuracy)


def error_grid(s: ldp.Setting, first: Candidate, accuracy: Accuracy) -> npt.NDArray[np.float64]:
    """Return the errors over EPS_GRID (across) and N_GRID (down), with progress; nan where ε is not possible."""
    t = compare.same_privacy(core.at(s, "eps", first.mechanism.eps), first.mechanism.name)
    slow = first.estimator == "ibu"
    t = replace(t, runs=s.runs if slow else GRID_RUNS, max_iter=t.max_iter if slow else 1)
    z = np.full((len(N_GRID), len(EPS_GRID)), np.nan)
    for i, j in with_progress(list(np.ndindex(*z.shape)), "other ε and n"):
        with contextlib.suppress(ldp.InfeasibleError):
            z[i, j] = error_at(t, EPS_GRID[j], N_GRID[i], first.estimator, accuracy.kind).value
    return z


def how_gridded(s: ldp.Setting, first: Candidate) -> str:
    """Say where the lines of equal error come from."""
    if first.estimator == "none":
        return "In closed form"
    runs = times(s.runs if first.estimator == "ibu" else GRID_RUNS, "run")
    return f"Simulated at {len(EPS_GRID) * len(N_GRID)} places, {runs} each, with straight lines between"


def without_twins(rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Leave out SS where it sends a single value: there it is GRR, and the two would never be told apart."""
    return [r for r in rows if getattr(r["setting"].make_mechanism(), "omega", 2) > 1]


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
            rows.append(Row(there.make_mechanism(), name, answer))
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
            found.append(Candidate(m, r.estimator, _as_measured(r.answer)))
    return found


def _as_measured(answer: Answer) -> Measured:
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
    wide, how = getattr(m, "eps_inf", None), getattr(m, "calibration", "published")
    return _guessed(m.name, m.k, m.eps, wide, how, reports)


def attack_sentence(m: ldp.Mechanism) -> str:
    """Say what an attacker makes of the reports of one user."""
    once, blind = guessed(m, 1), 1 / m.k
    text = (
        f"Somebody who sees one report of {m.name} and guesses the user's value is right {_share(once)} of the time "
        f"({_share(Chance(blind))} without any report, if all values are equally likely)"
    )
    if m.longitudinal:
        many, ever = guessed(m, MANY_REPORTS), guessed(m, math.inf)
        return f"{text}; after {MANY_REPORTS} reports {_share(many)}, and never more than {_share(ever)}."
    again = guessed(m, AGAIN)
    return (
        f"{text}. That holds for **one** report: asked {AGAIN} times with fresh noise, {_share(again)}. For repeated "
        "collections choose *repeatedly* above."
    )


def _share(chance: Chance) -> str:
    spread = f" ± {error_digits(100 * chance.se)}" if chance.se > 5e-5 else ""
    return f"{significant(100 * chance.chance)}{spread}%"


# ---- tables -------------------------------------------------------------------------


def unit(accuracy: Accuracy) -> float:
    """Return what errors are shown in: percentage points, or total variation as it is."""
    return 100.0 if accuracy.kind == "every bin" else 1.0


def error_table(found: Sequence[Candidate], accuracy: Accuracy) -> pd.DataFrame:
    """Return the ranked table of what is reached."""
    rows = []
    for place, c in enumerate(core.ranked(found), start=1):
        rows.append(
            {
                "No.": place,
                "Mechanism": c.mechanism.name,
                "Estimator": NAMES[c.estimator],
                "Error": unit(accuracy) * c.error.value,
                "±": unit(accuracy) * c.error.se,
                "Enough": _enough(c.error, accuracy.bound),
                **_properties(c.mechanism),
                "Runs": c.error.runs,
            }
        )
    return pd.DataFrame(rows)


def _enough(error: Measured, bound: float) -> str:
    if core.close(error, Measured(bound, 0.0)):
        return "too close"
    return "yes" if error.value <= bound else "no"


def needed_table(rows: Sequence[Row]) -> pd.DataFrame:
    """Return the ranked table of what is needed; what is out of reach has no number."""
    return pd.DataFrame(
        {
            "No.": place,
            "Mechanism": r.mechanism.name,
            "Estimator": NAMES[r.estimator],
            "Needed": _finite(r.answer.value),
            "from": _finite(r.answer.low),
            "to": _finite(r.answer.high),
            **(_properties(r.mechanism) if r.answer.reached else {}),
            "Found by": r.answer.method if r.answer.reached else "out of reach",
        }
        for place, r in enumerate(rows, start=1)
    )


def _finite(x: float) -> float:
    return x if math.isfinite(x) else math.nan


def _properties(m: ldp.Mechanism) -> dict[str, float]:
    found = {"Bits": m.report_bits, "Guessed once": 100 * guessed(m, 1).chance}
    if m.longitudinal:
        many = guessed(m, MANY_REPORTS)
        found |= {"After 100": 100 * many.chance, "± of that": 100 * many.se, "Ever": 100 * guessed(m, math.inf).chance}
    return found


def columns(accuracy: Accuracy, sought: str | None) -> dict[str, Any]:
    """Return how the columns are named, written and explained."""
    number = st.column_config.NumberColumn
    every = accuracy.kind == "every bin"
    error = "within ± (points)" if every else "total variation"
    users = sought == "n"
    return {
        "No.": number(width=40, help="Rank: the smallest error, or the least that is needed, comes first."),
        "Mechanism": st.column_config.TextColumn(help="How each user blurs the value before sending it."),
        "Estimator": st.column_config.TextColumn(help=_ESTIMATOR_HELP),
        "Error": number(error, format="%.3g", help=words.GOAL),
        "±": number(format="%.2g", help="Standard error of the simulation."),
        "Enough": st.column_config.TextColumn("enough?", help="Whether the accuracy asked for above is reached."),
        "Needed": number(
            "users needed" if users else "ε needed", format="localized" if users else "%.3g", help=words.NEEDED
        ),
        "from": number(format="localized" if users else "%.3g", help=words.NEEDED),
        "to": number(format="localized" if users else "%.3g", help=words.NEEDED),
        "Found by": st.column_config.TextColumn("found by", help=words.NEEDED),
        "Bits": number("bits", format="%.3g", help=words.BITS),
        "Guessed once": number("guessed from 1 (%)", format="%.3g", help=words.GUESS_ONCE),
        "After 100": number("after 100 (%)", format="%.3g", help=words.GUESS_MANY),
        "± of that": number("±", format="%.1g", help="Standard error of the simulation; 0 where the chance is exact."),
        "Ever": number("ever (%)", format="%.3g", help=words.GUESS_EVER),
        "Runs": number("runs", help=words.RUNS),
    }


_ESTIMATOR_HELP = "How the server makes a histogram of the reports.\n\n" + "\n".join(
    f"- **{name}**: {words.ESTIMATORS_WHAT[key]}" for key, name in NAMES.items()
)


# ---- sentences ----------------------------------------------------------------------


def goal_words(accuracy: Accuracy, bound: str | None = None) -> str:
    """Say what accuracy means, with the wanted bound or with another one."""
    if accuracy.kind == "tv":
        return f"total variation {'at most ' if bound is None else ''}{bound or significant(accuracy.bound)} on average"
    shown = bound or significant(100 * accuracy.bound)
    return f"every bin within ±{shown} percentage point{'' if shown == '1' else 's'}, 95% of the time"


def _with_error(value: float, se: float) -> tuple[str, str]:
    """Write a number and its standard error, both to the digit that the error allows.

    >>> _with_error(1.9361, 0.0598), _with_error(0.100556, 0.000903), _with_error(2.5, 0.0)
    (('1.94', ' (± 0.06)'), ('0.1006', ' (± 0.0009)'), ('2.5', ''))
    """
    if not (math.isfinite(se) and se > 5e-4 * value):
        return significant(value), ""
    places = max(0, -math.floor(math.log10(se)))
    return f"{value:.{places}f}", f" (± {se:.{places}f})"


def crowd(s: ldp.Setting, users: bool = True) -> str:
    """Say how many users and values there are."""
    return (f"{times(s.n, 'user')} and " if users else "") + times(s.k, "value")


def privacy(s: ldp.Setting) -> str:
    """Say what privacy there is."""
    if s.eps_inf is None:
        return f"ε = {significant(s.eps)}"
    return f"ε₁ = {significant(s.eps)} (ε∞ = {significant(s.eps_inf)})"


def accuracy_sentence(found: Sequence[Candidate], s: ldp.Setting, accuracy: Accuracy) -> str:
    """Say what the best reaches, and whether that is enough."""
    best = core.ranked(found)[0]
    reached, spread = _with_error(unit(accuracy) * best.error.value, unit(accuracy) * best.error.se)
    as_good = core.as_good(found)
    text = (
        f"**For {crowd(s)} at {privacy(s)}, {best.name} comes nearest to the truth: "
        f"{goal_words(accuracy, reached)}**{spread}" + (f"; {core.listed(as_good)} may be as good." if as_good else ".")
    )
    asked = goal_words(accuracy).split(",")[0]
    verdict = {
        "yes": f"That is enough for what you asked: {asked}.",
        "no": f"That is not enough for what you asked, {asked}: ask *which ε* or *how many users* above.",
        "too close": f"Whether that is enough for {asked} is too close to call.",
    }
    return f"{text} {verdict[_enough(best.error, accuracy.bound)]}"


def who(c: Candidate) -> str:
    """Say what a mechanism and an estimator do, for somebody who meets them for the first time."""
    m = c.mechanism
    text = f"**{m.name}**, {m.full_name}: {words.MECHANISMS[m.name]} **{NAMES[c.estimator]}**: "
    return text + words.ESTIMATORS_WHAT[c.estimator]


def needed_sentence(rows: Sequence[Row], s: ldp.Setting, accuracy: Accuracy, sought: str) -> str:
    """Say the least that is enough, or that nothing is."""
    best = rows[0]
    low, high = core.RANGES[sought]
    given = f"with {crowd(s)}" if sought == "eps" else f"with {crowd(s, users=False)} at {privacy(s)}"
    if not best.answer.reached:
        end = f"even at ε = {high:g}" if sought == "eps" else f"even with {high:,.0f} users"
        way = "More users, fewer bins" if sought == "eps" else "A larger ε, fewer bins"
        return (
            f"**No mechanism here reaches {goal_words(accuracy)}, {given}, {end}.** {way} or a wider bound would help."
        )
    a = best.answer
    what = _amount(best, sought)
    if a.value == low:
        return f"**{what}, the least that is looked at, is enough {given}**: {goal_words(accuracy)}, for {best.name}."
    spread = f" (between {_plain(a.low, sought)} and {_plain(a.high, sought)})" if a.high > a.low else ""
    verb = "is" if sought == "eps" else "are"
    as_good = core.as_good([Candidate(r.mechanism, r.estimator, _as_measured(r.answer)) for r in rows])
    others = f"; {core.listed(as_good)} may do with as little" if as_good else ""
    return f"**{what} {verb} enough**{spread} {given}: {goal_words(accuracy)}, for {best.name}{others}."


def _amount(row: Row, sought: str) -> str:
    if sought == "n":
        return f"{_plain(row.answer.value, sought)} users"
    wide = getattr(row.mechanism, "eps_inf", None)
    eps = _plain(row.answer.value, sought)
    return f"ε = {eps}" if wide is None else f"ε₁ = {eps} (ε∞ = {significant(wide)})"


def _plain(x: float, sought: str) -> str:
    if sought == "eps":
        return significant(x)
    return f"{round(x, 2 - math.floor(math.log10(x))):,.0f}"  # three digits: the noise leaves no more


def how_counted(settings: Sequence[ldp.Setting], accuracy: Accuracy, sought: str | None) -> str:
    """Say where the numbers come from."""
    t = settings[0]
    runs = {u.mechanism: search_runs(u) if sought else steady_runs(u) for u in settings}
    fewer = [f"{runs['SS']} for SS"] if runs.get("SS", 0) < max(runs.values()) and "SS" in runs else []
    often = times(max(runs.values()), "simulated collection")
    if sought is None:
        fewer.append(f"{ibu_runs(settings)} for IBU as iterated")
        text = f"Every error is from {often} ({', '.join(fewer)}); ± is one standard error"
    else:
        text = f"Every answer is from several places with {often} each{f' ({fewer[0]})' if fewer else ''}; *from* and "
        text += "*to* enclose what the noise of the simulation leaves open"
    if accuracy.kind == "every bin":
        text += ". *95% of the time* is about the noise of the mechanism; the data are the same"
    if sought == "n":
        text += ". With more users the histogram keeps its shape"
    if sought == "eps" and t.eps_inf is not None:
        text += f". ε∞ is {significant(t.eps_inf / t.eps)} times ε₁"
    return text + ". Raw MI can be negative, and does not sum to 100%. Full-report IBU is not in the table."


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
        label = registry.OWN if name == ldp.OWN_DATA else ldp.distribution(name).label
        found.append(Elsewhere(label, best))
    return found


def elsewhere_table(found: Sequence[Elsewhere], first: str, scale: float) -> pd.DataFrame:
    """Return for each distribution the best mechanism, and what staying with `first` would cost."""
    rows = []
    for e in found:
        best, mine = e.best[e.order[0]], e.best[first]
        more = f"+{significant(100 * (mine.error.value / best.error.value - 1), 2)}%"
        rows.append(
            {
                "If the data were": e.label,
                "best": best.name,
                "error": scale * best.error.value,
                "±": scale * best.error.se,
                "place": e.order.index(first) + 1,
                "own": scale * mine.error.value,
                "own ±": scale * mine.error.se,
                "cost": "nothing"
                if e.order[0] == first
                else f"{more}, too close to call"
                if core.close(best.error, mine.error)
                else more,
            }
        )
    return pd.DataFrame(rows)


def elsewhere_columns(accuracy: Accuracy, first: str) -> dict[str, Any]:
    """Return how the columns of `elsewhere_table` are written."""
    number = st.column_config.NumberColumn
    error = "error (points)" if accuracy.kind == "every bin" else "total variation"
    return {
        "error": number(error, format="%.3g", help=words.GOAL),
        "±": number(format="%.2g", help="Standard error of the simulation."),
        "place": number(f"{first} is no.", help="Each mechanism with its best estimator."),
        "own": number(f"{first}: {error}", format="%.3g", help=words.GOAL),
        "own ±": number("±", format="%.2g", help="Standard error of the simulation."),
        "cost": st.column_config.TextColumn(f"staying with {first} costs"),
    }


def rank_cells(
    found: Sequence[Elsewhere], accuracy: Accuracy
) -> tuple[list[str], list[str], list[list[int]], list[list[str]]]:
    """Return distributions, mechanisms, ranks and words for the map; the best mechanism overall on top."""
    names = sorted(found[0].best, key=lambda name: -sum(e.order.index(name) for e in found))
    places = [[e.order.index(name) + 1 for e in found] for name in names]
    told = [[_told(e.best[name], accuracy) for e in found] for name in names]
    return [e.label for e in found], names, places, told


def _told(c: Candidate, accuracy: Accuracy) -> str:
    scale = unit(accuracy)
    sign, word = ("±", " points") if accuracy.kind == "every bin" else ("TV ", "")
    value, spread = _with_error(scale * c.error.value, scale * c.error.se)
    return f"{c.name}: {sign}{value}{word}{spread}"


def elsewhere_sentence(found: Sequence[Elsewhere], first: str, s: ldp.Setting) -> str:
    """Say how often the first stays first."""
    same = [e.label for e in found if core.close(e.best[e.order[0]].error, e.best[first].error) or e.order[0] == first]
    lost = max(found, key=lambda e: e.best[first].error.value / e.best[e.order[0]].error.value)
    more = 100 * (lost.best[first].error.value / lost.best[lost.order[0]].error.value - 1)
    text = f"At {privacy(s)}, with {crowd(s)}: {first} is first, or too close to the first to call, for "
    text += f"**{len(same)} of {len(found)}** distributions"
    return (
        f"{text}; at worst ({lost.label}) staying with it costs {more:.0f}% more error." if more >= 0.5 else f"{text}."
    )
