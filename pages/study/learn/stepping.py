"""Lesson 5. IBU step by step: a histogram that is changed until it explains what was seen, or stopped before."""

from __future__ import annotations

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpcore.arrays import IntArray
from ldpui import theme
from ldpui.charts.common import Array
from ldpui.format import times
from ldpui.navigation import page_link
from pages.study.learn import collection, panels, player, progress
from pages.study.learn.collection import FEW, in_points, off_by
from pages.study.learn.population import NAMES, SHARES

NUMBER = 5
STEPS = (0, 1, 2, 3, 4, 5, 7, 10, 14, 20, 30, 50, 70, 100, 150, 200, 300, 500, 1_000)
# The task is done where the error is at most this many times the smallest.
NEAR = 1.02

_STORY = f"""
**IBU** (iterative Bayesian update) asks another question than MI: *from which histogram would such reports come?* It
begins with equal bars. Then it repeats one step: **1.** If the histogram were this one, how often would each thing be
named? **2.** What was named more often than that mostly gets a larger bar, what was named less often a smaller one. No
bar can fall below 0, and they always sum to 100%. Below: {FEW} reports, and one button.
"""


def draw() -> None:
    """Draw the lesson."""
    st.markdown(_STORY)
    first = errors(trace(0))
    if not progress.guess(
        "stepping",
        "Every step explains the reports better. Is the histogram nearer to the truth, too, with every step?",
        ("yes, always", "no, only up to a point", "no, never"),
        "no, only up to a point",
        f"in the first collection equal bars are off by {in_points(first[0])} percentage points, {STEPS[-1]:,} steps "
        f"later it is {in_points(first[-1])}, and on the way there is a place with {in_points(min(first))}. After it, "
        "IBU explains the dice, too, which fell as they fell. Whoever stops early stays near equal bars, which are "
        "wrong but calm.",
    ):
        return
    dark, number = theme.is_dark(), progress.draw_number(NUMBER)
    estimates = trace(number)
    off = errors(estimates)
    stopped = player.draw(frames(number, estimates, dark), "stepping_player", dark)
    st.button("Collect again", icon=":material/casino:", on_click=progress.draw_again, args=(NUMBER,), key="dice_5")
    done = stopped is not None and off[stopped] <= NEAR * min(off)
    progress.task(NUMBER, "Stop where the histogram is nearest to the truth.", done)
    if NUMBER in progress.current().done:
        st.markdown(blind(number))
        page_link("ibu_lab", "Every setting, step by step: the IBU lab")


def observed_counts(number: int) -> IntArray:
    return collection.counts(FEW, NUMBER, number)


def trace(number: int) -> Array:
    """Return the histogram after each of the steps that are shown."""
    run = ldp.ibu_run(observed_counts(number), collection.mechanism(), max_iter=STEPS[-1], tol=0, record=STEPS)
    return np.asarray(run.trace.estimates)


def errors(estimates: Array) -> list[float]:
    """Return what a bar is off by after each of them."""
    return [off_by(estimate) for estimate in estimates]


def blind(number: int) -> str:
    """Say where one would stop who does not know the truth."""
    run = ldp.ibu_run(observed_counts(number), collection.mechanism(), max_iter=STEPS[-1], stop="cv", n=FEW)
    steps, off = int(run.iterations), errors(trace(number))
    return (
        f"You could see the truth; a server can't. *Cross-validation* lets each half of the users judge what comes of "
        f"the other half. Here it would stop after **{times(steps, 'step')}**, where a bar is off by "
        f"{in_points(off_by(run.estimates))} percentage points; the best step that is shown has {in_points(min(off))}. "
        "With so few reports its choice is itself a draw of chance."
    )


def frames(number: int, estimates: Array, dark: bool) -> player.Player:
    """Show the histogram after each step, and how far off it is so far."""
    m, counts, off = collection.mechanism(), observed_counts(number), errors(estimates)
    both = (
        panels.rows(
            "Who looked up what",
            NAMES,
            (theme.IBU,),
            dark,
            truth=100 * SHARES,
            ticks=panels.share_ticks(np.append(estimates, SHARES)),
        ),
        panels.curves(
            "What a bar is off by, in percentage points",
            # A log axis has no place for 0.
            [step + 1 for step in STEPS],
            ((theme.IBU, np.array(off)),),
            dark,
            xname="steps",
            xticks=[(step + 1, f"{step:,}") for step in (0, 1, 10, 100, 1_000)],
            yticks=panels.round_ticks(max(off)),
            unit="",
        ),
    )
    shown = []
    for i, (step, estimate) in enumerate(zip(STEPS, estimates, strict=True)):
        expected = FEW * (m.q + (m.p - m.q) * estimate)
        apart = int(np.abs(counts - expected).argmax())
        text = (
            f"**{times(step, 'step')}.** “{NAMES[apart]}” was named {counts[apart]} times; from this histogram "
            f"{expected[apart]:.0f} would be expected{_so(int(counts[apart]), expected[apart], estimate[apart])}. "
            f"A bar is off by **{in_points(off[i])} percentage points**."
        )
        marks = panels.marks(100 * estimate, numbers=collection.shares(estimate))
        shown.append(player.Frame(times(step, "step"), text, (marks, panels.at(i))))
    return player.Player(both, shown, step="One step", slider="Steps", pace=450, version=number)


def _so(named: int, expected: float, share: float) -> str:
    """Say what becomes of a bar in the next step."""
    if round(expected) == named:
        return ""
    if named > expected:
        return ", so its bar grows"
    # Below this a share is written as 0.0% beside its bar.
    return ", but its bar is at 0 and can't shrink any more" if share < 0.0005 else ", so its bar shrinks"
