"""The views of the page Trade-off: curves along one setting, and maps over two."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpcore.metrics import Metric
from ldpui import export, glossary, grids, sweeps, theme, widgets
from ldpui.charts import maps, show
from ldpui.charts.common import error_axis, sourced
from ldpui.format import times
from ldpui.sweeps import Measure
from pages.explore.tradeoff import captions, chart, clicks, controls, sweep


def curves(s: ldp.Setting, metric: Metric, controls_place: Any) -> None:
    """Draw error or gain against one setting."""
    with controls_place, st.container(horizontal=True, vertical_alignment="bottom"):
        against = controls.AGAINST[widgets.pick("Against", "against", controls.AGAINST)]
        what = widgets.pick("Draw", "draw", controls.DRAW)
        names = widgets.several("Estimators", "estimators", controls.DRAWN, help=glossary.AUTO)
    with controls_place:
        mechanisms = sweep.chosen_mechanisms(s)
    estimators = tuple(key for word, key in controls.DRAWN.items() if word in names)
    gain = what == controls.DRAW[1]
    if not estimators:
        st.info("Choose at least one estimator.", icon=":material/info:")
        return
    if gain and estimators == ("mi",):
        st.info("The gain is over MI: choose another estimator as well.", icon=":material/info:")
        return
    settings, notes = grids.along(s, against, mechanisms)
    place = st.empty()
    references: list[sweep.Reference] = []

    def shown(rows: list[Measure]) -> list[Measure]:
        # MI is always computed, for the gains; it is drawn if it was asked for.
        return [row for row in rows if row.quantity != "mi" or "mi" in estimators]

    def draw(rows: list[Measure], last: bool = False) -> None:
        figure = chart.lines(
            shown(rows),
            against=against,
            gain=gain,
            title="gain Γ over MI" if gain else error_axis(metric),
            references=references,
            here=float(getattr(s, against)),
            dark=theme.is_dark(),
        )
        # A key of its own for every picture: one script run may draw the growing chart many times.
        key = "curves" if last else f"curves_{len(rows)}"
        alt = (
            f"{what} of {', '.join(mechanisms)} against {chart.axis_words(against, any(t.eps_inf for t in settings))}."
        )
        # More names would not fit on a phone, and the legend has them.
        named = ", ".join(mechanisms) if len(mechanisms) <= 3 else times(len(mechanisms), "mechanism")
        lines = export.described(s, named, without=[against])
        with place:
            more = clicks.on_point(s, against) if last else {}
            show.chart(sourced(figure, lines), key, alt, name=_file_name(s, against), **more)

    rows = sweeps.progressive(settings, metric.key, tuple(dict.fromkeys(("mi", *estimators))), draw)
    if not gain and metric.key == "mse":
        references += sweep.references(s, against, sweeps.limits(sweep.reference_settings(s, against)))
    draw(rows, last=True)
    for sentence in captions.sentences(shown(rows), metric, against, gain):
        st.caption(sentence)
    _about_curves(s, against, metric, rows, notes, references)
    if "auto" in estimators:
        st.caption(sweep.chosen(sweeps.chosen(settings, tuple(dict.fromkeys(("mi", *estimators)))), against))


def _about_curves(
    s: ldp.Setting,
    against: str,
    metric: Metric,
    rows: Sequence[Measure],
    notes: Sequence[str],
    references: Sequence[sweep.Reference],
) -> None:
    """Say how the curves were made, and offer them."""
    bands = "; bands: 95% confidence of the mean" if s.runs > 1 else ""
    st.caption(
        f"Mean over {times(s.runs, 'run')}{bands}. Everything but the horizontal axis is as you have set it"
        + (", ε∞ in proportion to ε₁." if against == "eps" and s.eps_inf else ".")
        + " **Click a point** to open it in Estimate."
    )
    if sentence := sweep.infinite(rows, metric):
        st.caption(sentence)
    for note in notes:
        st.caption(note)
    if references:
        with st.popover("What are the grey lines?", type="tertiary", icon=":material/help:"):
            for reference in references:
                st.markdown(f"**{reference.name}.** {reference.explanation}")
    table = export.with_setting(sweep.table(rows, metric, against), s, ("calibration",))
    widgets.download("Curves (CSV)", lambda: export.csv(table), f"{_file_name(s, against)}.csv")


def _file_name(s: ldp.Setting, against: str) -> str:
    return export.file_name(s, f"against-{against}", without=[against])


def map_over(s: ldp.Setting, metric: Metric, controls_place: Any, best: bool) -> None:
    """Draw the gain, or the best mechanism, over two settings."""
    with controls_place, st.container(horizontal=True, vertical_alignment="bottom"):
        other = controls.AGAINST[widgets.pick("ε against", "over", list(controls.AGAINST)[1:])]
    mechanisms = list(ldp.ONE_TIME if s.eps_inf is None else ldp.LONGITUDINAL) if best else [s.mechanism]
    settings, notes = grids.grid(s, other, mechanisms)
    place = st.empty()
    horizontal, vertical = (chart.axis_words(axis, s.eps_inf is not None).split(" (")[0] for axis in ("eps", other))
    titles = (horizontal, vertical, "gain Γ (%)")
    here, dark = (s.eps, float(getattr(s, other))), theme.is_dark()
    kind = "best" if best else "gain"
    name = export.file_name(s, f"{kind}-map", without=["eps", other, *(["mechanism"] if best else [])])

    def draw(rows: list[Measure], last: bool = False) -> None:
        cells: grids.Gains | grids.Best
        if best:
            cells = grids.best_cells(rows, s, other)
            figure = maps.best_map(cells, titles=titles, here=here, dark=dark)
        else:
            cells = grids.gain_cells(rows, s, other)
            figure = maps.heat(cells.x, cells.y, cells.gains, cells.words, titles=titles, here=here, dark=dark)
        what = f"Map of {'the best mechanism' if best else 'the gain of IBU'} over ε and {other}."
        sourced(figure, export.described(s, f"{len(mechanisms)} mechanisms" if best else None, without=["eps", other]))
        with place:
            if last:
                show.chart(maps.clickable(figure), "map", what, name=name, **clicks.on_cell(s, other, cells))
            else:
                show.chart(figure, f"map_{len(rows)}", what)

    rows = sweeps.progressive(settings, metric.key, ("mi", "limit") if best else ("mi", "ibu"), draw)
    draw(rows, last=True)
    st.caption(captions.about_map(s, metric.loss_title, best))
    named, missing = ("limit", "it is not ranked there") if best else ("mi", "there is no gain over it")
    if sentence := sweep.infinite([row for row in rows if row.quantity == named], metric, missing):
        st.caption(sentence)
    for note in notes:
        st.caption(note)
    table = export.with_setting(sweep.table(rows, metric, "eps", other), s, ("calibration",))
    widgets.download("Map (CSV)", lambda: export.csv(table), f"{name}.csv")
