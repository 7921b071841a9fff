"""Numbers as people read them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from ldpcore.advisor import FLOAT_NOISE

SMALLEST_POINTS = 100 * FLOAT_NOISE


def significant(x: float, digits: int = 3) -> str:
    """Write a number with a few significant digits.

    >>> significant(0.000123456), significant(1234.5), significant(0.25), significant(100.0), significant(float("inf"))
    ('1.23e-04', '1,230', '0.25', '100', '∞')
    """
    if math.isnan(x):
        return "–"
    if math.isinf(x):
        return "∞" if x > 0 else "−∞"
    if x == 0:
        return "0"
    x = float(x)  # a number of NumPy's takes ten times as long to be rounded
    size = math.floor(math.log10(abs(x)))
    if size < -3 or size >= 7:
        return f"{x:.{digits - 1}e}"
    places = digits - 1 - size
    text = f"{round(x, places):,.{max(0, places)}f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def factor(x: float) -> str:
    """Write how many times one number is another: with two digits, and near 1 with three; zeros are digits too.

    >>> [factor(x) for x in (0.0123, 0.7234, 0.998, 1.012, 3.0, 87.3, 64230.0)]
    ['0.012', '0.72', '0.998', '1.01', '3.0', '87', '64,000']
    """
    digits = 3 if 0.95 <= x < 2 else 2
    if not 1e-3 <= x < 1e7:
        return significant(x, digits)
    places = digits - 1 - math.floor(math.log10(x))
    return f"{round(float(x), places):,.{max(0, places)}f}"


def at_most(x: float, digits: int = 3) -> str:
    """Write an upper bound with a few significant digits: rounded upwards, so that it stays one.

    >>> at_most(22026.47), at_most(2.718), at_most(1.0), at_most(1.0000001)
    ('22,100', '2.72', '1', '1.01')
    """
    if not math.isfinite(x) or x <= 0:
        return significant(x, digits)
    unit = 10.0 ** (math.floor(math.log10(x)) - digits + 1)
    return significant(math.ceil(x / unit - 1e-12) * unit, digits)


_WORDS = (
    "no one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen "
    "eighteen nineteen twenty"
).split()


def number_word(number: int) -> str:
    """Write a small number as a word.

    >>> number_word(14), number_word(21)
    ('fourteen', '21')
    """
    return _WORDS[number] if 0 <= number < len(_WORDS) else f"{number:,}"


def listed(words: Sequence[str], none: str = "none") -> str:
    """Write words one after the other.

    >>> listed(["L-GRR", "L-BLH", "L-OLH"]), listed(["GRR"]), listed([])
    ('L-GRR, L-BLH and L-OLH', 'GRR', 'none')
    """
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]])) or none


def times(number: int, word: str) -> str:
    """Write how many there are of something.

    >>> times(1, "run"), times(20_000, "user")
    ('1 run', '20,000 users')
    """
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def percent(share: float, digits: int = 2) -> str:
    """Write a share as a percentage.

    >>> percent(0.1234), percent(0.00001234)
    ('12%', '0.0012%')
    """
    return f"{significant(100 * share, digits)}%"


def chance(share: float, digits: int = 2) -> str:
    """Write a chance as a percentage: one that is not certain gets as many digits as it takes to say so.

    >>> chance(0.1234), chance(0.99966), chance(1.0)
    ('12%', '99.97%', '100%')
    """
    texts = (percent(share, more) for more in range(digits, 12))
    return next((text for text in texts if share >= 1 or text != "100%"), "100%")


def points(value: float, digits: int = 3) -> str:
    """Write an error in percentage points, or another small number, in plain digits; float noise is no number.

    >>> points(1.9361), points(0.00012345), points(9e-11), points(0.0)
    ('1.94', '0.000123', 'less than 0.000001', '0')
    """
    size = abs(value)
    if 0 < size < SMALLEST_POINTS:
        return f"less than {SMALLEST_POINTS:.6f}"
    if SMALLEST_POINTS <= size < 1e-3:
        return f"{value:.{digits - 1 - math.floor(math.log10(size))}f}".rstrip("0")
    return significant(value, digits)


def budget(eps: float) -> str:
    """Write an ε, in plain digits.

    >>> budget(2.0), budget(0.123456), budget(40_000.0), budget(1e-4)
    ('2', '0.123', '40,000', '0.0001')
    """
    return points(eps)


def superscript(n: int) -> str:
    """Write an integer as an exponent.

    >>> superscript(-12)
    '⁻¹²'
    """
    return str(n).translate(str.maketrans("0123456789-", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻"))


def plain(text: str, longest: int = 60) -> str:
    r"""Write somebody's text so that it is shown as it is, whatever signs of Markdown or HTML are in it.

    >>> plain("a*b <i>"), plain("x" * 100, 5)
    ('a\\*b \\<i\\>', 'xxxx…')
    """
    cut = text if len(text) <= longest else text[: longest - 1] + "…"
    # Markdown makes a link of an address even where its signs are escaped. An invisible character in it prevents that.
    cut = _ADDRESS.sub(f"\\g<0>{_JOINER}", cut)
    return "".join(f"\\{sign}" if sign in _SIGNS else " " if sign in "\r\n\t" else sign for sign in cut)


_ADDRESS, _JOINER = re.compile(r"www(?=\.)|:(?=/)|@", re.IGNORECASE), "\u2060"
_SIGNS = frozenset("\\`*_{}[]()<>#+-.!|~:$&=")
_STEPS = {"k": 1_000, "M": 1_000_000, "B": 1_000_000_000}


def short(n: int) -> str:
    """Write a number of users briefly.

    >>> short(100), short(20_000), short(2_000_000), short(10**9)
    ('100', '20k', '2M', '1B')
    """
    for letter, size in reversed(_STEPS.items()):
        if n >= size and n % size == 0:
            return f"{n // size}{letter}"
    return str(n)
