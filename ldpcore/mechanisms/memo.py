"""What the users of a longitudinal mechanism keep between their reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.device import Device
from ldpcore.mechanisms.reports import HashedReports


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
    mechanism : Mechanism
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

    mechanism: Mechanism
    answers: Any
    seeds: IntArray | None
    history: tuple[Draws, ...]

    def __post_init__(self) -> None:
        if not self.history or not all(isinstance(draws, Draws) for draws in self.history):
            raise Refused("a memo is made by memoize and update of a longitudinal mechanism, not by hand")
        for array in (self.answers, self.seeds):
            if array is not None:
                array.setflags(write=False)

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
        """Return each user's answer for these values (or cells), and which users have none yet.

        Examples
        --------
        >>> from ldpcore import mechanism
        >>> m, rng = mechanism("L-GRR", k=4, eps=1.0, eps_inf=40.0), np.random.default_rng(1)
        >>> answers, missing = m.memoize([3, 0], rng).recall(np.array([3, 1]))
        >>> answers[0].item(), missing
        (3, array([False,  True]))
        """
        answers, missing = np.zeros_like(self.answers), np.ones(len(self), dtype=np.bool_)
        for draws in self.history:
            same = draws.keys == keys[draws.users]
            users = draws.users[same]
            answers[users] = draws.answers[same]
            missing[users] = False
        return answers, missing


class MemoDevice(Device):
    """Keeps the first round of every value that was held; `update` and `report` are the mechanism's.

    >>> from ldpcore import mechanism
    >>> m, rng = mechanism("L-SUE", k=3, eps=1.0, eps_inf=2.0), np.random.default_rng(1)
    >>> phone = m.device(0, rng)
    >>> first = phone.memo
    >>> phone.hold(2, rng), phone.hold(0, rng), bool((phone.memo == first).all())
    (None, None, True)
    """

    def __init__(
        self,
        memo: Memo,
        update: Callable[[Memo, Any, np.random.Generator], Memo],
        report: Callable[[Memo, np.random.Generator], Any],
    ) -> None:
        self._memo, self._update, self._report = memo, update, report

    @property
    def memo(self) -> Any:
        return self._memo.as_report

    def hold(self, value: int, rng: np.random.Generator) -> None:
        value = check.integer("value", value, 0, self._memo.mechanism.k - 1)
        self._memo = self._update(self._memo, [value], rng)

    def report(self, rng: np.random.Generator) -> Any:
        return self._report(self._memo, rng)
