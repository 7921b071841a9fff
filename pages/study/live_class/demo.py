"""Simulated students, for a rehearsal: their answers are drawn here, and so they are known."""

from __future__ import annotations

import numpy as np

import ldpcore as ldp

# They report in so many batches, with so many seconds between them, so that the estimates can be seen settling.
BATCHES, PAUSE = 8, 0.9
# How even the shares of the answers are: between those of a uniform draw and equal ones.
_EVENNESS = 1.5


def students(m: ldp.Mechanism, number: int, rng: np.random.Generator) -> list[tuple[int, tuple[int, ...]]]:
    """Return the true answer of each, and the answers that the report supports, by the mechanism's own `privatize`."""
    values = rng.choice(m.k, number, p=rng.dirichlet(np.full(m.k, _EVENNESS)))
    supports = m.supports(m.privatize(values, rng))
    return [(value, tuple(np.flatnonzero(row).tolist())) for value, row in zip(values.tolist(), supports, strict=True)]
