"""What to do in 45 and in 90 minutes, step by step."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """One step of a lesson plan.

    Attributes
    ----------
    minutes, title, text
        How long it takes, and what happens.
    lesson : int or None
        The lesson that it opens.
    page : tuple
        Where it opens none: the address of the page that it opens instead, and what the link says.
    """

    minutes: int
    title: str
    text: str
    lesson: int | None = None
    page: tuple[str, str] = ("learn", "All lessons")


_CLASS = Step(
    5,
    "Ask the class",
    "Two coins for everybody, or one coin flipped twice, unseen. Ask: *Have you ever cheated in an exam?* Count the "
    "hands for yes, take away a quarter of the class, double the rest, and keep the number on the board.",
    page=("class", "Or let the class really collect, on their own phones"),
)
_COIN = Step(
    10,
    "One answer, a thousand answers",
    "Let them guess before you press Play, each time. Stop at 5 people, and ask what to think of such a number. Do "
    "not say ε before the page does.",
    1,
)
_LIFE = Step(
    10,
    "Life of a report",
    "A pupil names a thing; the class watches it travel, first with GRR, then with OUE. Ask after each stage: what "
    "does the server know now? Then send a hundred.",
    2,
)
_CROWD = Step(
    10,
    "The crowd comes back",
    "Ask for the guess by show of hands. Play, stop at 1,000 users, ask whether they would print that histogram.",
    3,
)
_CLOSE = Step(
    10,
    "Who pays?",
    "In pairs: find a choice of ε, n and k that does the task. Compare what the pairs gave up. Close with the number "
    "on the board: how far off may it be?",
    6,
)

PLANS = {
    "45": (_CLASS, _COIN, _LIFE, _CROWD, _CLOSE),
    "90": (
        _CLASS,
        _COIN,
        Step(15, _LIFE.title, f"{_LIFE.text} Each group takes another mechanism and shows it to the others.", 2),
        _CROWD,
        Step(
            15,
            "Shares below 0",
            "Raw numbers first: what would you do with minus 6 per cent? Collect their ideas on the board, then walk "
            "through the steps and find the ideas again.",
            4,
        ),
        Step(
            10,
            "Too well explained",
            "One step at a time at first. Who stops where? Reveal the curve, and ask where else one can fit too well.",
            5,
        ),
        _CLOSE,
        Step(
            10,
            "Every day",
            "Ask who would switch on daily telemetry with ε = 1. Play to day 30, and ask again. Then the memo.",
            7,
        ),
        Step(
            5,
            "Take home",
            "One exercise of those below, with its setting as a link. Who was away does the lessons alone.",
        ),
    ),
}
