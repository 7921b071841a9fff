"""Logarithmic axes of the figures of Over time: their ticks, and room for a name below the lowest line."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any


def ticks(heights: Sequence[float]) -> dict[str, Any]:
    """Return ticks: powers of ten, and 2 and 5 of each where curves lie within a factor of 300.

    Within a factor of five these could be a single tick, so that every digit has one.

    >>> ticks([1.93, 4.0])["ticktext"][:5], ticks([1.0, 20_000.0])
    (['1', '2', '3', '4', '5'], {'dtick': 1})
    """
    if not heights or max(heights) >= 300 * min(heights):
        return {"dtick": 1}
    ends = (math.floor(math.log10(min(heights))), math.ceil(math.log10(max(heights))))
    digits = range(1, 10) if max(heights) < 5 * min(heights) else (1, 2, 5)
    values = [digit * 10.0**power for power in range(ends[0], ends[1] + 1) for digit in digits]
    return {"tickvals": values, "ticktext": [f"{value:,g}" for value in values]}


def room(heights: Sequence[float], floor: float) -> dict[str, Any]:
    """Return a range that leaves room for a name below a line that lies below all curves.

    >>> [round(end, 2) for end in room([1.0, 100.0], 1.0)["range"]]
    [-0.24, 2.12]
    """
    low, high = math.log10(floor), math.log10(max([floor, *heights]))
    span = max(high - low, 0.1)
    return {"range": [low - 0.12 * span, high + 0.06 * span]}
