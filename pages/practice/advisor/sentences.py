"""The sentences of the Advisor: its answer, and where the numbers come from."""

from __future__ import annotations

import math
from collections.abc import Sequence

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy, Candidate
from ldpui.format import significant, times
from ldpui.grids import TOO_CLOSE
from pages.practice.advisor import phrases, runs
from pages.practice.advisor.errors import in_closed_form
from pages.practice.advisor.needs import Need
from pages.practice.advisor.participants import EPS_GRID
from pages.practice.advisor.question import Question
from pages.practice.advisor.tables import enough

_AS_LITTLE = "may do with as little"


def accuracy_sentence(candidates: Sequence[Candidate], s: ldp.Setting, accuracy: Accuracy) -> str:
    """Say what the best reaches, and whether that is enough."""
    best = core.ranked(candidates)[0]
    unit = phrases.unit(accuracy)
    reached, spread = phrases.with_error(unit * best.error.value, unit * best.error.se)
    others = _others(candidates, "may be as good")
    text = (
        f"**For {phrases.crowd(s)} at {phrases.privacy(s)}, {core.name_with_ties(best, candidates)} "
        f"{'is among the nearest' if others else 'comes nearest'} to the truth: {phrases.goal(accuracy, reached)}**"
        + (f" (± {spread})" if spread else "")
        + f"{others}."
    )
    goal = phrases.goal(accuracy).split(",")[0]
    verdict = {
        "yes": f"That is enough for what you asked: {goal}.",
        "no": f"That is not enough for what you asked, {goal}: ask *which ε* or *how many users* above.",
        "too close": f"Whether that is enough for {goal} is too close to call.",
    }
    return f"{text} {verdict[enough(best.error, accuracy.bound)]}"


def _others(candidates: Sequence[Candidate], may: str) -> str:
    """Say which other estimators and mechanisms noise can't tell from the first."""
    estimators, mechanisms = core.as_good_estimators(candidates), core.as_good(candidates)
    if not estimators and mechanisms and core.are_equal(candidates):
        return f"; {core.listed(mechanisms)} {'does' if len(mechanisms) == 1 else 'do'} equally well"
    if not estimators:
        return f"; {TOO_CLOSE}: {core.listed(mechanisms)} {may}" if mechanisms else ""
    text = f"; {TOO_CLOSE}: {core.listed(estimators)} with the same reports {may}"
    return text + (f", and so may {core.listed(mechanisms)}" if mechanisms else "")


def needed_sentence(needs: Sequence[Need], q: Question) -> str:
    """Say the least that is enough, or that nothing is."""
    best, goal = needs[0], phrases.goal(q.accuracy)
    by_eps = q.sought == "eps"
    low, high = core.RANGES[str(q.sought)]
    s = q.setting
    with_what = f"with {phrases.crowd(s)}" if by_eps else f"with {phrases.crowd(s, False)} at {phrases.privacy(s)}"
    if not best.answer.reached:
        end = f"even at ε = {high:g}" if by_eps else f"even with {high:,.0f} users"
        way = "More users, fewer bins" if by_eps else "A larger ε, fewer bins"
        return f"**No mechanism here reaches {goal}, {with_what}, {end}.** {way} or a wider bound would help."
    answer, candidates = best.answer, [need.candidate for need in needs]
    name = core.name_with_ties(best.candidate, candidates)
    amount, verb = _amount(best, by_eps), "is" if by_eps else "are"
    if answer.value == low:
        return f"**{amount}, the least that is looked at, {verb} enough {with_what}**: {goal}, for {name}."
    # The ends are rounded outwards. The answer is rounded up, and must still lie between them.
    ends = [_plain(core.round_down(answer.low), by_eps), _plain(core.round_up(answer.high), by_eps)]
    spread = f" (between {ends[0]} and {ends[1]})" if answer.high > answer.low else ""
    return f"**{amount} {verb} enough**{spread} {with_what}: {goal}, for {name}{_others(candidates, _AS_LITTLE)}."


def _amount(need: Need, by_eps: bool) -> str:
    value, wide = core.round_up(need.answer.value), need.mechanism.eps_inf
    amount = _plain(value, by_eps)
    if not by_eps:
        return f"{amount} users"
    if wide is None:
        return f"ε = {amount}"
    # ε∞ is computed from the rounded ε₁, so that the two numbers on the page have the proportion that was asked for.
    return f"ε₁ = {amount} (ε∞ = {significant(core.round_up(value * wide / need.mechanism.eps))})"


def _plain(x: float, by_eps: bool) -> str:
    if by_eps:
        return significant(x)
    return f"{round(x, 2 - math.floor(math.log10(x))):,.0f}"  # three digits: the noise leaves no more


def how_counted(q: Question) -> str:
    """Say where the numbers come from."""
    t = q.settings[0]
    if q.sought is None:
        text = f"Every error is from {_how_often(q)}; ± is one standard error"
        if phrases.in_points(q.accuracy):
            text += ". The first, and those too close to it to call, are simulated more often: see *runs*"
    else:
        text = f"Every answer is from several places with {_how_often(q, each=' each')}; *from* and *to* enclose what "
        text += "the noise of the simulation leaves open"
    if phrases.in_points(q.accuracy):
        text += ". *95% of the time* is about the noise of the mechanism; the data are the same"
    if q.sought == "n":
        text += ". With more users the histogram keeps its shape"
    if q.sought == "eps" and t.eps_inf is not None:
        text += f". ε∞ is {significant(t.eps_inf / t.eps)} times ε₁, as chosen under *how accurate*"
    text += ". Raw MI can be negative, and does not sum to 100%. Full-report IBU is not in the table"
    if not q.auto:
        text += ", and auto only if it is switched on"
    return text + ". Tick a row to open its mechanism in Estimate."


def _how_often(q: Question, each: str = "") -> str:
    """Say how often mechanisms are simulated, and which of them less often."""
    often = {t.mechanism: runs.search(t) if q.sought else runs.steady(t) for t in q.settings}
    most = max(often.values())
    fewer = [f"{number} for {core.listed(names)}" for number, names in _by_number(often).items() if number < most]
    if q.sought is None and runs.iterated(q.settings) < most:
        fewer.append(f"{runs.iterated(q.settings)} for IBU as iterated")
    if q.auto:
        fewer.append(f"{runs.choosing(q.settings[0])} for auto")
    but = f" ({', '.join(fewer)})" if fewer else ""
    return f"{times(most, 'simulated collection')}{each}{but}"


def _by_number(often: dict[str, int]) -> dict[int, list[str]]:
    names: dict[int, list[str]] = {}
    for name, number in often.items():
        names.setdefault(number, []).append(name)
    return names


def how_gridded(s: ldp.Setting, first: Candidate) -> str:
    """Say where the lines of equal error come from."""
    if in_closed_form(first.estimator):
        return "In closed form"
    places = len(EPS_GRID) * len(runs.users(first))
    often = times(runs.grid(s, first), "run")
    return f"Simulated at {places} places, {often} each, with straight lines between, good to about a tenth"
