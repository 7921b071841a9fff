"""Where IBU on support counts leads in the end, in closed form."""

from __future__ import annotations

from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.estimators.counts import counts_for_ibu
from ldpcore.mechanisms.base import Mechanism


def ibu_limit(counts: Any, m: Mechanism, *, channel: str = "exact") -> FloatArray:
    """Return what IBU converges to after infinitely many iterations, in O(k log k).

    With the K rarest values at 0, the others are a straight line of φ (Pinzón et al., AAAI 2026, for GRR; the
    channel of every mechanism here is that of GRR up to a factor). It maximises Σ φ ln(Aθ): for GRR and L-GRR that is
    the likelihood of the counts, for the others a composite likelihood.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> ibu_limit([60, 30, 10], mechanism("GRR", k=3, eps=1.0)).round(3)
    array([0.861, 0.139, 0.   ])
    """
    array = counts_for_ibu(counts, None, m)
    phi = array / array.sum(axis=-1, keepdims=True)
    p, q = m.channel(check.channel(channel))
    whole = p + (m.k - 1) * q
    return limit_of_shares(phi, p / whole, q / whole)


def limit_of_shares(phi: FloatArray, p: float, q: float) -> FloatArray:
    """Do what `ibu_limit` does for the shares φ (..., k) of all supports, and a channel whose rows sum to 1."""
    k = phi.shape[-1]
    if p == q:
        return np.full_like(phi, 1 / k)  # nothing moves: IBU stays at its start
    sign = 1.0 if p > q else -1.0  # with the published channel q can exceed p: then the commonest go to 0
    ordered = sign * np.sort(sign * phi, axis=-1)
    zeros = np.arange(k)
    # What is left when the first K are taken out, summed from the far end so that it never goes below 0.
    left = np.cumsum(ordered[..., ::-1], axis=-1)[..., ::-1]
    stays = sign * ((1 - zeros * q) * ordered - q * left) >= 0
    number = np.argmax(stays, axis=-1)[..., None]
    # Where nothing is left (q > p, and some values never seen) any steep line gives the unseen all there is.
    slope = (1 - number * q) / np.maximum(np.take_along_axis(left, number, axis=-1), 1e-200)
    estimate = np.maximum((phi * slope - q) / (p - q), 0)
    return np.asarray(estimate / estimate.sum(axis=-1, keepdims=True))
