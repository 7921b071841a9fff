"""The figure of one user's report: what an observer believes after it."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import plotly.graph_objects as go

from ldpui import theme
from ldpui.charts.common import Array
from ldpui.format import significant


def posterior(
    probabilities: Array, supported: npt.NDArray[np.bool_], own: int, labels: list[str], dark: bool
) -> go.Figure:
    """Draw what an observer believes after one report, against the belief before it."""
    k = len(probabilities)
    colors = np.where(supported, theme.IBU.color(dark), theme.TRUTH.color(dark)).tolist()
    patterns = ["" if s else "/" for s in supported]
    words = [
        f"<b>{label}</b><br>{'supported' if s else 'not supported'} by this report"
        f"{'<br>the true value' if v == own else ''}<br>observer's belief {significant(100 * p)}%"
        for v, (label, s, p) in enumerate(zip(labels, supported, probabilities, strict=True))
    ]
    fig = go.Figure(
        go.Bar(
            x=np.arange(k),
            y=100 * probabilities,
            marker={"color": colors, "line": {"width": 0}, "pattern": {"shape": patterns if k <= 60 else ""}},
            text=words,
            textposition="none",
            hovertemplate="%{text}<extra></extra>",
        )
    )
    fig.add_hline(y=100 / k, line={"color": theme.MI.color(dark), "dash": "dash"})
    fig.add_annotation(
        x=1,
        y=100 / k,
        xref="paper",
        text="belief before the report",
        showarrow=False,
        xanchor="right",
        yanchor="bottom",
        bgcolor=theme.layout(dark)["paper_bgcolor"],
    )
    fig.add_annotation(
        x=own,
        y=100 * probabilities[own],
        text="true value",
        showarrow=True,
        arrowhead=2,
        ay=-28,
        ax=0,
        arrowcolor=theme.layout(dark)["font"]["color"],
    )
    fig.update_layout(
        theme.layout(
            dark,
            xaxis={
                "title": {"text": "bin number"},
                "showgrid": False,
                "tickformat": "d",
                "dtick": 1 if k <= 20 else None,
            },
            yaxis={"title": {"text": "observer's belief (%)"}, "rangemode": "tozero"},
            bargap=0.08,
            showlegend=False,
            height=300,
        )
    )
    return fig
