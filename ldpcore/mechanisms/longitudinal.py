"""Longitudinal mechanisms: a first round that is memoised, a second one that is fresh at every collection."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.device import Device
from ldpcore.mechanisms.grr import SingleValueReports, grr_probabilities, randomize_values
from ldpcore.mechanisms.hashing import G_MAX, HASH_FAMILIES, LocalHashing, hash_cells
from ldpcore.mechanisms.memo import Draws, Memo, MemoDevice
from ldpcore.mechanisms.reports import HashedReports
from ldpcore.mechanisms.rounds import Rounds

CALIBRATIONS = ("published", "tight")
"""How the second round of a longitudinal mechanism is set: as in the paper, or so that one report costs exactly ε₁."""
EPS_INF_MAX = 2 * check.EPS_MAX


class LongitudinalMechanism(Mechanism):
    """A chain of two rounds: the first report costs at most `eps` (ε₁), any number of them at most `eps_inf` (ε∞).

    The first round is drawn once for a user and a value, and kept: `memoize`. The
    second is drawn at every collection: `report`. A user whose value changes draws a first
    round for the new value too, and one who returns to an old value finds the old one again: `update`. So u different
    values cost at most u·ε∞. Where values are hashed a user keeps one hash function and draws a first round for each
    of its g cells: at most g·ε∞. The first holds between histories whose values change and return at the same times,
    the second between those whose cells do. *That* a value or a cell has changed is bounded by neither, see
    `ldpcore.theory.changing_eps` and `change_noticed`.

    Attributes
    ----------
    p1, q1, p2, q2 : float
        Probabilities of the two rounds.
    calibration : str
        How the second round is set: "published" (as in the paper) or "tight" (so that the first report costs exactly
        ε₁). They differ where `calibration_matters`: of the paper's, for L-GRR and L-OLH.

    Examples
    --------
    >>> from ldpcore.mechanisms.longitudinal_unary import LSUE
    >>> m, rng = LSUE(k=4, eps=1.0, eps_inf=2.0), np.random.default_rng(1)
    >>> memo = m.memoize([3, 0], rng)
    >>> m.report(memo, rng).shape  # today's; tomorrow's is another report of the same memo
    (2, 4)
    >>> m.report([3, 0], rng)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ldpcore.errors.Refused: memo must be what memoize or update returned, never the true values...
    """

    longitudinal = True
    options: ClassVar[tuple[str, ...]] = ("eps_inf", "calibration")
    eps_inf: float
    calibration: str
    p1: float
    q1: float
    p2: float
    q2: float

    def __init__(self, *, k: int, eps: float, eps_inf: float | None = None, calibration: str = "published") -> None:
        super().__init__(k=k, eps=eps)
        self.eps_inf = check.epsilon("eps_inf", 2 * self.eps if eps_inf is None else eps_inf, EPS_INF_MAX)
        self.calibration = check.choice("calibration", calibration, CALIBRATIONS)
        if self.eps >= self.eps_inf:
            raise Refused(
                f"eps (ε₁, one report) must be below eps_inf (ε∞, all reports) = {self.eps_inf:g}; got {self.eps:g}"
            )

    @classmethod
    def max_eps(cls, eps_inf: float | None = None) -> float:
        """Return what ε₁ must stay below at this ε∞: ε∞ itself, if the second round can do with any ε₁.

        Examples
        --------
        >>> LGRR.max_eps(2.0)
        2.0
        """
        return check.epsilon("eps_inf", eps_inf, EPS_INF_MAX)

    def _privatize(self, values: IntArray, rng: np.random.Generator) -> Any:
        return self.report(self.memoize(values, rng), rng)

    def device(self, value: int, rng: np.random.Generator, *, memo: bool | None = None) -> Device:
        if memo is not None and not check.truth("memo", memo):
            return super().device(value, rng, memo=False)
        value = check.integer("value", value, 0, self.k - 1)
        return MemoDevice(self.memoize([value], rng), self.update, self.report)

    def _repeater(self, values: IntArray, rng: np.random.Generator) -> Callable[[], Any]:
        memo = self.memoize(values, rng)
        return lambda: self.report(memo, rng)

    # ---- the two rounds -----------------------------------------------------------

    def memoize(self, values: Any, rng: np.random.Generator) -> Memo:
        """First round: what each of len(values) new users draws once for this value, and keeps.

        Examples
        --------
        >>> m, rng = LGRR(k=4, eps=1.0, eps_inf=40.0), np.random.default_rng(1)  # a first round with next to no noise
        >>> memo = m.memoize([3, 0, 2], rng)
        >>> memo, memo.answers
        (<memo of 3 users for L-GRR>, array([3, 0, 2]))
        """
        values, rng = self._check_values(values), check.generator("rng", rng)
        seeds = self._hash_functions(values.size, rng)
        # A copy, because a memo can't be written to and the caller's own array must stay as it is.
        keys = self._keys(values, seeds).copy()
        answers = self._first_answers(keys, rng)
        return Memo(self, answers, seeds, (Draws(np.arange(values.size), keys, answers),))

    def follow(
        self, value: int, kept_rng: np.random.Generator, rng: np.random.Generator
    ) -> tuple[list[tuple[str, str]], Any]:
        value, kept_rng = check.integer("value", value, 0, self.k - 1), check.generator("kept_rng", kept_rng)
        memo = self.memoize([value], kept_rng)
        report, text = self.report(memo, rng), self.report_kind.text
        first = ("Kept for good", f"First round, drawn once and remembered: {text(memo.as_report)}.")
        return [first, ("Sent today", f"Second round, fresh at every report: {text(report)}.")], report

    def update(self, memo: Memo, values: Any, rng: np.random.Generator) -> Memo:
        """Return the memo of the same users with the values that they hold now.

        A value that a user held before has its old first round, a new one draws one. Users keep their hash functions,
        and a new value in a cell that they know needs no new draw.

        Examples
        --------
        >>> m, rng = LGRR(k=100, eps=1.0, eps_inf=2.0), np.random.default_rng(1)
        >>> monday = m.memoize([7, 7, 7], rng)
        >>> tuesday = m.update(monday, [8, 8, 8], rng)
        >>> bool((m.update(tuesday, [7, 7, 7], rng).answers == monday.answers).all())  # back to the old values
        True
        """
        memo, values, rng = self._check_memo(memo), self._check_values(values), check.generator("rng", rng)
        if values.size != len(memo):
            raise Refused(f"values must be one for each of the {len(memo):,} users of the memo; got {values.size:,}")
        keys = self._keys(values, memo.seeds)
        answers, missing = memo.recall(keys)
        users = np.flatnonzero(missing)
        if users.size == 0:
            return Memo(self, answers, memo.seeds, memo.history)
        fresh = Draws(users, keys[users], self._first_answers(keys[users], rng))
        answers[users] = fresh.answers
        return Memo(self, answers, memo.seeds, (*memo.history, fresh))

    def report(self, memo: Memo, rng: np.random.Generator) -> Any:
        """Second round: what each user sends at one collection, given the memo.

        Examples
        --------
        >>> m, rng = LGRR(k=4, eps=30.0, eps_inf=40.0), np.random.default_rng(1)  # with next to no noise
        >>> memo = m.memoize([3, 0, 2], rng)
        >>> m.report(memo, rng)
        array([3, 0, 2])
        """
        memo, rng = self._check_memo(memo), check.generator("rng", rng)
        return self._second_answers(memo, rng)

    def _check_memo(self, memo: Memo) -> Memo:
        if not isinstance(memo, Memo):
            raise Refused(
                "memo must be what memoize or update returned, never the true values: a report of those would cost "
                f"more than ε₁; got {check.shown(memo)}"
            )
        if memo.mechanism != self:
            raise Refused(f"memo must be one of {self!r}; got one of {memo.mechanism!r}")
        return memo

    def _hash_functions(self, users: int, rng: np.random.Generator) -> IntArray | None:
        """Draw one hash function a user, where values are hashed."""
        return None

    def _keys(self, values: IntArray, seeds: IntArray | None) -> IntArray:
        """Return for what the users draw a first round: their values, or the cells these hash to."""
        return values

    @abstractmethod
    def _first_answers(self, keys: IntArray, rng: np.random.Generator) -> Any:
        """Draw the first round for each of the keys: an array with a row for each, in the form that reports have.

        What is kept is shown and counted as if it were a report (`Memo.as_report`); where values are hashed it is the
        cells, and the seeds come with it.
        """

    @abstractmethod
    def _second_answers(self, memo: Memo, rng: np.random.Generator) -> Any:
        """Draw the second round, which makes the reports."""


# ---- chains of randomized response ------------------------------------------------


def grr_chain(k: int, eps: float, eps_inf: float, calibration: str) -> tuple[float, float, float, float]:
    """Return p₁, q₁, p₂, q₂ of two rounds of randomized response on k values.

    >>> p1, q1, p2, q2 = grr_chain(5, 1.0, 2.0, "tight")
    >>> round(p1 / q1, 6), round(p2 + 4 * q2, 6)
    (7.389056, 1.0)
    """
    p1, q1 = grr_probabilities(k, eps_inf)
    if calibration == "tight":
        p, q = grr_probabilities(k, eps)
        q2 = (q - q1) / (p1 - q1)
        return p1, q1, q2 + (p - q) / (p1 - q1), q2
    # The published formula, numerator and denominator divided by e^{ε₁+ε∞}.
    both = -math.expm1(-eps - eps_inf)
    gap = math.exp(-eps) - math.exp(-eps_inf)
    whole = both + (k - 1) * gap
    return p1, q1, both / whole, gap / whole


def chained(k: int, p1: float, q1: float, p2: float, q2: float) -> tuple[float, float]:
    """Return the chance of the true and of any one other value after both rounds.

    A value stays untouched with (p₁-q₁)(p₂-q₂), and q = (1-(1-kq₁)(1-kq₂))/k; neither is
    taken from 1, because for many values and a small ε nothing would be left of p - q.

    >>> p, q = chained(5, *grr_chain(5, 1.0, 2.0, "tight"))
    >>> round(p / q, 6)
    2.718282
    """
    q = q1 + q2 - k * q1 * q2
    return q + (p1 - q1) * (p2 - q2), q


class LGRR(LongitudinalMechanism, SingleValueReports):
    """Longitudinal GRR (Arcolezi et al. 2022): randomized response of a memoised randomized response.

    >>> published, tight = (LGRR(k=20, eps=1.0, calibration=c) for c in ("published", "tight"))
    >>> round(published.effective_eps, 2), round(tight.effective_eps, 2)
    (0.51, 1.0)
    """

    name = "L-GRR"
    full_name = "Longitudinal Generalized Randomized Response"
    summary = "Randomizes the value once and keeps that; randomizes it again at every report."
    calibration_matters = True

    def __init__(self, *, k: int, eps: float, eps_inf: float | None = None, calibration: str = "published") -> None:
        super().__init__(k=k, eps=eps, eps_inf=eps_inf, calibration=calibration)
        self.p1, self.q1, self.p2, self.q2 = grr_chain(self.k, self.eps, self.eps_inf, self.calibration)
        self.p, self.q = chained(self.k, self.p1, self.q1, self.p2, self.q2)

    @property
    def rounds(self) -> Rounds:
        return Rounds(self.p1, self.q1, self.p2, self.q2, cells=self.k)

    @property
    def likelihood_ratio(self) -> float:
        return self.p / self.q

    @property
    def published_channel(self) -> tuple[float, float]:
        """The paper's q = p₁q₂ + q₁p₂ leaves out (k-2)q₁q₂: a value can also arrive by way of a third one."""
        return self.p, self.p1 * self.q2 + self.q1 * self.p2

    def _first_answers(self, keys: IntArray, rng: np.random.Generator) -> IntArray:
        return randomize_values(keys, self.k, self.p1 - self.q1, rng)

    def _second_answers(self, memo: Memo, rng: np.random.Generator) -> IntArray:
        return randomize_values(memo.answers, self.k, self.p2 - self.q2, rng)


