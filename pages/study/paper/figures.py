"""The tables and figures of the paper, drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import ldpcore as ldp
from ldpui import theme
from ldpui.charts.common import Array
from ldpui.charts.maps import heat
from pages.study import results
from pages.study.results import LABELS, Grid

PANELS = 3  # of every figure


def table_figure(shown: Grid, minus: Grid | None, dark: bool) -> go.Figure:
    """Draw a table as a heat map, or the difference of two."""
    z = shown.gain if minus is None else shown.gain - minus.gain
    sign = "" if minus is None else "+"
    text = [[f"{v:{sign}.0f}" if abs(v) >= 0.5 else "0" for v in row] for row in z]
    hover = [
        [
            f"{v:{sign}.1f}" + (f", ±{s:.1f} over {shown.draws[name]} draws" if np.isfinite(s) else "")
            for v, s in zip(a, b, strict=True)
        ]
        for name, a, b in zip(shown.rows, z, spread_of(shown, minus), strict=True)
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


def spread_of(shown: Grid, minus: Grid | None) -> Array:
    """Return the spread of each number over the draws; of the difference of two that both have one, it is not known."""
    if minus is None or np.isnan(minus.sd).all():
        return shown.sd
    return minus.sd if np.isnan(shown.sd).all() else np.full_like(shown.sd, np.nan)


def bars_figure(table: int, metric: str, variant: str, number: int, dark: bool) -> go.Figure:
    """Draw a panel of Figure 1 or 2, that of one ε: the errors of MI and IBU for each mechanism."""
    bars, about = results.bars(), ldp.paper.TABLES[table]
    eps, eps_inf = about.eps[number], about.eps_inf[number]
    part = bars[
        (bars["table"] == table) & (bars["metric"] == metric) & (bars["variant"] == variant) & (bars["eps"] == eps)
    ]
    part = part.set_index("mechanism").loc[list(about.mechanisms)].reset_index()
    name = f"ε = {eps:g}" if eps_inf is None else f"ε₁ = {eps:g}, ε∞ = {eps_inf:g}"
    return _bars_panel(part, f"{name}: AvgGain {part['gain'].mean():.0f}%", metric, dark)


def _bars_panel(part: pd.DataFrame, title: str, metric: str, dark: bool) -> go.Figure:
    bars = [
        {
            "type": "bar",
            "x": part["mechanism"],
            "y": part[column],
            "name": look.name,
            "marker": {"color": look.color(dark), "pattern": {"shape": "/" if column == "mi" else ""}},
            "hovertemplate": "%{x}: %{y:.2e}<extra>" + look.name + "</extra>",
        }
        for look, column in ((theme.MI, "mi"), (theme.IBU, "ibu"))
    ]
    tops = zip(part["mechanism"], part[["mi", "ibu"]].max(axis=1), part["gain"], strict=True)
    layout = theme.layout(
        dark,
        title={"text": title, "font": {"size": 14}, "y": 0.97},
        margin={"t": 78},
        xaxis={"title": {"text": "mechanism"}, "showgrid": False, "tickangle": -45},
        yaxis={"title": {"text": f"{metric.upper()}, ACS income"}, "exponentformat": "power"},
        barmode="group",
        height=380,
        annotations=[
            {"x": mechanism, "y": top, "text": f"{gain:.0f}%", "showarrow": False, "yshift": 9, "font": {"size": 11}}
            for mechanism, top, gain in tops
        ],
    )
    return go.Figure(bars, layout)


def lines_figure(table: int, metric: str, variant: str, number: int, dark: bool) -> go.Figure:
    """Draw a panel of Figure 3 or 4: Γ of each distribution, pooled over the mechanisms, against ε, n or k."""
    titles = {"eps": "ε" if table == 1 else "ε₁", "n": "users n", "k": "bins k"}
    parts = []
    for by in titles:
        lines = results.lines(by)
        parts.append(lines[(lines["table"] == table) & (lines["metric"] == metric) & (lines["variant"] == variant)])
    # All three have the same axis.
    top = max(float(part["gain"].max()) for part in parts)
    return _lines_panel(parts[number], *list(titles.items())[number], top, dark)


def _lines_panel(lines: pd.DataFrame, by: str, title: str, top: float, dark: bool) -> go.Figure:
    traces = []
    for data, look in zip(ldp.paper.DATA, theme.SERIES, strict=False):
        part = lines[lines["data"] == data].sort_values(by)
        traces.append(
            {
                "type": "scatter",
                "x": [f"{v:,.0f}" for v in part[by]],
                "y": part["gain"].to_numpy(),
                "error_y": {"type": "data", "array": part["sd"], "thickness": 1},
                "name": LABELS[data],
                "mode": "lines+markers",
                "line": {"color": look.color(dark)},
                "marker": {"symbol": look.symbol, "size": 9},
                "hovertemplate": "%{x}: %{y:.1f}%<extra>" + LABELS[data] + "</extra>",
            }
        )
    layout = theme.layout(
        dark,
        xaxis={"title": {"text": title}, "type": "category"},
        yaxis={"title": {"text": "gain Γ (%)"}, "range": [0, 1.08 * top]},
        legend={"y": -0.28, "yanchor": "top", "font": {"size": 12}},
        height=420,
    )
    return go.Figure(traces, layout)
