"""All probabilities of a binomial distribution."""

from __future__ import annotations

import math

import numpy as np

from ldpcore._validate import FloatArray


def binomial(n: int, p: float) -> FloatArray:
    """Return the probabilities of 0..n successes; a large ε rounds p to 0 or 1.

    >>> binomial(2, 0.5).round(6).tolist()
    [0.25, 0.5, 0.25]
    """
    s = np.arange(n + 1)
    if p in (0.0, 1.0):
        return np.asarray(s == n * p, dtype=np.float64)
    ways = np.concatenate([[0.0], np.cumsum(np.log((n - s[:-1]) / (s[:-1] + 1)))])
    return np.asarray(np.exp(ways + s * math.log(p) + (n - s) * math.log1p(-p)))
