"""What one report gives away: how often an observer's best guess of a user's bin is right, before it and after it."""

from __future__ import annotations

import math
from dataclasses import dataclass

import ldpcore as ldp
from ldpui.format import percent


@dataclass(frozen=True)
class Risk:
    """Chances that the best guess of one user's bin is right: without the report, and with it.

    Attributes
    ----------
    blind, seen : float
        Of an observer to whom all bins are equally likely.
    knowing, knowing_seen : float
        Of one who knows the share of every bin, and without a report names the largest.
    """

    blind: float
    seen: float
    knowing: float
    knowing_seen: float

    def __str__(self) -> str:
        return (
            "**Risk:** one report lifts an observer's chance to guess a user's bin "
            f"{_lift(self.blind, self.seen)}; if the shares of all bins are known, "
            f"{_lift(self.knowing, self.knowing_seen)}."
        )


def risk(r: ldp.Result) -> Risk:
    """Return what one report of a setting gives away."""
    attack = ldp.theory.attack_success
    return Risk(1 / r.setting.k, attack(r.mechanism), float(r.true.max()), attack(r.mechanism, r.true))


def _lift(before: float, after: float) -> str:
    """Say from where to where a chance goes; no report makes certain what was not, whatever a sum is rounded to."""
    after = min(after, math.nextafter(1, 0)) if before < 1 else after
    digits = digits_apart(before, after)
    if percent(before, digits) != percent(after, digits):
        return f"from {_chance(before, digits)} to **{_chance(after, digits)}**"
    much = "hardly at all" if after > before * (1 + 1e-9) else "not at all"
    return f"{much}, it stays at {_chance(before)}"


def _chance(chance: float, digits: int = 2) -> str:
    """Write a chance; one below 1 is not certain, whatever it rounds to.

    >>> _chance(0.5), _chance(0.9997), _chance(0.999_999), _chance(1.0)
    ('50%', '99.97%', 'over 99.99%', '100%')
    """
    if chance >= 1:
        return "100%"
    written = (percent(chance, d) for d in (digits, 3, 4))
    return next((text for text in written if text != "100%"), "over 99.99%")


def digits_apart(before: float, after: float) -> int:
    """Return how many digits it takes to tell two chances apart; two where four do not do."""
    return next((d for d in (2, 3, 4) if percent(before, d) != percent(after, d)), 2)
