"""Lesson 6. Choosing ε, n and k: what each costs, as odds and as points of error."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpui import theme, widgets
from ldpui.address import links, vocabulary
from ldpui.format import at_most, percent, short
from pages.study.learn import panels, player, progress
from pages.study.learn.collection import in_points

NUMBER = 6
EPS = "0.25 0.5 0.75 1 1.25 1.5 2 3 4 6".split()
USERS = [short(digit * 10**power) for power in range(2, 7) for digit in (1, 2, 5)]
BINS = "2 5 10 20 50 100".split()
# The task: odds multiplied by no more than ODDS, a bar off by no more than POINTS, of so many bars, with so many users.
ODDS, POINTS, BARS, MOST = 5, 1.0, 10, 20_000

links.declare(
    links.one_of("promise", "1", EPS, page=True),
    links.one_of("crowd", "1k", USERS, page=True),
    links.one_of("bars", "10", BINS, page=True),
)

_STORY = """
Three numbers decide what a collection is worth. **ε**: how much one report may say. **n**: how many users report.
**k**: into how many bars the answers are sorted. Small ε protects; large n makes up for it; and the finer the bars, the
smaller what is to be seen in them. The mechanism here is OUE: one noisy yes or no for each bar.
"""


def draw() -> None:
    """Draw the lesson."""
    st.markdown(_STORY)
    before = off(1.0, 1_000, 10)
    if not progress.guess(
        "choosing",
        "You want half the error at the same ε. How many times the users does it take?",
        ("twice", "4 times", "10 times"),
        "4 times",
        f"with 1,000 users at ε = 1 a bar is off by {in_points(before)} percentage points, with 2,000 by "
        f"{in_points(off(1.0, 2_000, 10))}, with 4,000 by {in_points(off(1.0, 4_000, 10))}.",
    ):
        return
    place, many, fine = st.columns(3, gap="medium")
    with place:
        eps = float(widgets.slide("ε of one report", "promise", EPS))
    with many:
        n = int(vocabulary.SCALES["n"].number(widgets.slide("n, users", "crowd", USERS)))
    with fine:
        k = int(widgets.slide("k, bars", "bars", BINS))
    st.markdown(sentence(eps, n, k))
    player.draw(figure(eps, n, k, theme.is_dark()), "choosing_player", theme.is_dark())
    progress.task(
        NUMBER,
        f"A collection of at least {BARS} bars: odds multiplied by {ODDS} at the most, a bar off by {POINTS:g} "
        f"percentage point at the most, and no more than {MOST:,} users.",
        fulfilled(eps, n, k),
    )


def mechanism(eps: float, k: int) -> ldp.Mechanism:
    return ldp.mechanism("OUE", k=k, eps=eps)


def off(eps: float, n: int, k: int) -> float:
    """Return by how many percentage points an average bar is off before post-processing, over many collections."""
    return 100 * math.sqrt(float(mechanism(eps, k).noise_variance(1 / k, n)))


def fulfilled(eps: float, n: int, k: int) -> bool:
    """Tell whether the task is done."""
    odds = mechanism(eps, k).likelihood_ratio
    return odds <= ODDS and off(eps, n, k) <= POINTS and n <= MOST and k >= BARS


def sentence(eps: float, n: int, k: int) -> str:
    """Say what a choice costs: one user's odds, and the error of a bar, alone and against its size."""
    m, wrong = mechanism(eps, k), off(eps, n, k)
    guessed = ldp.theory.attack_success(m)
    share = wrong * k / 100
    size = "its whole size, or more" if share >= 1 else f"{percent(share)} of its size"
    return (
        "**One user:** a report multiplies the odds of one bar against another by "
        f"**{at_most(m.likelihood_ratio)}** at most; the best guess of the bar is right in "
        f"{percent(guessed)} of all cases instead of {percent(1 / k)}, if all bars are equally likely beforehand.\n\n"
        f"**The crowd:** a bar is off by **{in_points(wrong)} percentage points**. The average bar has "
        f"{percent(1 / k)}, so that is {size}."
    )


def figure(eps: float, n: int, k: int, dark: bool) -> player.Player:
    """Show what a bar is off by against ε, with a mark at the choice."""
    xs = [float(word) for word in EPS]
    wrong = np.array([off(x, n, k) for x in xs])
    panel = panels.curves(
        f"What a bar is off by with {n:,} users, in percentage points",
        xs,
        ((theme.RAW, wrong),),
        dark,
        xname="ε of one report",
        xticks=[(x, f"{x:g}") for x in xs if x in (0.25, 0.5, 1, 2, 4)],
        yticks=panels.round_ticks(float(wrong.max())),
        unit="",
        whole=True,
    )
    return player.Player((panel,), (player.Frame("", "", (panels.at(xs.index(eps)),)),), tells=False, version=[n, k])
