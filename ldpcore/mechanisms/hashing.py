"""Local hashing: every user hashes the k values to g cells and reports a randomized cell."""

from __future__ import annotations

import math
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from ldpcore import _validate as check
from ldpcore._validate import BoolArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms._random import row_blocks
from ldpcore.mechanisms._xxh32 import xxh32_decimal
from ldpcore.mechanisms.base import Mechanism
from ldpcore.mechanisms.grr import grr_probabilities, randomize_values
from ldpcore.mechanisms.reports import PAIRS, HashedReports
from ldpcore.mechanisms.secure import seeds_apart
from ldpcore.mechanisms.unary import column_sums

SEED_BITS = 32
# Our own family, and that of multi-freq-ldpy and pure-ldp. Theirs draw longer seeds, of which 32 bits count.
HASH_FAMILIES = {"splitmix64": SEED_BITS, "xxh32": 63}
"""The families of hash functions, each with the number of bits of its seeds."""
# More cells than this cannot help: q = 1/g is then below one in two thousand million.
G_MAX = 2**31

_UInt64Array = npt.NDArray[np.uint64]
_STEP = np.uint64(0x9E3779B97F4A7C15)
_MIX = ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB))


def hash_cells(seeds: Any, values: Any, g: int, *, family: str = "splitmix64") -> IntArray:
    """Hash values to cells 0..g-1 with the functions named by `seeds` (broadcast together).

    Our own family is H(v) = splitmix64(2³²·seed + v) mod g, where splitmix64(i) is the i-th output of
    Steele, Lea and Flood's generator started at 0 (OOPSLA 2014). Every pair (seed, v)
    is one place in a sequence that passes the standard batteries, so the cells of
    different values behave like independent uniform draws over the seeds. The family "xxh32"
    is H(v) = xxh32(str(v), seed) mod g, as multi-freq-ldpy and pure-ldp have it.

    Examples
    --------
    >>> hash_cells([7, 8], [[0], [1]], 3).shape  # two values under two hash functions
    (2, 2)
    """
    g = check.integer("g", g, 2, G_MAX)
    bits = HASH_FAMILIES[check.choice("family", family, HASH_FAMILIES)]
    seeds = check.integer_array("seeds", seeds, 0, 2**bits - 1).astype(np.uint64)
    values = check.integer_array("values", values, 0, 2**32 - 1).astype(np.uint64)
    try:
        shape = np.broadcast_shapes(seeds.shape, values.shape)
    except ValueError:
        must = "seeds and values must have the same shape, or shapes that NumPy broadcasts together"
        raise Refused(f"{must}; got {seeds.shape} and {values.shape}") from None
    if family == "xxh32":
        return np.asarray(xxh32_decimal(seeds, values) % np.uint32(g)).astype(np.int64)
    # At least one dimension: 64-bit products wrap silently in arrays only.
    words = np.atleast_1d((seeds << np.uint64(32)) + values)
    return _cells(words * _STEP, g).astype(np.int64).reshape(shape)


def _cells(x: _UInt64Array, g: int) -> _UInt64Array:
    """Mix 64-bit words and reduce them modulo g, overwriting `x`."""
    scratch = np.empty_like(x)
    x += _STEP
    for shift, factor in _MIX:
        np.right_shift(x, np.uint64(shift), out=scratch)
        x ^= scratch
        x *= np.uint64(factor)
    np.right_shift(x, np.uint64(31), out=scratch)
    x ^= scratch
    # x mod g, written with the division that NumPy has a vector instruction for.
    np.floor_divide(x, np.uint64(g), out=scratch)
    scratch *= np.uint64(g)
    x -= scratch
    return x


