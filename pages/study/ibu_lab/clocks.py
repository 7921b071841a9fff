"""The clocks of all mechanisms: how far the same number of steps takes each of them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import ldpcore as ldp
from ldpui import export, glossary, theme, widgets
from ldpui.address import links
from ldpui.charts import finished, show
from ldpui.charts.common import AXES
from ldpui.format import budget, chance, number_word
from ldpui.navigation import part
from ldpui.own import Upload
from pages.study.ibu_lab import clock_chart, controls
from pages.study.ibu_lab.axes import step_words
from pages.study.ibu_lab.clock_shares import MECHANISMS, Clock, clocks


@part("IBU lab")
def section(s: ldp.Setting) -> None:
    """Draw the part of the page that compares the mechanisms' clocks; its controls draw nothing else again."""
    st.header(f"The same steps, {number_word(len(MECHANISMS))} clocks", anchor=False, help=glossary.CLOCK)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        against = controls.CLOCKS[widgets.pick("Against", "clock_against", controls.CLOCKS)]
        steps = controls.STEPS[widgets.pick("Steps", "clock_steps", controls.STEPS)]
        log = widgets.pick("Vertical axis", "lab_axis", controls.AXES) == "log"
    shown = clocks(s, None, against, steps)
    figure = _figure(s, None, against, steps, log, theme.is_dark(), bool(links.value("present")))
    sentence = words(shown, s, steps)
    alt = f"How far {step_words(steps)} steps take IBU under each mechanism, against {AXES[against]}. {sentence}"
    show.chart(figure, "lab_clocks", alt.replace("*", ""), name=_file_name(s, against, steps))
    st.markdown(sentence)
    st.caption(_about(s, against, shown))

    def taken() -> bytes:
        without = ("mechanism", "eps", "eps_inf", "k", "calibration")
        return export.csv(export.with_setting(table(shown, against, steps), s, without))

    widgets.download("Clocks (CSV)", taken, f"{_file_name(s, against, steps)}.csv")


def _file_name(s: ldp.Setting, against: str, steps: int) -> str:
    return export.file_name(s, f"ibu-clocks-{steps}-against-{against}", without=["mechanism", "n", against])


@finished.by_setting(60, 60)
def _figure(
    s: ldp.Setting, _: Upload | None, against: str, steps: int, log: bool, dark: bool, large: bool
) -> go.Figure:
    drawn = clock_chart.figure_of(clocks(s, None, against, steps), s, against, steps, log=log, dark=dark)
    return theme.enlarged(drawn) if large else drawn


def words(shown: Sequence[Clock], s: ldp.Setting, steps: int) -> str:
    """Say who has come far at the setting itself, and who has not."""
    here = {clock.name: clock.here for clock in shown if clock.here is not None}
    most, least = max(here, key=lambda n: here[n] or 0), min(here, key=lambda n: here[n] or 0)
    own = here[s.mechanism] or 0.0
    place = f"At ε = {budget(s.eps)} and k = {s.k:,}"
    text = f"{place}, {step_words(steps)} steps are **{_of_the_way(own)}** of the way for {s.mechanism}"
    if (here[most] or 0) - (here[least] or 0) < 0.005:
        return f"{text}, and within half a percentage point of that for every other mechanism."
    ends = [f"{_of_the_way(here[n] or 0)} for {n}" for n in (most, least) if n != s.mechanism]
    what = "the most is" if most != s.mechanism else "the least is"
    others = f"the most is {ends[0]}, the least {ends[1]}" if len(ends) == 2 else f"{what} {ends[0]}"
    return f"{text}; {others}. The same number of steps is another estimator under every mechanism."


def _of_the_way(share: float) -> str:
    if share >= 0.9995:
        return "more than 99.9%"
    return "less than 0.01%" if share < 1e-4 else chance(share)


def _about(s: ldp.Setting, against: str, shown: Sequence[Clock]) -> str:
    first = " For the longitudinal ones (dashed) ε is that of the first report, ε₁"
    inf = ", and ε∞ keeps its proportion to it." if against == "eps" else "."
    gone = [c.name for c in shown if any(v is None for v in c.shares)]
    missing = f" {' and '.join(gone)} can't have every such pair of ε₁ and ε∞: their lines have gaps." if gone else ""
    return (
        "1 − (1 − 1/T)ᵗ with T = ((p + (k − 1)q)/(p − q))²: right near a uniform start, a guide elsewhere. No data are "
        f"needed for it.{first}{inf}{missing}"
    )


def table(shown: Sequence[Clock], against: str, steps: int) -> pd.DataFrame:
    """Return the lines as a frame to take away."""
    rows = [
        {"mechanism": clock.name, against: value, "steps": steps, "share_of_the_way": share}
        for clock in shown
        for value, share in zip(clock.values, clock.shares, strict=True)
    ]
    return pd.DataFrame(rows)
