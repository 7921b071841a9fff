"""When IBU should stop, and where it should start."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import ldpcore as ldp
from ldpcore import tournament
from ldpui import theme
from ldpui.format import significant
from pages.study import standings
from pages.study.which_estimator.questions.common import AUTO, Question, geometric, number, panels, place

_DATA = ("uniform", "gaussian", "poisson", "zipf")
_STOPS = {
    "10 000 steps": theme.IBU,
    "stopped by cross-validation": AUTO,
    "best in hindsight": theme.TRUTH,
    "limit": theme.LIMIT,
}


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
            at = point["x"].where(np.isfinite(point["x"]), path["x"].max() * (2 if series == "limit" else 1))
            mark = go.Scatter(
                x=at if series in ("10 000 steps", "limit") else [_where(path, float(point["y"].iloc[0]))],
                y=point["y"],
                mode="markers",
                name=series,
                legendgroup=series,
                showlegend=column == 0,
                marker={"symbol": look.symbol, "size": 11, "color": look.color(dark)},
                hovertemplate=series + ": %{y:.3g} × MI's<extra></extra>",
            )
            fig.add_trace(mark, **place(column))
    return fig


def _where(path: pd.DataFrame, y: float) -> float:
    """Return where on the path an error is met, nearly: each run stops at a time of its own."""
    return float(path["x"].iloc[int(np.abs(np.log(path["y"].to_numpy() / y)).argmin())])


def _text() -> str:
    frame = standings.question("stopping")
    mean = {series: geometric(part["y"]) for series, part in frame.groupby("series") if series != "path"}
    wide = frame[frame["series"].isin(["10 000 steps", "limit", "stopped by cross-validation"])]
    wide = wide.pivot_table(index="part", columns="series", values="y")
    away = wide["stopped by cross-validation"] / wide[["10 000 steps", "limit"]].min(axis=1)
    s, away_at = tournament.STOPPING, str(away.idxmax())
    ways = ", ".join(
        f"{name} {100 * ldp.mechanism(name, k=s.k, eps=s.eps[0]).share_of_the_way(10_000):.0f}%"
        for name in ("GRR", "OUE", "BLH")
    )
    mechanism, data = away_at.split()
    return (
        "10 000 steps are no fixed amount of work: IBU has a clock of its own, T = ((p + (k−1)q) / (p−q))² steps, "
        f"and at ε = {s.eps[0]:g}, k = {s.k} they are these shares of the way from uniform to its limit: {ways}. "
        "Where to stop is worth more than where to converge. Geometric means over twelve settings (three mechanisms, "
        f"four data sets, n = {s.n:,}), relative to MI: {number(mean['10 000 steps'])} after 10 000 steps, "
        f"{number(mean['limit'])} at the limit, {number(mean['stopped by cross-validation'])} stopped by two-fold "
        f"cross-validation of the counts, and {number(mean['best in hindsight'])} at the best step in hindsight. "
        f"Cross-validation is not free: on {mechanism} with {tournament.DATA[data]} data it has "
        f"{significant(float(away.max()), 2)} times the error of the better of the two fixed rules. **Starts.** From "
        f"the observed counts 10 000 steps give {number(mean['10 000 steps from observed'])}, from MI "
        f"{number(mean['10 000 steps from MI'])}: with so few steps a start is a part of the answer, and at the limit "
        "it makes no difference."
    )


QUESTION = Question(
    "When should IBU stop, and where should it start?",
    _text,
    _figure,
    "Error of IBU with OUE along its path, for four data sets, with the published stop, cross-validation and the "
    "limit.",
    "stopping",
)
