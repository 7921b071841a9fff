"""The codes by which rooms are found, and the keys that make somebody their teacher."""

from __future__ import annotations

import secrets
from collections.abc import Callable

from pages.study.live_class.limits import LIMITS

# No letter or digit that could be taken for another one: 31 signs, and so 8·10¹¹ codes of eight.
ALPHABET = "23456789ABCDEFGHJKMNPQRSTUVWXYZ"
LENGTH = 8


def new_code(choose: Callable[[str], str] = secrets.choice) -> str:
    """Return a code that nobody can foresee."""
    return "".join(choose(ALPHABET) for _ in range(LENGTH))


def new_key() -> str:
    """Return the secret of a teacher: 256 random bits."""
    return secrets.token_urlsafe(32)


def read_code(text: str) -> str | None:
    """Return the code that somebody typed, with or without its hyphen; None where it can't be one.

    >>> read_code(" abcd-efgh "), read_code("abcd"), read_code("<script>")
    ('ABCDEFGH', None, None)
    """
    # A text that is far too long is cut before it is read.
    code = text[:40].upper().replace("-", "").replace(" ", "")
    return code if len(code) == LENGTH and set(code) <= set(ALPHABET) else None


def spoken(code: str) -> str:
    """Write a code so that it can be read out.

    >>> spoken("ABCDEFGH")
    'ABCD-EFGH'
    """
    return f"{code[:4]}-{code[4:]}"


class Tries:
    """The wrong codes of one session: after a few of them it has to wait."""

    def __init__(self, most: int = LIMITS.wrong_codes, pause: float = LIMITS.code_pause) -> None:
        self._most, self._pause = most, pause
        self._wrong: list[float] = []

    def may_try(self, now: float) -> bool:
        """Tell whether another code is looked at."""
        self._wrong = [then for then in self._wrong if now - then < self._pause]
        return len(self._wrong) < self._most

    def wrong(self, now: float) -> None:
        """Note that a code was wrong."""
        self._wrong.append(now)
