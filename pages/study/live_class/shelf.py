"""Where rooms stand: found by their codes, and gone when their time is over or their place is needed."""

from __future__ import annotations

import hmac
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

    def is_teacher(self, code: str, key: str | None) -> bool:
        """Tell whether the key is that of the room's teacher."""
        with self._lock:
            room = self._find(code)
            # A key may be any text, half a sign of two halves too.
            return room is not None and isinstance(key, str) and hmac.compare_digest(_bytes(room.key), _bytes(key))

    def _taught(self, code: str, key: str) -> Room:
        room = self._find(code)
        if room is None or not self.is_teacher(code, key):
            raise ldp.Refused("the room has ended, or this is not its teacher's key")
        room.teacher_seen = room.last_seen = self._clock()
        return room

    def _make_place(self, owner: str) -> None:
        """Make place for a new room: those that are over go, then one that nobody would miss.

        A room with phones in it never gives way. Of the others those without a report go first, as soon as their
        teacher is away; those with reports only when their teacher has been away for long.
        """
        self._sweep()
        own = self._limits.own_rooms
        if sum(room.owner == owner for room in self._rooms.values()) >= own:
            raise ldp.Refused(f"{times(own, 'room')} that you have opened are still there; end one of them first")
        if not self._openings.take(self._clock()):
            raise ldp.Refused("too many rooms are being opened at this moment; try again in a minute")
        if len(self._rooms) < self._limits.rooms:
            return
        left = [room for room in self._rooms.values() if self._is_left(room)]
        if not left:
            raise ldp.Refused(f"all {self._limits.rooms} rooms of this server are taken; try again later")
        del self._rooms[min(left, key=lambda room: (room.has_reports, room.teacher_seen)).code]

    def _is_left(self, room: Room) -> bool:
        """Tell whether nobody is in a room whose place is needed."""
        if any(self._is_here(member.seen) for member in room.members.values()):
            return False
        return self._clock() - room.teacher_seen >= (self._limits.deserted if room.has_reports else self._limits.away)

    def _is_here(self, seen: float) -> bool:
        return self._clock() - seen < self._limits.away

    def _view(self, room: Room) -> RoomView:
        here = sum(self._is_here(member.seen) for member in room.members.values())
        rounds = tuple(one.view() for one in room.rounds)
        return RoomView(room.code, room.question, rounds, here, room.students, len(room.coming), room.door_open)


def _bytes(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
