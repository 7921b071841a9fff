"""The paper's results, published and reproduced, as tables and figures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import ldpcore as ldp
from ldpui import theme
from ldpui.curves import heat

LABELS = {name: ldp.distribution(name).label for name in ldp.DATASETS}
# One colour and one shape for each distribution: Okabe and Ito's, black left out for the dark theme.
_DATA_LOOKS = dict(
    zip(
        ldp.DATASETS,
        [
            ("#0072B2", "circle"),
            ("#E69F00", "diamond"),
            ("#009E73", "square"),
            ("#CC79A7", "triangle-up"),
            ("#56B4E9", "x"),
            ("#D55E00", "star"),
        ],
        strict=True,
    )
)


@st.cache_resource(show_spinner="Reading the shipped results…")
def results() -> ldp.paper.Results:
    """Return the results that ship with the project; shared and never changed."""
    return ldp.paper.load_results()


@st.cache_data(show_spinner=False, max_entries=4)
def _cells() -> pd.DataFrame:
    return ldp.paper.cells(results().details)


@dataclass(frozen=True)
class Grid:
    """A table of the paper with its row and column averages: numbers, and the spread over the draws."""

    rows: list[str]
    columns: list[str]
    gain: np.ndarray[Any, Any]
    sd: np.ndarray[Any, Any]


def grid(table: int, metric: str, value: str) -> Grid:
    """Return one of the four values of every cell; the last row and column are averages, as in the paper."""
    about = ldp.paper.TABLES[table]
    cells = _cells()
    variant = "as published" if value == "published" else value
    part = cells[(cells["table"] == table) & (cells["metric"] == metric) & (cells["variant"] == variant)]
    wide = part.pivot_table(index="data", columns="mechanism", values=["gain", "sd", "published"])
    gain = wide["published" if value == "published" else "gain"].loc[list(about.data), list(about.mechanisms)]
    sd = wide["sd"].loc[list(about.data), list(about.mechanisms)]
    numbers = np.asarray(gain, dtype=float)
    spread = np.full_like(numbers, np.nan) if value == "published" else np.asarray(sd, dtype=float)
    numbers = np.vstack([numbers, numbers.mean(axis=0)])
    numbers = np.column_stack([numbers, numbers.mean(axis=1)])
    spread = np.pad(spread, ((0, 1), (0, 1)), constant_values=np.nan)
    return Grid([*(LABELS[d] for d in about.data), "Average"], [*about.mechanisms, "Average"], numbers, spread)


def table_figure(shown: Grid, minus: Grid | None, dark: bool) -> go.Figure:
    """Draw a table as a heat map, or the difference of two."""
    z = shown.gain if minus is None else shown.gain - minus.gain
    sign = "" if minus is None else "+"
    text = [[f"{v:{sign}.0f}" if abs(v) >= 0.5 else "0" for v in row] for row in z]
    hover = [
        [f"{v:{sign}.1f}" + (f", ±{s:.1f} over the draws" if np.isfinite(s) else "") for v, s in zip(a, b, strict=True)]
        for a, b in zip(z, shown.sd, strict=True)
    ]
    unit = "Γ (%)" if minus is None else "points"
    figure = heat(
        shown.columns,
        shown.rows[::-1],
        z[::-1],
        text[::-1],
        titles=("mechanism", "distribution", unit),
        dark=dark,
        hover=hover[::-1],
        diverging=minus is not None,
    )
    figure.update_layout(height=430, xaxis={"side": "top"})
    return figure


def bars_figures(table: int, metric: str, variant: str, dark: bool) -> list[go.Figure]:
    """Draw Figure 1 or 2: the errors of MI and IBU for each mechanism, one panel for each ε."""
    bars = ldp.paper.bars(results().details)
    bars = bars[(bars["table"] == table) & (bars["metric"] == metric) & (bars["variant"] == variant)]
    about = ldp.paper.TABLES[table]
    panels = []
    for eps, eps_inf in zip(about.eps, about.eps_inf, strict=True):
        part = bars[bars["eps"] == eps].set_index("mechanism").loc[list(about.mechanisms)].reset_index()
        name = f"ε = {eps:g}" if eps_inf is None else f"ε₁ = {eps:g}, ε∞ = {eps_inf:g}"
        panels.append(_bars_panel(part, f"{name}: AvgGain {part['gain'].mean():.0f}%", metric, dark))
    return panels


def _bars_panel(part: pd.DataFrame, title: str, metric: str, dark: bool) -> go.Figure:
    fig = go.Figure()
    for look, column in ((theme.MI, "mi"), (theme.IBU, "ibu")):
        fig.add_trace(
            go.Bar(
                x=part["mechanism"],
                y=part[column],
                name=look.name,
                marker={"color": look.color(dark), "pattern": {"shape": "/" if column == "mi" else ""}},
                hovertemplate="%{x}: %{y:.2e}<extra>" + look.name + "</extra>",
            )
        )
    for mechanism, top, gain in zip(part["mechanism"], part[["mi", "ibu"]].max(axis=1), part["gain"], strict=True):
        fig.add_annotation(x=mechanism, y=top, text=f"{gain:.0f}%", showarrow=False, yshift=9, font={"size": 11})
    return fig.update_layout(
        theme.layout(
            dark,
            title={"text": title, "font": {"size": 14}, "y": 0.97},
            margin={"t": 78},
            xaxis={"title": {"text": "mechanism"}, "showgrid": False, "tickangle": -45},
            yaxis={"title": {"text": f"{metric.upper()}, ACS income"}, "exponentformat": "power"},
            barmode="group",
            height=380,
        )
    )


def lines_figures(table: int, metric: str, variant: str, dark: bool) -> list[go.Figure]:
    """Draw Figure 3 or 4: Γ of each distribution, pooled over the mechanisms, against ε, n and k."""
    titles = {"eps": "ε" if table == 1 else "ε₁", "n": "users n", "k": "bins k"}
    panels = []
    for by, title in titles.items():
        lines = ldp.paper.lines(results().details, by)
        lines = lines[(lines["table"] == table) & (lines["metric"] == metric) & (lines["variant"] == variant)]
        panels.append(_lines_panel(lines, by, title, dark))
    top = max(trace.y.max() for panel in panels for trace in panel.data)
    for panel in panels:
        panel.update_yaxes(range=[0, 1.08 * top])
    return panels


def _lines_panel(lines: pd.DataFrame, by: str, title: str, dark: bool) -> go.Figure:
    fig = go.Figure()
    for data, (color, symbol) in _DATA_LOOKS.items():
        part = lines[lines["data"] == data].sort_values(by)
        fig.add_trace(
            go.Scatter(
                x=[f"{v:,.0f}" for v in part[by]],
                y=part["gain"].to_numpy(),
                error_y={"type": "data", "array": part["sd"], "thickness": 1},
                name=LABELS[data],
                mode="lines+markers",
                line={"color": color},
                marker={"symbol": symbol, "size": 9},
                hovertemplate="%{x}: %{y:.1f}%<extra>" + LABELS[data] + "</extra>",
            )
        )
    return fig.update_layout(
        theme.layout(
            dark,
            xaxis={"title": {"text": title}, "type": "category"},
            yaxis={"title": {"text": "gain Γ (%)"}},
            legend={"y": -0.28, "yanchor": "top", "font": {"size": 12}},
            height=420,
        )
    )


def rerun(
    table: int, data: list[str], mechanisms: list[str], seed: int, on_progress: Callable[[int, int], object]
) -> pd.DataFrame:
    """Run a part of a table afresh; return a row for each cell and metric, with its variants and the printed number."""
    fresh = ldp.paper.cells(ldp.paper.reproduce_part(table, data, mechanisms, seed=seed, on_progress=on_progress))
    keys = ["data", "mechanism", "metric"]
    wide = fresh.pivot_table(index=keys, columns="variant", values="gain", sort=False).reset_index()
    printed = fresh.drop_duplicates(keys)[[*keys, "published"]]
    out = wide.merge(printed, on=keys)[[*keys, "published", *ldp.paper.VARIANTS]]
    out["data"] = out["data"].map(LABELS)
    return out.rename(columns={"data": "Distribution", "mechanism": "Mechanism", "metric": "Γ of"} | _COLUMNS)


_COLUMNS = {"published": "printed", "as published": "reproduced"}


def cell(table: int, metric: str, data: str, mechanism: str, value: str) -> float:
    """Return one number of a table."""
    shown = grid(table, metric, value)
    return float(shown.gain[shown.rows.index(LABELS[data]), shown.columns.index(mechanism)])


def deviations(table: int, metric: str) -> dict[str, float]:
    """Return how far the reproduction is from the published table, in points: largest of averages, of cells."""
    mine, theirs = grid(table, metric, "as published"), grid(table, metric, "published")
    away = np.abs(mine.gain - theirs.gain)
    return {"averages": float(away[-1, :-1].max()), "cells": float(away[:-1, :-1].max())}


def spread(table: int, metric: str, data: str) -> float:
    """Return the mean standard deviation over the draws, in points, of a distribution's row."""
    shown = grid(table, metric, "as published")
    return float(np.nanmean(shown.sd[shown.rows.index(LABELS[data])]))


