"""Numbers of the verdict: with as many digits as say something."""

from __future__ import annotations

import math

from ldpui.format import significant


def apart(one: float, other: float) -> tuple[str, str]:
    """Write two numbers with two digits, or with as many as it takes to tell them apart.

    >>> apart(0.6123, 0.357), apart(0.6123, 0.6098), apart(0.5, 0.5), apart(5.1e-5, 0)
    (('0.61', '0.36'), ('0.612', '0.61'), ('0.5', '0.5'), ('0.000051', '0'))
    """
    digits = next((d for d in (2, 3, 4) if significant(one, d) != significant(other, d)), 2)
    return plain_digits(one, digits), plain_digits(other, digits)


def plain_digits(x: float, digits: int) -> str:
    """Write percentage points, small ones too, without a power of ten."""
    return significant(x, digits) if x == 0 or x >= 1e-3 else f"{x:.{digits - 1 - math.floor(math.log10(x))}f}"


def rounded(number: float, error: float) -> tuple[str, str]:
    """Write a number and its standard error to the same digit; no error where there is none.

    >>> rounded(65.23, 1.93), rounded(3.234, 0.0712), rounded(74.4, float("nan")), rounded(21.4, 0.0)
    (('65', '2'), ('3.23', '0.07'), ('74', ''), ('21', ''))
    """
    if not (math.isfinite(number) and math.isfinite(error)) or error <= 0:
        return significant(number, 2 if number < 99 else 3), ""
    places = min(max(0, -math.floor(math.log10(error))), 3)
    return f"{number:,.{places}f}", f"{error:,.{places}f}"
