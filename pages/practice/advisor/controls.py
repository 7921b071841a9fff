"""What the page Advisor asks, and the words to choose from."""

from __future__ import annotations

from ldpui.address import links

SOLVE = ("how accurate", "which ε", "how many users")
GOALS = ("every bin", "total variation")
POINTS = "0.1 0.2 0.3 0.5 1 2 3 5 10".split()
TV_BOUNDS = "0.01 0.02 0.03 0.05 0.1 0.2".split()
WHAT_IF = ("other ε or n", "other k", "other data")

links.declare(
    links.one_of("solve", SOLVE[0], SOLVE, page=True),
    links.one_of("goal", GOALS[0], GOALS, page=True),
    links.one_of("points", "1", POINTS, page=True),
    links.one_of("tv", "0.05", TV_BOUNDS, page=True),
    links.switch("iterated"),
    links.one_of("what_if", WHAT_IF[0], WHAT_IF, page=True),
)
