"""Who has had how much of the workers' time lately: who has had less is next."""

from __future__ import annotations

from collections.abc import Hashable

# What somebody had counts half as much after so many seconds.
HALF = 60.0
# So many seconds are a step: those who ask for something short now and then are all alike.
STEP = 0.5
# Steps beyond so many make no difference: whoever comes later overtakes for some seconds, and not for longer.
MOST = 8
# So few seconds are none.
_NOTHING = 0.01


class Shares:
    """The seconds of work that were done for owners; what was done long ago counts less and less, and then nothing.

    >>> shares = Shares()
    >>> shares.add("a", 2.0, now=0.0)
    >>> shares.steps("a", now=0.0), shares.steps("a", now=HALF), shares.steps("b", now=0.0)
    (4, 2, 0)
    """

    def __init__(self) -> None:
        self._had: dict[Hashable, tuple[float, float]] = {}

    def add(self, owner: Hashable, seconds: float, now: float) -> None:
        """Count what was done for somebody."""
        self._had[owner] = self._seconds(owner, now) + seconds, now
        # Visitors come and go: what does not count any more is not kept.
        for one in [one for one in self._had if self._seconds(one, now) < _NOTHING]:
            del self._had[one]

    def steps(self, owner: Hashable, now: float) -> int:
        """Return how much somebody has had, in steps."""
        return min(MOST, int(self._seconds(owner, now) / STEP))

    def _seconds(self, owner: Hashable, now: float) -> float:
        seconds, at = self._had.get(owner, (0.0, now))
        return float(seconds * 0.5 ** ((now - at) / HALF))
