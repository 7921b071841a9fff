"""What the page Your data asks, and the words to choose from."""

from __future__ import annotations

from ldpcore.datasets.own_binning import UNITS
from ldpui import own
from ldpui.address import links

SCALES = ("linear", "log", own.VALUES)
UNIT_WORDS = (own.AUTOMATIC, *UNITS)
SHARES_CUT = ("0%", "0.1%", "0.5%", "1%", "2%", "5%")

links.declare(
    links.switch("own_bare"),
    links.one_of("own_scale", "linear", SCALES, page=True),
    links.one_of("own_clip", "0%", SHARES_CUT, page=True),
    links.number("own_low", None, page=True),
    links.number("own_high", None, page=True),
    links.one_of("own_rare", "0%", SHARES_CUT, page=True),
    links.one_of("own_unit", own.AUTOMATIC, UNIT_WORDS, page=True),
)
