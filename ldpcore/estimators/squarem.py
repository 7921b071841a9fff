"""Large steps along the way of a slow iteration: SQUAREM (Varadhan and Roland 2008)."""

from __future__ import annotations

import numpy as np

from ldpcore._validate import FloatArray


def extrapolated(theta: FloatArray, one: FloatArray, two: FloatArray, least: float) -> FloatArray:
    """Return where two steps, from `theta` to `one` to `two`, seem to lead; no value falls below `least` of its `two`.

    >>> extrapolated(np.array([0.5, 0.5]), np.array([0.6, 0.4]), np.array([0.65, 0.35]), 0.1)  # half as far each time
    array([0.7, 0.3])
    """
    first, bend = one - theta, (two - one) - (one - theta)
    length = float(np.sqrt((first @ first) / max(float(bend @ bend), 1e-300)))
    # Nothing may come near 0 at one jump: from there IBU returns only slowly.
    jump = np.maximum(theta + 2 * length * first + length**2 * bend, least * two)
    return np.asarray(jump / jump.sum())
