"""How alike two orders are: Kendall's τ-b."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from ldpcore._validate import FloatArray, IntArray

# With so few values it is quicker to compare all pairs than to sort.
_PAIRS_UP_TO = 200
# So many rows at a time: their pairs take a few megabytes.
_ROWS = 32


def taus_of(rows: FloatArray, true: FloatArray) -> FloatArray:
    """Return τ of each row with one other."""
    if true.size > _PAIRS_UP_TO:
        return np.array([_kendall(row, true) for row in rows])
    some = range(0, len(rows), _ROWS)
    return np.concatenate([_kendall_by_pairs(rows[i : i + _ROWS], true) for i in some] or [rows[:, 0]])


def _kendall_by_pairs(rows: FloatArray, true: FloatArray) -> FloatArray:
    # Every pair is there both ways round, and of these one is larger, unless its values are equal. Sums of so few ones
    # are exact in any precision.
    larger, expected = _larger(rows), _larger(true[None])[0]
    order = np.subtract(expected, expected.T, dtype=np.float32).ravel()
    pairs = larger.reshape(len(rows), -1)
    unequal = np.count_nonzero(pairs, axis=-1)
    whole = np.sqrt(unequal.astype(np.float64) * np.count_nonzero(expected))
    flat = float(not expected.any()) * (unequal == 0)
    tau = np.where(whole > 0, pairs.astype(np.float32) @ order / np.where(whole > 0, whole, 1), flat)
    return np.where(np.isnan(rows).any(axis=-1), np.nan, tau)


def _larger(rows: FloatArray) -> npt.NDArray[np.bool_]:
    """Return for every two values of a row whether the first is larger, shape (rows, k, k)."""
    return np.asarray(rows[:, :, None] > rows[:, None, :])


def _kendall(x: FloatArray, y: FloatArray) -> float:
    ranks = [np.unique(values, return_inverse=True)[1].ravel() for values in (x, y)]
    pairs = x.size * (x.size - 1) / 2
    ties = [_tied_pairs(rank) for rank in ranks]
    whole = np.sqrt((pairs - ties[0]) * (pairs - ties[1]))
    if np.isnan(x).any():
        return float("nan")
    if whole == 0:
        return float(ties[0] == ties[1])
    both = _tied_pairs(ranks[0] * x.size + ranks[1])
    # In the order of x, and of y where x has ties, a pair is wrong where a later one has a smaller y.
    wrong = _inversions(ranks[1][np.lexsort((ranks[1], ranks[0]))])
    right = pairs - ties[0] - ties[1] + both - wrong
    return float((right - wrong) / whole)


def _tied_pairs(ranks: IntArray) -> float:
    sizes = np.unique(ranks, return_counts=True)[1].astype(np.float64)
    return float((sizes * (sizes - 1) / 2).sum())


def _inversions(ranks: IntArray) -> float:
    """Count the pairs of which the later is smaller, bit by bit: a pair differs first in one of its bits."""
    total = 0.0
    group = np.zeros_like(ranks)
    for bit in range(int(ranks.max()).bit_length() - 1, -1, -1):
        order = np.argsort(group, kind="stable")
        here, ones = group[order], (ranks[order] >> bit) & 1
        before = np.cumsum(ones) - ones
        # Ones before, in the same group: those of all groups less those up to the group's beginning.
        first = np.searchsorted(here, here, side="left")
        total += float(((before - before[first]) * (1 - ones)).sum())
        group = 2 * group + ((ranks >> bit) & 1)
    return total
