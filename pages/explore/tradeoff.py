"""Error or gain against ε, n or k, for any mechanisms, with what theory allows."""

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpui import controls, curves, export, registry, show, sweeps, theme, tradeoff, words
from ldpui.sentences import times
from ldpui.shell import heading, setting

heading("Trade-off", "What does more privacy cost, and what do more users or fewer bins win back?")
s = setting()
dark = theme.is_dark()

with st.container(horizontal=True, vertical_alignment="bottom"):
    view = controls.pick("Show", "view", registry.VIEWS)
    metric_word = controls.metric()
    controls.explanations()
metric, metric_title = words.METRICS[metric_word]


def show_curves() -> None:
    """Draw error or gain against one setting."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        against = registry.AGAINST[controls.pick("Against", "against", registry.AGAINST)]
        what = controls.pick("Draw", "draw", registry.DRAW)
        names = controls.several("Estimators", "estimators", registry.ESTIMATORS)
    mechanisms = tradeoff.chosen_mechanisms(s)
    estimators = tuple(key for word, key in registry.ESTIMATORS.items() if word in names)
    gain = what == registry.DRAW[1]
    if not estimators:
        st.info("Choose at least one estimator.", icon=":material/info:")
        return
    if gain and estimators == ("mi",):
        st.info("The gain is over MI: choose IBU or its limit as well.", icon=":material/info:")
        return
    settings, notes = tradeoff.along(s, against, mechanisms)
    place = st.empty()
    references: list[tradeoff.Reference] = []

    def draw(rows: list[dict], last: bool = False) -> None:
        figure = curves.lines(
            # MI is always computed, for the gains; it is drawn if it was asked for.
            [row for row in rows if row["estimator"] != "mi" or "mi" in estimators],
            against=against,
            gain=gain,
            title="gain Γ over MI" if gain else metric_title,
            references=references,
            here=float(getattr(s, against)),
            dark=dark,
        )
        # A key of its own for every picture: one script run may draw the growing chart many times.
        with place:
            show.chart(
                figure,
                "curves" if last else f"curves_{len(rows)}",
                f"{what} of {', '.join(mechanisms)} against {curves.AXES[against]}.",
            )

    rows = sweeps.progressive(settings, metric, tuple(dict.fromkeys(("mi", *estimators))), draw)
    if not gain and metric == "mse":
        references += tradeoff.references(s, against, sweeps.limits(tradeoff.reference_settings(s, against)))
    draw(rows, last=True)
    bands = "; bands: 95% confidence of the mean" if s.runs > 1 else ""
    st.caption(
        f"Mean over {times(s.runs, 'run')}{bands}. Everything but the horizontal axis is as in the "
        "sidebar" + (", ε∞ in proportion to ε₁." if against == "eps" and s.eps_inf else ".")
    )
    if said := tradeoff.infinite(rows):
        st.caption(said)
    for note in notes:
        st.caption(note)
    if references:
        with st.popover("What are the grey lines?", type="tertiary", icon=":material/help:"):
            for name, explanation, _, _ in references:
                st.markdown(f"**{name}.** {explanation}")
    table = tradeoff.table(rows, against)
    st.download_button(
        "Curves (CSV)", lambda: export.csv(table), f"ldp-tradeoff-{against}.csv", "text/csv", on_click="ignore"
    )


def show_map() -> None:
    """Draw the gain, or the best mechanism, over two settings."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        other = registry.AGAINST[controls.pick("ε against", "over", list(registry.AGAINST)[1:])]
        best = view == registry.VIEWS[2]
    mechanisms = list(ldp.ONE_TIME if s.mechanism in ldp.ONE_TIME else ldp.LONGITUDINAL) if best else [s.mechanism]
    settings, notes = tradeoff.grid(s, other, mechanisms)
    place = st.empty()
    first = "budget of the first report ε₁" if s.eps_inf else curves.AXES["eps"].split(" (")[0]
    titles = (first, curves.AXES[other].split(" (")[0], "gain Γ (%)")
    here = (s.eps, float(getattr(s, other)))

    def draw(rows: list[dict], last: bool = False) -> None:
        if best:
            x, y, names, told = tradeoff.best_cells(rows, s, other)
            figure = curves.best_map(x, y, names, told, titles=titles, here=here, dark=dark)
        else:
            x, y, z, text = tradeoff.gain_cells(rows, s, other)
            figure = curves.heat(x, y, z, text, titles=titles, here=here, dark=dark)
        what = "the best mechanism" if best else "the gain of IBU"
        with place:
            show.chart(figure, "map" if last else f"map_{len(rows)}", f"Map of {what} over ε and {other}.")

    rows = sweeps.progressive(settings, metric, ("mi", "limit") if best else ("mi", "ibu"), draw)
    draw(rows, last=True)
    if best:
        st.caption(
            f"The mechanism with the smallest {metric_title} at IBU's limit, mean over {times(s.runs, 'run')}. Point "
            "at a cell for the runners-up; where it says *too close to call*, noise decides which one is named."
        )
    else:
        st.caption(f"Γ of IBU over MI for {s.mechanism}, in percent, mean over {times(s.runs, 'run')}.")
    for note in notes:
        st.caption(note)
    table: pd.DataFrame = tradeoff.table(rows, "eps", other)
    st.download_button("Map (CSV)", lambda: export.csv(table), "ldp-map.csv", "text/csv", on_click="ignore")


if view == registry.VIEWS[0]:
    show_curves()
else:
    show_map()
