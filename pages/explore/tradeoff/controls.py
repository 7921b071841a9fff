"""What the page Trade-off asks, and the words to choose from."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpui import links, vocabulary

VIEWS = ("curves", "gain map", "best mechanism")
AGAINST = {"ε": "eps", "n": "n", "k": "k"}
DRAW = ("error", "gain Γ")
ESTIMATORS = {ldp.ESTIMATORS[key].name: key for key in ("mi", "ibu", "limit", "auto")}

links.declare(
    links.one_of("view", VIEWS[0], VIEWS, page=True),
    links.one_of("against", "ε", AGAINST, page=True),
    links.one_of("draw", DRAW[0], DRAW, page=True),
    links.one_of("estimators", ("MI", "IBU"), ESTIMATORS, page=True),
    links.one_of("beside", (), ldp.ONE_TIME + ldp.LONGITUDINAL, page=True),
    links.one_of("over", "k", ("n", "k"), page=True),
    # An error per bin falls with k by itself, so against k there is a measure of the whole histogram at first.
    links.one_of("metric_k", "TV", vocabulary.METRICS, page=True),
)


def metric_key() -> str:
    """Return the key of the measure that is in use: errors against k have one of their own."""
    against_k = (links.value("view"), links.value("against"), links.value("draw")) == (VIEWS[0], "k", DRAW[0])
    if not against_k:
        return "metric"
    # Whoever has chosen a measure elsewhere, or in a link, has meant it for all axes.
    if "metric_k" not in st.session_state and links.value("metric") != links.CONTROLS["metric"].default:
        st.session_state["metric_k"] = links.value("metric")
    return "metric_k"
