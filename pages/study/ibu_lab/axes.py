"""Steps on a log axis, with the start at its left end, and numbers of steps in words."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from ldpui.charts.common import Array
from ldpui.format import percent, significant, superscript
from ldpui.format import points as in_points

# A log axis has no 0: the start stands here, where its tick says 0.
START_X = 0.4


def step_x(steps: float) -> float:
    """Return where a number of steps stands on the axis."""
    return max(float(steps), START_X)


def step_axis(last: float) -> dict[str, Any]:
    """Return the axis of the steps from 0 to the last."""
    powers = range(math.ceil(math.log10(last)) + 1)
    every = 1 if len(powers) <= 8 else 2
    ticks = [10.0**power for power in powers][::every]
    return {
        "type": "log",
        "range": [math.log10(START_X) - 0.1, math.log10(last) + 0.1],
        "tickvals": [START_X, *ticks],
        "ticktext": ["0", *(step_words(tick) for tick in ticks)],
        "title": {"text": "steps of IBU (log scale; 0 is the start)", "font": {"size": 14}},
    }


def step_words(steps: float) -> str:
    """Write a number of steps; a long one, or a small one that is not whole, with two digits.

    >>> step_words(0), step_words(10_000), step_words(1.234e8), step_words(1e6), step_words(2.6441)
    ('0', '10,000', '1.2·10⁸', '10⁶', '2.6')
    """
    if steps < 100 and steps != int(steps):
        return significant(steps, 2)
    if steps < 999_500:
        return f"{steps:,.0f}"
    digits, power = f"{steps:.1e}".split("e")
    front = digits.removesuffix(".0")
    return ("" if front == "1" else f"{front}·") + f"10{superscript(int(power))}"


def count_words(steps: float) -> str:
    """Write so many steps.

    >>> count_words(1), count_words(10_000), count_words(1.04)
    ('1 step', '10,000 steps', '1 step')
    """
    words = step_words(steps)
    return f"{words} {'step' if words == '1' else 'steps'}"


def way_words(share: float) -> str:
    """Write a share of the way; what is nearly all or nearly nothing is not rounded to it.

    >>> way_words(0.9934), way_words(0.99999), way_words(1.0), way_words(0.0000001), way_words(0.0)
    ('99.3%', 'more than 99.9%', '100%', 'less than 0.1%', '0%')
    """
    if 0.9995 <= share < 1:
        return "more than 99.9%"
    return "less than 0.1%" if 0 < share < 0.001 else percent(share, 3)


def error_axis(errors: Iterable[float], room: float = 0.1) -> dict[str, Any]:
    """Return a log axis for what a bin is off by, with room above the highest, as a share of the axis."""
    positive = [error for error in errors if error > 0]
    low, high = (min(positive), max(positive)) if positive else (0.1, 1.0)
    spread = max(math.log10(high / low), 0.3)
    ends = [math.log10(low) - 0.1 * spread, math.log10(high) + room * spread]
    ticks = _ticks(*ends)
    some = ticks[:: max(1, round(len(ticks) / 5))]
    return {
        "type": "log",
        "range": ends,
        "tickvals": some,
        "ticktext": [in_points(tick) for tick in some],
        "title": {"text": "off by (points)", "font": {"size": 14}},
    }


def _ticks(low: float, high: float) -> list[float]:
    """Return round numbers between two powers of ten, at least three of them: rounder ones where there are as many.

    >>> _ticks(-1.0, 0.4), _ticks(-2.65, -2.5)
    ([0.1, 0.2, 0.5, 1.0, 2.0], [0.0023, 0.0024, 0.0025, 0.0026, 0.0027, 0.0028, 0.0029, 0.003, 0.0031])
    """
    powers = range(math.floor(low), math.ceil(high) + 1)
    for digits in ((10, 20, 50), range(10, 100, 10), range(10, 100)):
        ticks = [float(f"{d}e{p - 1}") for p in powers for d in digits]
        ticks = [tick for tick in ticks if low <= math.log10(tick) <= high]
        if len(ticks) > 2:
            break
    return ticks


def on_axis(steps: Array) -> Array:
    """Return where numbers of steps stand on the axis."""
    return np.maximum(steps, START_X)


def positive(values: Array, floor: float = 0.0) -> list[float | None]:
    """Return numbers for a log axis: what is not above the floor has no place on it."""
    return [float(v) if np.isfinite(v) and v > floor else None for v in values]