class LongitudinalHashing(LongitudinalMechanism, LocalHashing):
    """Hash to g cells, then L-GRR on the cells (Arcolezi et al., EDBT 2023).

    >>> m = LBLH(k=10, eps=1.0, eps_inf=2.0)
    >>> m.rounds.cells
    2
    """

    options: ClassVar[tuple[str, ...]] = ("eps_inf", "calibration", "hash_family")
    calibration_matters = True

    def __init__(
        self,
        *,
        k: int,
        eps: float,
        eps_inf: float | None = None,
        calibration: str = "published",
        hash_family: str = "splitmix64",
        g: int | None = None,
    ) -> None:
        super().__init__(k=k, eps=eps, eps_inf=eps_inf, calibration=calibration)
        self.hash_family = check.choice("hash_family", hash_family, HASH_FAMILIES)
        self.g = self._cells_for(self.eps, self.eps_inf) if g is None else check.integer("g", g, 2, G_MAX)
        self.p1, self.q1, self.p2, self.q2 = grr_chain(self.g, self.eps, self.eps_inf, self.calibration)
        self.p, self._q_cell = chained(self.g, self.p1, self.q1, self.p2, self.q2)
        self.q = 1 / self.g

    @staticmethod
    @abstractmethod
    def _cells_for(eps: float, eps_inf: float) -> int: ...

    @property
    def rounds(self) -> Rounds:
        return Rounds(self.p1, self.q1, self.p2, self.q2, cells=self.g)

    @property
    def memos(self) -> int:
        """One for each cell of the hash function, which is kept for good; k values fall into k cells at most."""
        return min(self.k, self.g)

    @property
    def likelihood_ratio(self) -> float:
        return self.p / self._q_cell

    @property
    def published_channel(self) -> tuple[float, float]:
        """The paper's q = p₁q₂ + q₁p₂ with q₁ = 1/g."""
        return self.p, self.p1 * self.q2 + self.p2 / self.g

    def _hash_functions(self, users: int, rng: np.random.Generator) -> IntArray:
        return self._draw_seeds(users, rng)

    def _keys(self, values: IntArray, seeds: IntArray | None) -> IntArray:
        return hash_cells(seeds, values, self.g, family=self.hash_family)

    def _first_answers(self, keys: IntArray, rng: np.random.Generator) -> IntArray:
        return randomize_values(keys, self.g, self.p1 - self.q1, rng)

    def _second_answers(self, memo: Memo, rng: np.random.Generator) -> HashedReports:
        seeds, cells = memo.as_report
        return HashedReports(seeds.copy(), randomize_values(cells, self.g, self.p2 - self.q2, rng))


