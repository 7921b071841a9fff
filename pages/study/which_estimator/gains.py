"""The paper's own grid with every estimator: Γ with losses as 0, and counted."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import pandas as pd
import plotly.graph_objects as go

from ldpcore import tournament
from ldpui import theme
from ldpui.format import factor
from pages.study import standings

# Those that a reader of the paper asks about, from the simplest to the most complex.
SHOWN = ("norm-sub", "power-ns", "ibu", "limit", "auto", "auto-ordered")
OTHERS = ("norm-sub", "power-ns", "limit", "auto")
# By so many points a mechanism has to move a mean to be named for it.
DECIDES = 5.0


@cache
def rows(table: int, metric: str) -> pd.DataFrame:
    """Return Γ of the estimators of one table, by key; shared and never changed."""
    every = standings.paper()
    part = every[(every["table"] == table) & (every["metric"] == metric)]
    return part.astype({"estimator": str}).set_index("estimator")


def figure(table: int, metric: str, dark: bool) -> go.Figure:
    """Draw Γ over MI of each estimator, losses as 0 as in the paper, and counted."""
    part = rows(table, metric).loc[list(SHOWN)]
    names = [tournament.NAMES[key] for key in SHOWN]
    fig = go.Figure()
    looks = (
        ("gain", "as in the paper: losses as 0", theme.IBU, ""),
        ("reduction", "losses counted, mean", theme.MI, "/"),
        ("geometric", "losses counted, geometric mean", theme.LIMIT, "x"),
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
    drawn = part[[column for column, *_ in looks]].astype(float)
    low, high = min(0.0, float(drawn.min().min())), float(drawn.max().max())
    fig.update_layout(
        theme.layout(
            dark,
            xaxis={"showgrid": False},
            yaxis={"title": {"text": f"gain Γ of {metric.upper()} over MI (%)"}, "range": [1.5 * low, 1.2 * high]},
            barmode="group",
            height=400,
        )
    )
    return fig


@cache
def sentences(table: int, metric: str) -> tuple[str, ...]:
    """Say what becomes of gains when losses count, where the largest losses are, and what other baselines leave."""
    part = rows(table, metric)
    ibu, sub, power, auto = (part.loc[key].to_dict() for key in ("ibu", "norm-sub", "power-ns", "auto"))
    return (
        f"**Losses counted.** IBU's Γ is {percent(ibu['gain'])} where every run in which it is worse than MI counts "
        f"as 0. Counted as it is, its mean error is {below(ibu['reduction'])} MI's, as a mean over the "
        f"settings; in {percent(100 * ibu['worse'], 0)} of them it is more than 5% above, and up to "
        f"{factor(float(ibu['worst']))} times. A mean of losses hangs on the largest; as a geometric mean of "
        f"the ratios of errors, in which half and double even out, it is {below(ibu['geometric'])} MI's.",
        f"**Others, likewise.** Γ over the same MI, losses as 0: {listed(part, 'gain')}. Losses counted: "
        f"{listed(part, 'reduction')}. Geometric means: {listed(part, 'geometric')}. {causes(part)}",
        f"**IBU against them.** From Norm-Sub instead of MI, IBU's Γ is {percent(sub['ibu_gain'])} with losses as 0, "
        f"{percent(sub['ibu_reduction'])} with losses counted and {percent(sub['ibu_geometric'])} as a geometric mean; "
        f"from PowerNS {percent(power['ibu_gain'])}, {percent(power['ibu_reduction'])} and "
        f"{percent(power['ibu_geometric'])}; from auto {percent(auto['ibu_gain'])}, {percent(auto['ibu_reduction'])} "
        f"and {percent(auto['ibu_geometric'])}. The table has all of them.",
    )


def listed(part: pd.DataFrame, column: str, keys: Sequence[str] = OTHERS) -> str:
    """Write one number of several estimators."""
    return ", ".join(f"{tournament.NAMES[key]} {percent(part.loc[key, column])}" for key in keys)


def causes(part: pd.DataFrame, keys: Sequence[str] = (*OTHERS, "ibu")) -> str:
    """Say of those whose mean reduction one mechanism decides which it is, and where the largest loss of each is."""
    out = []
    for key in keys:
        row = part.loc[key].to_dict()
        at = f"{factor(float(row['worst']))} times MI's ({row['worst_mechanism']}, k = {row['worst_k']})"
        text = f"{tournament.NAMES[key]}'s largest error is {at}"
        if row["without"] - row["reduction"] > DECIDES:
            text += f", and without {row['cause']} its mean would be {percent(row['without'])}"
        out.append(text)
    return f"{'; '.join(out)}."


@cache
def against(metric: str) -> pd.DataFrame:
    """Return IBU's gain over every other contestant, in both tables: losses as 0, counted, and as a geometric mean.

    Shared and never changed.
    """
    both = [rows(table, metric) for table in (1, 2)]
    keys = [key for key in tournament.CONTESTANTS if key in both[0].index and key != "ibu"]
    columns = {"losses as 0": "ibu_gain", "losses counted": "ibu_reduction", "geometric": "ibu_geometric"}
    return pd.DataFrame(
        {"IBU against": [tournament.NAMES[key] for key in keys]}
        | {
            f"Table {table}, {word}": part.loc[keys, column].astype(float).to_numpy()
            for table, part in zip((1, 2), both, strict=True)
            for word, column in columns.items()
        }
    )


def below(value: Any) -> str:
    """Say by how much an error is below, or above, another.

    >>> below(5.04), below(-18.3)
    ('5.0% below', '18.3% above')
    """
    return f"{percent(abs(float(value)))} {'below' if float(value) >= 0 else 'above'}"


def percent(value: Any, digits: int = 1) -> str:
    """Write a percentage, with a real minus.

    >>> percent(24.06), percent(-1234.5, 0)
    ('24.1%', '−1,234%')
    """
    return f"{float(value):,.{digits}f}%".replace("-", "−")
