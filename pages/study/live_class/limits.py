"""What a live class may take of the server: everything that a visitor can make more of has a bound here."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Limits:
    """Bounds of rooms, and times in seconds.

    Attributes
    ----------
    rooms, students, rounds : int
        Rooms at once, phones in a room, rounds in a room.
    simulated : int
        Simulated students in a round.
    question, answer, answers : int
        Letters of the question and of an answer, and how many answers.
    lifetime, idle : float
        A room ends so long after it was opened, and so long after anybody was last seen in it.
    away : float
        Whoever was not seen for so long is not counted as being there.
    asleep : float
        Whoever sent something, and was not seen for so long, loses the place to somebody new where the room is full.
    deserted : float
        A room whose teacher was not seen for so long gives way to a new one, where there is no other place.
    refusals : int
        So many reports of one visitor are refused with a reason; after that the round does not listen to it any more.
    per_second, burst : float
        Messages that a room takes of all its students besides the first of each in a round: so many per second, and so
        many at once.
    own_per_second, own_burst : float
        The same for those of one visitor.
    arrivals_per_second, arrivals_burst : float
        The same for visitors who are new in a room.
    openings_per_second, openings_burst : float
        The same for new rooms of the whole server.
    own_rooms : int
        Rooms that one session has opened, at once.
    own_openings_per_second, own_openings_burst : float
        New rooms of one session.
    wrong_codes, code_pause : float
        So many wrong codes of one session in so many seconds.
    """

    rooms: int = 200
    students: int = 500
    rounds: int = 20
    simulated: int = 2_000
    question: int = 200
    answer: int = 40
    answers: int = 8
    lifetime: float = 6 * 3600
    idle: float = 30 * 60
    away: float = 15
    asleep: float = 10 * 60
    deserted: float = 5 * 60
    refusals: int = 20
    per_second: float = 100
    burst: float = 600
    own_per_second: float = 0.2
    own_burst: float = 5
    arrivals_per_second: float = 10
    arrivals_burst: float = 120
    openings_per_second: float = 2
    openings_burst: float = 60
    own_rooms: int = 3
    own_openings_per_second: float = 1 / 60
    own_openings_burst: float = 5
    wrong_codes: int = 5
    code_pause: float = 60


LIMITS = Limits()


class Bucket:
    """Lets through so many at once, and so many per second after that."""

    def __init__(self, per_second: float, burst: float, now: float) -> None:
        self._per_second, self._burst = per_second, burst
        self._left, self._filled = burst, now

    def take(self, now: float) -> bool:
        """Tell whether one more may pass.

        >>> bucket = Bucket(1.0, 2, now=0.0)
        >>> [bucket.take(now) for now in (0.0, 0.0, 0.0, 1.5)]
        [True, True, False, True]
        """
        self._left = min(self._burst, self._left + (now - self._filled) * self._per_second)
        self._filled = now
        if self._left < 1:
            return False
        self._left -= 1
        return True
