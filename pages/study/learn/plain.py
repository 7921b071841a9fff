"""What each mechanism does, in one line that needs no word which the lessons have not explained."""

from __future__ import annotations

from collections.abc import Mapping

import ldpcore as ldp

_KEPT = "Once for good, it {}. That noisy answer is kept; every report is made from it with fresh noise."
LINES: Mapping[str, str] = {
    "GRR": "Names one thing: the true one, or by chance another.",
    "SUE": "Answers yes or no for every thing. Each answer is turned around with the same chance.",
    "OUE": "Answers yes or no for every thing. The true yes is kept half of the time; a no seldom becomes a yes.",
    "SS": "Names a few things at once. The true one is among them more often than chance alone would put it there.",
    "THE": "Writes a number for every thing, adds noise to each, and says which numbers came out large.",
    "BLH": "Throws all things into two boxes at random, and names the box of the true one, or by chance the other.",
    "OLH": "Throws all things into a few boxes at random, and names the box of the true one, or by chance another.",
    "L-GRR": _KEPT.format("names one thing: the true one, or by chance another"),
    "L-SUE": _KEPT.format("answers yes or no for every thing, each turned around with the same chance"),
    "L-OUE": _KEPT.format("answers yes or no for every thing, a true yes kept half of the time, as OUE does"),
    "L-SOUE": _KEPT.format("answers yes or no for every thing as SUE does") + " The fresh noise is that of OUE.",
    "L-OSUE": _KEPT.format("answers yes or no for every thing as OUE does") + " The fresh noise is that of SUE.",
    "L-BLH": _KEPT.format("throws all things into two boxes and names the true one's box, or by chance the other"),
    "L-OLH": _KEPT.format("throws all things into a few boxes and names the true one's box, or by chance another"),
}


def line(m: ldp.Mechanism) -> str:
    """Return the line of a mechanism; one that the lessons do not know says it in its own words."""
    return LINES.get(m.name, m.summary)
