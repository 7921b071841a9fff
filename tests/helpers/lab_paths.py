"""Paths of IBU that several tests of the IBU lab look at."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import ldpcore as ldp
from pages.study.ibu_lab import following, paths

BASE = ldp.Setting(data="poisson", mechanism="OUE", eps=1.0, n=20_000, k=30, runs=2)


def way(**changes):
    return paths.path(replace(BASE, **changes), None, 1)


def still():
    """A path whose start is its limit already: all counts alike."""
    found = way(k=4, data="uniform")
    counts = np.full(4, 500.0)
    trace = ldp.ibu_trace(counts, found.mechanism, following.marks(10_000))
    return replace(found, counts=counts, limit=np.full(4, 0.25), trace=trace, rested=1)
