"""The chart of the page Estimate, what it says of itself, and the ways to look at other bins."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

from ldpui import cache, export, links, theme
from ldpui.charts import show
from ldpui.charts.common import as_points
from ldpui.format import times
from pages.explore.estimate import charts, window
from pages.explore.estimate.digits import apart
from pages.explore.estimate.panel import words_on
from pages.explore.estimate.view import View
from pages.explore.estimate.why import points


def draw(view: View) -> go.Figure:
    """Draw the histogram with its estimates, and say how it is drawn."""
    s = view.result.setting
    asked, how = export.described(s)
    one = "" if view.collection is None else f"collection {view.collection} of "
    figure = charts.estimate(
        view.result,
        view.shown,
        view.bins,
        dark=view.dark,
        log=view.log,
        window=view.window,
        among=None if view.collection is None else view.series,
        source=(asked, one + how),
    )
    names = ", ".join(look.name for look, _ in view.series)
    verdict, _ = words_on(s, view.data)
    told = f"True histogram of {s.k} bins as bars, with estimates by {names} over it. {verdict}"
    image = "svg" if links.value("image") == "SVG" else "png"
    name = export.file_name(s) + (f"-collection{view.collection}" if view.collection else "")
    show.zoomable(figure, "estimate_chart", told.replace("*", ""), image, view.zoom_key, name)
    st.caption(how_drawn(view))
    _ways_to_look(view)
    return figure


def _ways_to_look(view: View) -> None:
    """Offer all bins where some are not shown, and the way back to what was shown first."""
    if view.window is None and not window.has_long_tail(view.result):
        return
    with st.container(horizontal=True):
        if view.window is not None:
            st.button("Back to first view", icon=":material/undo:", key="zoom_back", on_click=show.zoom_out)
        if view.window != view.bins.ends:
            st.button(
                "Show all bins",
                icon=":material/zoom_out_map:",
                on_click=show.zoom_to,
                args=(view.zoom_key, *view.bins.ends),
            )


def how_drawn(view: View) -> str:
    """Say what bars, lines and bands are, and what is not shown."""
    s = view.result.setting
    full = any(look is theme.FULL for look, _ in view.series)
    sentences = [
        f"Grey: what the {times(s.n, 'user')} really {'hold' if s.n > 1 else 'holds'}.",
        _estimates(view),
        f"Full-report IBU: {'a run' if view.collection else f'{cache.FULL_RUNS} runs'} of its own." if full else "",
        "Shown are the bins that hold 99% of the users."
        if window.has_long_tail(view.result) and view.window is None
        else "",
        "Drag over the chart to zoom.",
        "Where a line leaves the log axis, the estimate is 0 or below." if view.log else "",
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _estimates(view: View) -> str:
    """Say whether the estimates come from one collection or from many."""
    s = view.result.setting
    few = as_points(view.bins)
    marks = "Points" if few else "Lines"
    if s.runs == 1:
        return f"{marks}: estimates from the only collection that is simulated, with {s.mechanism}."
    if view.collection is None:
        spread = "bars" if few else "bands of MI and IBU"
        return (
            f"{marks}: mean estimate over {s.runs} collections with {s.mechanism}; {spread}: the middle 90% of them. "
            "Every single one is noisier than their mean."
        )
    mi, ibu = apart(*(points(view.result, key, view.collection) for key in ("mi", "ibu")))
    return (
        f"{marks}: estimates from **collection {view.collection} of {s.runs}** alone, with {s.mechanism}; in this one "
        f"a bin is off by {mi} points with MI and {ibu} with IBU."
    )
