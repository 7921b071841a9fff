"""One setting in depth: the true histogram, what MI and IBU make of the reports, and why."""

from __future__ import annotations

import streamlit as st

import ldpcore as ldp
from ldpui import brand, cache, links, runs, session, theme
from ldpui.bins import bins_of
from ldpui.charts.common import Array
from ldpui.navigation import heading
from ldpui.own import Upload
from pages.explore.estimate import closer, controls, figures, picture
from pages.explore.estimate.panel import panel
from pages.explore.estimate.view import View


def page(s: ldp.Setting) -> None:
    """Draw the page."""
    heading("Estimate", brand.PURPOSE, way_in="about")
    data = session.data_of(s)
    result = runs.run(s, data)
    wide, narrow = st.columns([2.5, 1], gap="medium")
    with wide:
        # The chart stands above its switches, and is drawn after them.
        chart, below = st.container(), st.container()
    with below:
        view = _view(result, data)
    with chart:
        figure = picture.draw(view)
    with narrow:
        panel(s, data)
    figures.tiles(result)
    figures.table_of_errors(result)
    closer.look_closer(view, figure)


def _view(result: ldp.Result, data: Upload | None) -> View:
    """Draw the switches, and return what they ask for."""
    collection = controls.collection_shown(result.setting.runs)
    controls.switches()
    series = _chosen_series(result, data)
    meaning = session.current().meanings.get(result.setting.data) if data is None else data.column
    bins = bins_of(result, meaning)
    return View(result, data, series, bins, collection, theme.is_dark(), links.value("axis") == "log")


def _chosen_series(result: ldp.Result, data: Upload | None) -> list[tuple[theme.Look, Array]]:
    """Return the series that are switched on, always in the same order."""
    series = [(theme.MI, result.mi), (theme.IBU, result.ibu)]
    if st.session_state.get("limit"):
        series.append((theme.LIMIT, result.limit))
    if st.session_state.get("raw"):
        series.append((theme.RAW, result.raw))
    if st.session_state.get("full"):
        refusal = cache.full_refusal(result.setting)
        if refusal:
            st.info(refusal, icon=":material/info:")
        else:
            with st.spinner("Full-report IBU reads every report; this takes a few seconds…"):
                series.append((theme.FULL, cache.run_full(result.setting, data)))
    if st.session_state.get("observed"):
        series.append((theme.OBSERVED, result.counts / result.setting.n))
    return series
