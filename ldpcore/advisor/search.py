"""Where a simulated, falling function meets a bound: by a line through noisy points."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

Point = tuple[float, float]
# Everything is in logarithms: 0.02 is 2 %. Places tried at the most, the longest step between two of them, how near
# to the bound a place must be to lie on the line, and how far apart two places may be that enclose the answer.
_PROBES, _STEP_MAX, _NEAR, _TOLERANCE = 14, 2.5, 0.25, 0.02


def meet(miss: Callable[[float], Point], low: float, high: float, start: float, slope: float) -> float | None:
    """Return where `miss` falls through 0, by false position; `low` if it is below 0 there, None if above at `high`.

    `miss` returns a value and its standard error; it falls about as steeply as `slope` says.
    """
    above: Point | None = None
    below: Point | None = None
    u = min(max(start, low), high)
    for _ in range(_PROBES):
        y, se = miss(u)
        if y > 0:
            above = (u, y)
        else:
            below = (u, y)
        if above and below:
            if below[0] - above[0] < _TOLERANCE or abs(y) < se / 2:
                break
            u = _between(above, below)
        elif y > 0:
            if u >= high:
                return None
            u = min(high, u + min(max(1.2 * y / slope, 0.1), _STEP_MAX))
        else:
            if u <= low:
                return low
            u = max(low, u - min(max(-1.2 * y / slope, 0.1), _STEP_MAX))
    return u


def _between(above: Point, below: Point) -> float:
    """Return where the line between two points is 0, not too near to either; the middle where one is infinite."""
    width = below[0] - above[0]
    share = 0.5
    if math.isfinite(above[1]) and math.isfinite(below[1]):
        share = min(max(above[1] / (above[1] - below[1]), 0.1), 0.9)
    return above[0] + share * width


def fit_root(
    points: dict[float, Point], miss: Callable[[float], Point], place: float, low: float, high: float, slope: float
) -> tuple[float, float, float]:
    """Return where the line through the points near 0 is 0, and the ends between which noise leaves it open (95 %)."""
    for u in (place, place - 0.15 / slope, place + 0.15 / slope):
        v = min(max(u, low), high)
        points.setdefault(v, miss(v))
    root, spread = _line(
        {u: p for u, p in points.items() if abs(p[0]) < _NEAR and abs(u - place) < 2 * _NEAR / slope}, place
    )
    # Where a place itself says clearly that it is too low, or enough, the answer does not lie beyond it.
    too_low = [u for u, (y, se) in points.items() if y > 3 * se and u < root]
    enough = [u for u, (y, se) in points.items() if y < -3 * se and u > root]
    return root, max([root - 2 * spread, *too_low]), min([root + 2 * spread, *enough])


def _line(near: dict[float, Point], place: float) -> tuple[float, float]:
    """Return where a line through points is 0, and the standard error of that; `place` if there is no such line."""
    if len(near) < 2:
        return place, _TOLERANCE
    apart = np.array(list(near)) - place
    y, errors = np.array(list(near.values())).T
    # One standard error for all: those of quantiles grow with the quantile, and as weights would pull the line down.
    se = max(float(np.sqrt((errors**2).mean())), 1e-3)
    design = np.stack([np.ones_like(apart), apart], axis=1)
    inverse = np.linalg.pinv(design.T @ design)
    level, slope = inverse @ design.T @ y
    if not slope < -0.05:
        return place, _TOLERANCE + se / 0.5
    root = float(np.clip(-level / slope, -0.3, 0.3))
    at_root = np.array([1, root])
    return place + root, se * math.sqrt(float(at_root @ inverse @ at_root)) / -float(slope)
