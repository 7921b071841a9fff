"""A round: how it begins, and what it takes."""

from __future__ import annotations

from typing import Any

import ldpcore as ldp
from pages.study.live_class import reports
from pages.study.live_class.rooms import Room, Round


def begin(number: int, mechanism: str, eps: float, k: int) -> Round:
    """Return a new round; a mechanism or an ε that can't be is a `Refused`."""
    if mechanism not in reports.MECHANISMS:
        raise ldp.Refused(f"phones know {' and '.join(reports.MECHANISMS)}, not {mechanism!r:.40}")
    return Round(number, mechanism, ldp.mechanism(mechanism, k=k, eps=eps).eps, k)


def take(room: Room, visitor: str, message: Any) -> bool:
    """Count what a visitor sent, if it is a report of the round that is on; False where it was counted before."""
    current = room.rounds[-1]
    report = reports.read(message, current.mechanism, room.question.k)
    if report.round != current.number or not current.open:
        raise ldp.Refused("this round is over")
    if report.token in current.tokens:
        return False
    if visitor in current.visitors:
        raise ldp.Refused("another report from here was counted in this round, and only that one counts")
    if current.n - current.simulated >= room.students:
        raise ldp.Refused("as many phones have reported as this room has places for; ask the teacher for more")
    current.tokens.add(report.token)
    current.visitors.add(visitor)
    current.add(report.supported)
    return True
