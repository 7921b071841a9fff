"""What the users of a longitudinal mechanism keep between their reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from ldpcore._validate import BoolArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.reports import HashedReports

if TYPE_CHECKING:
    from ldpcore.mechanisms.longitudinal import LongitudinalMechanism


@dataclass(frozen=True, eq=False)
class Draws:
    """First rounds drawn at one time: which users drew, for which value (or cell of their hash function), and what.

    >>> Draws(np.array([0]), np.array([3]), np.array([2])).answers
    array([2])
    """

    users: IntArray
    keys: IntArray
    answers: Any

    def __post_init__(self) -> None:
        for array in (self.users, self.keys, self.answers):
            array.setflags(write=False)


@dataclass(frozen=True, eq=False, repr=False)
class Memo:
    """The first round of n users, for the value that they hold now and for all that they held before.

    `LongitudinalMechanism.memoize` makes it, `update` follows it to other values, and `report` alone reads it. It is a
    type of its own so that true values can't be taken for it: a report of those would cost far more than ε₁. It knows
    the users' values, so it must stay on their devices.

    Attributes
    ----------
    mechanism : LongitudinalMechanism
        The mechanism that it belongs to.
    answers : ndarray
        The first round's answer of each user for the value that is held now: values, cells or bits.
    seeds : ndarray or None
        The hash function of each user, one for good; None where nothing is hashed.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> m, rng = mechanism("L-SUE", k=4, eps=1.0, eps_inf=2.0), np.random.default_rng(1)
    >>> monday = m.memoize([3, 0, 2], rng)
    >>> monday
    <memo of 3 users for L-SUE>
    >>> tuesday = m.update(monday, [3, 0, 1], rng)  # the third user's value has changed
    >>> m.report(tuesday, rng).shape
    (3, 4)
    """

    mechanism: LongitudinalMechanism
    answers: Any
    seeds: IntArray | None
    history: tuple[Draws, ...]

    def __post_init__(self) -> None:
        if not self.history or not all(isinstance(draws, Draws) for draws in self.history):
            raise Refused("a memo is made by memoize and update of a longitudinal mechanism, not by hand")
        self.answers.setflags(write=False)

    def __len__(self) -> int:
        return len(self.answers)

    def __repr__(self) -> str:
        # Not what is inside: that is for the users alone.
        return f"<memo of {len(self):,} users for {self.mechanism.name}>"

    @property
    def as_report(self) -> Any:
        """What is kept for the value held now, in the form of a report: what an attacker learns in the long run."""
        return self.answers if self.seeds is None else HashedReports(self.seeds, self.answers)

    def recall(self, keys: IntArray) -> tuple[Any, BoolArray]:
        """Return each user's answer for these values (or cells), and which users have none yet."""
        answers, missing = np.zeros_like(self.answers), np.ones(len(self), dtype=np.bool_)
        for draws in self.history:
            same = draws.keys == keys[draws.users]
            users = draws.users[same]
            answers[users] = draws.answers[same]
            missing[users] = False
        return answers, missing
