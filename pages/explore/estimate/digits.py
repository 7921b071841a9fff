"""Numbers with as many digits as say something."""

from __future__ import annotations

import math

import ldpcore as ldp
from ldpui.format import significant, superscript


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


def with_error(summary: ldp.Summary, unit: str = "") -> str:
    """Write a mean with its standard error, to the digit that the error allows.

    >>> with_error(ldp.Summary([42.0, 43.0, 44.5]), "%")
    '43.2 ± 0.7%'
    """
    mean, se = summary.mean, summary.se
    if not (math.isfinite(mean) and math.isfinite(se)) or se == 0:
        return significant(mean) + unit
    digits = max(0, -math.floor(math.log10(se)))
    if digits > 4:
        scale = math.floor(math.log10(abs(mean))) if mean else -digits
        places = max(0, digits + scale)
        return f"({mean / 10**scale:.{places}f} ± {se / 10**scale:.{places}f})·10{superscript(scale)}{unit}"
    return f"{mean:,.{digits}f} ± {se:,.{digits}f}{unit}"


def one_exponent(name: str, summaries: list[ldp.Summary]) -> tuple[str, list[str]]:
    """Write a column of means with their standard errors in one power of ten; return its title and its cells.

    >>> one_exponent("MSE", [ldp.Summary([3.1e-5, 3.5e-5]), ldp.Summary([1.21e-5, 1.25e-5])])
    ('MSE (·10⁻⁵)', ['3.3 ± 0.2', '1.23 ± 0.02'])
    """
    means = [abs(s.mean) for s in summaries if s.mean and math.isfinite(s.mean)]
    exponent = math.floor(math.log10(min(means))) if means else 0
    scale = 10.0**exponent

    def cell(summary: ldp.Summary) -> str:
        mean, se = summary.mean / scale, summary.se / scale
        if not (math.isfinite(mean) and math.isfinite(se)) or se == 0:
            return significant(mean)
        places = min(4, max(0, -math.floor(math.log10(se))))
        return f"{mean:,.{places}f} ± {se:,.{places}f}" if round(se, places) else f"{mean:,.{places}f}"

    title = f"{name} (·10{superscript(exponent)})" if exponent else name
    return title, [cell(s) for s in summaries]
