"""The paper's own grid with every estimator: Γ with losses clipped, and counted."""

from __future__ import annotations

from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ldpcore import tournament
from ldpui import theme
from ldpui.format import significant
from pages.study import standings

# Those that a reader of the paper asks about, in the order of their number of ideas.
SHOWN = ("norm-sub", "power-ns", "ibu", "limit", "auto", "auto-ordered")


def rows(table: int, metric: str) -> pd.DataFrame:
    """Return Γ of the estimators of one table, by key."""
    every = standings.paper()
    part = every[(every["table"] == table) & (every["metric"] == metric)]
    return part.astype({"estimator": str}).set_index("estimator")


def figure(table: int, metric: str, dark: bool) -> go.Figure:
    """Draw Γ over MI of each estimator, clipped run by run as in the paper, and with its losses."""
    part = rows(table, metric).loc[list(SHOWN)]
    names = [tournament.NAMES[key] for key in SHOWN]
    fig = go.Figure()
    looks = (
        ("gain", "as in the paper: losses count as 0", theme.IBU, ""),
        ("reduction", "losses counted: mean error below MI's", theme.MI, "/"),
    )
    for column, label, look, pattern in looks:
        values = part[column].tolist()
        fig.add_trace(
            go.Bar(
                x=names,
                y=values,
                name=label,
                marker={"color": look.color(dark), "pattern": {"shape": pattern}},
                text=[percent(value, 0) for value in values],
                textposition="outside",
                cliponaxis=False,
                hovertemplate="%{x}: %{y:.1f}%<extra>" + label + "</extra>",
            )
        )
    low = min(0.0, float(part[["gain", "reduction"]].min().min()))
    high = float(part[["gain", "reduction"]].max().max())
    fig.update_layout(
        theme.layout(
            dark,
            xaxis={"showgrid": False},
            yaxis={"title": {"text": f"gain Γ of {metric.upper()} over MI (%)"}, "range": [1.25 * low, 1.2 * high]},
            barmode="group",
            height=400,
        )
    )
    return fig


def sentences(table: int, metric: str) -> list[str]:
    """Say what becomes of IBU's gain when losses count, and of other baselines."""
    part = rows(table, metric)
    ibu, sub, power, auto = (part.loc[key].to_dict() for key in ("ibu", "norm-sub", "power-ns", "auto"))
    return [
        f"**Losses counted.** IBU's Γ is {percent(ibu['gain'])} where every run in which it is worse than MI counts "
        f"as 0. Counted as it is, its mean error is {percent(ibu['reduction'])} below MI's, as a mean over the "
        f"settings; in {percent(100 * ibu['worse'], 0)} of them it is above, by up to "
        f"{significant(float(ibu['worst']), 2)} times.",
        "**Another baseline.** Γ over the same MI, clipped likewise: Norm-Sub, a closed form, "
        f"{percent(sub['gain'])}, PowerNS {percent(power['gain'])}, auto {percent(auto['gain'])}. With losses "
        f"counted: {percent(sub['reduction'])}, {percent(power['reduction'])} and {percent(auto['reduction'])}. A "
        f"mean of losses hangs on the largest: auto's is {significant(float(auto['worst']), 2)} times MI's error, at "
        f"k = {auto['worst_k']:.0f}. With more than two: {percent(sub['many_bins'])}, {percent(power['many_bins'])} "
        f"and {percent(auto['many_bins'])}, IBU {percent(ibu['many_bins'])}.",
        f"**IBU against them.** From Norm-Sub instead of MI, IBU's Γ is {percent(sub['ibu_gain'])} clipped and "
        f"{percent(sub['ibu_reduction'])} with losses counted; from PowerNS {percent(power['ibu_gain'])} and "
        f"{percent(power['ibu_reduction'])}.",
    ]


def percent(value: Any, digits: int = 1) -> str:
    """Write a percentage, with a real minus.

    >>> percent(24.06), percent(-1234.5, 0)
    ('24.1%', '−1,234%')
    """
    return f"{float(value):,.{digits}f}%".replace("-", "−")
