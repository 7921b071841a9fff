"""Somebody who sends reports: the mechanism on the device, the value, and the memo if one is kept."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore._validate import BoolArray, IntArray
from ldpcore.mechanisms import hash_cells


@dataclass(frozen=True, eq=False)
class Sender:
    """One user: the mechanism on the device, the value, what the values are called, and the memo if one is kept."""

    mechanism: ldp.Mechanism
    own: int
    names: Sequence[str]
    memo: ldp.Memo | None = None

    @classmethod
    def new(cls, m: ldp.Mechanism, own: int, names: Sequence[str], rng: np.random.Generator) -> Sender:
        """Return a user, who draws a memo for good if the mechanism keeps one."""
        memo = m.memoize([own], rng) if isinstance(m, ldp.LongitudinalMechanism) else None
        return cls(m, own, names, memo)

    @property
    def kind(self) -> str:
        """Of which kind the reports are: "values", "bits", "sets" or "pairs"."""
        return self.mechanism.report_kind.key

    @property
    def is_own(self) -> BoolArray:
        """Which of the values is the user's own."""
        return np.asarray(np.arange(self.mechanism.k) == self.own)

    @property
    def name(self) -> str:
        """What the own value is called."""
        return f"“{self.names[self.own]}”"

    def cells(self, report: Any) -> IntArray:
        """Return the cell of every value, by the hash function of a report."""
        m = self.mechanism
        return hash_cells(int(report.seed[0]), np.arange(m.k), m.g or 2, family=m.hash_family or "splitmix64")

    def picture(self, report: Any) -> tuple[BoolArray, list[str]]:
        """Return which values a report speaks for, and what is written at each of them."""
        lit = self.mechanism.supports(report)[0]
        if self.kind == "pairs":
            return lit, [f"cell {cell}" for cell in self.cells(report)]
        if self.kind == "bits":
            return lit, digits(lit)
        word = "in" if self.kind == "sets" else "sent"
        return lit, [word if one else "" for one in lit]


def digits(lit: BoolArray) -> list[str]:
    """Return bits as they are written."""
    return ["1" if one else "0" for one in lit]
