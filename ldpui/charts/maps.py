"""Maps: numbers, or names, over two settings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

import ldpcore as ldp
from ldpui import theme
from ldpui.grids import TOO_CLOSE, Best


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
    cells = go.Heatmap(
        x=[_tick(v) for v in x],
        y=[_tick(v) for v in y],
        z=z,
        text=words,
        texttemplate="%{text}",
        textfont={"color": CELL_WORDS[dark]},
        colorscale=SCALES[dark, diverging],
        zmid=0 if diverging else None,
        colorbar={"title": {"text": titles[2]}, "thickness": 12},
        xgap=1,
        ygap=1,
        customdata=hover if hover is not None else words,
        hovertemplate="%{x}, %{y}: %{customdata}<extra></extra>",
    )
    return go.Figure([cells], _layout(titles, dark, _mark(x, y, here, dark)))


def steps(colors: Sequence[str]) -> list[tuple[float, str]]:
    """Return a scale of plain colours, one for each whole number from 0.

    >>> steps(["red", "blue"])
    [(0.0, 'red'), (0.5, 'red'), (0.5, 'blue'), (1.0, 'blue')]
    """
    return [(edge / len(colors), color) for i, color in enumerate(colors) for edge in (i, i + 1)]


def best_map(
    best: Best, *, titles: tuple[str, str, str], dark: bool, here: tuple[float, float] | None = None
) -> go.Figure:
    """Draw which mechanism is best over two settings, with ≈ before a name that is too close to call.

    Every cell has its name, so colour is not needed to read it.
    """
    number = len(GROUNDS)
    order = {name: i % number for kind in (ldp.ONE_TIME, ldp.LONGITUDINAL) for i, name in enumerate(kind)}
    cells = go.Heatmap(
        x=[_tick(v) for v in best.x],
        y=[_tick(v) for v in best.y],
        z=[[order[name] if name else None for name in row] for row in best.names],
        text=[list(map(_marked, *lines)) for lines in zip(best.names, best.words, strict=True)],
        customdata=best.words,
        texttemplate="%{text}",
        textfont={"color": CELL_WORDS[False]},
        colorscale=steps(GROUNDS),
        zmin=-0.5,
        zmax=number - 0.5,
        showscale=False,
        xgap=1,
        ygap=1,
        hovertemplate="%{x}, %{y}: %{customdata}<extra></extra>",
    )
    return go.Figure([cells], _layout(titles, dark, _mark(best.x, best.y, here, dark)))


def clickable(fig: go.Figure) -> go.Figure:
    """Lay a point on every cell: Streamlit tells which point was clicked, but not which cell of a map.

    The `customdata` of a point are the places of its cell on the vertical and on the horizontal axis.
    """
    (cells,) = fig.data
    places = [(i, j) for i in range(len(cells.y)) for j in range(len(cells.x)) if cells.z[i][j] is not None]
    unseen = {"marker": {"opacity": 0}}
    fig.add_trace(
        go.Scatter(
            x=[cells.x[j] for _, j in places],
            y=[cells.y[i] for i, _ in places],
            mode="markers",
            marker={"symbol": "square", "size": 24, "opacity": 0},
            selected=unseen,
            unselected=unseen,
            text=[cells.customdata[i][j] for i, j in places],
            customdata=places,
            hovertemplate="%{x}, %{y}: %{text}<extra></extra>",
            showlegend=False,
        )
    )
    cells.hoverinfo, cells.hovertemplate = "skip", None
    # However large a cell is, the point in its middle is the nearest, and answers for all of it. Dragging is off,
    # because it would move the map away.
    fig.layout.hovermode, fig.layout.hoverdistance = "closest", -1
    fig.layout.xaxis.fixedrange = fig.layout.yaxis.fixedrange = True
    return fig


def _marked(name: str, words: str) -> str:
    """Mark a mechanism with ≈ where noise decides that it is named."""
    return f"≈ {name}" if words.startswith(TOO_CLOSE) else name


def _mark(x: Sequence[Any], y: Sequence[Any], here: tuple[float, float] | None, dark: bool) -> dict[str, Any]:
    """Return the frame of the cell that lies nearest to the reader's own setting, for the layout."""
    if here is None:
        return {}
    column, row = (int(np.argmin(np.abs(np.log(np.asarray(v, float) / h)))) for v, h in zip((x, y), here, strict=True))
    frame = {
        "type": "rect",
        "x0": column - 0.5,
        "x1": column + 0.5,
        "y0": row - 0.5,
        "y1": row + 0.5,
        "line": {"color": theme.MI.color(dark), "width": 3},
    }
    words = {
        "x": 1,
        "y": 1,
        "xref": "paper",
        "yref": "paper",
        "yshift": 16,
        "xanchor": "right",
        "showarrow": False,
        "text": "framed: nearest to your setting",
        "font": {"color": theme.ink(dark), "size": 12},
    }
    return {"shapes": [frame], "annotations": [words]}


# Light grounds under dark words, and dark ones under light words, so that every cell can be read.
CELL_WORDS = {False: "#0F1722", True: "#F4F7FA"}
SCALES: dict[tuple[bool, bool], list[tuple[float, str]]] = {
    (False, False): [(0.0, "#F7FAFC"), (1.0, "#5AA9D6")],
    (True, False): [(0.0, "#1A222D"), (1.0, "#1F6FA3")],
    (False, True): [(0.0, "#EE9E86"), (0.5, "#FFFFFF"), (1.0, "#7DB8DE")],
    (True, True): [(0.0, "#8C3F2A"), (0.5, "#1A222D"), (1.0, "#1F6FA3")],
}
# Grounds of the cells, one for each mechanism of a list, once for those that report once and once for the others. A
# list of more than ten begins again: cells have names too.
GROUNDS = (
    *("#E69F00", "#56B4E9", "#9BD3C0", "#F0E442", "#D9B3CC", "#C4C9D0", "#8FC3E8"),
    *("#B5D96B", "#F2A79B", "#CDB48C"),
)


def _layout(titles: tuple[str, str, str], dark: bool, mark: dict[str, Any]) -> dict[str, Any]:
    """Return the layout of a map; given with its cells it takes a tenth of the time that a change of it takes."""
    return theme.layout(
        dark,
        xaxis={"title": {"text": titles[0]}, "type": "category", "showgrid": False},
        yaxis={"title": {"text": titles[1]}, "type": "category", "showgrid": False},
        height=470,
        **mark,
    )


def _tick(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value >= 20 else f"{value:g}"
