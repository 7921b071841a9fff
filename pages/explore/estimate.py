"""One setting in depth: the true histogram, what MI and IBU make of the reports, and why."""

import numpy as np
import pandas as pd
import streamlit as st

from ldpui import cache, charts, controls, export, one_report, registry, show, theme, words
from ldpui.bins import bins_of
from ldpui.readable import one_exponent, percent, significant, with_error
from ldpui.sentences import times, verdict
from ldpui.shell import heading, setting

heading(
    "Estimate",
    "How well can a server recover a histogram when every user blurs their own value? There are two ways to undo "
    "the noise: **MI** subtracts it, **IBU** fits it step by step.",
)
s = setting()
dark = theme.is_dark()
with st.spinner("Simulating the collection…"):
    result = cache.run(s)
bins = bins_of(result)


def chosen_series() -> list[tuple[theme.Look, np.ndarray]]:
    """Return the series that are switched on, always in the same order."""
    series = [(theme.MI, result.mi), (theme.IBU, result.ibu)]
    if st.session_state.get("limit"):
        series.append((theme.LIMIT, result.limit))
    if st.session_state.get("raw"):
        series.append((theme.RAW, result.raw))
    if st.session_state.get("full"):
        refusal = cache.full_refusal(s)
        if refusal:
            st.info(refusal, icon=":material/info:")
        else:
            with st.spinner("Full-report IBU reads every report; this takes a few seconds…"):
                series.append((theme.FULL, cache.run_full(s)))
    if st.session_state.get("observed"):
        series.append((theme.OBSERVED, result.counts / result.counts.sum(axis=1, keepdims=True)))
    return series


with st.container(horizontal=True, vertical_alignment="bottom", key="toggles"):
    controls.pick("Vertical axis", "axis", ("linear", "log"))
    controls.switch("IBU's limit", "limit", help=words.LIMIT)
    controls.switch("Raw MI", "raw", help=words.MI)
    controls.switch("Full-report IBU", "full", help=words.FULL)
    controls.switch("What the server saw", "observed", help=words.SUPPORT)

series = chosen_series()
image = "svg" if st.session_state.get("image") == "SVG" else "png"
with st.container(horizontal=True, vertical_alignment="center", key="verdict"):
    st.markdown(verdict(result), width="content")
    controls.explanations()
log = st.session_state["axis"] == "log"
zoom_key = f"{s.data} {s.params} {bins.axis['title']}"
window = show.zoom(zoom_key)
whole = window == bins.ends
figure = charts.estimate(result, series, bins, dark=dark, log=log, window=window)
names = ", ".join(look.name for look, _ in series)
show.zoomable(
    figure,
    "estimate_chart",
    image=image,
    zoom_key=zoom_key,
    alt=f"True histogram of {s.k} bins as bars, with estimates by {names} over it. {verdict(result)}".replace("*", ""),
)
tail = charts.has_long_tail(result)
points = s.k <= charts.FEW_BINS
mean = "mean estimate" if s.runs > 1 else "estimate"
drawn = f"{'Points' if points else 'Lines'}: {mean} over {times(s.runs, 'run')} of {s.mechanism}"
spread = "bars" if points else "bands of MI and IBU"
st.caption(
    f"Grey: what the {times(s.n, 'user')} really {'hold' if s.n > 1 else 'holds'}. {drawn}"
    + (f"; {spread}: the middle 90% of the runs." if s.runs > 1 else ".")
    + (f" Full-report IBU: {cache.FULL_RUNS} runs of its own." if any(look is theme.FULL for look, _ in series) else "")
    + (" Shown are the bins that hold 99% of the users." if tail and window is None else "")
    + " Drag over the chart to zoom."
    + (" Where a line leaves the log axis, the estimate is 0 or below." if log else "")
)
if window is not None or tail:
    st.button(
        "Show all bins",
        icon=":material/zoom_out_map:",
        on_click=show.zoom_to,
        args=(zoom_key, *bins.ends),
        disabled=whole,
    )
