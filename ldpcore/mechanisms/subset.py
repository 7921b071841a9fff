"""Subset Selection."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms._random import row_blocks
from ldpcore.mechanisms._set_counts import set_counts
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.reports import SETS

# NumPy's hypergeometric draws take populations below 10⁹.
_HYPERGEOMETRIC_MAX = 10**9 - 1
# With fewer values it is quicker to go through them one by one than to halve them.
_HALVED_FROM = 64


class SS(Mechanism):
    """Subset Selection (Wang et al. 2016; Ye and Barg, IEEE Trans. Inf. Theory 2018).

    The report is a set of ω values: it holds the true one with probability p, and
    the rest is drawn without replacement from the others. Reports are rows of ω
    values in ascending order: any other order could give the true value away.
    `omega` is the one with the least variance, max(1, round(k/(e^ε+1))), if not given.

    >>> SS(k=10, eps=1.0), SS(k=10, eps=1.0, omega=5).support_size
    (SS(k=10, eps=1.0, omega=3), 5)
    """

    name = "SS"
    full_name = "Subset Selection"
    summary = "Sends a set of values that holds the true one more often than chance would."
    report_kind = SETS
    options = ("omega",)
    shape_options = ("omega",)
    support_law = "fixed size"

    def __init__(self, *, k: int, eps: float, omega: int | None = None) -> None:
        super().__init__(k=k, eps=eps)
        shrink = math.exp(-self.eps)
        self.omega = self._best_size() if omega is None else check.integer("omega", omega, 1, self.k - 1)
        self.support_size = self.omega
        k, w = self.k, self.omega
        whole = w + (k - w) * shrink
        self.p = w / whole
        self.q = w * ((w - 1) + (k - w) * shrink) / ((k - 1) * whole)

    def _best_size(self) -> int:
        shrink = math.exp(-self.eps)
        return max(1, round(self.k * shrink / (1 + shrink)))

    def _own_choice(self) -> dict[str, Any]:
        return {"omega": self._best_size()}

    @property
    def same_as(self) -> str | None:
        return "GRR" if self.omega == 1 else None

    def encoding(self, value: int) -> str | None:
        return "A set that still is to be filled."

    @property
    def report_bits(self) -> float:
        k, w = self.k, self.omega
        return (math.lgamma(k + 1) - math.lgamma(w + 1) - math.lgamma(k - w + 1)) / math.log(2)

    # ---- real reports -------------------------------------------------------------

    def _privatize(self, values: IntArray, rng: np.random.Generator) -> IntArray:
        n = values.size
        include = rng.random(n) < self.p
        subsets = np.empty((n, self.omega), dtype=np.min_scalar_type(self.k - 1))
        for rows in row_blocks(n, self.k):
            bits = self._draw_subsets(values[rows], include[rows], rng)
            subsets[rows] = np.nonzero(bits)[1].reshape(-1, self.omega)
        return subsets

    def _draw_subsets(self, values: IntArray, include: BoolArray, rng: np.random.Generator) -> BoolArray:
        """Draw ω values a user: Floyd's sampling without replacement, all users at once.

        The others than the true value are numbered 0..k-2. Step by step `last` grows to
        k-2, and adds a draw from 0..last, or `last` itself where the draw is in the set
        already. Users who hold their own value need one other fewer: they skip a step.
        """
        users = np.arange(values.size)
        bits = np.zeros((values.size, self.k), dtype=np.bool_)
        bits[users[include], values[include]] = True
        for step in range(self.omega):
            active = users if step else users[~include]
            own = values[active]
            last = self.k - 1 - self.omega + step
            draw = self._skip_own(rng.integers(0, last + 1, size=active.size), own)
            taken = bits[active, draw]
            bits[active, np.where(taken, self._skip_own(np.int64(last), own), draw)] = True
        return bits

    @staticmethod
    def _skip_own(other: IntArray | np.int64, own: IntArray) -> IntArray:
        """Turn a number among the other values into the value it stands for."""
        return np.asarray(other + (other >= own))

    def support_counts(self, reports: Any) -> IntArray:
        return np.bincount(self._check_reports(reports).ravel(), minlength=self.k)

    def supports(self, reports: Any) -> BoolArray:
        subsets = self._check_reports(reports)
        bits = np.zeros((len(subsets), self.k), dtype=np.bool_)
        np.put_along_axis(bits, subsets, True, axis=1)
        return bits

    def _check_reports(self, reports: Any) -> IntArray:
        array = check.array_of("reports", reports)
        if array.ndim != 2 or array.shape[1] != self.omega:
            raise Refused(f"reports must have one row a user and ω = {self.omega} columns; got shape {array.shape}")
        array = check.integer_array("reports", array, 0, self.k - 1)
        if not (np.diff(array, axis=1) > 0).all():
            twice = (np.diff(np.sort(array, axis=1), axis=1) == 0).any(axis=1)
            if twice.any():
                raise Refused(f"reports must be sets; row {int(np.argmax(twice))} holds a value twice")
        return array

    # ---- counts without users -----------------------------------------------------

    def _sample_counts(self, histogram: IntArray, runs: int, rng: np.random.Generator) -> IntArray:
        """Mix two kinds of report whose counts are easy to draw.

        With probability κ = (λ-1)ω/(k+(λ-1)ω) a user sends a uniform set among those
        that hold the true value, else a uniform set among all: the mixture has the
        mechanism's likelihood ratio λ, and there is only one mechanism that has it.
        """
        w = self.omega
        weight = w * -math.expm1(-self.eps)
        kappa = weight / (self.k * math.exp(-self.eps) + weight)
        holders = rng.binomial(histogram, kappa, size=(runs, self.k))
        anyone = histogram.sum() - holders.sum(axis=1)
        if self.k < _HALVED_FROM or holders.sum(axis=1).max() > _HYPERGEOMETRIC_MAX:
            return _scanned_sets(anyone, self.k, w, rng) + _holding_sets(holders, w, rng)
        return set_counts(anyone, holders, w, rng)


def uniform_sets(users: IntArray, k: int, size: int, rng: np.random.Generator) -> IntArray:
    """Count the values in uniformly random `size`-subsets of 0..k-1, one set a user; (runs,) to (runs, k)."""
    if k >= _HALVED_FROM:
        return set_counts(users, np.zeros((len(users), k), dtype=np.int64), size, rng)
    return _scanned_sets(users, k, size, rng)


def _scanned_sets(users: IntArray, k: int, size: int, rng: np.random.Generator) -> IntArray:
    scan = _Scan(len(users), size)
    scan.add(size, users[:, None])
    counts = np.empty((len(users), k), dtype=np.int64)
    for value in range(k):
        counts[:, value] = scan.take(k - value, rng)
    return counts


def _holding_sets(holders: IntArray, size: int, rng: np.random.Generator) -> IntArray:
    """Count the values in uniform `size`-subsets that hold the user's own value; (runs, k) to (runs, k).

    Scans the values once. A user is known only by how many places are still free, and by
    whether the own value is ahead or passed: those whose own value comes up are a
    uniformly random part of the users ahead, so they are drawn hypergeometrically.
    """
    runs, k = holders.shape
    if size == 1:
        return holders
    if holders.sum(axis=1).max() > _HYPERGEOMETRIC_MAX:
        half = holders // 2
        return _holding_sets(half, size, rng) + _holding_sets(holders - half, size, rng)
    ahead, passed = _Scan(runs, size - 1), _Scan(runs, size - 1)
    ahead.add(size - 1, holders.sum(axis=1)[:, None])
    counts = holders.copy()
    for value in range(k):
        least, own = ahead.remove(holders[:, value], rng)
        counts[:, value] += ahead.take(k - value - 1, rng) + passed.take(k - value, rng)
        passed.add(least, own)
    return counts


class _Scan:
    """Users grouped by how many places of their set are still free, for a batch of runs.

    Everybody is in groups[:, low:high]: the groups that are not empty lie close together
    (about √ω of them), and only those are worked on.
    """

    def __init__(self, runs: int, size: int) -> None:
        self.groups = np.zeros((runs, size + 1), dtype=np.int64)
        self._free = np.arange(size + 1)
        self._low = self._high = 0

    def add(self, least: int, users: IntArray) -> None:
        """Put users into the groups from `least` free places on."""
        width = users.shape[1]
        if width:
            self.groups[:, least : least + width] += users
            empty = self._low == self._high
            self._low = least if empty else min(self._low, least)
            self._high = least + width if empty else max(self._high, least + width)

    def remove(self, users: IntArray, rng: np.random.Generator) -> tuple[int, IntArray]:
        """Take `users` random users out of every run; return them by group, and the first group's places."""
        self._narrow()
        inside = self.groups[:, self._low : self._high]
        out = np.zeros_like(inside)
        for run in np.flatnonzero(users):
            out[run] = rng.multivariate_hypergeometric(inside[run], users[run], method="marginals")
        inside -= out
        return self._low, out

    def take(self, candidates: int, rng: np.random.Generator) -> IntArray:
        """Offer the next value to all: with r places free and m candidates left it is taken with r/m."""
        self._narrow()
        low, high = self._low, self._high
        if low == high or candidates == 0:
            return np.zeros(len(self.groups), dtype=np.int64)
        taken = rng.binomial(self.groups[:, low:high], np.minimum(self._free[low:high] / candidates, 1))
        self.groups[:, low:high] -= taken
        if low == 0:
            taken = taken[:, 1:]  # nobody without a free place takes anything
        self._low = max(0, low - 1)
        self.groups[:, self._low : high - 1] += taken
        return np.asarray(taken.sum(axis=1))

    def _narrow(self) -> None:
        """Leave out the groups at both ends that have become empty."""
        occupied = np.flatnonzero(self.groups[:, self._low : self._high].any(axis=0))
        if occupied.size:
            first = self._low
            self._low, self._high = first + int(occupied[0]), first + int(occupied[-1]) + 1
        else:
            self._low = self._high = 0
