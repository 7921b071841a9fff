"""Error or gain against ε, n or k, for any mechanisms, with what theory allows."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpui import widgets
from ldpui.navigation import heading
from pages.explore.tradeoff import controls, views


def page(s: ldp.Setting) -> None:
    """Draw the page."""
    heading("What does more privacy cost, and what do more users or fewer bins win back?")
    place = widgets.page_controls("What is drawn")
    with place, st.container(horizontal=True, vertical_alignment="bottom"):
        view = widgets.pick("Show", "view", controls.VIEWS)
        metric = widgets.metric(key=controls.metric_key())
        widgets.explanations()
    if view == controls.VIEWS[0]:
        views.curves(s, metric, place)
    else:
        views.map_over(s, metric, place, best=view == controls.VIEWS[2])
