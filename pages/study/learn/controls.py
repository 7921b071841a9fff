"""What the lessons ask that a link can say."""

from __future__ import annotations

from ldpui.address import links
from pages.study.learn.lessons import LESSONS

NUMBERS = tuple(str(lesson.number) for lesson in LESSONS)

links.declare(links.one_of("lesson", NUMBERS[0], NUMBERS, page=True))
