"""What the page Trade-off asks, and the words to choose from."""

from __future__ import annotations

from dataclasses import replace

import ldpcore as ldp
from ldpui.address import links, vocabulary

VIEWS = ("curves", "gain map", "best mechanism")
AGAINST = {"ε": "eps", "n": "n", "k": "k"}
DRAW = ("error", "gain Γ")
DRAWN = {name: key for key, name in vocabulary.HISTOGRAMS.items()} | {vocabulary.SLOW["auto"]: "auto"}


def _against_k() -> bool:
    """Tell whether errors are drawn against k."""
    return (links.value("view"), links.value("against"), links.value("draw")) == (VIEWS[0], "k", DRAW[0])


def _measure_known() -> str | None:
    """Return the measure for errors against k that is known already.

    Whoever has chosen a measure elsewhere, or in a link, has meant it for all axes. And links of the first version know
    no other one.
    """
    chosen = links.value("metric") != links.CONTROLS["metric"].default
    return str(links.value("metric")) if _against_k() and (chosen or links.is_older(2, "against")) else None


links.declare(
    links.one_of("view", VIEWS[0], VIEWS, page=True),
    links.one_of("against", "ε", AGAINST, page=True),
    links.one_of("draw", DRAW[0], DRAW, page=True),
    links.one_of("estimators", ("MI", "IBU"), DRAWN, page=True),
    links.one_of("beside", (), ldp.ONE_TIME + ldp.LONGITUDINAL, page=True),
    links.one_of("over", "k", ("n", "k"), page=True),
    # An error per bin falls with k by itself, so against k there is a measure of the whole histogram at first.
    replace(links.one_of("metric_k", "TV", vocabulary.METRICS, page=True), first=_measure_known),
)


def metric_key() -> str:
    """Return the key of the measure that is in use: errors against k have one of their own."""
    if not _against_k():
        return "metric"
    if links.value("metric_k") == links.CONTROLS["metric_k"].default:
        links.say_version()
    return "metric_k"
