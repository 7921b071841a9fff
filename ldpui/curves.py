"""Figures of the trade-off: error or gain against ε, n or k, and maps over two of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from ldpui import theme
from ldpui.charts import area
from ldpui.readable import short, significant
from ldpui.theme import Look

LOOKS: dict[str, Look] = {"mi": theme.MI, "ibu": theme.IBU, "limit": theme.LIMIT}
_TICKS: dict[str, list[float]] = {
    "eps": [0.1, 0.2, 0.5, 1, 2, 5, 10],
    "n": [10**p for p in range(2, 10)],
    "k": [2, 5, 10, 20, 50, 100, 200, 500, 1000],
}
AXES = {"eps": "privacy budget ε (log scale)", "n": "users n (log scale)", "k": "bins k (log scale)"}
# An estimator keeps its colour on every page; mechanisms differ in shape and dash.
_SHAPES = ("circle", "diamond", "square", "triangle-up", "x", "star", "cross")
_DASHES = ("solid", "dash", "dot", "dashdot", "longdash", "longdashdot", "solid")


def lines(
    rows: Sequence[dict[str, Any]],
    *,
    against: str,
    gain: bool,
    title: str,
    references: Sequence[tuple[str, str, list[float], list[float]]],
    here: float,
    dark: bool,
) -> go.Figure:
    """Draw a line with a 95 % band for each mechanism and estimator, reference lines, and where the setting stands.

    `references` are (name, explanation, x, y).
    """
    fig = go.Figure()
    names = list(dict.fromkeys(row["setting"].mechanism for row in rows))
    for i, name in enumerate(names):
        for key, look in LOOKS.items():
            wanted = f"gain_{key}" if gain else key
            points = sorted(
                (getattr(r["setting"], against), r["mean"], r["se"])
                for r in rows
                if r["setting"].mechanism == name and r["estimator"] == wanted and np.isfinite(r["mean"])
            )
            if points:
                fig.add_traces(_line(look, name, i, points, dark, alone=len(names) == 1, gain=gain))
    for j, (name, what, x, y) in enumerate(references):
        fig.add_trace(_reference(name, what, x, y, _DASHES[1 + j], dark))
    fig.add_vline(x=here, line={"color": theme.OBSERVED.color(dark), "dash": "dot"})
    fig.add_annotation(
        x=np.log10(here), y=1, yref="paper", text="your setting", showarrow=False, yanchor="top", xanchor="left"
    )
    yaxis: dict[str, Any] = {"title": {"text": title}}
    yaxis |= {"rangemode": "tozero", "ticksuffix": "%"} if gain else {"type": "log", "exponentformat": "power"}
    fig.update_layout(
        theme.layout(
            dark,
            xaxis={
                "title": {"text": AXES[against]},
                "type": "log",
                "tickvals": _TICKS[against],
                "ticktext": [short(int(v)) if v >= 1000 else f"{v:g}" for v in _TICKS[against]],
                "showgrid": False,
            },
            yaxis=yaxis,
            hovermode="closest",
            height=470,
            legend={"orientation": "h", "y": -0.25, "yanchor": "top"},
            uirevision=f"tradeoff-{against}-{gain}",
        )
    )
    return fig


def _line(
    look: Look, name: str, i: int, points: list[tuple[float, float, float]], dark: bool, *, alone: bool, gain: bool
) -> list[go.Scatter]:
    x, mean, se = (np.array(column, dtype=float) for column in zip(*points, strict=True))
    spread = 1.96 * np.nan_to_num(se)
    low, high = mean - spread, mean + spread
    if not gain:
        low = np.maximum(low, mean / 50)  # a log axis has no 0
    label = look.name if alone else f"{name}, {look.name}"
    unit = "%" if gain else ""
    hover = [f"{label}: {significant(m)}{unit} ± {significant(s, 2)}" for m, s in zip(mean, se, strict=True)]
    line = go.Scatter(
        x=x,
        y=mean,
        mode="lines+markers",
        name=label,
        legendgroup=label,
        line={"color": look.color(dark), "dash": _DASHES[i % len(_DASHES)], "width": 2},
        marker={"symbol": look.symbol if alone else _SHAPES[i % len(_SHAPES)], "size": 8},
        text=hover,
        hovertemplate="%{text}<br>at %{x}<extra></extra>",
    )
    return [area(look, label, x, low, high, dark), line]


def _reference(name: str, what: str, x: list[float], y: list[float], dash: str, dark: bool) -> go.Scatter:
    return go.Scatter(
        x=x,
        y=y,
        mode="lines",
        name=name,
        line={"color": theme.OBSERVED.color(dark), "dash": dash, "width": 1.5},
        text=[f"{name}: {significant(v)}<br>{what}" for v in y],
        hovertemplate="%{text}<extra></extra>",
    )


def heat(
    x: Sequence[Any],
    y: Sequence[Any],
    z: Any,
    words: Any,
    *,
    titles: tuple[str, str, str],
    dark: bool,
    hover: Any = None,
    diverging: bool = False,
    here: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw a map of numbers over two settings; each cell says its number, and more when pointed at."""
    fig = go.Figure(
        go.Heatmap(
            x=[_tick(v) for v in x],
            y=[_tick(v) for v in y],
            z=z,
            text=words,
            texttemplate="%{text}",
            textfont={"color": "#F4F7FA" if dark else "#1B2430"},
            colorscale=_SCALES[dark, diverging],
            zmid=0 if diverging else None,
            colorbar={"title": {"text": titles[2]}},
            xgap=1,
            ygap=1,
            customdata=hover if hover is not None else words,
            hovertemplate="%{x}, %{y}: %{customdata}<extra></extra>",
        )
    )
    return _mark(_map_layout(fig, titles, dark), x, y, here, dark)


