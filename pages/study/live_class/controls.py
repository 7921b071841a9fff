"""What a teacher says of a room, by its keys in the address: a link with a prepared question can be kept."""

from __future__ import annotations

from ldpui.address import links, vocabulary
from pages.study.live_class.limits import LIMITS
from pages.study.live_class.reports import MECHANISMS

QUESTION = "Have you ever handed in homework that somebody else had done?"
ANSWERS = "Never\nOnce or twice\nMore often"
# An ε so small that a class learns nothing is part of the lesson; beyond 10 there is no noise to speak of.
EPS = vocabulary.EPS
STUDENTS = 100


def _text(key: str, default: str, longest: int) -> links.Control:
    return links.Control(key, default, lambda word: len(word) <= longest, page=True, text=True)


links.declare(
    _text("c_question", QUESTION, LIMITS.question),
    _text("c_answers", ANSWERS, LIMITS.answers * (LIMITS.answer + 2)),
    links.one_of("c_mechanism", "GRR", MECHANISMS, page=True),
    links.one_of("c_eps", "1", EPS, page=True),
    links.number("c_students", STUDENTS, 1, LIMITS.students, page=True),
)
