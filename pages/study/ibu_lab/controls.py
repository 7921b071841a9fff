"""What the page IBU lab asks, and the words to choose from."""

from __future__ import annotations

import re

from ldpui import glossary, widgets
from ldpui.address import links

CLOCKS = {"ε": "eps", "k": "k"}
STEPS = {"100": 100, "1k": 1_000, "10k": 10_000, "100k": 100_000, "1M": 1_000_000}
AXES = ("linear", "log")
# Numbers for every bin, with a sign between them; a link longer than that is cut by some programs.
LONGEST = 6_000
_NUMBERS = re.compile(r"[0-9.eE+\s,;-]*", re.ASCII)


def _is_start(word: str) -> bool:
    return len(word) <= LONGEST and bool(_NUMBERS.fullmatch(word))


links.declare(links.number("lab_collection", 1, 1, widgets.COLLECTIONS_MAX, page=True))
links.declare(
    links.one_of("lab_axis", AXES[0], AXES, page=True),
    links.one_of("lab_after", "10k", STEPS, page=True),
    links.Control("lab_own", "", _is_start, page=True, text=True),
    links.one_of("clock_against", "ε", CLOCKS, page=True),
    links.one_of("clock_steps", "10k", STEPS, page=True),
    live=True,
)


def collection(runs: int) -> int:
    """Ask which of the simulated collections is looked at; return its number, from 1."""
    return 1 if runs == 1 else widgets.collection("lab_collection", runs, help=glossary.LAB_COLLECTION)