def best_map(
    x: Sequence[float],
    y: Sequence[float],
    names: Sequence[Sequence[str]],
    told: Sequence[Sequence[str]],
    *,
    titles: tuple[str, str, str],
    dark: bool,
    here: tuple[float, float] | None = None,
) -> go.Figure:
    """Draw which mechanism is best over two settings; every cell has its name, so colour is not needed to read it."""
    kinds = [name.removeprefix("L-") for name in _BEST]
    scale = [(edge, color) for i, color in enumerate(_BEST.values()) for edge in (i / len(_BEST), (i + 1) / len(_BEST))]
    order = {name: kinds.index(name) for name in kinds} | {"SOUE": kinds.index("SS"), "OSUE": kinds.index("THE")}
    fig = go.Figure(
        go.Heatmap(
            x=[_tick(v) for v in x],
            y=[_tick(v) for v in y],
            z=[[order[name.removeprefix("L-")] if name else None for name in row] for row in names],
            text=[list(row) for row in names],
            customdata=[list(row) for row in told],
            texttemplate="%{text}",
            textfont={"color": "#1B2430"},
            colorscale=scale,
            zmin=-0.5,
            zmax=len(_BEST) - 0.5,
            showscale=False,
            xgap=1,
            ygap=1,
            hovertemplate="%{x}, %{y}: %{customdata}<extra></extra>",
        )
    )
    return _mark(_map_layout(fig, titles, dark), x, y, here, dark)


def _mark(
    fig: go.Figure, x: Sequence[Any], y: Sequence[Any], here: tuple[float, float] | None, dark: bool
) -> go.Figure:
    """Frame the cell that lies nearest to the reader's own setting."""
    if here is not None:
        column, row = (
            int(np.argmin(np.abs(np.log(np.asarray(v, float) / h)))) for v, h in zip((x, y), here, strict=True)
        )
        fig.add_shape(
            type="rect",
            x0=column - 0.5,
            x1=column + 0.5,
            y0=row - 0.5,
            y1=row + 0.5,
            line={"color": theme.MI.color(dark), "width": 3},
        )
        fig.add_annotation(
            x=1,
            y=1,
            xref="paper",
            yref="paper",
            yshift=16,
            xanchor="right",
            showarrow=False,
            text="framed: nearest to your setting",
            font={"color": theme.MI.color(dark), "size": 12},
        )
    return fig


# Light grounds under dark words, and dark ones under light words, so that every cell can be read.
_SCALES: dict[tuple[bool, bool], list[tuple[float, str]]] = {
    (False, False): [(0.0, "#F7FAFC"), (1.0, "#5AA9D6")],
    (True, False): [(0.0, "#1A222D"), (1.0, "#1F6FA3")],
    (False, True): [(0.0, "#EE9E86"), (0.5, "#FFFFFF"), (1.0, "#7DB8DE")],
    (True, True): [(0.0, "#8C3F2A"), (0.5, "#1A222D"), (1.0, "#1F6FA3")],
}
# One colour for each family, the same in every map; the longitudinal mechanisms take those of their first round.
_BEST = {
    "GRR": "#E69F00",
    "SUE": "#56B4E9",
    "OUE": "#9BD3C0",
    "SS": "#F0E442",
    "THE": "#D9B3CC",
    "BLH": "#C4C9D0",
    "OLH": "#8FC3E8",
}


def _map_layout(fig: go.Figure, titles: tuple[str, str, str], dark: bool) -> go.Figure:
    fig.update_layout(
        theme.layout(
            dark,
            xaxis={"title": {"text": titles[0]}, "type": "category", "showgrid": False},
            yaxis={"title": {"text": titles[1]}, "type": "category", "showgrid": False},
            height=470,
        )
    )
    return fig


def _tick(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 20 else f"{value:g}"
