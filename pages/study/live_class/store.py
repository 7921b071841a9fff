"""All rooms of this server process. Everything that is done to them is done here, by one thread at a time."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

import ldpcore as ldp
from pages.study.live_class import demo, rounds
from pages.study.live_class.codes import new_code, new_key
from pages.study.live_class.limits import Bucket
from pages.study.live_class.question import Question
from pages.study.live_class.rooms import Member, Room, RoomView
from pages.study.live_class.seats import Seats


# Not one of Streamlit's caches: any visitor can have all of those cleared by a message that no page sends.
@cache
def rooms() -> Rooms:
    """Return the rooms that all visitors of this process share."""
    return Rooms()


class Rooms(Seats):
    """Rooms by their codes: opened, joined, reported to, and ended; bounded in every direction."""

    # ---- the teacher ----------------------------------------------------------------

    def open(self, question: Question, mechanism: str, eps: float, students: int, owner: str) -> tuple[str, str]:
        """Open a room with its first round for a session; return its code and the teacher's key."""
        first = rounds.begin(1, mechanism, eps, question.k)
        limits = self._limits
        with self._lock:
            self._make_place(owner)
            now = self._clock()
            code = next(code for code in iter(new_code, None) if code not in self._rooms)
            messages = Bucket(limits.per_second, limits.burst, now)
            arrivals = Bucket(limits.arrivals_per_second, limits.arrivals_burst, now)
            room = Room(code, new_key(), owner, question, self._number(students), now, messages, arrivals, [first])
            room.teacher_seen = room.last_seen = now
            self._rooms[code] = room
            return code, room.key

    def start_round(self, code: str, key: str, mechanism: str, eps: float) -> None:
        """Close the round that is on, and start another one."""
        with self._lock:
            room = self._taught(code, key)
            if len(room.rounds) >= self._limits.rounds:
                raise ldp.Refused(f"a room has at most {self._limits.rounds} rounds; open another room")
            following = rounds.begin(len(room.rounds) + 1, mechanism, eps, room.question.k)
            self.close_round(code, key)
            room.rounds.append(following)

    def close_round(self, code: str, key: str) -> None:
        """Take no more reports in this round."""
        with self._lock:
            room = self._taught(code, key)
            room.rounds[-1].close()
            room.coming.clear()

    def end(self, code: str, key: str) -> None:
        """End the room: nothing of it is left."""
        with self._lock:
            self._taught(code, key)
            del self._rooms[code]

    def simulate(self, code: str, key: str, number: int, rng: np.random.Generator) -> None:
        """Let simulated students come to the round that is on."""
        with self._lock:
            room = self._taught(code, key)
            current = room.rounds[-1]
            number = min(int(number), self._limits.simulated - current.simulated - len(room.coming))
            if not current.open or number < 1:
                raise ldp.Refused("this round takes no more simulated students")
            room.coming += demo.students(current.view().make_mechanism(), number, rng)
            room.batch = max(1, len(room.coming) // demo.BATCHES)

    def watch(self, code: str, key: str | None) -> RoomView | None:
        """Return the room for its teacher's wall; some of the simulated students who are to come report now."""
        with self._lock:
            if key is None or not self.is_teacher(code, key):
                return None
            room = self._taught(code, key)
            current, now = room.rounds[-1], self._clock()
            if room.coming and now >= room.batch_time:
                arrived, room.coming = room.coming[: room.batch], room.coming[room.batch :]
                for value, supported in arrived:
                    current.add(supported)
                    current.truth[value] += 1
                current.simulated += len(arrived)
                room.batch_time = now + demo.PAUSE
            return self._view(room)

    # ---- the students ---------------------------------------------------------------

    def exists(self, code: str) -> bool:
        """Tell whether there is a room with this code."""
        with self._lock:
            return self._find(code) is not None

    def report(self, code: str, visitor: str, message: Any) -> bool:
        """Count what a phone sent; False where it was counted before. A `Refused` says what is wrong with it."""
        with self._lock:
            self.join(code, visitor)
            room = self._find(code)
            if room is None:
                raise ldp.Refused("the room has ended")
            member = room.members[visitor]
            is_heard = self._is_heard(room, member)
            if member.refused >= self._limits.refusals:
                raise ldp.Refused("too much of what came from here was no report; nothing more is read in this round")
            if not is_heard:
                raise ldp.Refused("too many messages; wait a moment")
            try:
                # A phone that was not told that its report arrived sends it again. That is no offence.
                return rounds.take(room, visitor, message)
            except ldp.Refused:
                member.refused += 1
                raise

    def _is_heard(self, room: Room, member: Member) -> bool:
        """Tell whether a message is read: the first of a visitor in a round always, however many others send."""
        first, member.heard = member.heard != room.rounds[-1].number, room.rounds[-1].number
        if first:
            member.refused = 0
        now = self._clock()
        return first or (member.bucket.take(now) and room.bucket.take(now))
