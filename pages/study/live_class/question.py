"""A question with its answers: plain text, bounded, and never anything else."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass

import ldpcore as ldp
from pages.study.live_class.limits import LIMITS

# Signs that join what stands beside them or keep it apart: Persian words and families of emoji are made with them.
_JOINERS = "\u200c\u200d"
# So many marks over or under one letter; more would cover the wall.
_PILE = 4


@dataclass(frozen=True)
class Question:
    """What a class is asked. Made by `of`, which checks it."""

    text: str
    answers: tuple[str, ...]

    @property
    def k(self) -> int:
        return len(self.answers)

    @classmethod
    def of(cls, text: str, answers: str) -> Question:
        r"""Return the question, with one answer in each line; a `Refused` where it can't be asked.

        >>> Question.of(" Tea? ", "yes\n\n no ").answers
        ('yes', 'no')
        """
        # A text that is far too long is cut first, to spare time; what is left is still too long.
        line = _line(text[: 2 * LIMITS.question])
        lines = [_line(answer) for answer in answers[:2_000].splitlines()]
        choices = tuple(answer for answer in lines if answer)
        if not line or len(line) > LIMITS.question:
            raise ldp.Refused(f"the question must have 1 to {LIMITS.question} letters; it has {len(line)}")
        if not 2 <= len(choices) <= LIMITS.answers:
            raise ldp.Refused(
                f"there must be 2 to {LIMITS.answers} answers, one in each line; there are {len(choices)}"
            )
        if max(map(len, choices)) > LIMITS.answer:
            raise ldp.Refused(f"an answer must have at most {LIMITS.answer} letters; one has {max(map(len, choices))}")
        if len({answer.casefold() for answer in choices}) < len(choices):
            raise ldp.Refused("all answers must be different")
        return cls(line, choices)


def _line(text: str) -> str:
    """Return a text as one line, without signs that can't be seen, turn the direction of what follows, or pile up."""
    signs: list[str] = []
    for sign in text:
        kind = unicodedata.category(sign)[0]
        piled = (
            kind == "M" and len(signs) >= _PILE and all(unicodedata.category(one)[0] == "M" for one in signs[-_PILE:])
        )
        if sign in "\t\r\n":
            signs.append(" ")
        elif not piled and (kind != "C" or sign in _JOINERS):
            signs.append(sign)
    return " ".join("".join(signs).split())
