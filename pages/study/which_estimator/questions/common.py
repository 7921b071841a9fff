"""What the figures of the open questions are made of."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
from plotly.subplots import make_subplots

from ldpui import theme
from ldpui.theme import Look


@dataclass(frozen=True)
class Question:
    """An open question of the paper: its title, what was found, the figure, and what the figure shows."""

    title: str
    text: Callable[[], str]
    figure: Callable[[bool], go.Figure]
    alt: str
    key: str


def panels(titles: Sequence[str], dark: bool, *, x: str, y: str, shared: bool = True, **axes: Any) -> go.Figure:
    """Return panels, two in a row so that a phone can show them, with logarithmic vertical axes."""
    rows = -(-len(titles) // 2)
    fig = make_subplots(
        rows=rows, cols=2, shared_yaxes="all" if shared else False, subplot_titles=titles,
        horizontal_spacing=0.03 if shared else 0.13, vertical_spacing=0.17,
    )  # fmt: skip
    base = theme.layout(dark, height=600, legend={"y": -0.12, "yanchor": "top"}, margin={"t": 40})
    both = {name: base.pop(name) for name in ("xaxis", "yaxis")}
    fig.update_layout(base)
    fig.update_annotations(font={"size": 13})
    fig.update_xaxes(**both["xaxis"], **axes, title_text=x)
    fig.update_yaxes(**both["yaxis"], type="log")
    fig.update_yaxes(title_text=y, col=1)
    return fig


def place(number: int) -> dict[str, int]:
    """Return where panel `number`, from 0, is.

    >>> place(2)
    {'row': 2, 'col': 1}
    """
    return {"row": 1 + number // 2, "col": 1 + number % 2}


def line(part: pd.DataFrame, look: Look, dark: bool, name: str, *, first: bool) -> go.Scatter:
    """Return a series with its standard errors."""
    return go.Scatter(
        x=part["x"],
        y=part["y"],
        error_y={"type": "data", "array": part["se"].fillna(0), "thickness": 1, "width": 2},
        mode="lines+markers",
        name=name,
        legendgroup=name,
        showlegend=first,
        line={"color": look.color(dark), "dash": look.dash},
        marker={"symbol": look.symbol, "size": 8, "line": outline(look, dark)},
        hovertemplate="%{x}: %{y:.3g} × MI's<extra>" + name + "</extra>",
    )


def outline(look: Look, dark: bool) -> dict[str, Any]:
    """Return the line around a mark; without it open shapes are too thin to have a colour."""
    return {"width": 1.5, "color": look.color(dark)}


def geometric(values: Any) -> float:
    """Return the geometric mean."""
    return float(np.exp(np.log(np.asarray(values, dtype=float)).mean()))
