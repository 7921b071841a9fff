"""Where rooms stand: found by their codes, and gone when their time is over or their place is needed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

import ldpcore as ldp
from ldpui.format import times
from pages.study.live_class.limits import LIMITS, Bucket, Limits
from pages.study.live_class.rooms import Room, RoomView


class Shelf:
    """Rooms in memory, never more than there is place for. Whoever calls holds the lock."""

    def __init__(self, limits: Limits = LIMITS, clock: Callable[[], float] = time.monotonic) -> None:
        self._limits, self._clock = limits, clock
        self._lock = threading.RLock()
        self._rooms: dict[str, Room] = {}
        self._openings = Bucket(limits.openings_per_second, limits.openings_burst, clock())

    def __len__(self) -> int:
        with self._lock:
            self._sweep()
            return len(self._rooms)

    def _find(self, code: str) -> Room | None:
        room = self._rooms.get(code)
        if room is not None and self._is_over(room):
            del self._rooms[code]
            return None
        return room

    def _is_over(self, room: Room) -> bool:
        now = self._clock()
        return now - room.opened >= self._limits.lifetime or now - room.last_seen >= self._limits.idle

    def _sweep(self) -> None:
        for code in [code for code, room in self._rooms.items() if self._is_over(room)]:
            del self._rooms[code]

    def _make_place(self) -> None:
        """Make place for a new room: those that are over go, then the one whose teacher has been away longest."""
        if not self._openings.take(self._clock()):
            raise ldp.Refused("too many rooms are being opened at this moment; try again in a minute")
        self._sweep()
        if len(self._rooms) < self._limits.rooms:
            return
        lonely = min(self._rooms.values(), key=lambda room: room.teacher_seen)
        if self._clock() - lonely.teacher_seen < self._limits.deserted:
            raise ldp.Refused(f"all {self._limits.rooms} rooms of this server are taken; try again later")
        del self._rooms[lonely.code]

    def _make_seat(self, room: Room) -> None:
        """Make place for a visitor in a room: where it is full, whoever is away goes."""
        if len(room.members) < room.students:
            return
        away = [visitor for visitor, member in room.members.items() if not self._is_here(member.seen)]
        for visitor in away:
            del room.members[visitor]
        if not away:
            raise ldp.Refused(f"the room is full: it was opened for {times(room.students, 'phone')}")

    def _is_here(self, seen: float) -> bool:
        return self._clock() - seen < self._limits.away

    def _view(self, room: Room) -> RoomView:
        here = sum(self._is_here(member.seen) for member in room.members.values())
        rounds = tuple(one.view() for one in room.rounds)
        return RoomView(room.code, room.question, rounds, here, room.students, len(room.coming))
