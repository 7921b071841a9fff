"""Unary encoding: one bit a value, each bit randomized on its own."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms._random import randomize_bits, row_blocks
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.reports import BITS


def sue_probabilities(eps: float) -> tuple[float, float]:
    """Symmetric: p = e^{ε/2}/(e^{ε/2}+1), q = 1 - p.

    >>> p, q = sue_probabilities(1.0)
    >>> round(p + q, 6), round(odds_ratio(p, q), 6)
    (1.0, 2.718282)
    """
    shrink = math.exp(-eps / 2)
    return 1 / (1 + shrink), shrink / (1 + shrink)


def oue_probabilities(eps: float) -> tuple[float, float]:
    """Optimized: p = 1/2, q = 1/(e^ε+1).

    >>> p, q = oue_probabilities(1.0)
    >>> p, round(odds_ratio(p, q), 6)
    (0.5, 2.718282)
    """
    shrink = math.exp(-eps)
    return 0.5, shrink / (1 + shrink)


def odds_ratio(p: float, q: float) -> float:
    """p(1-q) / (q(1-p)): the likelihood ratio of two bit vectors that swap a 1 and a 0.

    >>> round(odds_ratio(0.75, 0.25), 6)
    9.0
    """
    return p * (1 - q) / (q * (1 - p))


def one_hot(values: IntArray, k: int) -> BoolArray:
    """Encode each value as k bits with a single 1.

    >>> one_hot(np.array([1, 0]), 3).astype(int).tolist()
    [[0, 1, 0], [1, 0, 0]]
    """
    bits = np.zeros((values.size, k), dtype=np.bool_)
    bits[np.arange(values.size), values] = True
    return bits


def column_sums(bits: BoolArray) -> IntArray:
    """Sum 0/1 rows. Sums of up to 255 rows fit into bytes, which adds eight times as many at once.

    >>> column_sums(np.array([[True, False], [True, True]])).tolist()
    [2, 1]
    """
    n, k = bits.shape
    whole = n - n % 255
    if whole:
        blocks = bits[:whole].view(np.uint8).reshape(-1, 255, k)
        head = np.add.reduce(blocks, axis=1, dtype=np.uint8).sum(axis=0, dtype=np.int64)
    else:
        head = np.zeros(k, dtype=np.int64)
    return np.asarray(head + bits[whole:].sum(axis=0, dtype=np.int64))


class BitReports(Mechanism):
    """Mechanisms whose report is k bits, each randomized on its own, and supports the values whose bit is 1.

    >>> OUE(k=3, eps=1.0).support_counts([[0, 1, 1], [0, 0, 1]]).tolist()
    [0, 1, 2]
    """

    report_kind = BITS
    support_law = "independent"

    @property
    def report_bits(self) -> float:
        return float(self.k)

    def encoding(self, value: int) -> str | None:
        return f"{self.k} bits, all 0 but the one of bin {value}."

    def support_counts(self, reports: Any) -> IntArray:
        return column_sums(self.supports(reports))

    def supports(self, reports: Any) -> BoolArray:
        return self._check_bits(reports)

    def _check_bits(self, reports: Any) -> BoolArray:
        array = check.array_of("reports", reports)
        if array.ndim != 2 or array.shape[1] != self.k or array.shape[0] == 0:
            raise Refused(
                f"reports must have one row a user and k = {self.k} columns, at least one row; got shape {array.shape}"
            )
        if array.dtype == np.bool_:
            return array
        if array.dtype.kind not in "iuf":
            raise Refused(f"reports must hold only 0 and 1; got an array of type {array.dtype}")
        bits = np.empty(array.shape, dtype=np.bool_)
        for rows in row_blocks(*array.shape):
            bits[rows] = array[rows] == 1
            wrong = ~bits[rows] & (array[rows] != 0)
            if wrong.any():
                row, column = (int(i) for i in np.argwhere(wrong)[0])
                value = array[rows][row, column].item()
                raise Refused(
                    f"reports must hold only 0 and 1; got {value!r} in row {rows.start + row}, column {column}"
                )
        return bits


class UnaryEncoding(BitReports):
    """The true value's bit is 1 with probability p, every other bit with probability q.

    >>> issubclass(OUE, UnaryEncoding), OUE.support_law
    (True, 'independent')
    """

    def _privatize(self, values: IntArray, rng: np.random.Generator) -> BoolArray:
        return randomize_bits(one_hot(values, self.k), self.p, self.q, rng)


class SUE(UnaryEncoding):
    """Symmetric Unary Encoding, basic one-time RAPPOR (Erlingsson, Pihur and Korolova, CCS 2014).

    >>> m = SUE(k=10, eps=1.0)
    >>> round(m.p + m.q, 6)
    1.0
    """

    name = "SUE"
    full_name = "Symmetric Unary Encoding"
    summary = "One yes/no answer for each value; each is flipped with the same chance."

    def __init__(self, *, k: int, eps: float) -> None:
        super().__init__(k=k, eps=eps)
        self.p, self.q = sue_probabilities(self.eps)


class OUE(UnaryEncoding):
    """Optimized Unary Encoding (Wang, Blocki, Li and Jha, USENIX Security 2017).

    >>> OUE(k=10, eps=1.0).privatize([3, 3], np.random.default_rng(1)).shape
    (2, 10)
    """

    name = "OUE"
    full_name = "Optimized Unary Encoding"
    summary = "One yes/no answer for each value; a yes is kept half of the time, a no flips less often."

    def __init__(self, *, k: int, eps: float) -> None:
        super().__init__(k=k, eps=eps)
        self.p, self.q = oue_probabilities(self.eps)
