"""What lesson 2 says of a mechanism: what one report can do, what all can do, and how far the server has come."""

from __future__ import annotations

import numpy as np

import ldpcore as ldp
from ldpui.charts.common import Array
from ldpui.format import at_most, percent, significant, times
from pages.study.learn.life_frames import chance

# How sure the server must be, for the task.
SURE = 0.95
# An event with a smaller chance is not worth waiting for.
_SELDOM = 0.05
QUESTION = "How often can one single report make the server 95% sure of your value?"


def task(m: ldp.Mechanism) -> str:
    """Say what to do, and where it can't be done."""
    words = (
        f"Send reports until the server holds your value for at least {percent(SURE)} likely. How many does it take?"
    )
    if m.eps_inf is None:
        return words
    if _most(m.eps_inf, m.k) < SURE:
        return f"{words} (With this mechanism it never happens. See why, then choose another one.)"
    likely = given_away(m)
    often = f"{'hardly ever happens,' if likely < _SELDOM else 'happens'} in about {chance(likely)} of all attempts"
    alike = " Whatever shares a cell with your value stays as likely as it." if m.g else ""
    other = "choose another one" if likely < _SELDOM else "start again"
    return (
        f"{words} (With this mechanism it {often}: if the memo speaks for your value, and for nothing else."
        f"{alike} If it does not happen, {other}.)"
    )


def given_away(m: ldp.Mechanism) -> float:
    """Return how often a memo speaks for the own value and for no other: only then can the server be sure.

    Two values that it speaks for are equally likely for good, so neither gets above one half.
    """
    rounds = m.rounds
    if rounds is None:
        raise ldp.Refused(f"{m.name} does not tell its two rounds")
    # The chance that it does not speak for another value, each on its own; a memo that names one value names no other.
    silent = 1 - 1 / m.g if m.g else 1 - rounds.q1 if rounds.cells is None else 1.0
    return float(rounds.p1 * silent ** (m.k - 1))


def _most(eps: float, k: int) -> float:
    """Return how likely a value can become that was one of k equally likely ones."""
    return float(np.exp(eps) / (np.exp(eps) + k - 1))


def because(m: ldp.Mechanism) -> str:
    """Say why one report can't give much away."""
    most = m.likelihood_ratio / (m.likelihood_ratio + m.k - 1)
    return (
        f"one report of {m.name} multiplies the odds of one value against another by {at_most(m.likelihood_ratio)} "
        f"at most. All {m.k} were equally likely before, so no value can get above **{at_most(100 * most)}%**."
    )


def memo_words(m: ldp.Mechanism) -> str:
    """Say what a memo is, where one is kept."""
    if m.eps_inf is None:
        return ""
    return (
        f" What is kept is called its *memo*. All reports together promise ε∞ = {significant(m.eps_inf)}: they "
        f"multiply the odds by {at_most(float(np.exp(m.eps_inf)))} at most, however many there are."
    )


def summary(m: ldp.Mechanism, own: Array) -> str:
    """Say how far the server has come, and whether it can come further."""
    text = f"After {times(len(own), 'report')} the server holds the truth for **{chance(float(own[-1]))}** likely"
    sure = np.flatnonzero(own >= SURE)
    text += f"; it was {percent(SURE)} sure first after {times(int(sure[0]) + 1, 'report')}." if sure.size else "."
    if m.eps_inf is None:
        return f"{text} Every report has fresh noise, and noise averages out: ask often enough, and the secret is out."
    most = _most(m.eps_inf, m.k)
    return (
        f"{text} The memo is noisy and never changes, so in the long run the server learns the memo, not the value. No "
        f"value can get above **{at_most(100 * most)}%**: that is what ε∞ = {significant(m.eps_inf)} promises."
    )
