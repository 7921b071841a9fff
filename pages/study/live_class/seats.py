"""Who is in a room: phones come in while there is a place and the door is open, and come back to their own place."""

from __future__ import annotations

import ldpcore as ldp
from ldpui.format import times
from pages.study.live_class.limits import Bucket
from pages.study.live_class.rooms import Member, Room, RoomView
from pages.study.live_class.shelf import Shelf


class Seats(Shelf):
    """Rooms with places for phones."""

    def join(self, code: str, visitor: str) -> RoomView | None:
        """Note that a visitor is there; None where there is no such room, a `Refused` where nobody is let in."""
        with self._lock:
            room, now = self._find(code), self._clock()
            if room is None:
                return None
            if visitor not in room.members:
                self._let_in(room)
                own = Bucket(self._limits.own_per_second, self._limits.own_burst, now)
                room.members[visitor] = Member(now, own)
            room.members[visitor].seen = room.last_seen = now
            return self._view(room)

    def has_seat(self, code: str, visitor: str) -> bool:
        """Tell whether a visitor has a place in a room."""
        with self._lock:
            room = self._find(code)
            return room is not None and visitor in room.members

    def leave(self, code: str, visitor: str) -> None:
        """Count a visitor among the students no more."""
        with self._lock:
            room = self._find(code)
            if room is not None:
                room.members.pop(visitor, None)

    def set_door(self, code: str, key: str, students: int, is_open: bool) -> None:
        """Say how many phones there may be, and whether new ones are let in."""
        with self._lock:
            room = self._taught(code, key)
            room.students, room.door_open = self._number(students), bool(is_open)

    def _number(self, students: int) -> int:
        return max(1, min(int(students), self._limits.students))

    def _let_in(self, room: Room) -> None:
        """Make place for somebody new: where the room is full, whoever is away goes, if it may."""
        if not room.door_open:
            raise ldp.Refused("the teacher has closed the door to new phones")
        if len(room.members) >= room.students:
            self._clear_away(room)
        if len(room.members) >= room.students:
            raise ldp.Refused(f"the room is full: it has places for {times(room.students, 'phone')}")
        if not room.arrivals.take(self._clock()):
            raise ldp.Refused("many phones are coming in at this moment")

    def _clear_away(self, room: Room) -> None:
        for visitor in [visitor for visitor, member in room.members.items() if self._has_left(member)]:
            del room.members[visitor]

    def _has_left(self, member: Member) -> bool:
        """Tell whether a place can be given away. A phone that has reported and sleeps between rounds keeps it."""
        return self._clock() - member.seen >= (self._limits.asleep if member.heard else self._limits.away)
