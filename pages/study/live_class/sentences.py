"""What is said about a round, computed from its numbers and true at the edges: nobody, one, five, all alike."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from ldpui.format import at_most, percent, plain, significant, times
from pages.study.live_class import numbers
from pages.study.live_class.numbers import Estimates
from pages.study.live_class.rooms import RoomView, RoundView

# An interval that leaves less than this out at both ends says nothing.
_NOTHING = 0.005
# Estimates that differ by no more than this are level.
_LEVEL = 1e-6
# Of fewer reports than this nobody can say beforehand how wide their intervals will be.
_FEW = 10


def arrived(room: RoomView) -> str:
    """Say how many reports there are, and of how many phones."""
    view = room.now
    real = view.n - view.simulated
    words = f"**{times(view.n, 'report')}** in round {view.number}"
    if view.simulated:
        words += f", {'all' if not real else f'{view.simulated:,} of them'} of simulated students"
    words += f". {_phones(room.phones)} in the room{_missing(room.phones, real) if view.open else ''}."
    return words + _full(room)


def _full(room: RoomView) -> str:
    """Say why no further phone comes in, where that is so."""
    if not room.door_open:
        return " The door is closed to new ones."
    return f" All {times(room.students, 'place')} are taken." if room.phones >= room.students > 1 else ""


def _phones(number: int) -> str:
    return "No phone is" if number == 0 else "1 phone is" if number == 1 else f"{number:,} phones are"


def _missing(phones: int, real: int) -> str:
    # Phones that reported may have left, so that this can be less than nothing.
    who = "has" if phones == 1 else f"at least {phones - real:,} of them"
    return f", and {who} still to report" if phones > real else ""


def learned(view: RoundView, answers: Sequence[str], estimates: Estimates | None) -> str:
    """Say what the class has told so far, and what not."""
    if estimates is None:
        return "Nobody has reported yet: every share from 0% to 100% is as possible as before."
    low, high = estimates.interval
    if low.max() <= _NOTHING and high.min() >= 1 - _NOTHING:
        return (
            f"**Nothing can be said yet.** From {times(view.n, 'report')} at ε = {view.eps:g} the 95% interval of "
            f"every one of the {view.k} answers reaches from 0% to 100%. Where the marks stand is "
            "chance."
        )
    return f"{_first(answers, estimates)} {_ahead(answers, estimates)}"


def _first(answers: Sequence[str], estimates: Estimates) -> str:
    """Say the share of the answer that IBU puts first, or of those that it puts there together."""
    best = int(np.argmax(estimates.ibu))
    level = np.flatnonzero(estimates.ibu >= estimates.ibu[best] - _LEVEL)
    if level.size > 1:
        names = _several([answers[v] for v in level.tolist()], "and")
        return f"IBU puts {names} level, at {_whole(estimates.ibu[best])} each."
    low, high = estimates.interval[:, best]
    return (
        f"IBU puts **{_quoted(answers[best])}** first, at {_whole(estimates.ibu[best])}; the 95% interval for those "
        f"who reported is {_whole(low)} to {_whole(high)}."
    )


def _ahead(answers: Sequence[str], estimates: Estimates) -> str:
    """Say whether that answer really is the commonest, or which others may be."""
    best = int(np.argmax(estimates.ibu))
    low, high = estimates.joint
    rivals = [v for v in range(len(answers)) if v != best and high[v] >= low[best]]
    if np.count_nonzero(estimates.ibu >= estimates.ibu[best] - _LEVEL) > 1:
        return "Which answer is the commonest can't be said."
    wider = f"with intervals so wide that all {len(answers)} hold at once (95%)"
    if not rivals:
        return f"It is the commonest answer of those who reported: even {wider}, it lies above every other."
    if len(rivals) == len(answers) - 1:
        whom = "every other" if len(answers) > 2 else "the other"
    else:
        whom = _several([answers[v] for v in rivals], "or")
    own = f"its own goes from {_whole(low[best])} to {_whole(high[best])}"
    return f"Whether it is the commonest can't be said: {wider}, {own}, and it may lie below {whom}."


def _several(answers: Sequence[str], word: str) -> str:
    """Name the first two of some answers, and count the others."""
    names = [_quoted(answer) for answer in answers[:2]]
    names += [times(len(answers) - 2, "more answer")] if len(answers) > 2 else []
    return f" {word} ".join(names)


def one_of_you(mechanism: str, k: int, eps: float) -> str:
    """Say what somebody makes of one report."""
    blind, right = 1 / k, numbers.guessed(mechanism, k, eps)
    return (
        f"**One of you:** whoever reads a single report and guesses its sender's answer is right in "
        f"**{_apart(right, blind)}** of all cases, and blindly in {percent(blind, 3)}, if all {k} answers are equally "
        f"likely beforehand. No report is more than {at_most(math.exp(eps))} times as likely from one answer as "
        "from another."
    )


def _apart(right: float, blind: float) -> str:
    """Write a chance with as many digits as tell it from another, and from certainty."""
    texts = (percent(right, digits) for digits in (3, 4))
    return next((text for text in texts if text not in (percent(blind, 3), "100%")), percent(right, 5))


def spent(rounds: Sequence[RoundView]) -> str:
    """Say what somebody who answered in every round has given away, at most."""
    if len(rounds) == 1:
        return ""
    parts = " + ".join(f"{view.eps:g}" for view in rounds)
    total = significant(sum(view.eps for view in rounds))
    return (
        f"Whoever answers in all {len(rounds)} rounds spends ε = {parts} = **{total}**: noise that is drawn afresh "
        "averages out for somebody who can tell which reports came from the same phone."
    )


def dial(mechanism: str, k: int, eps: float, n: int) -> str:
    """Say what a round at this ε would give, before it begins."""
    if n < _FEW:
        return one_of_you(mechanism, k, eps)
    half = 100 * numbers.half_width(mechanism, k, eps, n)
    how = f"about ±{significant(half, 2)} points" if half < 50 else "wider than all that is possible"
    return (
        f"With {times(n, 'report')} again, the 95% interval of an answer that one in {k} gives would be **{how}**. "
        + one_of_you(mechanism, k, eps)
    )


def _quoted(answer: str) -> str:
    return f"“{plain(answer)}”"


def _whole(share: float) -> str:
    return f"{100 * share:.0f}%"
