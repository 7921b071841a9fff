"""A room and its rounds, as they are held in memory, and as they are shown."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import ldpcore as ldp
from pages.study.live_class.limits import Bucket
from pages.study.live_class.question import Question


@dataclass(frozen=True)
class RoundView:
    """A round at one moment.

    Attributes
    ----------
    number, mechanism, eps : int, str, float
        Which round of the room it is, and how phones blur answers in it.
    open : bool
        Whether reports are taken.
    counts, n, simulated : tuple of int, int, int
        How many of the n reports support each answer, and how many of them came from simulated students.
    truth : tuple of int
        The true answers of the simulated students; those of the others nobody knows.
    worked_out : dict
        What was computed of these counts, which the round itself keeps.
    """

    number: int
    mechanism: str
    eps: float
    open: bool
    counts: tuple[int, ...]
    n: int
    simulated: int
    truth: tuple[int, ...]
    worked_out: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)

    @property
    def k(self) -> int:
        return len(self.counts)

    def make_mechanism(self) -> ldp.Mechanism:
        """Return the mechanism of the round."""
        return ldp.mechanism(self.mechanism, k=self.k, eps=self.eps)


@dataclass(frozen=True)
class RoomView:
    """A room at one moment: its rounds, the phones in it and its places, simulated students still to come."""

    code: str
    question: Question
    rounds: tuple[RoundView, ...]
    phones: int
    students: int
    coming: int
    door_open: bool = True

    @property
    def now(self) -> RoundView:
        """The last round."""
        return self.rounds[-1]

    @property
    def stage(self) -> tuple[int, bool]:
        """What students must know of at once: the number of the round, and whether it is open."""
        return self.now.number, self.now.open


@dataclass
class Round:
    """A round as it is held: sums, and who has reported; no report is kept."""

    number: int
    mechanism: str
    eps: float
    k: int
    open: bool = True
    n: int = 0
    simulated: int = 0
    counts: list[int] = field(default_factory=list)
    truth: list[int] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    visitors: set[str] = field(default_factory=set)
    shown: RoundView | None = None

    def __post_init__(self) -> None:
        self.counts, self.truth = [0] * self.k, [0] * self.k

    def add(self, supported: Sequence[int]) -> None:
        """Count one report."""
        self.n += 1
        for value in supported:
            self.counts[value] += 1

    def close(self) -> None:
        """Take no more reports, and forget who sent some."""
        self.open = False
        self.tokens.clear()
        self.visitors.clear()

    def view(self) -> RoundView:
        """Return what can be shown of it."""
        counts, truth, before = tuple(self.counts), tuple(self.truth), self.shown
        known = before.worked_out if before is not None and (before.counts, before.n) == (counts, self.n) else {}
        self.shown = RoundView(
            self.number, self.mechanism, self.eps, self.open, counts, self.n, self.simulated, truth, known
        )
        return self.shown


@dataclass
class Member:
    """A visitor in a room: when it was last seen, how often it was refused, and the last round that it was heard in."""

    seen: float
    bucket: Bucket
    refused: int = 0
    heard: int = 0


@dataclass
class Room:
    """A room as it is held. `coming` are simulated students who have not reported yet: true value and report."""

    code: str
    key: str
    owner: str
    question: Question
    students: int
    opened: float
    bucket: Bucket
    arrivals: Bucket
    rounds: list[Round] = field(default_factory=list)
    members: dict[str, Member] = field(default_factory=dict)
    teacher_seen: float = 0.0
    last_seen: float = 0.0
    coming: list[tuple[int, tuple[int, ...]]] = field(default_factory=list)
    door_open: bool = True
    batch: int = 0
    batch_time: float = 0.0

    @property
    def has_reports(self) -> bool:
        """Whether a student has reported in any round."""
        return any(one.n > one.simulated for one in self.rounds)
