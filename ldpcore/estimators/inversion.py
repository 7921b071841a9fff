"""Matrix Inversion: the unbiased estimate, made a distribution by the post-processing of choice."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused
from ldpcore.estimators.postprocess import postprocess
from ldpcore.mechanisms.base import Mechanism

# Counts that were computed, not counted, may miss a whole number by this share.
ROUNDING = 1e-9


def mi(counts: Any, n: int, m: Mechanism, *, post: str = "norm-mul") -> FloatArray:
    """Estimate the frequencies by Matrix Inversion.

    Parameters
    ----------
    counts : array_like, shape (..., k)
        Support counts. They need not be whole (expected or weighted counts), but each is at most n, and where every
        report supports the same number of values (GRR, L-GRR: 1; SS: ω) every row sums to n times that number, to
        nine digits.
    n : int
        Number of reports that were counted; the sum of their weights, if they have some.
    m : Mechanism
        The mechanism that made them.
    post : str
        "norm-mul" is the paper's MI: negatives clipped to 0, the rest rescaled. "none" is
        the raw, unbiased estimate (C/n - q)/(p - q). The others are in `POSTPROCESSINGS`.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m = ldp.mechanism("GRR", k=3, eps=1.0)
    >>> ldp.mi([500, 300, 200], 1_000, m).round(3)
    array([0.766, 0.234, 0.   ])
    >>> ldp.mi([500, 300, 200], 1_000, m, post="none").round(3)
    array([ 0.791,  0.242, -0.033])
    """
    array = check_counts(counts, n, m)
    return postprocess(inverted(array, n, m), post, n=n, m=m)


def inverted(counts: Any, n: int, m: Mechanism) -> FloatArray:
    """Return raw MI, (C/n - q)/(p - q), of counts that are not checked: a group of users may be a single report."""
    return np.asarray((counts / n - m.q) / (m.p - m.q))


def check_counts(counts: Any, n: int, m: Mechanism, *, zeros: bool = False) -> FloatArray:
    """Return counts (..., k) that can be those of n reports, or explain why they cannot; with `zeros` all may be 0."""
    n = check.integer("n", n, 1, check.N_MAX)
    if zeros and np.shape(counts) == (m.k,) and not np.any(counts) and m.support_size is None:
        return np.zeros(m.k)
    array = check.nonnegative_array("counts", counts, m.k)
    if (most := float(array.max())) > n * (1 + ROUNDING):
        raise Refused(f"counts must be at most n = {n:,}, the number of reports; got {most:,.0f}")
    _check_sum(array, n, m)
    return array


def _check_sum(counts: FloatArray, n: int, m: Mechanism) -> None:
    """Where all reports support equally many values the counts say how many reports there were: n must be that."""
    if m.support_size is None:
        return
    expected = n * m.support_size
    sums = np.atleast_1d(counts.sum(axis=-1))
    if (wrong := np.abs(sums - expected) > ROUNDING * expected).any():
        each = f"{m.support_size} value{'s' if m.support_size > 1 else ''}"
        raise Refused(
            f"counts must sum to {expected:,}, because each of the n = {n:,} reports of {m.name} supports {each}; "
            f"got a sum of {sums[wrong][0]:,.10g}"
        )
