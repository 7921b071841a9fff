"""Matrix Inversion: the unbiased estimate, made a distribution by the post-processing of choice."""

from __future__ import annotations

from typing import Any

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused
from ldpcore.estimators.postprocess import postprocess
from ldpcore.mechanisms.base import Mechanism


def mi(counts: Any, n: int, m: Mechanism, *, post: str = "norm-mul") -> FloatArray:
    """Estimate the frequencies by Matrix Inversion.

    Parameters
    ----------
    counts : array_like, shape (..., k)
        Support counts.
    n : int
        Number of reports that were counted.
    m : Mechanism
        The mechanism that made them.
    post : str
        "norm-mul" is the paper's MI: negatives clipped to 0, the rest rescaled. "none" is
        the raw, unbiased estimate (C/n - q)/(p - q). The others are in `POSTPROCESSINGS`.
    """
    n = check.integer("n", n, 1, check.N_MAX)
    array = check.nonnegative_array("counts", counts, m.k)
    if (most := float(array.max())) > n * (1 + 1e-9):
        raise Refused(f"counts must be at most n = {n:,}, the number of reports; got {most:,.0f}")
    raw = (array / n - m.q) / (m.p - m.q)
    return postprocess(raw, post, n=n, m=m)
