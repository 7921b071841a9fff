"""Exercises with their settings, and solutions whose numbers are computed."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache

import ldpcore as ldp
from ldpcore.theory import attack_success_after
from ldpui.format import percent, significant
from pages.study.learn import coin
from pages.study.learn.collection import in_points


@dataclass(frozen=True)
class Exercise:
    """An exercise, its solution, and what a link to Estimate says to see it."""

    title: str
    text: str
    solution: str
    words: Mapping[str, str]


_INCOME = {"data": "ACS income", "n": "20k"}


@lru_cache(maxsize=1)
def exercises() -> tuple[Exercise, ...]:
    """Return all of them."""
    return (_hands(), _odds(), _users(), _families(), _clock(), _memo(), _threshold())


def _hands() -> Exercise:
    m, yes, n = coin.mechanism(), 460, 1_000
    share = float(ldp.mi([yes, n - yes], n, m, post="none")[0])
    spread = 100 * math.sqrt(float(m.noise_variance(share, n)))
    return Exercise(
        "Count the hands",
        f"Of {n:,} people with the two coins of lesson 1, {yes} say yes. How many have really cheated? By how much may "
        "that be wrong, through the coins alone?",
        f"({percent(yes / n)} − {percent(m.q)}) / ({percent(m.p)} − {percent(m.q)}) = **{percent(share)}**, that is "
        f"{share * n:.0f} people. The coins alone scatter it by {in_points(spread)} percentage points: that is the "
        f"standard deviation, and about two thirds of such surveys come out nearer than that. So about "
        f"{in_points(2 * spread)} either way is no surprise.",
        {"data": "Exponential", "mechanism": "GRR", "eps": "1.1", "n": "1k", "k": "2"},
    )


def _odds() -> Exercise:
    eps, rare = 1.0, 0.01
    odds = rare / (1 - rare) * math.exp(eps)
    return Exercise(
        "What one report can do",
        f"One person in a hundred has an illness. You see one person's report, made with ε = {eps:g}. How likely can "
        "the illness become for you, at the most?",
        f"The odds were 1 to 99. ε = {eps:g} lets them grow by a factor of e = {significant(math.exp(eps))} at most: "
        f"{significant(odds)} to 1, a chance of **{percent(odds / (1 + odds))}**.",
        _INCOME | {"mechanism": "OUE", "eps": "1", "k": "100", "closer": "One user's report"},
    )


def _users() -> Exercise:
    m = ldp.mechanism("GRR", k=20, eps=1.0)
    needed = math.ceil(float(m.noise_variance(1 / m.k, 1)) / 0.01**2)
    half = float(m.with_eps(0.5).noise_variance(1 / m.k, 1)) / 0.01**2
    return Exercise(
        "How many users?",
        "GRR, 20 bars, ε = 1. With how many users is a bar of 5% off by 1 percentage point (its standard deviation)? "
        "And with half the ε?",
        f"The variance, the square of the standard deviation, is {significant(needed * 0.01**2)} for one user, and n "
        f"times smaller for n users. It has to be 0.01², so it takes **{needed:,}** users. With ε = 0.5 it takes "
        f"{math.ceil(half):,}: {significant(half / needed, 2)} times as many, for half the ε.",
        _INCOME | {"mechanism": "GRR", "eps": "1", "k": "20"},
    )


def _families() -> Exercise:
    def off(name: str, k: int) -> str:
        return in_points(100 * math.sqrt(float(ldp.mechanism(name, k=k, eps=1.0).noise_variance(1 / k, 20_000))))

    return Exercise(
        "GRR or OUE?",
        "20,000 users, ε = 1. Which of the two is off by less with 5 bars, and which with 100? Why?",
        f"With 5 bars a bar is off by {off('GRR', 5)} percentage points with GRR and {off('OUE', 5)} with OUE; with "
        f"100 by **{off('GRR', 100)}** and **{off('OUE', 100)}**. GRR names one bar, and the more there are, the more "
        "often it is a wrong one. OUE answers yes or no for each bar, and how noisy that is has nothing to do with the "
        "others.",
        _INCOME | {"mechanism": "GRR", "eps": "1", "k": "100"},
    )


def _clock() -> Exercise:
    steps = 10_000
    oue, grr = (ldp.mechanism(name, k=200, eps=1.0) for name in ("OUE", "GRR"))
    return Exercise(
        "Is 10,000 steps much?",
        "IBU with OUE, 200 bars, ε = 1. After 10,000 steps, how far is it on its way from equal bars to its limit? And "
        "with GRR?",
        f"IBU has a clock: T = ((p + (k − 1)q)/(p − q))² steps, where p and q are the chances that a report speaks for "
        f"the true bar and for another one. For OUE T is {oue.ibu_time:,.0f}, and after t steps IBU has gone about 1 − "
        f"e^(−t/T) of the way: **{percent(oue.share_of_the_way(steps))}**. With GRR T = {grr.ibu_time:,.0f}, which "
        f"makes **{percent(grr.share_of_the_way(steps))}**. A number of steps means nothing by itself.",
        _INCOME | {"mechanism": "OUE", "eps": "1", "k": "200", "limit": "true"},
    )


def _memo() -> Exercise:
    fresh = ldp.mechanism("OUE", k=20, eps=1.0)
    memo = ldp.mechanism("L-OSUE", k=20, eps=1.0, eps_inf=2.0)
    once, month, with_memo = (attack_success_after(m, t).chance for m, t in ((fresh, 1), (fresh, 30), (memo, 30)))
    ever = attack_success_after(memo, math.inf).chance
    return Exercise(
        "Thirty days",
        "20 bars, all equally likely beforehand, ε = 1 for one report. How often is the best guess of one user's value "
        "right after one report, and after 30: with fresh noise, and with a memo of ε∞ = 2?",
        f"After one report {percent(once)}. After 30 with fresh noise **{percent(month)}**, with the memo "
        f"**{percent(with_memo)}**; with the memo it never gets above {percent(ever)}.",
        _INCOME | {"reports": "repeatedly", "chain": "L-OSUE", "eps_inf": "2", "k": "20"},
    )


def _threshold() -> Exercise:
    m = ldp.mechanism("THE", k=20, eps=1.0)
    return Exercise(
        "Less than promised",
        "THE adds noise to 20 numbers so that ε = 1 holds, and then sends only which are above a threshold. What does "
        "such a report really cost? Where did the rest go?",
        f"A true bar is above the threshold with a chance of p = {significant(m.p)}, another one with q = "
        f"{significant(m.q)}. So a report multiplies the odds by p(1 − q)/(q(1 − p)) at most, and the logarithm of "
        f"that is the ε that it really has, its *effective* ε: **{significant(m.effective_eps)}**. The numbers "
        "themselves would have cost ε = 1; the threshold "
        "throws away how far above or below it they were.",
        _INCOME | {"mechanism": "THE", "eps": "1", "k": "20"},
    )
