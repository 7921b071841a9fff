"""The tables and figures of the paper, drawn."""

from __future__ import annotations

import numpy as np
import pandas as pd
import plotly.graph_objects as go

import ldpcore as ldp
from ldpui import theme
from ldpui.charts.maps import heat
from pages.study.results import LABELS, Grid, results

# One colour and one shape for each distribution: Okabe and Ito's, black left out for the dark theme.
_DATA_LOOKS = {
    "gaussian": ("#0072B2", "circle"),
    "exponential": ("#E69F00", "diamond"),
    "uniform": ("#009E73", "square"),
    "poisson": ("#CC79A7", "triangle-up"),
    "triangular": ("#56B4E9", "x"),
    "acs-income": ("#D55E00", "star"),
}


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
        for name, a, b in zip(shown.rows, z, shown.sd, strict=True)
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
