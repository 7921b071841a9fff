"""The paper's tables and figures: published, reproduced, corrected, and at convergence."""

import streamlit as st

import ldpcore as ldp
from ldpui import controls, export, registry, show, study, theme, words
from ldpui.shell import heading

heading(
    "The paper", "Do the published tables come out again, and what explains it where they do not?", uses_sidebar=False
)
dark = theme.is_dark()

with st.container(horizontal=True, vertical_alignment="bottom"):
    table_word = controls.pick("Table", "table", registry.TABLES)
    metric = controls.pick("Γ of", "gain_metric", ("MSE", "MAE")).lower()
with st.container(horizontal=True, vertical_alignment="bottom"):
    value_word = controls.choose("Show", "value", registry.VALUES, help=words.PAPER_VALUES, width=210)
    minus_word = controls.choose("minus", "minus", ("nothing", *registry.VALUES), width=210)
    controls.explanations()
value, minus = registry.VALUES[value_word], registry.VALUES.get(minus_word)
table = 1 + registry.TABLES.index(table_word)

shown = study.grid(table, metric, value)
against = None if minus is None else study.grid(table, metric, minus)
what = value_word if against is None else f"{value_word} minus {minus_word}"
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
# Side by side where there is room, one below the other on a phone.
with st.container(horizontal=True):
    for i, panel in enumerate(draw(1 + number % 2, metric, variant, dark), start=1):
        show.chart(panel, f"paper_figure_{i}", f"{figure_word} of the paper, panel {i}, {value_word}.", width=296)
spread = "." if number < 2 else "; bars of spread: standard deviation over the draws."
st.caption(words.PAPER_FIGURES[figure_word] + f" Shown: {value_word}{spread}")

st.subheader("Run it yourself", anchor=False)
about = ldp.paper.TABLES[table]
with st.container(horizontal=True, vertical_alignment="bottom"):
    labels = st.multiselect("Distributions", list(study.LABELS.values()), ["Uniform"], key="rerun_data", width=330)
    chosen = st.multiselect("Mechanisms", about.mechanisms, about.mechanisms[:1], key=f"rerun_{table}", width=330)
    seed = controls.whole_number("Seed", "paper_seed", 0, registry.SEED_MAX, width=130)
    go = st.button("Run this part", type="primary", icon=":material/play_arrow:", disabled=not (labels and chosen))
if go:
    data = [name for name, word in study.LABELS.items() if word in labels]
    bar = st.progress(0.0, "Starting…")
    fresh = study.rerun(
        table, data, chosen, seed, lambda i, n: bar.progress(i / n, f"{i} of {n} settings, 20 runs each")
    )
    bar.empty()
    st.dataframe(
        fresh,
        hide_index=True,
        height="content",
        alt="The cells that were run, in their three variants, beside the printed ones.",
        column_config={name: st.column_config.NumberColumn(format="%.1f") for name in fresh.columns[3:]},
    )
    st.caption(
        f"One draw of the data sets, seed {seed}, 20 runs of noise a setting; Γ in percent. All of it: `python -m "
        f"ldpcore reproduce --table {table} --draws 5 --out results`."
    )
