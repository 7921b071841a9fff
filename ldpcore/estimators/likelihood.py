"""What IBU on counts climbs, Σ φ ln(Aθ), and how far below its maximum an estimate is."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.estimators.counts import counts_for_ibu
from ldpcore.estimators.limit import ibu_limit
from ldpcore.mechanisms.base import Mechanism


def count_likelihood(estimates: FloatArray, counts: FloatArray, p: Any, q: Any) -> FloatArray:
    """Return Σ C ln(Aθ), with A scaled so that its rows sum to 1; all arguments are taken as checked."""
    return np.asarray((counts * np.log(_seen(estimates, p, q))).sum(axis=-1))


def likelihood_gap(estimates: Any, counts: Any, m: Mechanism, *, channel: str = "exact") -> FloatArray:
    """Return by how much Σ φ ln(Aθ) falls short of its maximum, which it has at IBU's limit; shape (...).

    IBU's steps never make it larger. Where every report supports one value (GRR, L-GRR) and the channel is the exact
    one, it is the log-likelihood of the counts, per report. For the other mechanisms it is a composite one: IBU reads
    the supports as if each were a report of its own.

    Parameters
    ----------
    estimates : array_like, shape (..., k)
        Histograms: nothing below 0, sum 1.
    counts : array_like, shape (k,) or (..., k)
        The support counts.
    m, channel
        As for `ibu`.

    Examples
    --------
    >>> from ldpcore import ibu, ibu_limit, mechanism
    >>> m, counts = mechanism("GRR", k=3, eps=2.0), [60, 30, 10]
    >>> likelihood_gap([[1 / 3, 1 / 3, 1 / 3], ibu(counts, m, max_iter=10)], counts, m).round(4)
    array([0.2004, 0.0014])
    >>> float(likelihood_gap(ibu_limit(counts, m), counts, m))
    0.0
    """
    array = counts_for_ibu(counts, None, m)
    theta = check.nonnegative_array("estimates", estimates, m.k)
    p, q = m.channel(check.channel(channel))
    best = _seen(ibu_limit(array, m, channel=channel), p, q)
    # The difference of two nearly equal sums has few digits; a sum of small differences keeps them.
    away = (_seen(theta, p, q) - best) / best
    return np.asarray(np.maximum(-(array * np.log1p(away)).sum(axis=-1) / array.sum(axis=-1), 0.0))


def _seen(estimates: FloatArray, p: Any, q: Any) -> FloatArray:
    """Return Aθ: the shares of the supports that are expected of an estimate."""
    return np.asarray((q + (p - q) * estimates) / (p + (estimates.shape[-1] - 1) * q))
