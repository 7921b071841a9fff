"""The chart of the page Estimate, what it says of itself, and the ways to look at other bins."""

from __future__ import annotations

from dataclasses import dataclass

import streamlit as st

import ldpcore as ldp
from ldpui import auto_choices, cache, export
from ldpui.address import links
from ldpui.bins import Bins
from ldpui.charts import finished, show
from ldpui.charts.common import as_points
from ldpui.charts.drawing import Drawing
from ldpui.format import times
from ldpui.own import Upload
from pages.explore.estimate import charts, window
from pages.explore.estimate.digits import apart
from pages.explore.estimate.panel import words_on
from pages.explore.estimate.series import SERIES
from pages.explore.estimate.view import View, zoom_key
from pages.explore.estimate.whiskers import Whiskers
from pages.explore.estimate.why import points


@finished.by_setting(400, 20)
def figure(s: ldp.Setting, data: Upload | None, view: View) -> Drawing:
    """Return the histogram with its estimates."""
    result = cache.run(s, data)
    setting_line, how = export.described(s)
    one = "" if view.collection is None else f"collection {view.collection} of "
    series = view.estimates(result, data)
    drawn = charts.estimate(
        result,
        view.shown(series),
        view.bins(result),
        dark=view.dark,
        log=view.log,
        window=view.window,
        among=None if view.collection is None else series,
        intervals=Whiskers.of(result, view.collection) if view.intervals else None,
        source=(setting_line, one + how),
    )
    return drawn.enlarged() if view.large else drawn


@dataclass(frozen=True)
class Words:
    """What is said of the chart: how it is drawn, and for those who do not see it; and where its bins end.

    Attributes
    ----------
    partly : bool
        Whether the chart starts with a part of the bins.
    """

    caption: str
    alt: str
    ends: tuple[float, float]
    partly: bool


@cache.by_setting(400, 20)
def words(s: ldp.Setting, data: Upload | None, view: View) -> Words:
    """Return what is said of the chart."""
    result = cache.run(s, data)
    bins = view.bins(result)
    names = ", ".join(SERIES[key].look.name for key in view.series)
    verdict = words_on(s, data)[0]
    alt = f"True histogram of {s.k} bins as bars, with estimates by {names} over it. {verdict}"
    caption = how_drawn(result, bins, view)
    if "auto" in view.series:
        shown = range(s.runs) if view.collection is None else [(view.collection - 1) % s.runs]
        caption += f" auto: {auto_choices.sentence([cache.choice(s, data, number) for number in shown])}"
    return Words(caption, alt.replace("*", ""), bins.ends, window.has_long_tail(result))


def draw(s: ldp.Setting, data: Upload | None, view: View) -> None:
    """Draw the histogram with its estimates, and say how it is drawn."""
    text = words(s, data, view)
    image = "svg" if links.value("image") == "SVG" else "png"
    name = export.file_name(s) + (f"-collection{view.collection}" if view.collection else "")
    zoomed = zoom_key(s, data, view.meaning)
    show.zoomable(figure(s, data, view), "estimate_chart", text.alt, image, zoomed, name)
    st.caption(text.caption)
    _ways_to_look(text, view, zoomed)


def _ways_to_look(text: Words, view: View, zoomed: str) -> None:
    """Offer all bins where some are not shown, and the way back to what was shown first."""
    if view.window is None and not text.partly:
        return
    with st.container(horizontal=True):
        if view.window is not None:
            st.button("Back to first view", icon=":material/undo:", key="zoom_back", on_click=show.zoom_out)
        if view.window != text.ends:
            all_bins = (zoomed, *text.ends)
            st.button("Show all bins", icon=":material/zoom_out_map:", on_click=show.zoom_to, args=all_bins)


def how_drawn(result: ldp.Result, bins: Bins, view: View) -> str:
    """Say what bars, lines and bands are, and what is not shown."""
    s = result.setting
    full = "full" in view.series
    sentences = [
        f"Grey: what the {times(s.n, 'user')} really {'hold' if s.n > 1 else 'holds'}.",
        "MI (matrix inversion) subtracts the noise, IBU (iterative Bayesian update) fits it step by step.",
        _estimates(result, bins, view),
        Whiskers.of(result, view.collection).words(result.true) if view.intervals else "",
        f"Full-report IBU: {'a run' if view.collection else f'{cache.FULL_RUNS} runs'} of its own." if full else "",
        "Shown are the bins that hold 99% of the users."
        if window.has_long_tail(result) and view.window is None
        else "",
        "Drag over the chart to zoom.",
        "Where a line leaves the log axis, the estimate is 0 or below." if view.log else "",
    ]
    return " ".join(sentence for sentence in sentences if sentence)


def _estimates(result: ldp.Result, bins: Bins, view: View) -> str:
    """Say whether the estimates come from one collection or from many."""
    s = result.setting
    few = as_points(bins)
    marks = "Points" if few else "Lines"
    if s.runs == 1:
        return f"{marks}: estimates from the only collection that is simulated, with {s.mechanism}."
    if view.collection is None:
        spread = "bars" if few else "bands of MI and IBU"
        return (
            f"{marks}: mean estimate over {s.runs} collections with {s.mechanism}; {spread}: the middle 90% of them. "
            "Every single one is noisier than their mean."
        )
    mi, ibu = apart(*(points(result, key, view.collection) for key in ("mi", "ibu")))
    return (
        f"{marks}: estimates from **collection {view.collection} of {s.runs}** alone, with {s.mechanism}; in this one "
        f"a bin is off by {mi} points with MI and {ibu} with IBU."
    )
