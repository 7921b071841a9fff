"""What the page Compare asks, and the words to choose from."""

from __future__ import annotations

import ldpcore as ldp
from ldpui.address import links

SORTS = ("the paper's order", "error of MI", "error of IBU", "gain Γ")

links.declare(
    links.one_of("sort", SORTS[0], SORTS, page=True),
    links.one_of("mechanisms", ldp.ONE_TIME + ldp.LONGITUDINAL, ldp.ONE_TIME + ldp.LONGITUDINAL, page=True),
)
