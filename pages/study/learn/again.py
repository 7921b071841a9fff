"""Lesson 7. Asked again and again: fresh noise against a memo."""

from __future__ import annotations

import math
from functools import lru_cache

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpcore.theory import attack_success_after, observer_beliefs
from ldpui import theme
from ldpui.charts.common import Array
from ldpui.format import at_most, percent
from ldpui.navigation import page_link
from ldpui.theme import Look
from pages.study.learn import panels, player, progress
from pages.study.learn.life_frames import chance
from pages.study.learn.population import NAMES, K

NUMBER = 7
EPS, EPS_INF = 1.0, 2.0
DAYS = (1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90, 120, 180, 270, 365)
MONTH, KNOWN = 30, 0.99
OWN = NAMES.index("a symptom")
FRESH = Look("fresh noise every day", theme.FULL.light, theme.FULL.dark, theme.FULL.symbol, theme.FULL.dash)
MEMO = Look("noise on a memo", theme.LIMIT.light, theme.LIMIT.dark, theme.LIMIT.symbol, "solid")

_STORY = """
Your phone is asked every day, and your answer stays the same. With **fresh noise** each day every single report keeps
its promise. With a **memo** the phone draws noise once, keeps the noisy answer for good, and each day puts fresh noise
on the *memo*, never on the value itself. Somebody reads all your reports, to whom all eight things that you may have
looked up were equally likely before the first one.
"""


def draw() -> None:
    """Draw the lesson."""
    st.markdown(_STORY)
    fresh, memo = curves()
    month = fresh[DAYS.index(MONTH)]
    if not progress.guess(
        "again",
        f"On the first day the best guess of your value is right in {percent(float(fresh[0]))} of all cases. And after "
        f"{MONTH} days of fresh noise?",
        (percent(float(fresh[0])), "about half", "nearly 9 in 10"),
        "nearly 9 in 10",
        f"{percent(float(month))}. Fresh noise averages out; that is how the histogram came back in lesson 3, and it "
        f"brings back *your* value as well. With the memo it is {percent(float(memo[DAYS.index(MONTH)]))}, for good.",
    ):
        return
    dark, number = theme.is_dark(), progress.draw_number(NUMBER)
    stopped = player.draw(frames(number, dark), "again_player", dark)
    st.button("Another life", icon=":material/casino:", on_click=progress.draw_again, args=(NUMBER,), key="dice_7")
    first = int(np.flatnonzero(fresh >= KNOWN)[0])
    progress.task(
        NUMBER,
        f"Stop on the first of these days on which fresh noise gives you away in {percent(KNOWN)} of all cases.",
        stopped == first,
    )
    st.markdown(
        f"**What both promise.** One report: ε = {EPS:g}, the odds grow by a factor of {at_most(math.exp(EPS))} at "
        f"most. All reports together: with the memo ε∞ = {EPS_INF:g}, a factor of {at_most(math.exp(EPS_INF))} at "
        "most, however long it lasts, as long as your value stays the same. With fresh noise "
        f"{MONTH} reports add up to ε = {MONTH * EPS:g}. The memo has a price, too: reports of one memo resemble each "
        "other, so a phone may be recognised, and a value that changes needs a new memo."
    )
    page_link("over_time", "More mechanisms, changing values: Over time")


def mechanisms() -> tuple[ldp.Mechanism, ldp.Mechanism]:
    """Return fresh noise every day, and noise on a memo; a first report costs the same with both."""
    return ldp.mechanism("OUE", k=K, eps=EPS), ldp.mechanism("L-OSUE", k=K, eps=EPS, eps_inf=EPS_INF)


@lru_cache(maxsize=1)
def curves() -> tuple[Array, Array]:
    """Return how often the best guess is right after each number of days, with fresh noise and with a memo."""
    fresh, memo = (np.array([attack_success_after(m, day).chance for day in DAYS]) for m in mechanisms())
    return fresh, memo


@lru_cache(maxsize=16)
def beliefs(number: int) -> tuple[Array, Array]:
    """Return what an observer of one life believes after each day shown, with fresh noise and with a memo."""
    fresh, memo = mechanisms()
    rng = np.random.default_rng([NUMBER, number])
    phone = memo.device(OWN, rng)
    days = np.array(DAYS) - 1
    daily = [fresh.privatize([OWN], rng) for _ in range(DAYS[-1])]
    of_memo = [phone.report(rng) for _ in range(DAYS[-1])]
    return observer_beliefs(fresh, daily)[days], observer_beliefs(memo, of_memo)[days]


def frames(number: int, dark: bool) -> player.Player:
    """Show one life, and below what becomes of all."""
    fresh, memo = beliefs(number)
    chances = curves()
    both = (
        panels.rows("One life: what the observer believes", NAMES, (FRESH, MEMO), dark, truth_name=""),
        panels.curves(
            "All lives: how often the best guess is right",
            DAYS,
            ((FRESH, 100 * chances[0]), (MEMO, 100 * chances[1])),
            dark,
            xname="days",
            xticks=[(day, f"{day}") for day in (1, 7, 30, 90, 365)],
            yticks=(0, 25, 50, 75, 100),
        ),
    )
    shown = []
    for i, day in enumerate(DAYS):
        text = (
            f"**Day {day}.** The truth is “{NAMES[OWN]}”. The observer of this life holds it for "
            f"**{chance(float(fresh[i, OWN]))}** likely with fresh noise, for **{chance(float(memo[i, OWN]))}** with "
            f"the memo. Over all lives, with every value equally likely, the best guess is right in "
            f"{chance(float(chances[0][i]))} and {chance(float(chances[1][i]))} of all cases."
        )
        marks = panels.marks(100 * fresh[i], 100 * memo[i])
        shown.append(player.Frame(f"Day {day}", text, (marks, panels.at(i))))
    return player.Player(both, shown, step="Later", slider="Day", version=number)
