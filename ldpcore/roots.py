"""Where a condition changes: the one bisection of the library."""

from __future__ import annotations

from collections.abc import Callable


def bisect(too_low: Callable[[float], bool], low: float, high: float) -> float:
    """Return the place, to twelve digits, from which on `too_low` is False.

    Parameters
    ----------
    too_low : callable
        True from `low` on, and False from some place on up to `high`.
    low, high : float
        Where to look. If `too_low` is True everywhere, the answer is `high`.

    Examples
    --------
    >>> round(bisect(lambda x: x * x < 2, 0.0, 2.0), 9)
    1.414213562
    """
    while high - low > 1e-12 * abs(high):
        middle = (low + high) / 2
        if too_low(middle):
            low = middle
        else:
            high = middle
    return high
