"""The lessons in their order: what each asks, what draws it, and the note that goes with it to Estimate."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import ldpcore as ldp
from ldpui.address.notes import Note, Way
from pages.study.learn import again, arriving, choosing, coin, life, stepping, undoing

ADDRESS = "learn"


@dataclass(frozen=True)
class Lesson:
    """One lesson.

    Attributes
    ----------
    draw : callable
        Draws it, with its task.
    words : mapping
        What a link to Estimate says, to go on there.
    look, done, answer
        What to do there, when it is done, and what is seen then.
    """

    number: int
    title: str
    question: str
    draw: Callable[[], None]
    words: Mapping[str, str]
    look: str
    done: Callable[[ldp.Setting], bool]
    answer: str


# Whoever comes from lesson 2 is to choose another mechanism than this.
_ONE_REPORT = {
    "data": "ACS income",
    "mechanism": "OUE",
    "eps": "2",
    "n": "20k",
    "k": "20",
    "closer": "One user's report",
}

LESSONS = (
    Lesson(
        1,
        "One coin, one secret question",
        "How can a class be honest about a secret?",
        coin.draw,
        {"data": "Exponential", "mechanism": "GRR", "eps": "1.1", "n": "1k", "k": "2"},
        "The coins of lesson 1: two bars, and n = 1,000 users. The page asks the same users 20 times, which makes 20 "
        "collections; the upright lines through the points show where most of them came out. Move n to 100k. What "
        "becomes of those lines?",
        lambda s: s.n >= 100_000,
        "A hundred times the users, and the lines are about a tenth as long.",
    ),
    Lesson(
        2,
        "Life of a report",
        "What leaves your phone, and what can be read from it?",
        life.draw,
        _ONE_REPORT,
        "Incomes, sorted into 20 bars; this page calls a bar a *bin*. Under *Look closer* is one user's report. Choose "
        "another mechanism at the left, and draw some reports. Which mechanism sends the least?",
        lambda s: s.mechanism != _ONE_REPORT["mechanism"],
        "*Bits per report* tells (a bit is one yes or no): GRR names one bin, which takes few bits; OUE and SUE send "
        "one for each bin.",
    ),
    Lesson(
        3,
        "The histogram comes back",
        "How many noisy answers does it take to see the crowd?",
        arriving.draw,
        {"data": "ACS income", "mechanism": "OUE", "eps": "2", "n": "20k", "k": "20"},
        "Real incomes, with the true shares as grey bars. The same users are asked 20 times; the coloured bands show "
        "where most of these collections came out. Move ε to 0.5. What becomes of the bands?",
        lambda s: s.eps <= 0.5,
        "Each report says less, so the collections differ more, and the bands are much wider.",
    ),
    Lesson(
        4,
        "Undoing the noise",
        "What does one do with a share below 0?",
        undoing.draw,
        {"data": "ACS income", "mechanism": "OUE", "eps": "1", "n": "20k", "k": "50", "raw": "true"},
        "Raw MI is switched on: in bars with hardly anybody it comes out below 0 about as often as above. MI is lower "
        "at the tall bars. Move n, the number of users, to 1M. How much do the two still differ?",
        lambda s: s.n >= 1_000_000,
        "Little, even at the tallest bars: with so many users what falls below 0 is tiny, and so is what the others "
        "give back for it.",
    ),
    Lesson(
        5,
        "IBU step by step",
        "Can one explain the reports too well?",
        stepping.draw,
        {"data": "ACS income", "mechanism": "OUE", "eps": "1", "n": "20k", "k": "50", "limit": "true"},
        "*IBU limit* is where IBU would arrive. Open *Advanced* at the left and let IBU take 300 steps at most. "
        "What becomes of its line?",
        lambda s: s.max_iter <= 300,
        "It is still close to equal bars: the tall ones are too low, the empty ones too high. A number of steps means "
        "nothing by itself; how far it leads depends on the mechanism, ε and k.",
    ),
    Lesson(
        6,
        "Choosing ε, n and k",
        "What does privacy cost, and who pays?",
        choosing.draw,
        {"data": "ACS income", "mechanism": "GRR", "eps": "2", "n": "20k", "k": "10"},
        "GRR, which names one bar. Move k, the number of bars, to 100. What becomes of the error?",
        lambda s: s.k >= 100,
        "With ten times the bars nearly every answer of GRR is a lie, and a bar is off by about as much as the average "
        "bar is high. OUE, at the left, copes better with many bars.",
    ),
    Lesson(
        7,
        "Asked again and again",
        "Is a promise that is kept every day kept for a year?",
        again.draw,
        {"data": "ACS income", "reports": "repeatedly", "chain": "L-OSUE", "eps_inf": "4", "n": "20k", "k": "20"},
        "Users who report again and again, with a memo; ε∞ is the promise for all reports together. Move it to 2. Who "
        "pays for the stronger promise?",
        lambda s: s.eps_inf is not None and s.eps_inf <= 2,
        "The histogram: every report is noisier, and the bands, which show where most of 20 collections came out, are "
        "wider. As long as a user's value stays the same, the odds move by no more than the smaller ε∞ allows, however "
        "often the user reports.",
    ),
)


def note(lesson: Lesson) -> Note:
    """Return the note that stays on top of Estimate."""
    following = next((other for other in LESSONS if other.number == lesson.number + 1), None)
    return Note(
        f"learn-{lesson.number}",
        f"**{lesson.number} of {len(LESSONS)}.** {lesson.look}",
        Way(f"Lesson {lesson.number}", ADDRESS, {"lesson": str(lesson.number)}),
        None if following is None else Way("Next", ADDRESS, {"lesson": str(following.number)}),
        done=lesson.done,
        answer=lesson.answer,
    )
