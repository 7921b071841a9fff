"""The four kinds of report as a lesson shows them: how a value is written down, what noise changes, what travels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore.arrays import BoolArray
from ldpcore.mechanisms.reports import BITS, PAIRS, SETS, VALUES
from ldpui.format import chance, percent, times
from pages.study.learn.sender import Sender, digits


@dataclass(frozen=True, eq=False)
class Stage:
    """One moment: its title and text, and for each value whether it is lit and what is written there."""

    title: str
    text: str
    lit: BoolArray
    words: list[str]


class Values:
    """A report is one of the values."""

    word = "sent"

    def picture(self, sender: Sender, report: Any) -> tuple[BoolArray, list[str]]:
        """Return which values a report speaks for, and what is written at each of them."""
        lit = sender.mechanism.supports(report)[0]
        return lit, [self.word if one else "" for one in lit]

    def written(self, sender: Sender, report: Any) -> list[Stage]:
        """Return how the value is written down before any noise; a value that stays as it is has no such stage."""
        return []

    def before(self, sender: Sender, report: Any) -> Any:
        """Return what the noise falls on."""
        return sender.own

    def memo_report(self, memo: Any) -> Any:
        """Return what fresh noise falls on where there is a memo."""
        return memo[0]

    def changed(self, sender: Sender, before: Any, report: Any, p: float, q: float) -> str:
        """Say what noise has changed; what is true stays with chance p, and a 0 becomes 1 with chance q."""
        return _moved(f"“{sender.names[int(before)]}”", f"“{sender.names[int(report[0])]}”", p)

    def noise(self, sender: Sender, report: Any, rng: np.random.Generator) -> list[Stage]:
        """Return where the noise of a report fell that keeps nothing."""
        m = sender.mechanism
        text = self.changed(sender, self.before(sender, report), report, m.p, m.q)
        return [Stage("Noise", text, *self.picture(sender, report))]

    def sent(self, sender: Sender, report: Any) -> str:
        """Return what the server gets."""
        lit, _ = self.picture(sender, report)
        return ", ".join(f"“{sender.names[v]}”" for v in np.flatnonzero(lit).tolist())


class Bits(Values):
    """A report is a 0 or a 1 for each value."""

    def picture(self, sender: Sender, report: Any) -> tuple[BoolArray, list[str]]:
        lit = sender.mechanism.supports(report)[0]
        return lit, digits(lit)

    def written(self, sender: Sender, report: Any) -> list[Stage]:
        text = f"A number for each thing one can look up: **1** for {sender.name}, **0** for all others."
        return [Stage("Written down", text, sender.is_own, digits(sender.is_own))]

    def before(self, sender: Sender, report: Any) -> Any:
        return sender.is_own

    def changed(self, sender: Sender, before: Any, report: Any, p: float, q: float) -> str:
        flips = int((np.asarray(before) != report[0]).sum())
        change = f"**{times(flips, 'number')}** changed" if flips else "No number changed"
        return f"{change}: a 1 stays 1 with a chance of {chance(p)}, a 0 becomes 1 with {percent(q)}."

    def sent(self, sender: Sender, report: Any) -> str:
        return "".join(self.picture(sender, report)[1])


class Sets(Values):
    """A report is a set of values."""

    word = "in"

    def written(self, sender: Sender, report: Any) -> list[Stage]:
        m = sender.mechanism
        text = f"An empty set, with room for **{times(m.support_size or 0, 'thing')}**."
        return [Stage("Written down", text, np.zeros(m.k, dtype=np.bool_), [""] * m.k)]

    def noise(self, sender: Sender, report: Any, rng: np.random.Generator) -> list[Stage]:
        """Fill the set: the own value first, if it is in it, then others in an order that says nothing."""
        others = [int(v) for v in rng.permutation([v for v in report[0] if v != sender.own])]
        inside = [sender.own] if sender.own in report[0] else []
        outcome = "is put in" if inside else "stays out this time"
        texts = [f"{sender.name} {outcome}: it is put in with a chance of {chance(sender.mechanism.p)}."]
        texts += [f"Chance fills the set with others: “{sender.names[v]}”." for v in others]
        stages = []
        for number, text in enumerate(texts):
            lit = np.isin(np.arange(sender.mechanism.k), inside + others[:number])
            stages.append(Stage("Noise", text, lit, ["in" if one else "" for one in lit]))
        return stages


class Pairs(Values):
    """A report is a hash function and one of its cells."""

    def picture(self, sender: Sender, report: Any) -> tuple[BoolArray, list[str]]:
        return sender.mechanism.supports(report)[0], [f"cell {cell}" for cell in sender.cells(report)]

    def written(self, sender: Sender, report: Any) -> list[Stage]:
        cells, words = sender.cells(report), self.picture(sender, report)[1]
        same = np.asarray(cells == cells[sender.own])
        text = (
            f"A lottery (a hash function, no. {int(report.seed[0]):,}) throws everything into **{sender.mechanism.g} "
            f"cells**. {sender.name} fell into **cell {cells[sender.own]}**, {_along(int(same.sum()) - 1)}."
        )
        return [Stage("Written down", text, same, words)]

    def before(self, sender: Sender, report: Any) -> Any:
        return sender.cells(report)[sender.own]

    def memo_report(self, memo: Any) -> Any:
        return memo.value[0]

    def changed(self, sender: Sender, before: Any, report: Any, p: float, q: float) -> str:
        return _moved(f"cell {int(before)}", f"cell {int(report.value[0])}", p)

    def sent(self, sender: Sender, report: Any) -> str:
        return f"hash function no. {int(report.seed[0]):,}, cell {int(report.value[0])}"


# By the keys of the kinds of report.
KINDS: dict[str, Values] = {VALUES.key: Values(), BITS.key: Bits(), SETS.key: Sets(), PAIRS.key: Pairs()}


def _moved(old: str, new: str, p: float) -> str:
    outcome = f"The dice keep {old}" if old == new else f"The dice turn {old} into **{new}**"
    return f"{outcome}. It stays with a chance of {chance(p)}."


def _along(others: int) -> str:
    return "all alone" if others == 0 else f"with {times(others, 'other')}"
