"""Users with different ε."""

from __future__ import annotations

from functools import cache

import plotly.graph_objects as go

from ldpcore import tournament
from ldpui import theme
from ldpui.format import factor
from pages.study import standings
from pages.study.which_estimator.questions.common import (
    Question,
    geometric,
    line,
    panels,
    place,
)

_SEVERAL = ("GRR zipf", "OUE zipf", "OLH zipf", "OUE gaussian")
_METHODS = {
    "MI, weighted": theme.MI,
    "Norm-Sub, weighted": theme.NORM_SUB,
    "full-report IBU": theme.FULL,
    "auto": theme.AUTO,
}


def _figure(dark: bool) -> go.Figure:
    frame = standings.question("several")
    fig = panels(
        [f"{m}, {tournament.DATA[data]}" for m, data in map(str.split, _SEVERAL)],
        dark,
        tickformat=".0%",
        tickvals=[0.25, 0.5, 0.75],
        x="users at ε = 4",
        y="squared error / MI, all alike",
    )
    for column, part in enumerate(_SEVERAL):
        for series, look in _METHODS.items():
            rows = frame[(frame["part"] == part) & (frame["series"] == series)]
            fig.add_trace(line(rows, look, dark, series, first=column == 0), **place(column))
    return fig


@cache
def _text() -> str:
    frame = standings.question("several")
    mean = {series: geometric(part["y"]) for series, part in frame.groupby("series")}
    wide = frame.pivot_table(index=["part", "x"], columns="series", values="y")
    ratio = wide["full-report IBU"] / wide["Norm-Sub, weighted"]
    s = tournament.SEVERAL
    return (
        f"Let a part of {s.n:,} users report at ε = {s.eps[1]:g} and the others at {s.eps[0]:g} (k = "
        f"{s.k}). Full-report IBU takes them all at once, with one likelihood ratio e^ε per user. Relative to MI "
        f"that counts every user alike, and as geometric means over {len(wide)} settings (three mechanisms, Gaussian "
        f"and Zipf data, five mixtures): MI of both groups weighted by precision {factor(mean['MI, weighted'])}, with "
        f"Norm-Sub {factor(mean['Norm-Sub, weighted'])}, full-report IBU {factor(mean['full-report IBU'])}, auto "
        f"{factor(mean['auto'])}. So most is won by the weights, which cost nothing; full-report IBU then has "
        f"{factor(geometric(ratio))} times the error of weighted Norm-Sub, from {factor(float(ratio.min()))} to "
        f"{factor(float(ratio.max()))} times."
    )


QUESTION = Question(
    "Users with different ε?",
    _text,
    _figure,
    "Error of several estimators where users have two ε, against the share of users with the larger one.",
    "several",
)