class LBLH(LongitudinalHashing):
    """Longitudinal Binary Local Hashing: two cells.

    >>> LBLH(k=10, eps=1.0)
    LBLH(k=10, eps=1.0, eps_inf=2.0, calibration='published', hash_family='splitmix64')
    """

    name = "L-BLH"
    full_name = "Longitudinal Binary Local Hashing"
    summary = "One random bit as in BLH, randomized once for good and again at every report."
    # Of two cells the published second round spends all of ε₁.
    calibration_matters = False

    def __init__(
        self,
        *,
        k: int,
        eps: float,
        eps_inf: float | None = None,
        calibration: str = "published",
        hash_family: str = "splitmix64",
    ) -> None:
        super().__init__(k=k, eps=eps, eps_inf=eps_inf, calibration=calibration, hash_family=hash_family)

    @staticmethod
    def _cells_for(eps: float, eps_inf: float) -> int:
        return 2


class LOLH(LongitudinalHashing):
    """Longitudinal Optimized Local Hashing: the published number of cells, if `g` is not given.

    >>> LOLH(k=10, eps=4.0).g, LOLH(k=10, eps=0.2).same_as
    (53, 'L-BLH')
    """

    name = "L-OLH"
    full_name = "Longitudinal Optimized Local Hashing"
    summary = "Hashing to several cells, randomized once for good and again at every report."
    options = ("eps_inf", "calibration", "hash_family", "g")
    shape_options = ("g",)

    def _own_choice(self) -> dict[str, Any]:
        return {"g": self._cells_for(self.eps, self.eps_inf)}

    @property
    def same_as(self) -> str | None:
        return "L-BLH" if self.g == 2 else None

    @staticmethod
    def _cells_for(eps: float, eps_inf: float) -> int:
        # The published (1-a²+√(a⁴-14a²+12ab(1-ab)+12a³b+1)) / (6(a-b)), with the root's square written as
        # (a²-1)² + 12a(a-b)(ab-1) and the difference of root and a²-1 as a quotient: a-b cancels, digits don't.
        a = math.exp(eps_inf)
        square, both = math.expm1(2 * eps_inf), math.expm1(eps_inf + eps)
        apart = math.exp(eps) * math.expm1(eps_inf - eps)
        best = 2 * a * both / (math.sqrt(square**2 + 12 * a * apart * both) + square)
        return min(1 + max(1, round(best)), G_MAX)
