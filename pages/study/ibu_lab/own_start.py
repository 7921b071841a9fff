"""A start of the visitor's own: typed numbers or a drawn shape, as probabilities of the bins."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass

import numpy as np

import ldpcore as ldp
from ldpui.charts.common import Array
from ldpui.format import plain

# A drawn shape has at most so many bars; between them it is a straight line.
BARS = 24
SHAPES = {
    "rising": "1 10",
    "falling": "10 1",
    "hill": "1 2 5 10 5 2 1",
    "valley": "10 5 2 1 2 5 10",
    "two hills": "1 8 1 1 8 1",
}
# So many bins are named one by one.
_NAMED = 5


@dataclass(frozen=True, eq=False)
class OwnStart:
    """Where IBU is to start, (k,), the bins that are at 0, which it could never leave, and the numbers behind it."""

    shares: Array
    zeros: list[int]
    numbers: list[float]

    @property
    def problem(self) -> str | None:
        """What is wrong with it, if anything is."""
        if not self.zeros:
            return None
        some = ", ".join(str(bin_) for bin_ in self.zeros[:_NAMED])
        more = f" and {len(self.zeros) - _NAMED:,} more" if len(self.zeros) > _NAMED else ""
        many = len(self.zeros) > 1
        return (
            f"Bin{'s' if many else ''} {some}{more} (counted from 0) would start at 0. A step of IBU multiplies what a "
            f"bin has, and 0 times anything is 0: it could never leave {'them' if many else 'it'}, whatever the "
            "reports say. Give every bin a little."
        )


def read(text: str, k: int) -> OwnStart | None:
    """Read numbers, one for each bin, or fewer that stand for a shape over all bins; None if there are none.

    >>> read("1 1 2", 3).shares, read("1 3", 3).shares.round(3), read("1 0", 2).zeros
    (array([0.25, 0.25, 0.5 ]), array([0.167, 0.333, 0.5  ]), [1])
    """
    words = [word for word in re.split(r"[\s,;]+", text.strip()) if word]
    if not words:
        return None
    if len(words) > k:
        raise ldp.Refused(f"your start has {len(words):,} numbers, and there are only k = {k:,} bins")
    heights = np.array([_number(word) for word in words])
    if not heights.any():
        raise ldp.Refused("your start has nothing but 0: it says nothing, and IBU could leave none of it")
    shares = np.interp(np.linspace(0, 1, k), np.linspace(0, 1, len(words)), heights) if len(words) < k else heights
    shares = shares / shares.max()
    shares = np.asarray(shares / shares.sum())
    return OwnStart(shares, np.flatnonzero(shares == 0).tolist(), heights.tolist())


def _number(word: str) -> float:
    try:
        value = float(word)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1e300:
        raise ldp.Refused(f"your start must be numbers from 0 up; got “{plain(word, 20)}”")
    return value


def bars(own: OwnStart | None, k: int) -> list[float]:
    """Return a start as the heights of the bars to draw it with, 0 to 100; without one, all alike."""
    number = min(k, BARS)
    if own is None:
        return [50.0] * number
    if len(own.numbers) == number and 10 <= max(own.numbers) <= 100:
        return own.numbers  # what was drawn stays as high as it was drawn
    heights = np.interp(np.linspace(0, 1, number), np.linspace(0, 1, k), own.shares)
    return [round(float(h), 1) for h in 100 * heights / heights.max()]


def written(drawn: object, k: int) -> str | None:
    """Write what was drawn as the text that stands for it; None for what is no drawing.

    >>> written([0, 50.2, 100], 3), written([1, "x"], 2), written([200, 1], 2)
    ('0 50 100', None, None)
    """
    if not isinstance(drawn, list) or len(drawn) != min(k, BARS):
        return None
    if not all(isinstance(h, int | float) and 0 <= h <= 100 for h in drawn):
        return None
    return " ".join(f"{h:.0f}" for h in drawn)
