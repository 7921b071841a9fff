"""Where a condition changes: the one bisection of the library."""

from __future__ import annotations

from collections.abc import Callable


def bisect(too_low: Callable[[float], bool], low: float, high: float) -> float:
    """Return the place, to twelve digits, from which on `too_low` is False; never one where it is still True.

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
    return bracket(too_low, low, high)[1]


def bracket(
    too_low: Callable[[float], bool], low: float, high: float, *, accuracy: float = 1e-12
) -> tuple[float, float]:
    """Return two places on either side of that from which on `too_low` is False, relatively as near as `accuracy`.

    Examples
    --------
    >>> low, high = bracket(lambda x: x * x < 2, 0.0, 2.0, accuracy=0.1)
    >>> low, high
    (1.375, 1.5)
    """
    while high - low > accuracy * abs(high):
        middle = (low + high) / 2
        if too_low(middle):
            low = middle
        else:
            high = middle
    return low, high
