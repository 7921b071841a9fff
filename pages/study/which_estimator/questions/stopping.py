"""When IBU should stop, and where it should start."""

from __future__ import annotations

from functools import cache

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import ldpcore as ldp
from ldpcore import tournament
from ldpui import theme
from ldpui.format import factor, significant
from pages.study import standings
from pages.study.which_estimator.questions.common import Question, geometric, outline, panels, place

_DATA = ("uniform", "gaussian", "poisson", "zipf")
_STOPS = {
    "10 000 steps": theme.IBU,
    "stopped by cross-validation": theme.of_estimator("ibu-cv"),
    "best in hindsight": theme.HINDSIGHT,
    "limit": theme.LIMIT,
}
# What the legend says in place of the names that the results have.
_NAMES = {"limit": "limit (at the right edge)", "10 000 steps": "10,000 steps"}
# Where the limit's mark stands, beyond the end of the path.
EDGE = 2


def _figure(dark: bool) -> go.Figure:
    frame = standings.question("stopping")
    fig = panels(
        [tournament.DATA[data] for data in _DATA],
        dark,
        x="steps / T",
        y="squared error / MI's",
        type="log",
        tickvals=[0.01, 0.1, 1, 10],
        ticktext=["0.01", "0.1", "1", "10"],
    )
    for column, data in enumerate(_DATA):
        part = frame[frame["part"] == f"OUE {data}"]
        path = part[part["series"] == "path"]
        fig.add_trace(
            go.Scatter(
                x=path["x"],
                y=path["y"],
                mode="lines",
                name="IBU along its path",
                legendgroup="path",
                showlegend=column == 0,
                line={"color": theme.IBU.color(dark)},
                hovertemplate="%{x:.3g} T: %{y:.3g} × MI's<extra></extra>",
            ),
            **place(column),
        )
        for series, look in _STOPS.items():
            point = part[part["series"] == series]
            edges = float(path["x"].min()), EDGE * float(path["x"].max())
            # The limit is at infinity; and what rests after a step or two is left of the axis.
            at = point["x"].fillna(np.inf).clip(*edges)
            where = "" if series == "limit" else f", at {significant(float(point['x'].iloc[0]), 2)} T"
            mark = go.Scatter(
                x=at,
                y=point["y"],
                mode="markers",
                name=_NAMES.get(series, series),
                legendgroup=series,
                showlegend=column == 0,
                marker={
                    "symbol": look.symbol,
                    "size": 11,
                    "color": look.color(dark),
                    "line": outline(look, dark),
                },
                hovertemplate=f"{series.replace(' 000', ',000')}{where}: %{{y:.3g}} × MI's<extra></extra>",
            )
            fig.add_trace(mark, **place(column))
    return fig


@cache
def _text() -> str:
    frame = standings.question("stopping")
    wide = frame[frame["series"] != "path"].pivot_table(index="part", columns="series", values="y")
    steep = wide[~wide.index.str.endswith(standings.UNIFORM)]
    cv, fixed = "stopped by cross-validation", ["10 000 steps", "limit"]
    away = wide[cv] / wide[fixed].min(axis=1)
    s, away_at = tournament.STOPPING, str(away.idxmax())
    ways = ", ".join(
        f"{name} {100 * ldp.mechanism(name, k=s.k, eps=s.eps[0]).share_of_the_way(10_000):.0f}%"
        for name in ("GRR", "OUE", "BLH")
    )
    mechanism, data = away_at.split()

    def both(series: str) -> str:
        return f"{factor(geometric(wide[series]))} ({factor(geometric(steep[series]))})"

    return (
        "10,000 steps are no fixed amount of work: IBU has a clock of its own, T = ((p + (k−1)q) / (p−q))² steps. By "
        f"that clock, exact near its uniform start, they are at ε = {s.eps[0]:g} and k = {s.k} these shares of the way "
        f"to its limit: {ways}. Geometric means over {len(wide)} settings (three mechanisms, four data sets, n = "
        f"{s.n:,}) relative to MI, and in brackets without Uniform data, where the start is the answer: "
        f"{both('10 000 steps')} after 10,000 steps, {both('limit')} at the limit, {both(cv)} stopped by two-fold "
        f"cross-validation of the counts, and {both('best in hindsight')} at the best step in hindsight. "
        f"{_order(wide, steep)} Cross-validation that may take no more than 10,000 steps, as IBU stopped does in the "
        f"tournament above, has {both('stopped, 10 000 at most')}. It is not free: on {mechanism} with "
        f"{tournament.DATA[data]} data cross-validation has {factor(float(away.max()))} times the error of the "
        f"better of the two fixed rules. **Starts.** From the observed counts 10,000 steps give "
        f"{both('10 000 steps from observed')}, from MI {both('10 000 steps from MI')}: with so few steps a start is a "
        "part of the answer, and at the limit it makes no difference."
    )


def _order(wide: pd.DataFrame, steep: pd.DataFrame) -> str:
    """Say whether 10,000 steps or the limit does better, with Uniform data and without."""
    early = [geometric(some["10 000 steps"]) < geometric(some["limit"]) for some in (wide, steep)]
    better = {True: "10,000 steps", False: "the limit"}
    if early[0] == early[1]:
        return f"Of the two fixed rules {better[early[0]]} does better, with Uniform data and without."
    return f"Of the two fixed rules {better[early[0]]} does better with Uniform data, and {better[early[1]]} without."


QUESTION = Question(
    "When should IBU stop, and where should it start?",
    _text,
    _figure,
    "Error of IBU with OUE along its path, for four data sets, with the published stop, cross-validation and the "
    "limit.",
    "stopping",
)
