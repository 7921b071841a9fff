"""Ordered bins, and a mechanism that is not pure."""

from __future__ import annotations

from functools import cache
from typing import Any

import pandas as pd
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

_ORDERED = ("gaussian", "two-peaks", "acs-income", "zipf")
_CURVES = {
    "OUE, IBU": theme.IBU,
    "OUE, Norm-Sub": theme.NORM_SUB,
    "OUE, smoothed": theme.of_estimator("smooth"),
    "OUE, auto": theme.AUTO_ORDERED,
    "Square Wave, EMS": theme.SQUARE_WAVE,
}


def _figure(dark: bool) -> go.Figure:
    frame = standings.question("ordered")
    titles = [tournament.DATA[data] for data in _ORDERED]
    eps = [0.5, 1, 2, 4]
    fig = panels(
        titles, dark, x="ε", y="squared error / MI of OUE", type="log", tickvals=eps, ticktext=[f"{e:g}" for e in eps]
    )
    for column, data in enumerate(_ORDERED):
        for series, look in _CURVES.items():
            part = frame[(frame["part"] == data) & (frame["series"] == f"MSE: {series}")]
            fig.add_trace(line(part, look, dark, series, first=column == 0), **place(column))
    return fig


@cache
def _text() -> str:
    frame = standings.question("ordered")
    mean = {series: geometric(part["y"]) for series, part in frame.groupby("series")}

    def two(series: str) -> str:
        return f"{factor(mean[f'MSE: {series}'])} and {factor(mean[f'Wasserstein: {series}'])}"

    s = tournament.ORDER
    return (
        f"Where bins have an order (n = {s.n:,}, k = {s.k}), two errors matter: the squared error of bins, and the "
        "Wasserstein distance, how far users would have to be moved over the bins. Relative to MI's, as geometric "
        f"means over these sixteen settings: a kernel over raw MI, its width chosen by the counts, then Norm-Sub, has "
        f"{two('OUE, smoothed')}; IBU {two('OUE, IBU')}; auto, told of the order, {two('OUE, auto')}. "
        f"Square Wave, a mechanism that is not pure, with EMS as published, has {two('Square Wave, EMS')}. "
        f"{_beside(frame, 'MSE', 'squared error')} {_beside(frame, 'Wasserstein', 'Wasserstein distance')} "
        f"{_auto_is_blind(frame)} A mechanism has to be chosen before the data are known; an estimator after."
    )


def _of(frame: pd.DataFrame, series: str) -> pd.Series:
    return frame[frame["series"] == series].set_index(["part", "x"])["y"]


def _where(at: Any) -> str:
    return f"{tournament.DATA[at[0]]} at ε = {at[1]:g}"


def _beside(frame: pd.DataFrame, metric: str, words: str) -> str:
    """Say how often Square Wave does better than OUE with auto, and where it does worst."""
    ratio = _of(frame, f"{metric}: Square Wave, EMS") / _of(frame, f"{metric}: OUE, auto")
    ahead, worst = int((ratio < 1).sum()), float(ratio.max())
    text = f"Its {words} is below that of OUE with auto in {ahead} of {len(ratio)} settings"
    return f"{text}, and at most {factor(worst)} times it ({_where(ratio.idxmax())})."


def _auto_is_blind(frame: pd.DataFrame) -> str:
    """Say where auto, which judges by the squared error, is worse than MI in Wasserstein distance."""
    auto = _of(frame, "Wasserstein: OUE, auto")
    worse = auto[auto > 1].sort_values(ascending=False)
    if worse.empty:
        return ""
    listed = ", ".join(f"{factor(float(y))} times on {_where(at)}" for at, y in worse.items())
    text = "auto judges by the squared error alone: in Wasserstein distance it is worse than MI in"
    return f"{text} {len(worse)} settings ({listed})."


QUESTION = Question(
    "Ordered values, and mechanisms that are not pure?",
    _text,
    _figure,
    "Error of OUE with several estimators, and of Square Wave, against ε, for four data sets.",
    "ordered",
)
