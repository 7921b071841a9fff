"""The paper's tables and figures: published, reproduced, corrected, and at convergence."""

import streamlit as st

import ldpcore as ldp
from ldpui import controls, export, registry, show, study, theme, words
from ldpui.shell import heading, setting

heading(
    "The paper", "Do the published tables come out again, and what explains it where they do not?", uses_sidebar=False
)
dark = theme.is_dark()

with st.container(horizontal=True, vertical_alignment="bottom"):
    table_word = controls.pick("Table", "table", registry.TABLES)
    metric = controls.pick("Γ of", "gain_metric", ("MSE", "MAE")).lower()
with st.container(horizontal=True, vertical_alignment="bottom"):
    value = controls.choose("Show", "value", registry.VALUES, help=words.PAPER_VALUES, width=210)
    minus = controls.choose("less", "minus", ("nothing", *registry.VALUES), width=210)
table = 1 + registry.TABLES.index(table_word)

shown = study.grid(table, metric, value)
against = None if minus == "nothing" else study.grid(table, metric, minus)
what = value if against is None else f"{value} less {minus}"
show.chart(
    study.table_figure(shown, against, dark),
    "paper_table",
    f"{table_word}, gain of the {metric.upper()} in percent, {what}, by distribution and mechanism.",
)
st.caption(
    "Utility gain Γ of IBU over MI in percent, averaged over k, n, ε and runs as in the paper; point at a cell for "
    "its spread "
    "over the draws of the data sets. " + study.provenance(table)
)
st.download_button(
    "Table (CSV)",
    lambda: export.csv(study.frame(table, metric)),
    f"table{table}-{metric}.csv",
    "text/csv",
    on_click="ignore",
)

st.subheader("What explains the differences", anchor=False)
for text in study.explanations(table, metric):
    st.markdown(f"- {text}")

st.subheader("The figures", anchor=False)
with st.container(horizontal=True, vertical_alignment="bottom"):
    figure_word = controls.pick("Figure", "figure", registry.FIGURES)
number = registry.FIGURES.index(figure_word)
variant = "as published" if value == "published" else value
draw = study.bars_figures if number < 2 else study.lines_figures
panels = draw(1 + number % 2, metric, variant, dark)
for i, (column, panel) in enumerate(zip(st.columns(len(panels)), panels, strict=True), start=1):
    with column:
        show.chart(panel, f"paper_figure_{i}", f"{figure_word} of the paper, panel {i}, reproduced {variant}.")
spread = "." if number < 2 else "; bars of spread: standard deviation over the draws."
st.caption(words.PAPER_FIGURES[figure_word] + f" Shown {variant}{spread}")

st.subheader("Run it yourself", anchor=False)
about = ldp.paper.TABLES[table]
with st.container(horizontal=True, vertical_alignment="bottom"):
    label = st.selectbox("Distribution", list(study.LABELS.values()), key="rerun_data", width=190)
    mechanism = st.selectbox("Mechanism", about.mechanisms, key=f"rerun_mechanism_{table}", width=150)
    go = st.button("Run this cell", type="primary", icon=":material/play_arrow:")
if go:
    data = next(name for name, word in study.LABELS.items() if word == label)
    bar = st.progress(0.0, "Starting…")
    fresh = study.rerun(
        table, data, mechanism, setting().seed, lambda i, n: bar.progress(i / n, f"{i} of {n} settings, 20 runs each")
    )
    bar.empty()
    printed = study.cell(table, metric, data, mechanism, "published")
    st.dataframe(
        fresh, hide_index=True, height="content", column_config={"Γ (%)": st.column_config.NumberColumn(format="%.1f")}
    )
    st.caption(
        f"One draw of the data sets with the sidebar's seed, {setting().seed}. The paper prints {printed:.0f}% for the "
        f"{metric.upper()}. All of it: `python -m ldpcore reproduce --table {table} --draws 5 --out results`."
    )
