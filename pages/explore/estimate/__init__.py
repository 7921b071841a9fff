"""One setting in depth: the true histogram, what MI and IBU make of the reports, and why."""

from __future__ import annotations

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import ldpcore as ldp
from ldpui import cache, glossary, session, theme, widgets
from ldpui.bins import bins_of
from ldpui.charts import show
from ldpui.charts.common import FEW_BINS, Array
from ldpui.format import one_exponent, significant, times, with_error
from ldpui.navigation import heading
from ldpui.own import Upload
from pages.explore.estimate import charts, closer, window
from pages.explore.estimate.sentences import verdict


def page(s: ldp.Setting) -> None:
    """Draw the page."""
    heading(
        "Estimate",
        "How well can a server recover a histogram when every user blurs their own value? **MI** subtracts the noise, "
        f"**IBU** fits it step by step; *All estimators*, below, compares {len(ldp.ESTIMATORS)} ways to undo it.",
    )
    data = session.data_of(s)
    with st.spinner("Simulating the collection…"):
        result = cache.run(s, data)
    _switches()
    series = _chosen_series(result, data)
    _verdict(result)
    view = closer.View(result, data, series, bins_of(result, None if data is None else data.column), theme.is_dark())
    figure = _chart(view)
    _metrics(result)
    _errors(result)
    closer.look_closer(view, figure)


def _switches() -> None:
    """Offer what else the chart can show."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="toggles"):
        widgets.pick("Vertical axis", "axis", ("linear", "log"))
        widgets.switch("IBU limit", "limit", help=glossary.LIMIT)
        widgets.switch("Raw MI", "raw", help=glossary.RAW)
        widgets.switch("Full-report IBU", "full", help=glossary.FULL)
        widgets.switch("What the server saw", "observed", help=glossary.OBSERVED)


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


def _verdict(result: ldp.Result) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="verdict"):
        st.markdown(verdict(result), width="content")
        widgets.explanations()


def _chart(view: closer.View) -> go.Figure:
    """Draw the histogram with its estimates, and offer all bins where some are not shown."""
    result, s, bins = view.result, view.result.setting, view.bins
    log = st.session_state["axis"] == "log"
    figure = charts.estimate(result, view.series, bins, dark=view.dark, log=log, window=view.window)
    names = ", ".join(look.name for look, _ in view.series)
    told = f"True histogram of {s.k} bins as bars, with estimates by {names} over it. {verdict(result)}"
    image = "svg" if st.session_state.get("image") == "SVG" else "png"
    show.zoomable(figure, "estimate_chart", image=image, zoom_key=view.zoom_key, alt=told.replace("*", ""))
    st.caption(_how_drawn(view, log))
    if view.window is not None or window.has_long_tail(result):
        st.button(
            "Show all bins",
            icon=":material/zoom_out_map:",
            on_click=show.zoom_to,
            args=(view.zoom_key, *bins.ends),
            disabled=view.window == bins.ends,
        )
    return figure


def _how_drawn(view: closer.View, log: bool) -> str:
    s = view.result.setting
    points = s.k <= FEW_BINS
    mean = "mean estimate" if s.runs > 1 else "estimate"
    drawn = f"{'Points' if points else 'Lines'}: {mean} over {times(s.runs, 'run')} of {s.mechanism}"
    spread = "bars" if points else "bands of MI and IBU"
    full = any(look is theme.FULL for look, _ in view.series)
    return (
        f"Grey: what the {times(s.n, 'user')} really {'hold' if s.n > 1 else 'holds'}. {drawn}"
        + (f"; {spread}: the middle 90% of the runs." if s.runs > 1 else ".")
        + (f" Full-report IBU: {cache.FULL_RUNS} runs of its own." if full else "")
        + (
            " Shown are the bins that hold 99% of the users."
            if window.has_long_tail(view.result) and view.window is None
            else ""
        )
        + " Drag over the chart to zoom."
        + (" Where a line leaves the log axis, the estimate is 0 or below." if log else "")
    )


def _metrics(result: ldp.Result) -> None:
    done = int(result.converged.sum())
    with st.container(horizontal=True, key="figures"):
        for label, shown, what in (
            ("Gain Γ (MSE)", with_error(result.gain("mse"), "%"), glossary.GAMMA + "\n\n" + glossary.MSE),
            ("Gain Γ (MAE)", with_error(result.gain("mae"), "%"), glossary.GAMMA + "\n\n" + glossary.MAE),
            ("IBU iterations", f"{result.iterations.mean():,.0f}", glossary.ITERATIONS),
            ("Runs converged", f"{done} of {result.setting.runs}", glossary.CONVERGED),
            ("Effective ε", significant(result.mechanism.effective_eps), glossary.EFFECTIVE),
            ("Bits per report", significant(result.mechanism.report_bits), glossary.BITS),
        ):
            st.metric(label, shown, help=what, border=True, width="content")


def _errors(result: ldp.Result) -> None:
    """Draw the table of MSE and MAE."""
    rows = {look.name: key for look, key in ((theme.MI, "mi"), (theme.IBU, "ibu"), (theme.LIMIT, "limit"))}
    table = {}
    for metric in ("mse", "mae"):
        title, cells = one_exponent(metric.upper(), [result.error(key, metric) for key in rows.values()])
        table[title] = cells
    st.table(pd.DataFrame(table, index=list(rows)), border="horizontal", width=480)
    runs = result.setting.runs
    st.caption(f"Errors: mean over {times(runs, 'run')}" + (" ± standard error." if runs > 1 else "."))
