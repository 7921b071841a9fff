"""The grid of the tournament, written down: which settings, how often each, and with which seeds.

The whole cross of mechanisms, data, ε, n and k would take two cores a night. One draw of it is a fraction, such that
every ε and n meet equally many mechanisms; the next draw takes the next fraction, until all are there.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Any

from ldpcore import _validate as check
from ldpcore.mechanisms import Mechanism, mechanism, mechanism_class
from ldpcore.paper.experiment import LONGITUDINAL, ONE_TIME
from ldpcore.tournament.shapes import DATA

MECHANISMS = (*ONE_TIME, *LONGITUDINAL)
"""The mechanisms of the matches, in the paper's order."""
EPS = (0.25, 0.5, 1.0, 2.0, 4.0, 8.0)
"""Every ε of the matches; ε₁ of a longitudinal mechanism."""
N = (1_000, 10_000, 100_000, 1_000_000, 10_000_000)
"""The numbers of users of the matches."""
REPEATS = 2
"""How often each setting is run in a draw; users and noise are drawn anew."""
DRAWS_MAX = 1_000
"""More draws than anybody runs."""


@dataclass(frozen=True)
class Level:
    """What one draw has of a number of bins.

    Attributes
    ----------
    k : int
        The number of bins.
    one_in : int
        One in so many of all mechanisms x ε x n.
    data_in : int
        One in so many of the data sets, in turn.
    shuffled_in : int
        One in so many settings is also run with its bins in another order; 0 for none.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> tournament.Level(k=50, one_in=4)
    Level(k=50, one_in=4, data_in=1, shuffled_in=0)
    """

    k: int
    one_in: int
    data_in: int = 1
    shuffled_in: int = 0


LEVELS = (
    Level(10, 7),
    Level(50, 7, shuffled_in=2),
    Level(200, 14, shuffled_in=2),
    Level(1_000, 14, data_in=4),
    Level(5_000, 14, data_in=9),
)
"""What one draw has of each number of bins."""


@dataclass(frozen=True)
class Match:
    """A mechanism at one ε, n and k, with all the data sets that it is run on: one piece of work.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> match = tournament.Match("OUE", 1.0, 1_000, 10, ("zipf", "spike"))
    >>> match.make_mechanism().k, match.seed_of("zipf", 0) != match.seed_of("zipf", 1)
    (10, True)
    """

    mechanism: str
    eps: float
    n: int
    k: int
    data: tuple[str, ...]
    draw: int = 0
    seed: int = 0
    shuffled: bool = False

    @property
    def key(self) -> tuple[str, float, int, int, int]:
        """What tells it from all others."""
        return self.mechanism, self.eps, self.n, self.k, self.draw

    def make_mechanism(self) -> Mechanism:
        """Return the mechanism; a longitudinal one has ε as its ε₁, and twice that as ε∞, as in the paper.

        Examples
        --------
        >>> Match("L-SUE", 1.0, 1_000, 10, ("zipf",)).make_mechanism()
        LSUE(k=10, eps=1.0, eps_inf=2.0, calibration='published')
        """
        if mechanism_class(self.mechanism, argument="mechanism").longitudinal:
            return mechanism(self.mechanism, k=self.k, eps=self.eps, eps_inf=2 * self.eps)
        return mechanism(self.mechanism, k=self.k, eps=self.eps)

    def seed_of(self, data: str, repeat: int) -> int:
        """Return the seed of one repeat: another for every setting, so that chance is independent among them.

        Examples
        --------
        >>> match = Match("OUE", 1.0, 1_000, 10, ("zipf", "spike"))
        >>> match.seed_of("zipf", 0) == match.seed_of("zipf", 0), match.seed_of("zipf", 0) == match.seed_of("spike", 0)
        (True, False)
        """
        mechanism, eps, n, k, draw = self.key
        # Plain Python values: scalars of a frame compare equal but print differently.
        key = str(mechanism), float(eps), int(n), int(k), int(draw)
        words = repr((int(self.seed), *key, str(data), int(repeat)))
        return zlib.crc32(words.encode()) & 0x7FFF_FFFF


def matches(draw: int = 0, seed: int = 0, levels: tuple[Level, ...] = LEVELS) -> list[Match]:
    """Return the matches of one draw, those with few bins first.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> every = tournament.matches()
    >>> len(every), sum(len(match.data) for match in every)
    (210, 1448)
    """
    draw, seed = checked_draw(draw, seed)
    levels = tuple(check.sequence("levels", levels, "ldpcore.tournament.Level", Level))
    return [match for level in levels for match in _of_level(level, draw, seed)]


def checked_draw(draw: Any, seed: Any) -> tuple[int, int]:
    """Return the numbers of a draw and of all randomness."""
    return check.integer("draw", draw, 0, DRAWS_MAX), check.seed(seed)


def _of_level(level: Level, draw: int, seed: int) -> list[Match]:
    out = []
    for i, name in enumerate(MECHANISMS):
        for j, eps in enumerate(EPS):
            for row, n in enumerate(N):
                if (i + 3 * j + 5 * row) % level.one_in != draw % level.one_in:
                    continue
                # All data sets have had their turn when all settings have had theirs as often.
                data = tuple(DATA)[(j + row + draw + draw // level.one_in) % level.data_in :: level.data_in]
                shuffled = bool(level.shuffled_in) and (i + j + row) % level.shuffled_in == 0
                out.append(Match(name, eps, n, level.k, data, draw, seed, shuffled))
    return out
