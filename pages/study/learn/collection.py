"""The collections of the lessons: what a server gets from the people of `population`, and how far off it is."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore.arrays import IntArray
from ldpui.charts.common import Array
from ldpui.format import points
from pages.study.learn.population import SHARES, K, histogram

EPS = 1.0
# So few users that the noise can be seen.
FEW = 500


def mechanism() -> ldp.Mechanism:
    return ldp.mechanism("GRR", k=K, eps=EPS)


def counts(n: int, *seed: int) -> IntArray:
    """Return how often each thing was named by n users."""
    drawn = mechanism().sample_counts(histogram(n), 1, np.random.default_rng(list(seed)))[0]
    return np.asarray(drawn)


def off_by(estimate: Any) -> float:
    """Return what a bar is off by, in percentage points: the root of the mean squared error over the bars."""
    return 100 * math.sqrt(ldp.METRICS["mse"](np.asarray(estimate), SHARES))


def expected_off(n: int) -> float:
    """Return what a bar is off by before it is corrected, over all collections of so many users."""
    return 100 * math.sqrt(float(mechanism().noise_variance(SHARES, n).mean()))


def in_points(value: float) -> str:
    """Write percentage points."""
    return points(value, 2)


def shares(estimate: Array) -> list[str]:
    """Write shares beside their bars."""
    return [f"{100 * share:.1f}%".replace("-", "−") for share in estimate]
