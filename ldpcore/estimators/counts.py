"""Whether support counts can be those of n reports of a mechanism: what every estimate from counts asks first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused
from ldpcore.mechanisms.base import Mechanism

# Counts that were computed, not counted, may miss a whole number by this share.
ROUNDING = 1e-9


def check_counts(counts: Any, n: int, m: Mechanism, *, zeros: bool = False) -> FloatArray:
    """Return counts (..., k) that can be those of n reports, or explain why they cannot; with `zeros` all may be 0.

    >>> from ldpcore import mechanism
    >>> check_counts([2.5, 1.5], 4, mechanism("GRR", k=2, eps=1.0))
    array([2.5, 1.5])
    """
    check.mechanism(m)
    n = check.integer("n", n, 1, check.N_MAX)
    if zeros and m.support_size is None and _is_nothing(counts, m.k):
        return np.zeros(m.k)
    array = check.nonnegative_array("counts", counts, m.k)
    if (most := float(array.max())) > n * (1 + ROUNDING):
        raise Refused(f"counts must be at most n = {n:,}, the number of reports; got {most:,.15g}")
    _check_sum(array, n, m, ROUNDING)
    return array


def whole_counts(counts: Any, n: int, m: Mechanism) -> IntArray:
    """Return counts (..., k) of n reports as whole numbers, which they are where they were counted; all may be 0.

    >>> from ldpcore import mechanism
    >>> whole_counts([0, 0], 4, mechanism("OUE", k=2, eps=1.0))
    array([0, 0])
    """
    check.mechanism(m)
    n = check.integer("n", n, 1, check.N_MAX)
    array = check.array_of("counts", counts)
    if array.ndim == 0 or array.shape[-1] != m.k:
        raise Refused(f"counts must have one entry for each of the k = {m.k} values; got shape {array.shape}")
    whole = check.integer_array("counts", array, 0, n)
    _check_sum(whole, n, m, 0.0)
    return whole


def counts_of_one(counts: Any, n: int, m: Mechanism) -> IntArray:
    """Do what `whole_counts` does for a single collection, shape (k,).

    >>> from ldpcore import mechanism
    >>> counts_of_one([3, 1], 4, mechanism("GRR", k=2, eps=1.0))
    array([3, 1])
    """
    whole = whole_counts(counts, n, m)
    if whole.ndim != 1:
        raise Refused(f"counts must have one entry for each of the k = {m.k} values; got shape {whole.shape}")
    return whole


def counts_for_ibu(counts: Any, n: int | None, m: Mechanism) -> FloatArray:
    """Return counts (..., k) for an estimator that needs no n, and checks one that it is told all the same.

    >>> from ldpcore import mechanism
    >>> counts_for_ibu([0.3, 0.7], None, mechanism("OUE", k=2, eps=1.0))
    array([0.3, 0.7])
    """
    check.mechanism(m)
    return check.nonnegative_array("counts", counts, m.k) if n is None else check_counts(counts, n, m)


def usable(counts: IntArray) -> IntArray:
    """Return counts (..., k) with 1 for every value where no report supports any: that tells as little, and is no zero.

    >>> usable(np.array([[0, 0], [3, 0]])).tolist()
    [[1, 1], [3, 0]]
    """
    return np.where(counts.any(axis=-1, keepdims=True), counts, 1)


def group_of(group: Any) -> tuple[Any, int, Mechanism]:
    """Return the (counts, n, mechanism) of a group of users, or say that it is none."""
    if not isinstance(group, (tuple, list)) or len(group) != 3:
        raise Refused(f"groups must hold (counts, n, mechanism) for each ε; got {check.shown(group)}")
    return group[0], group[1], group[2]


def pairs_of(collections: Any) -> list[tuple[Any, Mechanism]]:
    """Return the (reports, mechanism) of groups of users over the same values, or say which is none."""
    pairs = check.sequence("collections", collections, "(reports, mechanism)")
    for pair in pairs:
        if not isinstance(pair, (tuple, list)) or len(pair) != 2:
            raise Refused(f"collections must hold (reports, mechanism) for each ε; got {check.shown(pair)}")
        check.mechanism(pair[1])
    check_groups("collections", "(reports, mechanism)", [m for _, m in pairs])
    return [(reports, m) for reports, m in pairs]


def check_groups(name: str, what: str, mechanisms: Sequence[Mechanism]) -> None:
    """Refuse no groups of users, and groups over different values."""
    if not mechanisms:
        raise Refused(f"{name} must hold at least one {what}; got none")
    k = mechanisms[0].k
    for m in mechanisms:
        if m.k != k:
            raise Refused(f"{name} must all be over the same k values; got k = {k} and k = {m.k}")


def _is_nothing(counts: Any, k: int) -> bool:
    array = check.array_of("counts", counts)
    return array.shape == (k,) and array.dtype.kind in "iuf" and not array.any()


def _check_sum(counts: FloatArray | IntArray, n: int, m: Mechanism, rounding: float) -> None:
    """Where all reports support equally many values the counts say how many reports there were: n must be that."""
    if m.support_size is None:
        return
    expected = n * m.support_size
    sums = np.atleast_1d(counts.sum(axis=-1))
    if (wrong := np.abs(sums - expected) > rounding * expected).any():
        each = f"{m.support_size} value{'s' if m.support_size > 1 else ''}"
        raise Refused(
            f"counts must sum to {expected:,}, because each of the n = {n:,} reports of {m.name} supports {each}; "
            f"got a sum of {sums[wrong][0]:,.10g}"
        )
