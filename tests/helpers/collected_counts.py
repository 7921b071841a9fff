"""Counts as somebody collects them, of users whose values are Zipf's."""

import numpy as np
from mechanism_cases import MECHANISMS

import ldpcore as ldp

ZIPF = 1 / np.arange(1, 11) / (1 / np.arange(1, 11)).sum()
# Mechanisms whose reports support a random number of values, and those whose do not.
VARYING = [name for name in MECHANISMS if ldp.mechanism(name, k=4, eps=1.0).support_size is None]
CONSTANT = [name for name in MECHANISMS if name not in VARYING]


def collect(name, n=20_000, k=10, eps=1.0, seed=0, **options):
    """Return a mechanism, how many users hold each value, and the counts of one collection."""
    rng = np.random.default_rng(seed)
    m = ldp.mechanism(name, k=k, eps=eps, **options)
    weights = 1 / np.arange(1, k + 1)
    users = rng.multinomial(n, weights / weights.sum())
    return m, users, m.sample_counts(users, 1, rng)[0]
