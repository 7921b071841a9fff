"""IBU far beyond 200 bins."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import plotly.graph_objects as go

import ldpcore as ldp
from ldpcore import tournament
from ldpui import theme
from ldpui.format import factor
from pages.study import standings
from pages.study.which_estimator.questions.common import Question, line, outline, panels, place


def _figure(dark: bool) -> go.Figure:
    frame = standings.question("many bins")
    names = ("GRR", "OUE", "BLH")
    titles = ["way gone, 10,000 steps", "error / MI's, ACS income", "error / MI's, Zipf"]
    fig = panels(
        titles, dark, x="bins k", y="", shared=False, type="log", tickvals=[10, 100, 1000, 5000],
        ticktext=["10", "100", "1k", "5k"],
    )  # fmt: skip
    # All three are IBU's: its colour for what the clock says, that of observations for what was measured.
    dashes, symbols = ("dash", "dot", "dashdot"), ("circle-open", "diamond-open", "square-open")
    for name, dash, symbol in zip(names, dashes, symbols, strict=True):
        part = frame[(frame["part"] == f"{name} zipf") & (frame["series"] == "way gone")]
        clock = [ldp.mechanism(name, k=int(k), eps=1.0).share_of_the_way(10_000) for k in part["x"]]
        ink = theme.IBU.color(dark)
        fig.add_trace(
            go.Scatter(
                x=part["x"],
                y=clock,
                mode="lines",
                name=f"{name}, by its clock",
                line={"color": ink, "dash": dash},
                hovertemplate="k = %{x}: %{y:.1%}<extra></extra>",
            ),
            **place(0),
        )
        fig.add_trace(
            go.Scatter(
                x=part["x"],
                y=part["y"],
                mode="markers",
                name=f"{name}, measured (Zipf)",
                marker={
                    "symbol": symbol,
                    "size": 8,
                    "color": theme.OBSERVED.color(dark),
                    "line": outline(theme.OBSERVED, dark),
                },
                hovertemplate="k = %{x}: %{y:.1%}<extra></extra>",
            ),
            **place(0),
        )
    for column, data in ((1, "acs-income"), (2, "zipf")):
        for series, look in (("IBU", theme.IBU), ("limit", theme.LIMIT), ("auto", theme.AUTO)):
            part = frame[(frame["part"] == f"OUE {data}") & (frame["series"] == series)]
            fig.add_trace(line(part, look, dark, f"{series} / MI", first=column == 1), **place(column))
    fig.update_yaxes(tickformat=".2~%", dtick=1, **place(0))
    fig.update_layout(height=760)  # on a phone the legend takes a third of it
    return fig


@cache
def _text() -> str:
    frame = standings.question("many bins")

    def at(part: str, series: str, k: int) -> float:
        point = frame[(frame["part"] == part) & (frame["series"] == series) & (frame["x"] == k)]
        return float(point["y"].iloc[0])

    small, large = (ldp.mechanism("OUE", k=k, eps=1.0) for k in (200, 5_000))
    n = tournament.MANY_BINS.n
    return (
        f"T grows like k²: for OUE at ε = 1 from {small.ibu_time:,.0f} steps at k = 200 to {large.ibu_time:,.0f} at k "
        f"= 5,000, of which 10,000 are by the clock {100 * small.share_of_the_way(10_000):.0f}% and "
        f"{100 * large.share_of_the_way(10_000):.2g}% of the way. So beyond a few hundred bins the paper's IBU is "
        f"nearly its uniform start in all but the largest bins. On ACS income at n = {n:,} its squared error is "
        f"{factor(at('OUE acs-income', 'IBU', 200))} times that of MI at k = 200 and "
        f"{factor(at('OUE acs-income', 'IBU', 5_000))} times at k = 5,000, where the limit has "
        f"{factor(at('OUE acs-income', 'limit', 5_000))} and auto, which is not told of the order, "
        f"{factor(at('OUE acs-income', 'auto', 5_000))}. {_grr(at)} The clock is exact near uniform and a guide "
        "elsewhere: large bins settle sooner than it says, which the measured points show (ACS income, OUE, k = 200: "
        f"{100 * at('OUE acs-income', 'way gone', 200):.0f}% of the way measured)."
    )


def _grr(at: Callable[[str, str, int], float]) -> str:
    """Say what becomes of GRR, whose noise at so many bins leaves little to converge to."""
    ibu, limit, auto = (at("GRR acs-income", series, 5_000) for series in ("IBU", "limit", "auto"))
    small_ibu, small_limit = (at("GRR acs-income", series, 200) for series in ("IBU", "limit"))
    better = {True: "to stay near the start", False: "to converge"}
    turn = (
        "it is the other way round"
        if (ibu < limit) != (at("OUE acs-income", "IBU", 5_000) < at("OUE acs-income", "limit", 5_000))
        else "it is the same"
    )
    return (
        f"With GRR {turn}: at k = 5,000 it is better {better[ibu < limit]}, IBU {factor(ibu)}, the limit "
        f"{factor(limit)}, auto {factor(auto)} (at k = 200 IBU {factor(small_ibu)}, the limit {factor(small_limit)})."
    )


QUESTION = Question(
    "What about far more than 200 values?",
    _text,
    _figure,
    "Share of the way that IBU has gone after 10,000 steps, and its error, against the number of bins.",
    "many_bins",
)
