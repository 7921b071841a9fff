"""Scales of the controls that take any number: a few words to slide over, and whatever else is typed or linked."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache

_STEPS = {"": 1, "k": 1_000, "M": 1_000_000, "B": 1_000_000_000}
_NUMBER = re.compile(r"(\d{1,12}(?:\.\d{1,12})?(?:e-?\d)?)([kMB]?)", re.ASCII)


@dataclass(frozen=True)
class Scale:
    """A number as words: those to slide over, in order, and the bounds of all that may be typed.

    Attributes
    ----------
    stops : tuple of str
        The words of the slider.
    low, high : float
        The smallest and the largest number that is legal.
    whole : bool
        Whether it is a whole number; only those have the letters k, M and B for thousands, millions and billions.
    sign : str
        What a word ends in: "%" or nothing.
    """

    stops: tuple[str, ...]
    low: float
    high: float
    whole: bool = False
    sign: str = ""

    def number(self, word: str) -> float:
        """Return the number that a word stands for; a ValueError if it is none.

        >>> Scale((), 1, 10**9, whole=True).number("20k"), Scale((), 1, 99, sign="%").number("12.5%")
        (20000, 12.5)
        """
        return _number(word, self.sign, self.whole)

    def allows(self, word: str) -> bool:
        """Tell whether a word stands for a legal number."""
        try:
            return self.low <= self.number(word) <= self.high
        except ValueError:
            return False

    def word(self, number: float) -> str:
        """Write a number: as its stop where it has one.

        >>> Scale(("1k", "2k"), 1, 10**9, whole=True).word(2000.0), Scale(("1", "2"), 0, 9).word(0.73)
        ('2k', '0.73')
        """
        same = [stop for stop in self.stops if self.number(stop) == number]
        plain = f"{number:.0f}" if self.whole else f"{number:.9f}".rstrip("0").rstrip(".")
        return same[0] if same else plain + self.sign

    def read(self, word: str, default: str) -> str:
        """Return the word as it is, but the default for another spelling of it."""
        return default if self.number(word) == self.number(default) else word

    def options(self, *others: str) -> list[str]:
        """Return the stops with other words in their places; one that is spelled otherwise stands for its stop."""
        # Only those that are legal: what is kept is shared by all visitors, and a link may say anything.
        return list(_in_order(self, tuple(word for word in others if self.allows(word))))

    @property
    def bounds(self) -> str:
        """The bounds in words."""
        return f"from {self._plain(self.low)} to {self._plain(self.high)}{self.sign}"

    def _plain(self, number: float) -> str:
        return f"{number:,.0f}" if self.whole else f"{number:.9f}".rstrip("0").rstrip(".")


@lru_cache(maxsize=1024)
def _number(word: str, sign: str, whole: bool) -> float:
    match = _NUMBER.fullmatch(word.removesuffix(sign))
    if not match or (match[2] and not whole):
        raise ValueError(f"{word!r:.60} is not a number")
    value = round(float(match[1]) * _STEPS[match[2]], 9)
    if not whole:
        return value
    if value != int(value):
        raise ValueError(f"{word!r:.60} is not a whole number")
    return int(value)


@lru_cache(maxsize=256)
def _in_order(scale: Scale, others: tuple[str, ...]) -> tuple[str, ...]:
    """Return stops and other words by their numbers; every page asks for the same ones again and again."""
    words = {scale.number(word): word for word in (*scale.stops, *others)}
    return tuple(words[number] for number in sorted(words))
