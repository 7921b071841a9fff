"""All mechanisms at one setting: which one pays least for the same privacy."""

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpui import cache, charts, compare, controls, export, registry, show, theme, words
from ldpui.readable import significant
from ldpui.sentences import times
from ldpui.shell import heading, setting

heading("Compare", "Which mechanism loses least, at the same privacy, on the same users?")
s = setting()
dark = theme.is_dark()

with st.container(horizontal=True, vertical_alignment="bottom"):
    metric_word = controls.metric()
    order = controls.choose("Sorted by", "sort", registry.SORTS, width=220)
    controls.explanations()
chosen = controls.several("Mechanisms", "mechanisms", ldp.ONE_TIME + ldp.LONGITUDINAL)
if not chosen:
    st.info("Choose at least one mechanism above.", icon=":material/info:")
    st.stop()

metric, metric_title = words.METRICS[metric_word]
settings, notes = [], []
for name in chosen:
    try:
        settings.append(compare.same_privacy(s, name))
    except ValueError as error:
        notes.append(f"**{name}** is left out: {error}.")
for note in notes:
    st.warning(note, icon=":material/block:")
if not settings:
    st.stop()
with st.spinner("Simulating every mechanism…"):
    results = cache.run_together(tuple(settings))
rows = compare.ordered([compare.row(result, metric) for result in results], order)
y_range = compare.log_range(rows)

for kind, title in ((ldp.ONE_TIME, "Reporting once"), (ldp.LONGITUDINAL, "Reporting repeatedly")):
    part = [row for row in rows if row["mechanism"] in kind]
    if not part or y_range is None:
        continue
    average = compare.average_gain(part)
    eps, eps_inf = significant(s.eps), significant(compare.eps_inf(s))
    privacy = f"ε = {eps}" if kind == ldp.ONE_TIME else f"ε₁ = {eps}, ε∞ = {eps_inf}"
    st.markdown(f"**{title}**, {privacy}: average gain Γ = **{average}**")
    event = show.chart(
        charts.compare(
            part,
            metric_title=metric_title,
            dark=dark,
            y_range=y_range,
        ),
        f"compare_{'once' if kind == ldp.ONE_TIME else 'repeatedly'}",
        on_select="rerun",
        selection_mode="points",
        alt=f"{title}: {metric_title} of MI and IBU for {len(part)} mechanisms, average gain {average}.",
    )
    points = event.selection.points
    if points and points[0].get("x") in kind:
        compare.open_in_estimate(s, points[0]["x"])

st.caption(
    f"Lower is better; the bold figure is Γ, what IBU gains over MI. Mean over {times(s.runs, 'run')}"
    + ("; error bars: 95% confidence" if s.runs > 1 else "")
    + ". All mechanisms see the same users. **Click a point** to open that mechanism in Estimate"
    + ("." if compare.on_a_step(s) else ", at the nearest step of its slider for ε.")
)
if said := compare.infinite(rows):
    st.caption(said)

table = pd.DataFrame([compare.flat(row) for row in rows])
st.dataframe(
    table,
    hide_index=True,
    height="content",
    alt="Errors and gains of all mechanisms.",
    column_config={
        "MI": st.column_config.NumberColumn(f"{metric_word} of MI", format="%.2e", help=words.MI),
        "MI ±": st.column_config.NumberColumn(format="%.1e"),
        "IBU": st.column_config.NumberColumn(f"{metric_word} of IBU", format="%.2e", help=words.IBU),
        "IBU ±": st.column_config.NumberColumn(format="%.1e"),
        "Limit": st.column_config.NumberColumn(f"{metric_word} of IBU's limit", format="%.2e", help=words.LIMIT),
        "Γ %": st.column_config.NumberColumn(format="%.1f", help=words.GAMMA),
        "Γ ±": st.column_config.NumberColumn(format="%.2g"),
        "Bits": st.column_config.NumberColumn("bits a report", format="%.4g", help=words.BITS),
        "Effective ε": st.column_config.NumberColumn(format="%.3g", help=words.EFFECTIVE),
    },
)
st.download_button("Table (CSV)", lambda: export.csv(table), f"ldp-compare-{s.data}.csv", "text/csv", on_click="ignore")
