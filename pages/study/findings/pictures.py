"""The pictures of the findings on the paper's own experiment: small, before and after."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

import ldpcore as ldp
from ldpcore import metrics
from ldpui import theme
from pages.study import results

HEIGHT = 260
BEFORE, AFTER, LATER = theme.MI, theme.IBU, theme.LIMIT


def bars(
    x: Sequence[str],
    series: Mapping[str, Sequence[float]],
    dark: bool,
    title: str,
    write: Callable[[float], str] = "{:.0f}".format,
    **axis: Any,
) -> go.Figure:
    """Draw bars side by side: before, after, and what comes later still; `write` makes the numbers above them."""
    fig = go.Figure()
    for (name, values), look, shape in zip(series.items(), (BEFORE, AFTER, LATER), ("/", "", "x"), strict=False):
        fig.add_trace(
            go.Bar(
                x=list(x),
                y=list(values),
                name=name,
                marker={"color": look.color(dark), "pattern": {"shape": shape}},
                text=[write(value) for value in values],
                textposition="outside",
                constraintext="none",
                textangle=0,
                cliponaxis=False,
                hovertemplate="%{x}: %{y:.3g}<extra>" + name + "</extra>",
            )
        )
    return small(fig, dark, xaxis={"showgrid": False}, yaxis={"title": {"text": title}} | axis, barmode="group")


def small(fig: go.Figure, dark: bool, **layout: Any) -> go.Figure:
    """Give a figure the size of all pictures here."""
    return fig.update_layout(theme.layout(dark, height=HEIGHT, margin={"t": 34}, **layout))


def reproduced(dark: bool) -> go.Figure:
    """Draw every printed cell against the reproduced one."""
    cells = results.cells()
    cells = cells[(cells["variant"] == "as published") & (cells["metric"] == "mse")]
    fig = go.Figure()
    for table, look in ((1, theme.IBU), (2, theme.MI)):
        part = cells[cells["table"] == table]
        fig.add_trace(
            go.Scatter(
                x=part["published"],
                y=part["gain"],
                mode="markers",
                name=f"Table {table}",
                marker={"color": look.color(dark), "symbol": look.symbol},
                text=[f"{m}, {results.LABELS[d]}" for m, d in zip(part["mechanism"], part["data"], strict=True)],
                hovertemplate="%{text}: %{x:.0f}% printed, %{y:.1f}% reproduced<extra></extra>",
            )
        )
    top = float(cells[["gain", "published"]].max().max())
    fig.add_trace(
        go.Scatter(
            x=[0, top],
            y=[0, top],
            mode="lines",
            name="equal",
            line={"color": theme.OBSERVED.color(dark), "dash": "dot"},
            hoverinfo="skip",
        )
    )
    x, y = ({"title": {"text": text}} for text in ("Γ of MSE printed (%)", "reproduced (%)"))
    return small(fig, dark, xaxis=x, yaxis=y)


def _cells(table: int, mechanism: str, data: Sequence[str], value: str) -> list[float]:
    return [results.cell(table, "mse", name, mechanism, value) for name in data]


def channel(dark: bool) -> go.Figure:
    """Draw Γ of L-GRR with both channels."""
    data = ("uniform", "triangular", "poisson")
    values = {"published channel": "as published", "exact channel": "exact channel", "at convergence": "at convergence"}
    series = {name: _cells(2, "L-GRR", data, value) for name, value in values.items()}
    return bars([results.LABELS[name] for name in data], series, dark, "Γ of L-GRR (%)")


def shrinkage(dark: bool) -> go.Figure:
    """Draw Γ of BLH as published and at convergence."""
    data = ldp.paper.DATA
    values = {"10,000 iterations": "as published", "at convergence": "at convergence"}
    series = {name: _cells(1, "BLH", data, value) for name, value in values.items()}
    return bars([results.LABELS[name] for name in data], series, dark, "Γ of BLH (%)")


def tails(dark: bool) -> go.Figure:
    """Draw Γ of one draw of the data and of another: where it is lowest, and where it is highest."""
    ends = results.ends(1, "mse").loc[list(ldp.paper.DATA)]
    series = {f"{end} of {ends['draws'].iloc[0]} draws": ends[end].tolist() for end in ("lowest", "highest")}
    names = [results.LABELS[name] for name in ends.index]
    # Twelve numbers of four letters side by side have no more room on a phone.
    return bars(names, series, dark, "Γ, all mechanisms (%)", "{:.1f}".format).update_traces(textfont={"size": 9})


def clipping(result: ldp.Result, dark: bool) -> go.Figure:
    """Draw the gain of every run, and two means of it: with the losses set to 0, and with the losses as they are."""
    each = np.sort(metrics.gain(result.error("mi").values, result.error("ibu").values, clip=False))
    low = -100.0
    fig = go.Figure(
        go.Bar(
            x=np.arange(1, each.size + 1),
            y=np.maximum(each, low),
            name="gain of each run, in order",
            marker={"color": [(AFTER if value > 0 else BEFORE).color(dark) for value in each], "line": {"width": 0}},
            customdata=each,
            hovertemplate="%{customdata:.0f}%<extra></extra>",
        )
    )
    before = (float(result.gain("mse")), "Γ = {:.0f}%: losses as 0", "dash", "top left")
    after = (float(each.mean()), "{:.0f}%: losses counted", "dot", "bottom right")
    for mean, words, dash, position in (before, after):
        line, text = {"color": theme.ink(dark), "dash": dash}, words.format(mean).replace("-", "−")
        fig.add_hline(y=max(mean, low), line=line, annotation_text=text, annotation_position=position)
    return small(
        fig,
        dark,
        bargap=0,
        xaxis={"title": {"text": "run"}, "showgrid": False},
        yaxis={"title": {"text": "gain of a run (%), cut at −100"}, "range": [low, 100]},
    )


def calibration(published: ldp.Mechanism, tight: ldp.Mechanism, dark: bool) -> go.Figure:
    """Draw what the published calibration costs: less ε than stated, and more variance."""
    series = {
        name: [m.effective_eps, float(m.noise_variance(0.0, 1)) / float(tight.noise_variance(0.0, 1))]
        for name, m in (("published", published), ("tight", tight))
    }
    return bars(["effective ε of a report", "variance / the tight one's"], series, dark, "", "{:.2f}".format)
