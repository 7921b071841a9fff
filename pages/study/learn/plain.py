"""What each mechanism does, in one line that needs no word which the lessons have not explained."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import ldpcore as ldp
from ldpui.format import percent

Line = Callable[[ldp.Mechanism], str]
_FRESH = "That noisy answer is kept; every report is made from it with fresh noise."


def _named(m: ldp.Mechanism) -> str:
    return "names one thing: the true one, or by chance another"


def _set(m: ldp.Mechanism) -> str:
    if m.support_size == 1:
        return _named(m)
    return (
        f"names {m.support_size} things at once. The true one is among them more often than chance alone would put it "
        "there"
    )


def _cells(m: ldp.Mechanism) -> str:
    other = "the other" if m.g == 2 else "another"
    return f"throws all things into {m.g} cells at random, and names the cell of the true one, or by chance {other}"


def _turned(m: ldp.Mechanism) -> str:
    return "answers yes or no for every thing, each answer turned around with the same chance"


def _half(m: ldp.Mechanism) -> str:
    # A longitudinal one does this in its first round.
    q = m.rounds.q1 if m.rounds else m.q
    return (
        "answers yes or no for every thing. The true yes stays a yes half of the time; a no becomes a yes with a "
        f"chance of {percent(q)}"
    )


def _large(m: ldp.Mechanism) -> str:
    return "writes a number for every thing, adds noise to each, and says which numbers came out large"


def _own_words(m: ldp.Mechanism) -> str:
    return m.summary


def _once(does: Line) -> Line:
    return lambda m: f"{_capital(does(m))}."


def _kept(does: Line, more: str = "") -> Line:
    return lambda m: f"Once for good, it {does(m)}. {_FRESH}{more}"


def _capital(text: str) -> str:
    return text[0].upper() + text[1:]


LINES: Mapping[str, Line] = {
    "GRR": _once(_named),
    "SUE": _once(_turned),
    "OUE": _once(_half),
    "SS": _once(_set),
    "THE": _once(_large),
    "BLH": _once(_cells),
    "OLH": _once(_cells),
    "L-GRR": _kept(_named),
    "L-SUE": _kept(_turned),
    "L-OUE": _kept(_half),
    "L-SOUE": _kept(_turned, " The fresh noise is that of OUE."),
    "L-OSUE": _kept(_half, " The fresh noise is that of SUE."),
    "L-BLH": _kept(_cells),
    "L-OLH": _kept(_cells),
}


def line(m: ldp.Mechanism) -> str:
    """Return the line of a mechanism; one that the lessons do not know says it in its own words."""
    return LINES.get(m.name, _own_words)(m)
