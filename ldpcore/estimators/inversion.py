"""Matrix Inversion: the unbiased estimate, made a distribution by the post-processing of choice."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.estimators.counts import check_counts
from ldpcore.estimators.postprocess import POSTPROCESSINGS, postprocess
from ldpcore.mechanisms.base import Mechanism


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
    check.choice("post", post, POSTPROCESSINGS)
    return postprocess(inverted(array, n, m), post, n=n, m=m)


def inverted(counts: Any, n: int, m: Mechanism) -> FloatArray:
    """Return raw MI, (C/n - q)/(p - q), of counts that are not checked: a group of users may be a single report."""
    return np.asarray((counts / n - m.q) / (m.p - m.q))
