"""One setting in depth: the true histogram, what MI and IBU make of the reports, and why."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpui import brand, cache, session, theme
from ldpui.address import links
from ldpui.charts import show
from ldpui.navigation import heading
from ldpui.own import Upload
from ldpui.progress import with_progress
from pages.explore.estimate import closer, controls, figures, picture, runs
from pages.explore.estimate.panel import panel
from pages.explore.estimate.series import ALWAYS, SERIES, SWITCHED
from pages.explore.estimate.view import View, zoom_key


def page(s: ldp.Setting) -> None:
    """Draw the page."""
    heading(brand.PURPOSE, way_in="learn")
    data = session.data_of(s)
    runs.run(s, data)
    wide, narrow = st.columns([2.5, 1], gap="medium")
    with wide:
        # The chart stands above its switches, and is drawn after them.
        chart = st.container()
        view = _view(s, data)
    with chart:
        picture.draw(s, data, view)
    with narrow:
        panel(s, data)
    figures.draw(s, data)
    closer.look_closer(s, data, view)


def _view(s: ldp.Setting, data: Upload | None) -> View:
    """Draw the switches, and return what they ask for."""
    collection = controls.collection_shown(s.runs)
    intervals = controls.switches(one=collection is not None or s.runs == 1)
    series = _chosen_series(s, data)
    meaning = session.current().meanings.get(s.data) if data is None else data.column
    window = show.zoom(zoom_key(s, data, meaning))
    large, log = bool(links.value("present")), links.value("axis") == "log"
    return View(series, collection, theme.is_dark(), log, meaning, window, large, intervals)


def _chosen_series(s: ldp.Setting, data: Upload | None) -> tuple[str, ...]:
    """Return the keys of the series that are switched on, always in the same order; MI and IBU always are."""
    chosen = {*ALWAYS, *(key for key in SWITCHED if st.session_state.get(key))}
    if "auto" in chosen:
        # Computed here with a bar, so that the chart below finds it done.
        for number in with_progress(range(s.runs), "Choosing by the counts"):
            cache.slow_estimate(s, data, "auto", number)
    if "full" in chosen:
        refusal = cache.full_refusal(s)
        if refusal:
            st.info(refusal, icon=":material/info:")
            chosen.discard("full")
        else:
            with st.spinner("Full-report IBU reads every report; this takes a few seconds…"):
                cache.run_full(s, data)
    return tuple(key for key in SERIES if key in chosen)
