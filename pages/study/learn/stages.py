"""The stages of a report: the value, how it is written down, the noise, and what travels."""

from __future__ import annotations

from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore.arrays import BoolArray
from ldpui.format import significant
from pages.study.learn.kinds import KINDS, Stage, Values
from pages.study.learn.sender import Sender, digits


def value(sender: Sender) -> Stage:
    """Return the value as it is."""
    words = ["you" if own else "" for own in sender.is_own]
    return Stage("The value", f"You looked up {sender.name}. Nobody else knows.", sender.is_own, words)


def encoded(sender: Sender, report: Any) -> list[Stage]:
    """Return how the value is written down before any noise; a value that stays as it is has no such stage."""
    return _kind_of(sender).written(sender, report)


def noise(sender: Sender, report: Any, rng: np.random.Generator) -> list[Stage]:
    """Return where the noise of a report fell that keeps nothing."""
    return _kind_of(sender).noise(sender, report, rng)


def memo_stage(sender: Sender, memo: Any) -> Stage:
    """Return the noise that is drawn once, and kept."""
    kind, (p, q) = _kind_of(sender), _round(sender, 1)
    text = kind.changed(sender, kind.before(sender, memo), memo, p, q)
    return Stage("Memo", f"**Drawn once, and kept for good.** {text}", *kind.picture(sender, memo))


def fresh(sender: Sender, memo: Any, report: Any) -> Stage:
    """Return the noise that falls on the memo, new in each report."""
    kind, (p, q) = _kind_of(sender), _round(sender, 2)
    text = kind.changed(sender, kind.memo_report(memo), report, p, q)
    return Stage("Noise", f"**Fresh noise on the memo, new every time.** {text}", *kind.picture(sender, report))


def threshold(sender: Sender, reals: Any, report: BoolArray) -> list[Stage]:
    """Return the numbers with their noise, and which of them are above the threshold."""
    m, lit = sender.mechanism, report[0]
    theta = significant(float(m.threshold or 0))
    words = [f"{real:.2f}".replace("-", "−") for real in reals[0]]
    text = f"Every number gets noise of its own. Next comes a **threshold**, {theta}."
    wrong = int((lit != sender.is_own).sum())
    outcome = "this time none is wrong" if wrong == 0 else f"{wrong} {'is' if wrong == 1 else 'are'} wrong"
    return [
        Stage("Noise", text, np.zeros(m.k, dtype=np.bool_), words),
        Stage("Threshold", f"Numbers above {theta} become 1, all others 0: {outcome}.", lit, digits(lit)),
    ]


def travels(sender: Sender, report: Any) -> Stage:
    """Return what the server gets."""
    kind = _kind_of(sender)
    text = f"To the server goes **{kind.sent(sender, report)}**, and nothing else."
    return Stage("What travels", text, *kind.picture(sender, report))


def _round(sender: Sender, number: int) -> tuple[float, float]:
    rounds = sender.mechanism.rounds
    if rounds is None:
        raise ldp.Refused(f"{sender.mechanism.name} does not tell its two rounds")
    return (rounds.p1, rounds.q1) if number == 1 else (rounds.p2, rounds.q2)


def _kind_of(sender: Sender) -> Values:
    """Return how reports of this sender are shown."""
    return KINDS[sender.mechanism.report_kind.key]
