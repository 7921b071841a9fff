"""Somebody who sends reports: the mechanism, the value, and the device."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore.arrays import BoolArray, IntArray
from ldpcore.mechanisms import Device, hash_cells


@dataclass(frozen=True, eq=False)
class Sender:
    """One user: the mechanism, the value, what the values are called, and the device that sends the reports."""

    mechanism: ldp.Mechanism
    own: int
    names: Sequence[str]
    device: Device

    @classmethod
    def new(cls, m: ldp.Mechanism, own: int, names: Sequence[str], rng: np.random.Generator) -> Sender:
        """Return a user, who draws a memo for good if the mechanism keeps one."""
        return cls(m, own, names, m.device(own, rng))

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
        return _cells(int(report.seed[0]), m.k, m.g or 2, m.hash_family or "splitmix64")


# Every stage of a report asks for the cells of the same hash function.
@lru_cache(maxsize=16)
def _cells(seed: int, k: int, g: int, family: str) -> IntArray:
    cells = hash_cells(seed, np.arange(k), g, family=family)
    cells.setflags(write=False)
    return cells


def digits(lit: BoolArray) -> list[str]:
    """Return bits as they are written."""
    return ["1" if one else "0" for one in lit]
