"""The two rounds of a longitudinal mechanism in numbers."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Rounds:
    """The two rounds of a longitudinal mechanism: `p1` and `q1` make the memo, `p2` and `q2` a report of it.

    `cells` is the number of cells where both rounds are randomized response on cells (the k values themselves, or those
    of a hash function), and None where both randomize every bit on its own.

    Examples
    --------
    >>> from ldpcore import mechanism
    >>> mechanism("L-GRR", k=5, eps=1.0).rounds.cells
    5
    """

    p1: float
    q1: float
    p2: float
    q2: float
    cells: int | None = None
