"""IBU's clock in words: what a number of steps is worth."""

from __future__ import annotations

import math
from collections.abc import Sequence

import ldpcore as ldp
from ldpui.format import percent, significant, times

# From this share on the rest of the way is too small to see.
NEARLY_ALL = 0.995


def how_much(share: float) -> str:
    """Write a share of the way.

    >>> how_much(0.00004), how_much(0.17), how_much(0.9999)
    ('less than 0.1%', 'about 17%', 'nearly all')
    """
    if share < 0.001:
        return "less than 0.1%"
    return f"about {percent(share)}" if share < NEARLY_ALL else "nearly all"


def range_words(mechanisms: Sequence[ldp.Mechanism], steps: int, start: str = "uniform", channel: str = "exact") -> str:
    """Say how far so many steps go by the clocks of several mechanisms: from the slowest to the quickest.

    >>> range_words([ldp.mechanism(name, k=200, eps=1.0) for name in ("GRR", "OUE", "BLH")], 10_000)
    'By its clock IBU goes from about 5.2% (BLH) to about 52% (GRR) of the way to its limit in 10,000 steps.'
    """
    if not mechanisms:
        return ""
    if start != "uniform":
        return "IBU's clock is that of a uniform start: from another it does not say how far IBU is."
    shares = {m.name: m.share_of_the_way(steps, channel) for m in mechanisms}
    low, high = (end(shares, key=lambda name: shares[name]) for end in (min, max))
    first, last = how_much(shares[low]), how_much(shares[high])
    way = f"{first}" if first == last else f"from {first} ({low}) to {last} ({high})"
    return f"By its clock IBU goes {way} of the way to its limit in {times(steps, 'step')}."


def words(m: ldp.Mechanism, steps: int, start: str = "uniform", channel: str = "exact") -> str:
    """Say how far so many steps go by IBU's clock, which is known near a uniform start.

    >>> words(ldp.mechanism("OUE", k=200, eps=1.0), 10_000)
    'By its clock, T = 54,658, IBU goes about 17% of the way to its limit in 10,000 steps (t/T = 0.18).'
    """
    clock = m.ibu_time_of(channel)
    if math.isinf(clock):
        return "By its clock IBU does not move: to the channel that it believes in, all reports are alike."
    written = f"{clock:,.0f}" if clock >= 100 else significant(clock, 3)
    if start != "uniform":
        return f"IBU's clock, T = {written}, is that of a uniform start: from another it does not say how far IBU is."
    way = f"{how_much(m.share_of_the_way(steps, channel))} of the way to its limit in {times(steps, 'step')}"
    return f"By its clock, T = {written}, IBU goes {way} (t/T = {significant(steps / clock, 2)})."