def provenance(table: int) -> str:
    """Say how the shipped results were made."""
    about = results().about[str(table)]
    return (
        f"Made on {about['date']} with version {about['version']} by `{about['command']}`: {about['draws']} draws of "
        f"the data sets, {about['runs']} runs each, seed {about['seed']}. ACS income: {about['acs_income']}, in "
        "place of the paper's 2018 5-Year records."
    )


def frame(table: int, metric: str) -> pd.DataFrame:
    """Return all four values of all cells, to take away."""
    cells = _cells()
    return cells[(cells["table"] == table) & (cells["metric"] == metric)].reset_index(drop=True)


def explanations(table: int, metric: str) -> list[str]:
    """Say what explains where the values of a table differ, with the cells that show it best."""

    def told(data: str, mechanism: str, value: str) -> str:
        return f"{cell(table, metric, data, mechanism, value):.0f}%"

    away = deviations(table, metric)
    said = [
        f"**As published** the table comes out again: its averages within {away['averages']:.1f} points, every cell "
        f"within {away['cells']:.1f}. **Exponential** and **ACS income** move most from draw to draw (by "
        f"{spread(table, metric, 'exponential'):.1f} and {spread(table, metric, 'acs-income'):.1f} points on "
        "average), because their bins hang on the largest sample.",
    ]
    if table == 1:
        said.append(
            "**At convergence** much changes: 10 000 iterations from a uniform start are a shrinkage towards "
            f"uniform. BLH on Uniform falls from {told('uniform', 'BLH', 'as published')} to "
            f"{told('uniform', 'BLH', 'at convergence')}; on Poisson it rises from "
            f"{told('poisson', 'BLH', 'as published')} to {told('poisson', 'BLH', 'at convergence')}. The exact "
            "channel is the published one for these seven mechanisms."
        )
    else:
        said.append(
            "**The exact channel** changes L-GRR, L-BLH and L-OLH, where the published one leaves out a term. L-GRR "
            f"on Triangular goes from {told('triangular', 'L-GRR', 'as published')} to "
            f"{told('triangular', 'L-GRR', 'exact channel')}, on Poisson from "
            f"{told('poisson', 'L-GRR', 'as published')} to {told('poisson', 'L-GRR', 'exact channel')}."
        )
        said.append(
            "**At convergence** the shrinkage of 10 000 iterations from a uniform start is gone too: L-GRR on "
            f"Triangular is {told('triangular', 'L-GRR', 'at convergence')}, L-BLH on Uniform goes from "
            f"{told('uniform', 'L-BLH', 'exact channel')} to {told('uniform', 'L-BLH', 'at convergence')}."
        )
    return said