done = int(result.converged.sum())
with st.container(horizontal=True, key="figures"):
    for label, shown, what in (
        ("Gain Γ (MSE)", with_error(result.gain("mse"), "%"), words.GAMMA + "\n\n" + words.MSE),
        ("Gain Γ (MAE)", with_error(result.gain("mae"), "%"), words.GAMMA + "\n\n" + words.MAE),
        ("IBU iterations", f"{result.iterations.mean():,.0f}", words.ITERATIONS),
        ("Runs converged", f"{done} of {s.runs}", words.CONVERGED),
        ("Effective ε", significant(result.mechanism.effective_eps), words.EFFECTIVE),
        ("Bits per report", significant(result.mechanism.report_bits), words.BITS),
    ):
        st.metric(label, shown, help=what, border=True, width="content")
rows = {look.name: key for look, key in ((theme.MI, "mi"), (theme.IBU, "ibu"), (theme.LIMIT, "limit"))}
table = {}
for metric in ("mse", "mae"):
    title, cells = one_exponent(metric.upper(), [result.error(key, metric) for key in rows.values()])
    table[title] = cells
st.table(pd.DataFrame(table, index=list(rows)), border="horizontal", width=480)
st.caption(f"Errors: mean over {times(s.runs, 'run')}" + (" ± standard error." if s.runs > 1 else "."))


def show_error() -> None:
    """Draw the signed error of each bin."""
    show.chart(
        charts.signed_error(result, series[:2], bins, dark=dark, window=window),
        "error_chart",
        alt="Estimate minus truth for each bin, MI and IBU, with bands over the runs.",
    )
    st.caption("Above 0 the estimate is too high, below 0 too low. A line off 0 is bias, a wide band is noise.")


def show_estimators() -> None:
    """Draw the table of all estimators."""
    metric = controls.metric()
    with_full = cache.full_refusal(s) is None and bool(st.session_state.get("full"))
    with st.spinner("Trying every estimator…"):
        table = cache.estimator_table(s, words.METRICS[metric][0], with_full)
    st.dataframe(
        table,
        hide_index=True,
        height="content",
        alt="Errors of all estimators, best first.",
        column_config={
            "What it does": st.column_config.TextColumn(width="large"),
            "Error": st.column_config.NumberColumn(f"{metric}, mean", format="%.2e"),
            "Standard error": st.column_config.NumberColumn("± standard error", format="%.1e"),
            "Against MI": st.column_config.NumberColumn("against the paper's MI", format="%+.1f%%"),
        },
    )
    st.caption(
        f"Best first; {words.METRICS[metric][1]}, mean over the runs. Estimators that do not sum to 100% are listed "
        "as they are. Switch on *Full-report IBU* above to have it in the table."
    )


def show_one_report() -> None:
    """Follow one user's report."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        own = controls.own_value(s.k)
        number = controls.report_number()
    m = result.mechanism
    story = one_report.tell(m, own, s.seed, number)
    for title, text in story.steps:
        st.markdown(f"**{title}.** {text}")
    show.chart(
        charts.posterior(story.belief, story.supported, int(own), bins.labels, dark=dark),
        "posterior_chart",
        alt="What an observer believes about the value after seeing the report, for each bin.",
    )
    st.markdown(
        f"An observer who thought every value equally likely gave the true one {percent(1 / s.k)} before the report, "
        f"and gives it **{percent(float(story.belief[own]))}** after it. Whatever the report, no value can rise "
        f"above **{percent(story.most)}**: that is what ε = {significant(m.effective_eps)} promises."
    )


def show_downloads() -> None:
    """Offer everything for download."""
    name = f"ldp-{s.data}-{s.mechanism}"
    program = export.script(result)
    with st.container(horizontal=True):
        st.download_button(
            "Estimates (CSV)",
            lambda: export.csv(export.estimates(result)),
            f"{name}.csv",
            "text/csv",
            on_click="ignore",
        )
        st.download_button(
            "Setting and results (JSON)",
            lambda: export.as_json(result),
            f"{name}.json",
            "application/json",
            on_click="ignore",
        )
        st.download_button("Figure (HTML)", lambda: export.html(figure), f"{name}.html", "text/html", on_click="ignore")
        st.download_button("Python script", program, f"{name}.py", "text/x-python", on_click="ignore")
    controls.pick("The camera in the chart's tool bar saves", "image", ("PNG", "SVG"))
    st.caption("The script prints the numbers on this page:")
    st.code(program, language="python")


sections = dict(zip(registry.CLOSER, (show_error, show_estimators, show_one_report, show_downloads), strict=True))
st.subheader("Look closer", anchor=False)
sections[controls.pick("Look closer", "closer", registry.CLOSER, label_visibility="collapsed")]()
