"""The people of the lessons: what they looked up last night. Invented, so that every number about them is known."""

from __future__ import annotations

import numpy as np

from ldpcore.arrays import IntArray
from ldpui.charts.common import Array

# In whole percents, so that any hundred users can be exactly so.
_PERCENT = {
    "the weather": 27,
    "a recipe": 20,
    "a film": 18,
    "a job": 12,
    "a symptom": 10,
    "a doctor": 6,
    "a loan": 4,
    "a lawyer": 3,
}
NAMES = tuple(_PERCENT)
K = len(NAMES)
SHARES: Array = np.array(list(_PERCENT.values())) / 100


def histogram(n: int) -> IntArray:
    """Return how many of n users, a multiple of 100, looked up what."""
    return np.rint(n * SHARES).astype(np.int64)
