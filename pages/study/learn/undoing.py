"""Lesson 4. Undoing the noise: shares below 0, and four ways to mend them."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpui import theme
from ldpui.charts.common import Array
from ldpui.format import percent, times
from pages.study.learn import collection, panels, player, progress
from pages.study.learn.collection import FEW, in_points, off_by
from pages.study.learn.population import NAMES, SHARES, histogram

NUMBER = 4
NEGATIVE = 2
_SEEN = replace(theme.OBSERVED, name="what was seen")
_CUT = replace(theme.of_estimator("base-pos"), name="negatives to 0")
_RUNS = 400

_STORY = f"""
Only {FEW} people report. The server knows how often the dice lie, so it can undo them: take away what the dice alone
would name, and stretch what is left, as in lesson 3. That is called **raw MI** (matrix inversion). It is right on
average. But with few reports some shares come out **below 0**.
"""


def draw() -> None:
    """Draw the lesson."""
    st.markdown(_STORY)
    if not progress.guess(
        "undoing",
        "A share can't be below 0. Suppose the server sets the negative ones to 0. What do all shares sum to then?",
        ("less than 100%", "100%", "more than 100%"),
        "more than 100%",
        _because(),
    ):
        return
    dark, number = theme.is_dark(), progress.draw_number(NUMBER)
    estimates = steps(number)
    stopped = player.draw(frames(estimates, number, dark), "undoing_player", dark)
    st.button("Collect again", icon=":material/casino:", on_click=progress.draw_again, args=(NUMBER,), key="dice_4")
    through = stopped == len(estimates) - 1
    progress.task(
        NUMBER,
        f"Find a collection with at least {NEGATIVE} negative shares, and walk through it to the end.",
        bool((estimates[1] < 0).sum() >= NEGATIVE) and through,
    )
    # The verdict speaks of the estimates by names that the steps have introduced, so it comes after them.
    if through or NUMBER in progress.current().done:
        st.markdown(verdict())


def _because() -> str:
    """Say why; of the first collection, whichever is shown, because a later one may have nothing that is negative."""
    _, raw, cut, *_ = steps(0)
    return (
        f"the shares summed to 100% with the negative ones among them. In the first collection "
        f"{_below(int((raw < 0).sum()))}; without those all others sum to **{percent(float(cut.sum()), 3)}**. Somebody "
        "has to give something back. Who?"
    )


def steps(number: int) -> list[Array]:
    """Return what a collection looks like from what was seen to what IBU makes of it."""
    m, counts = collection.mechanism(), collection.counts(FEW, NUMBER, number)
    inverted = [ldp.mi(counts, FEW, m, post=post) for post in ("none", "base-pos", "norm-mul", "norm-sub")]
    return [counts / FEW, *inverted, ldp.ibu(counts, m)]


def frames(estimates: list[Array], number: int, dark: bool) -> player.Player:
    """Walk through the steps; the one before stays on the picture."""
    looks = (_SEEN, theme.RAW, _CUT, theme.MI, theme.NORM_SUB, theme.IBU)
    ticks = panels.share_ticks(np.array([*estimates, SHARES]))
    panel = panels.rows("Who looked up what", NAMES, looks, dark, truth=100 * SHARES, ticks=ticks)
    # The step that each one is drawn beside; Norm-Sub starts from raw MI, not from the shares that were cut.
    beside = {1: 0, 2: 1, 3: 2, 4: 1, 5: 3}
    shown = []
    for i, text in enumerate(_texts(estimates)):
        drawn = {i, beside.get(i, i)}
        marks = [100 * estimate if j in drawn else None for j, estimate in enumerate(estimates)]
        label = looks[i].name
        off = "" if i in (0, 2) else f" A bar is off by **{in_points(off_by(estimates[i]))} percentage points**."
        numbers = collection.shares(estimates[i])
        shown.append(player.Frame(label, f"{text}{off}", (panels.marks(*marks, numbers=numbers),)))
    return player.Player((panel,), shown, step="Next", slider="Step", pace=4_000, version=number)


def _texts(estimates: list[Array]) -> list[str]:
    """Say what each step does, in numbers."""
    observed, raw, cut, mi, sub, _ = estimates
    below, top = int((raw < 0).sum()), int(cut.argmax())
    shift = round(float(100 * (raw - sub)[sub > 0].mean()), 6)
    total = percent(float(cut.sum()), 3)
    back = round(float(100 * (cut[top] - mi[top])), 6)
    return [
        f"**What the server saw:** how often each thing was named. All much alike: {percent(float(observed.min()))} to "
        f"{percent(float(observed.max()))}.",
        f"**Raw MI.** The dice undone: {_below(below)}.",
        f"**Negatives to 0.** Now the shares sum to {total}."
        + ("" if below else " Nothing was negative, so nothing changes: collect again."),
        f"**MI**: cut, and made to sum to 100% again. All are divided by {total}. Who has most gives most: "
        f"“{NAMES[top]}” gives {in_points(back)} points.",
        f"**Norm-Sub.** The same, {in_points(shift)} points, is taken from every share, and what would fall "
        "below 0 is 0.",
        "**IBU.** Looks for the histogram that best explains what was seen, step by step: that is the next lesson.",
    ]


def _below(number: int) -> str:
    if not number:
        return "this time no share is below 0"
    return f"{times(number, 'share')} {'is' if number == 1 else 'are'} below 0"


@lru_cache(maxsize=1)
def average_errors() -> dict[str, float]:
    """Return what a bar is off by over many such collections."""
    m = collection.mechanism()
    counts = m.sample_counts(histogram(FEW), _RUNS, np.random.default_rng([NUMBER, 1, 1]))
    posts = {"MI": "norm-mul", "Norm-Sub": "norm-sub"}
    estimates = {name: ldp.mi(counts, FEW, m, post=post) for name, post in posts.items()}
    estimates["IBU"] = ldp.ibu(counts, m, max_iter=1_000)
    return {name: float(np.sqrt(np.mean([off_by(row) ** 2 for row in rows]))) for name, rows in estimates.items()}


def verdict() -> str:
    """Say which way is best over many collections, since one collection shows nothing but its own luck."""
    errors = average_errors()
    error_list = ", ".join(f"{in_points(error)} with {name}" for name, error in errors.items())
    best, worst = (end(errors, key=lambda name: errors[name]) for end in (min, max))
    close = errors[worst] < 1.05 * errors[best]
    end = "all about the same here" if close else f"least with {best} here"
    return (
        f"One collection is one draw of chance. Over {_RUNS} collections like this one a bar is off by {error_list} "
        f"percentage points: {end}. With other people, or another ε, the order can change."
    )
