"""How far the same number of steps takes IBU under each mechanism, over ε or over k."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

import ldpcore as ldp
from ldpui import cache, grids
from ldpui.own import Upload

MECHANISMS = ldp.ONE_TIME + ldp.LONGITUDINAL
VALUES: dict[str, list[float]] = {
    "eps": [float(f"{eps:.3g}") for eps in np.geomspace(0.1, 10, 41)],
    "k": sorted({float(round(k)) for k in np.geomspace(2, 1000, 41)}),
}


@dataclass(frozen=True)
class Clock:
    """How far a mechanism has come after so many steps, over ε or over k; None where it is not possible."""

    name: str
    values: list[float]
    shares: list[float | None]
    here: float | None


@cache.by_setting(60, 60)
def clocks(s: ldp.Setting, data: Upload | None, against: str, steps: int) -> list[Clock]:
    """Return the clocks of all mechanisms; they do not depend on the data, of which there is none here."""
    values = VALUES[against]
    return [
        Clock(name, values, [_share(s, name, steps, **{against: v}) for v in values], _share(s, name, steps))
        for name in MECHANISMS
    ]


def _share(s: ldp.Setting, name: str, steps: int, **changes: float) -> float | None:
    whole = {key: int(v) if key == "k" else v for key, v in changes.items()}
    try:
        m = grids.at(s, name, **whole).make_mechanism()
    except ldp.Refused:
        return None
    return m.share_of_the_way(steps, s.channel)
