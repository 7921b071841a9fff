"""Lesson 3. The histogram comes back: users arrive, and the estimate settles."""

from __future__ import annotations

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpui import theme
from ldpui.charts.common import Array
from ldpui.format import percent, short
from ldpui.theme import Look
from pages.study.learn import collection, panels, player, progress
from pages.study.learn.collection import in_points, off_by
from pages.study.learn.population import NAMES, SHARES, histogram

NUMBER = 3
ARRIVALS = (*(digit * 10**power for power in range(2, 6) for digit in (1, 2, 5)), 10**6)
# No bar is to be off by more points than that, for the task.
CLOSE = 1.0
COLLECTIONS, USERS = 30, 1_000
# What the next lesson calls raw MI.
_ESTIMATE = Look("estimate", theme.RAW.light, theme.RAW.dark, theme.RAW.symbol, theme.RAW.dash)

_STORY = """
Everybody in a large town sends one report, with the dice of lesson 2 (GRR, ε = 1): most name something that they never
looked up. The server counts how often each thing is named. A thing that nobody looked up would be named by {nobody} of
all people, by the dice alone; one that everybody looked up by {everybody}. So the server **takes away** {nobody} from
each, and **stretches** what is left: it divides by {between}, the way from nobody to everybody, as with the coins of
lesson 1. That is its **estimate** of the **histogram**: which share of all people looked up what. Here the people are
invented, and we know the truth.
"""
_OFF = """*Off by*, here and in the lessons that follow, is the typical distance of a bar from the truth: the distances
of all bars are squared, averaged, and the root is taken. So one large miss counts more than several small ones."""


def story() -> str:
    """Say what happens, with the chances of the mechanism."""
    m = collection.mechanism()
    return _STORY.format(nobody=percent(m.q, 3), everybody=percent(m.p, 3), between=percent(m.p - m.q, 3))


def draw() -> None:
    """Draw the lesson."""
    st.markdown(story())
    small, large = (collection.expected_off(n) for n in (1_000, 100_000))
    if not progress.guess(
        "arriving",
        "A hundred times as many people answer. By how much does the error shrink?",
        ("hardly", "to a tenth", "to a hundredth"),
        "to a tenth",
        f"with 1,000 users a bar is off by {in_points(small)} percentage points, with 100,000 by {in_points(large)}. "
        "Noise averages out, but slowly: the error shrinks with the square root of the number of users.",
    ):
        return
    st.caption(_OFF)
    dark, number = theme.is_dark(), progress.draw_number(NUMBER)
    estimates = arriving(number)
    stopped = player.draw(frames(estimates, number, dark), "arriving_player", dark)
    done = stopped is not None and largest(estimates[stopped]) <= CLOSE
    progress.task(
        NUMBER, f"Stop at a number of users for which no bar is off by more than {CLOSE:g} percentage point.", done
    )
    st.subheader("The same town on other days", anchor=False)
    st.markdown(
        f"The same {USERS:,} people, asked on {COLLECTIONS} days: nobody has changed, only the dice fall differently. "
        "The pale dots stay where earlier days have been."
    )
    player.draw(other_days(number, dark), "days_player", dark)
    st.button("Other dice", icon=":material/casino:", on_click=progress.draw_again, args=(NUMBER,), key="dice_3")


def arriving(number: int) -> Array:
    """Return the estimate after each arrival; who has reported does not report again."""
    m, rng = collection.mechanism(), np.random.default_rng([NUMBER, number])
    before, counts, estimates = 0, np.zeros(m.k, dtype=np.int64), []
    for n in ARRIVALS:
        counts = counts + m.sample_counts(histogram(n - before), 1, rng)[0]
        estimates.append(ldp.mi(counts, n, m, post="none"))
        before = n
    return np.array(estimates)


def largest(estimate: Array) -> float:
    """Return what the worst bar is off by, in percentage points."""
    return float(100 * np.abs(estimate - SHARES).max())


def frames(estimates: Array, number: int, dark: bool) -> player.Player:
    """Show the estimate after each arrival, and below how far off it is."""
    errors = np.array([off_by(estimate) for estimate in estimates])
    both = (
        panels.rows(
            "Who looked up what", NAMES, (_ESTIMATE,), dark, truth=100 * SHARES, ticks=panels.share_ticks(estimates)
        ),
        panels.curves(
            "What a bar is off by, in percentage points",
            ARRIVALS,
            ((_ESTIMATE, errors),),
            dark,
            xname="users",
            xticks=[(n, short(n)) for n in ARRIVALS if f"{n}"[0] == "1"],
            yticks=panels.round_ticks(float(errors.max())),
            unit="",
        ),
    )
    shown = []
    for i, (n, estimate) in enumerate(zip(ARRIVALS, estimates, strict=True)):
        worst = int(np.abs(estimate - SHARES).argmax())
        text = (
            f"**{n:,} users.** A bar is off by **{in_points(float(errors[i]))} percentage points** (the worst, "
            f"“{NAMES[worst]}”, by {in_points(largest(estimate))}). {_negative(estimate)}"
        )
        marks = panels.marks(100 * estimate, numbers=collection.shares(estimate))
        shown.append(player.Frame(f"{n:,} users", text, (marks, panels.at(i))))
    return player.Player(both, shown, step="More users", slider="Users", version=number)


def _negative(estimate: Array) -> str:
    below = int((estimate < 0).sum())
    if not below:
        return ""
    return f"{below} {'share is' if below == 1 else 'shares are'} below 0, which can't be: see the next lesson."


def other_days(number: int, dark: bool) -> player.Player:
    """Show possible collections of the same users."""
    m = collection.mechanism()
    counts = m.sample_counts(histogram(USERS), COLLECTIONS, np.random.default_rng([NUMBER, number, 1]))
    estimates = ldp.mi(counts, USERS, m, post="none")
    panel = panels.rows(
        "Possible collections",
        NAMES,
        (_ESTIMATE,),
        dark,
        truth=100 * SHARES,
        trail=True,
        ticks=panels.share_ticks(estimates),
    )
    shown = []
    for day, estimate in enumerate(estimates, 1):
        low, high = (collection.shares(end(estimates[:day], axis=0))[-1] for end in (np.min, np.max))
        text = (
            f"**Day {day}.** “{NAMES[-1]}” comes out at **{collection.shares(estimate)[-1]}**; the truth is "
            f"{collection.shares(SHARES)[-1]}." + (f" So far it came out between {low} and {high}." if day > 1 else "")
        )
        shown.append(
            player.Frame(f"Day {day}", text, (panels.marks(100 * estimate, numbers=collection.shares(estimate)),))
        )
    return player.Player((panel,), shown, step="Next day", slider="Day", pace=350, tells=False, version=number)
