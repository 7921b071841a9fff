"""Lesson 1. One coin, one secret question: what one answer says, and what a thousand say."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpcore.arrays import IntArray
from ldpcore.theory import observer_beliefs
from ldpui import theme
from ldpui.charts.common import Array
from ldpui.format import percent, significant
from ldpui.theme import Look
from pages.study.learn import panels, player, progress

NUMBER = 1
# Two fair coins: the truth in three of four cases.
EPS = math.log(3)
CROWD, YES = 1_000, 300
_ARRIVALS = (*range(1, 11), 20, 50, 100, 200, 500, CROWD)
_SAID = Look("said so", theme.OBSERVED.light, theme.OBSERVED.dark, theme.OBSERVED.symbol, theme.OBSERVED.dash)
_UNDONE = Look("coins undone", theme.RAW.light, theme.RAW.dark, theme.RAW.symbol, theme.RAW.dash)

_STORY = """
A teacher asks: *Have you ever cheated in an exam?* Nobody likes to say yes. So everybody flips a coin that nobody else
sees. **Heads: say the truth. Tails: flip once more, and say yes for heads, no for tails.** Whoever says yes can
now say: the coin told me to.
"""


def mechanism() -> ldp.Mechanism:
    return ldp.mechanism("GRR", k=2, eps=EPS)


def draw() -> None:
    """Draw the lesson."""
    st.markdown(_STORY)
    m = mechanism()
    if not progress.guess("coin_one", _QUESTION, ("50%", "75%", "100%"), percent(_belief(m)), _one(m)):
        return
    st.subheader("And a thousand answers?", anchor=False)
    share = 0.4
    truly = (share - m.q) / (m.p - m.q)
    if not progress.guess(
        "coin_all",
        f"Of 1,000 people {share * CROWD:.0f} say yes. How many of them all have really cheated?",
        ("100", "300", "400"),
        f"{truly * CROWD:.0f}",
        f"if nobody had, {percent(m.q)} would say yes all the same, by the coins alone; if everybody had, "
        f"{percent(m.p)} would. {percent(share)} lies {percent(truly)} of the way between them.",
    ):
        return
    number = progress.draw_number(NUMBER)
    stopped = player.draw(frames(number, theme.is_dark()), "coin_player", theme.is_dark())
    st.button(
        "Another 1,000 people", icon=":material/casino:", on_click=progress.draw_again, args=(NUMBER,), key="coin_again"
    )
    progress.task(NUMBER, "Let all 1,000 people answer, one by one at first.", stopped == len(_ARRIVALS) - 1)


_QUESTION = (
    "One person says yes. Before that, you held yes and no for equally likely. How sure can you be now that it is true?"
)


def _belief(m: ldp.Mechanism) -> float:
    """Return how sure one yes makes somebody who had no idea."""
    return float(observer_beliefs(m, [np.array([0])])[0, 0])


def _one(m: ldp.Mechanism) -> str:
    factor = significant(m.likelihood_ratio)
    return (
        f"the truth is said in {percent(m.p)} of all cases (every time with the first heads, and half of the time with "
        f"tails). Yes and no were equally likely; now yes is {factor} times as likely as no. One says: the **odds** "
        f"went from 1 to 1 up to {factor} to 1. No answer can move them further: that factor, {factor}, is the "
        "promise. It is written as a number **ε** (epsilon): ε = 0 is a factor of 1, an answer that says nothing, and "
        f"every 1 more multiplies the factor by {significant(math.e)}. A factor of {factor} is ε = "
        f"{significant(EPS, 2)}. (For those who know logarithms: ε is the natural logarithm of the factor.)"
    )


def frames(draw_number: int, dark: bool) -> player.Player:
    """Let the people answer one after the other, each by the mechanism's own coins."""
    m, rng = mechanism(), np.random.default_rng([NUMBER, draw_number])
    truth = np.array([YES, CROWD - YES]) / CROWD
    values = rng.permutation(np.repeat([0, 1], [YES, CROWD - YES]))
    answers = m.privatize(values, rng)
    panel = panels.rows(
        "Yes and no: what was said, and what it means",
        ("yes", "no"),
        (_SAID, _UNDONE),
        dark,
        ticks=(-50, 0, 50, 100, 150),
        truth=100 * truth,
        truth_name="true of all 1,000",
    )
    shown = [_frame(m, m.support_counts(answers[:n]), n, truth) for n in _ARRIVALS]
    return player.Player((panel,), shown, step="One more", slider="People who have answered", version=draw_number)


def _frame(m: ldp.Mechanism, counts: IntArray, n: int, truth: Array) -> player.Frame:
    estimate = ldp.mi(counts, n, m, post="none")
    yes = int(counts[0])
    text = (
        f"**{n:,}** {'person has' if n == 1 else 'people have'} answered, **{yes:,}** said yes: {percent(yes / n, 3)}. "
        f"From {percent(m.q)} (nobody) to {percent(m.p)} (everybody) that is **{_signed(float(estimate[0]))}** of "
        f"the way. Of all {CROWD:,} people {percent(float(truth[0]))} have really cheated."
    )
    if not 0 <= estimate[0] <= 1:
        text += " Less than nobody," if estimate[0] < 0 else " More than everybody,"
        text += " which can't be: with so few answers the coins outweigh the people."
    numbers = [_signed(float(e)) for e in estimate]
    shown = panels.marks(100 * counts / n, 100 * estimate, numbers=numbers)
    return player.Frame(f"{n:,} answered", text, [shown])


def _signed(share: float) -> str:
    """Write a share that may be below 0."""
    return percent(share, 3).replace("-", "−")