class LocalHashing(Mechanism):
    """Mechanisms whose report is a hash seed and a cell, and supports the values that hash to that cell.

    `g` is the number of cells. Randomized response on the cells keeps the true one
    with probability `p`; any other value falls on the reported cell with q = 1/g.
    `hash_family` is "splitmix64", our own, or "xxh32" for the reports of other packages.

    >>> OLH(k=10, eps=1.0).report_kind.key
    'pairs'
    """

    report_kind = PAIRS
    support_law = "independent"
    g: int
    hash_family: str = "splitmix64"

    def encoding(self, value: int) -> str | None:
        return f"A random hash function puts every bin into one of {self.g:,} cells; only the cell counts."

    @property
    def report_bits(self) -> float:
        return SEED_BITS + math.log2(self.g)

    def support_counts(self, reports: Any) -> IntArray:
        seeds, cells = self._check_reports(reports)
        counts = np.zeros(self.k, dtype=np.int64)
        for rows in row_blocks(seeds.size, self.k):
            counts += column_sums(self._supports(seeds[rows], cells[rows]))
        return counts

    def supports(self, reports: Any) -> BoolArray:
        seeds, cells = self._check_reports(reports)
        bits = np.empty((seeds.size, self.k), dtype=np.bool_)
        for rows in row_blocks(seeds.size, self.k):
            bits[rows] = self._supports(seeds[rows], cells[rows])
        return bits

    def _supports(self, seeds: _UInt64Array, cells: _UInt64Array) -> BoolArray:
        if self.hash_family == "xxh32":
            words = xxh32_decimal(seeds[:, None], np.arange(self.k))
            words -= words // np.uint32(self.g) * np.uint32(self.g)
            return np.asarray(words == cells[:, None].astype(np.uint32))
        by_seed = (seeds << np.uint64(32)) * _STEP
        by_value = np.arange(self.k, dtype=np.uint64) * _STEP
        return np.asarray(_cells(by_seed[:, None] + by_value, self.g) == cells[:, None])

    def _draw_seeds(self, users: int, rng: np.random.Generator) -> IntArray:
        """Draw a hash function for each user; everybody sees them, so they are no output of the noise's generator."""
        return np.asarray(seeds_apart(rng, SEED_BITS, users))

    def _check_reports(self, reports: Any) -> tuple[_UInt64Array, _UInt64Array]:
        if not isinstance(reports, tuple) or len(reports) != 2:
            got = check.shown(reports)
            raise Refused(f"reports must be a pair (seed, value) of arrays, as privatize returns them; got {got}")
        seeds = check.integer_array("reports.seed", reports[0], 0, 2 ** HASH_FAMILIES[self.hash_family] - 1)
        cells = check.integer_array("reports.value", reports[1], 0, self.g - 1)
        if seeds.ndim != 1 or seeds.shape != cells.shape:
            raise Refused(
                f"reports must have one seed and one value a user; got shapes {seeds.shape} and {cells.shape}"
            )
        return seeds.astype(np.uint64), cells.astype(np.uint64)


class OneTimeHashing(LocalHashing):
    """Local hashing with randomized response on the g cells: BLH and OLH.

    >>> OLH(k=10, eps=1.0).g, BLH(k=10, eps=1.0).g
    (4, 2)
    """

    options: ClassVar[tuple[str, ...]] = ("hash_family",)

    def __init__(self, *, k: int, eps: float, hash_family: str = "splitmix64", g: int | None = None) -> None:
        super().__init__(k=k, eps=eps)
        self.hash_family = check.choice("hash_family", hash_family, HASH_FAMILIES)
        self.g = self._cells_for(self.eps) if g is None else check.integer("g", g, 2, G_MAX)
        self.p, self._q_cell = grr_probabilities(self.g, self.eps)
        self.q = 1 / self.g

    @staticmethod
    def _cells_for(eps: float) -> int:
        raise NotImplementedError

    def _privatize(self, values: IntArray, rng: np.random.Generator) -> HashedReports:
        seeds = self._draw_seeds(values.size, rng)
        cells = hash_cells(seeds, values, self.g, family=self.hash_family)
        return HashedReports(seeds, randomize_values(cells, self.g, self.p - self._q_cell, rng))


class BLH(OneTimeHashing):
    """Binary Local Hashing (Bassily and Smith, STOC 2015): two cells.

    >>> seed, value = BLH(k=10, eps=1.0).privatize([3, 3], np.random.default_rng(1))
    >>> bool((value < 2).all())
    True
    """

    name = "BLH"
    full_name = "Binary Local Hashing"
    summary = "Hashes all values to one random bit and sends the true value's bit, sometimes flipped."

    def __init__(self, *, k: int, eps: float, hash_family: str = "splitmix64") -> None:
        super().__init__(k=k, eps=eps, hash_family=hash_family)

    @staticmethod
    def _cells_for(eps: float) -> int:
        return 2


class OLH(OneTimeHashing):
    """Optimized Local Hashing (Wang, Blocki, Li and Jha, USENIX Security 2017).

    The number of cells, `g`, is round(e^ε) + 1 if not given.

    >>> OLH(k=10, eps=1.0), OLH(k=10, eps=0.1).same_as
    (OLH(k=10, eps=1.0, hash_family='splitmix64', g=4), 'BLH')
    """

    name = "OLH"
    full_name = "Optimized Local Hashing"
    summary = "Hashes all values to about e^ε + 1 cells and sends the true value's cell, sometimes another."
    options = ("hash_family", "g")
    shape_options = ("g",)

    def _own_choice(self) -> dict[str, Any]:
        return {"g": self._cells_for(self.eps)}

    @property
    def same_as(self) -> str | None:
        return "BLH" if self.g == 2 else None

    @staticmethod
    def _cells_for(eps: float) -> int:
        return min(round(math.exp(eps)) + 1, G_MAX)
