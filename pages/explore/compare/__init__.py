"""All mechanisms at one setting: which one pays least for the same privacy."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import partial

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore.metrics import RECORDS
from ldpui import export, glossary, privacy, session, theme, widgets
from ldpui.address import links, opening
from ldpui.charts import show
from ldpui.charts.common import error_axis
from ldpui.computing import work
from ldpui.format import budget
from ldpui.navigation import heading
from ldpui.own import Upload
from pages.explore.compare import captions, controls, panels, rows


def page(s: ldp.Setting) -> None:
    """Draw the page."""
    heading("Which mechanism loses least, at the same privacy, on the same users?")
    with widgets.page_controls("What is compared"):
        with st.container(horizontal=True, vertical_alignment="bottom"):
            metric = widgets.metric()
            order = widgets.choose("Sorted by", "sort", controls.SORTS, width=220)
            auto = widgets.switch("auto", "with_auto", help=glossary.AUTO)
            widgets.explanations()
        chosen = widgets.several("Mechanisms", "mechanisms", ldp.ONE_TIME + ldp.LONGITUDINAL)
    if not chosen:
        st.info("Choose at least one mechanism above.", icon=":material/info:")
        return
    settings = _settings(s, chosen)
    if not settings:
        return
    data = session.data_of(s)
    auto = auto and _auto_is_possible(settings)
    with st.spinner("Simulating every mechanism…"):
        compared = rows.ordered(panels.errors(tuple(settings), data, metric.key, auto), order)
    large = bool(links.value("present"))
    _charts(s, data, compared, panels.Look(tuple(settings), metric.key, order, theme.is_dark(), large, auto))
    for line in captions.captions(s, compared, metric):
        st.caption(line)
    _table(s, compared, metric.loss_name)


def begin(s: ldp.Setting) -> None:
    """Begin what the page computes first."""
    settings = []
    for name in links.value("mechanisms"):
        with suppress(ldp.Refused):
            settings.append(privacy.same_privacy(s, name))
    panels.begin(tuple(settings))


def _settings(s: ldp.Setting, names: Sequence[str]) -> list[ldp.Setting]:
    """Return the setting with each mechanism; say which can't have this privacy."""
    settings = []
    for name in names:
        try:
            setting = privacy.same_privacy(s, name)
            work.check_users(setting, len(names))
            settings.append(setting)
        except ldp.Refused as refused:
            st.warning(f"**{name}** is left out: {refused}.", icon=":material/block:")
    return settings


def _auto_is_possible(settings: Sequence[ldp.Setting]) -> bool:
    """Tell whether auto does not take too long here; say so if it does."""
    try:
        work.check_auto(settings)
    except ldp.Refused as refused:
        st.warning(f"**auto** is left out: {refused}.", icon=":material/block:")
        return False
    return True


def _charts(s: ldp.Setting, data: Upload | None, compared: Sequence[rows.Row], look: panels.Look) -> None:
    """Draw one chart for reporting once and one for reporting repeatedly, on the same axis."""
    if rows.log_range(compared) is None:
        return
    eps, eps_inf = budget(s.eps), budget(privacy.eps_inf(s))
    for names, key, title, privacy_words in (
        (ldp.ONE_TIME, "once", "Reporting once", f"ε = {eps}"),
        (ldp.LONGITUDINAL, "repeatedly", "Reporting repeatedly", f"ε₁ = {eps}, ε∞ = {eps_inf}"),
    ):
        part = [row for row in compared if row.mechanism in names]
        if not part:
            continue
        average, estimators = rows.average_gain(part), "MI, IBU and auto" if look.auto else "MI and IBU"
        st.markdown(f"**{title}**, {privacy_words}: average gain Γ = **{average}**")
        show.chart(
            panels.figure(s, data, names, look),
            f"compare_{key}",
            f"{title}: {error_axis(RECORDS[look.metric])} of {estimators} for {len(part)} mechanisms, average gain "
            f"{average}.",
            name=f"{_file_name(s)}-{key}",
            **opening.on_click(partial(_open_clicked, s, f"compare_{key}")),
        )


def _open_clicked(s: ldp.Setting, key: str) -> None:
    """Open the mechanism whose point was clicked."""
    point = opening.clicked(key)
    if point and point.get("x") in ldp.ONE_TIME + ldp.LONGITUDINAL:
        opening.in_estimate(privacy.same_privacy(s, point["x"]))


def _table(s: ldp.Setting, compared: Sequence[rows.Row], metric: str) -> None:
    table = pd.DataFrame([rows.flat(row) for row in compared])
    number = st.column_config.NumberColumn
    st.dataframe(
        table,
        hide_index=True,
        placeholder="–",
        height="content",
        alt="Errors and gains of all mechanisms.",
        column_config={
            "MI": number(f"{metric} of MI", format="%.2e", help=glossary.MI),
            "MI ±": number(format="%.1e"),
            "IBU": number(f"{metric} of IBU", format="%.2e", help=glossary.IBU),
            "IBU ±": number(format="%.1e"),
            "Limit": number(f"{metric} of IBU limit", format="%.2e", help=glossary.LIMIT),
            "auto": number(f"{metric} of auto", format="%.2e", help=glossary.AUTO),
            "auto ±": number(format="%.1e"),
            "auto chose": st.column_config.TextColumn(help="Which kind of estimator, and in how many of the runs."),
            "Γ %": number(format="%.1f", help=glossary.GAMMA),
            "Γ ±": number(format="%.2g"),
            "Bits": number("bits a report", format="%.4g", help=glossary.BITS),
            "Effective ε": number(format="%.3g", help=glossary.EFFECTIVE),
        },
    )
    widgets.download("Table (CSV)", lambda: export.csv(_taken_away(table, s, metric)), f"{_file_name(s)}.csv")


def _taken_away(table: pd.DataFrame, s: ldp.Setting, metric: str) -> pd.DataFrame:
    """Return the table with what its numbers do not say: the measure, and the setting."""
    return export.with_setting(table.assign(metric=metric), s, ("mechanism", "eps_inf", "calibration"))


def _file_name(s: ldp.Setting) -> str:
    return export.file_name(s, "compare", without=["mechanism"])
