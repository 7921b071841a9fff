"""What one report gives away: how often an observer's best guess of a user's bin is right, before it and after it."""

from __future__ import annotations

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
        before, after = _apart(self.knowing, self.knowing_seen)
        knows = f"from {before} to **{after}**" if before != after else f"not at all, it stays at {before}"
        before, after = _apart(self.blind, self.seen)
        return (
            "**Risk:** one report lifts an observer's chance to guess a user's bin "
            f"from {before} to **{after}**; if the shares of all bins are known, {knows}."
        )


def risk(r: ldp.Result) -> Risk:
    """Return what one report of a setting gives away."""
    attack = ldp.theory.attack_success
    return Risk(1 / r.setting.k, attack(r.mechanism), float(r.true.max()), attack(r.mechanism, r.true))


def _apart(before: float, after: float) -> tuple[str, str]:
    """Write two chances so that they can be told apart, if they differ at all."""
    digits = next((d for d in (2, 3, 4) if percent(before, d) != percent(after, d)), 2)
    return percent(before, digits), percent(after, digits)
