"""The stages of a report in words and as tiles: the value, how it is written down, the noise, and what travels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore._validate import BoolArray
from ldpui.format import percent, significant, times
from pages.study.learn.sender import Sender, digits


@dataclass(frozen=True, eq=False)
class Stage:
    """One moment: its title and text, and for each value whether it is lit and what is written there."""

    title: str
    text: str
    lit: BoolArray
    words: list[str]


def value(sender: Sender) -> Stage:
    """Return the value as it is."""
    words = ["you" if own else "" for own in sender.is_own]
    return Stage("The value", f"You looked up {sender.name}. Nobody else knows.", sender.is_own, words)


def encoded(sender: Sender, report: Any) -> list[Stage]:
    """Return how the value is written down before any noise; a value that stays as it is has no such stage."""
    m = sender.mechanism
    if sender.kind == "bits":
        text = f"A number for each thing one can look up: **1** for {sender.name}, **0** for all others."
        return [Stage("Written down", text, sender.is_own, digits(sender.is_own))]
    if sender.kind == "sets":
        text = f"An empty set, with room for **{times(m.support_size or 0, 'thing')}**."
        return [Stage("Written down", text, np.zeros(m.k, dtype=np.bool_), [""] * m.k)]
    if sender.kind == "pairs":
        cells, words = sender.cells(report), sender.picture(report)[1]
        mine = np.asarray(cells == cells[sender.own])
        text = (
            f"A lottery (a hash function, no. {int(report.seed[0]):,}) throws everything into **{m.g} cells**. "
            f"{sender.name} fell into **cell {cells[sender.own]}**, {_along(int(mine.sum()) - 1)}."
        )
        return [Stage("Written down", text, mine, words)]
    return []


def noise(sender: Sender, report: Any, rng: np.random.Generator) -> list[Stage]:
    """Return where the noise of a report fell that keeps nothing."""
    m = sender.mechanism
    if sender.kind == "sets":
        return _filling(sender, report, rng)
    text = _changed(sender, _before(sender, report), report, m.p, m.q)
    return [Stage("Noise", text, *sender.picture(report))]


def kept(sender: Sender, memo: Any) -> Stage:
    """Return the noise that is drawn once, and kept."""
    p, q = _round(sender, 1)
    text = _changed(sender, _before(sender, memo), memo, p, q)
    return Stage("Memo", f"**Drawn once, and kept for good.** {text}", *sender.picture(memo))


def fresh(sender: Sender, memo: Any, report: Any) -> Stage:
    """Return the noise that falls on the memo, new in each report."""
    p, q = _round(sender, 2)
    before = memo.value[0] if sender.kind == "pairs" else memo[0]
    text = _changed(sender, before, report, p, q)
    return Stage("Noise", f"**Fresh noise on the memo, new every time.** {text}", *sender.picture(report))


def threshold(sender: Sender, reals: Any, report: BoolArray) -> list[Stage]:
    """Return the numbers with their noise, and which of them are above the threshold."""
    m, lit = sender.mechanism, report[0]
    theta = significant(float(m.threshold or 0))
    words = [f"{real:.2f}".replace("-", "−") for real in reals[0]]
    text = f"Every number gets noise of its own. Next comes a **threshold**, {theta}."
    wrong = int((lit != sender.is_own).sum())
    told = "this time none is wrong" if wrong == 0 else f"{wrong} {'is' if wrong == 1 else 'are'} wrong"
    return [
        Stage("Noise", text, np.zeros(m.k, dtype=np.bool_), words),
        Stage("Threshold", f"Numbers above {theta} become 1, all others 0: {told}.", lit, digits(lit)),
    ]


def travels(sender: Sender, report: Any) -> Stage:
    """Return what the server gets."""
    lit, words = sender.picture(report)
    if sender.kind == "bits":
        sent = "".join(digits(lit))
    elif sender.kind == "pairs":
        sent = f"hash function no. {int(report.seed[0]):,}, cell {int(report.value[0])}"
    else:
        sent = ", ".join(f"“{sender.names[v]}”" for v in np.flatnonzero(lit).tolist())
    return Stage("What travels", f"To the server goes **{sent}**, and nothing else.", lit, words)


def _filling(sender: Sender, report: Any, rng: np.random.Generator) -> list[Stage]:
    """Fill a set: the own value first, if it is in it, then others in an order that says nothing."""
    others = [int(v) for v in rng.permutation([v for v in report[0] if v != sender.own])]
    inside = [sender.own] if sender.own in report[0] else []
    told = "is put in" if inside else "stays out this time"
    texts = [f"{sender.name} {told}: it is put in with a chance of {percent(sender.mechanism.p)}."]
    texts += [f"Chance fills the set with others: “{sender.names[v]}”." for v in others]
    stages = []
    for number, text in enumerate(texts):
        lit = np.isin(np.arange(sender.mechanism.k), inside + others[:number])
        stages.append(Stage("Noise", text, lit, ["in" if one else "" for one in lit]))
    return stages


def _before(sender: Sender, report: Any) -> Any:
    """Return what the noise falls on: the bits, the cell, or the value."""
    if sender.kind == "bits":
        return sender.is_own
    return sender.cells(report)[sender.own] if sender.kind == "pairs" else sender.own


def _changed(sender: Sender, before: Any, report: Any, p: float, q: float) -> str:
    """Say what noise has changed; what is true stays with chance p, and a 0 becomes 1 with chance q."""
    if sender.kind == "bits":
        flips = int((np.asarray(before) != report[0]).sum())
        told = f"**{times(flips, 'number')}** changed" if flips else "No number changed"
        return f"{told}: a 1 stays 1 with a chance of {percent(p)}, a 0 becomes 1 with {percent(q)}."
    if sender.kind == "pairs":
        return _moved(f"cell {int(before)}", f"cell {int(report.value[0])}", p)
    return _moved(f"“{sender.names[int(before)]}”", f"“{sender.names[int(report[0])]}”", p)


def _moved(old: str, new: str, p: float) -> str:
    told = f"The dice keep {old}" if old == new else f"The dice turn {old} into **{new}**"
    return f"{told}. It stays with a chance of {percent(p)}."


def _round(sender: Sender, number: int) -> tuple[float, float]:
    rounds = sender.mechanism.rounds
    if rounds is None:
        raise ldp.Refused(f"{sender.mechanism.name} does not tell its two rounds")
    return (rounds.p1, rounds.q1) if number == 1 else (rounds.p2, rounds.q2)


def _along(others: int) -> str:
    return "all alone" if others == 0 else f"with {times(others, 'other')}"
