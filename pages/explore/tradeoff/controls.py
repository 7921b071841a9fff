"""What the page Trade-off asks, and the words to choose from."""

from __future__ import annotations

import ldpcore as ldp
from ldpui import links

VIEWS = ("curves", "gain map", "best mechanism")
AGAINST = {"ε": "eps", "n": "n", "k": "k"}
DRAW = ("error", "gain Γ")
ESTIMATORS = {ldp.ESTIMATORS[key].name: key for key in ("mi", "ibu", "limit")}

links.declare(
    links.one_of("view", VIEWS[0], VIEWS, page=True),
    links.one_of("against", "ε", AGAINST, page=True),
    links.one_of("draw", DRAW[0], DRAW, page=True),
    links.one_of("estimators", ("MI", "IBU"), ESTIMATORS, page=True),
    links.one_of("beside", (), ldp.ONE_TIME + ldp.LONGITUDINAL, page=True),
    links.one_of("over", "k", ("n", "k"), page=True),
)
