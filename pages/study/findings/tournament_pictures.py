"""The pictures of what the tournament found: small, before and after."""

from __future__ import annotations

import numpy as np
import plotly.graph_objects as go

from ldpcore import tournament
from ldpui import theme
from ldpui.format import factor
from pages.study import standings
from pages.study.findings.pictures import bars, small

# Ticks of log axes that show ratios.
_RATIOS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50]
# The estimators that a chart compares, in the order of their bars.
_COMPARED = ("mi", "ibu", "limit", "norm-sub", "power-ns", "auto")


def baseline(dark: bool) -> go.Figure:
    """Draw Γ of three estimators over MI in both tables, with losses as 0 and counted."""
    paper = standings.paper()
    part = paper[paper["metric"] == "mse"]
    rows = {(row["table"], row["estimator"]): row for row in part.to_dict("records")}
    both = [(table, key) for table in (1, 2) for key in ("ibu", "norm-sub", "power-ns")]
    series = {
        "losses as 0": [float(rows[table, key]["gain"]) for table, key in both],
        "losses counted": [float(rows[table, key]["reduction"]) for table, key in both],
    }
    names = [f"{tournament.NAMES[key]}<br>Table {table}" for table, key in both]
    return bars(names, series, dark, "Γ over MI (%)").update_xaxes(tickfont_size=11, tickangle=0)


def no_winner(dark: bool) -> go.Figure:
    """Draw what staying with one estimator costs."""
    by_key = {s.key: s for s in standings.select(standings.ALL_BUT_UNIFORM, ordered=False).standings()}
    series = {
        "at worst": [by_key[key].worst for key in _COMPARED],
        "on the whole": [by_key[key].cost for key in _COMPARED],
    }
    names = [tournament.NAMES[key] for key in _COMPARED]
    return bars(names, series, dark, "× the best in hindsight", brief, type="log")


def brief(ratio: float) -> str:
    """Write a ratio in the little room above a bar.

    >>> brief(1.974), brief(348.2), brief(88_600.0)
    ('1.97', '348', '89k')
    """
    return f"{ratio / 1_000:.0f}k" if ratio >= 10_000 else f"{ratio:.0f}" if ratio >= 10 else factor(ratio)


def auto_loses(dark: bool) -> go.Figure:
    """Draw how auto's error compares with the best fixed estimator's, at small and large ε."""
    cells = standings.select(standings.ALL_BUT_UNIFORM, ordered=False)
    ratio = tournament.over_best(cells, "auto")
    eps = cells.settings["eps"].to_numpy()
    edges = np.array([0, 0.5, 0.8, 0.95, 1.05, 1.25, 1.5, 2, 3, np.inf])
    names = ["< 0.5", "0.5–0.8", "0.8–0.95", "0.95–1.05", "1.05–1.25", "1.25–1.5", "1.5–2", "2–3", "> 3"]
    series = {}
    for name, keep in (("ε ≤ 0.5", eps <= 0.5), ("ε ≥ 1", eps >= 1)):
        counts, _ = np.histogram(ratio[keep], edges)
        series[name] = (100 * counts / counts.sum()).tolist()
    fig = bars(names, series, dark, "% of the settings")
    return fig.update_xaxes(title_text="auto's error / that of the best fixed estimator")


def clock(dark: bool) -> go.Figure:
    """Draw IBU's error against the number of bins."""
    frame = standings.question("many bins")
    fig = go.Figure()
    for series, look, name in (("IBU", theme.IBU, "IBU, 10,000 steps"), ("limit", theme.LIMIT, theme.LIMIT.name)):
        part = frame[(frame["part"] == "OUE acs-income") & (frame["series"] == series)]
        fig.add_trace(
            go.Scatter(
                x=part["x"],
                y=part["y"],
                mode="lines+markers",
                name=name,
                line={"color": look.color(dark), "dash": look.dash},
                marker={"symbol": look.symbol, "size": 8},
                hovertemplate="k = %{x}: %{y:.3g} × MI's<extra></extra>",
            )
        )
    fig.add_hline(y=1, line={"color": theme.MI.color(dark), "dash": "dot"})
    # Annotations of a log axis stand at the logarithm.
    fig.add_annotation(x=0, xref="paper", y=0, text=theme.MI.name, showarrow=False, xanchor="left", yanchor="bottom")
    return small(
        fig,
        dark,
        xaxis={"title": {"text": "bins k"}, "type": "log", "tickvals": [10, 100, 1000, 5000]},
        yaxis={"title": {"text": "squared error / MI's"}, "type": "log", "tickvals": _RATIOS},
    )


def order(dark: bool) -> go.Figure:
    """Draw auto that is told of the order, on ordered bins and on shuffled bins."""
    cells, mixed = standings.select(standings.ALL_BUT_UNIFORM, ordered=True), standings.shuffled()
    with_order = float(np.exp(cells.log_ratio("auto-ordered", "auto")[0]))
    wrong = float(np.exp(mixed.log_ratio("auto-ordered-shuffled", "auto")[0]))
    names = ["not told<br>of an order", "told of<br>the order", "told, but bins<br>are shuffled"]
    return bars(names, {"auto": [1.0, with_order, wrong]}, dark, "squared error / auto's", "{:.2f}".format)


def several(dark: bool) -> go.Figure:
    """Draw four ways to estimate from users with two ε."""
    frame = standings.question("several")
    keys = ("MI, every user alike", "MI, weighted", "Norm-Sub, weighted", "full-report IBU", "auto")
    means = [float(np.exp(np.log(frame[frame["series"] == key]["y"]).mean())) for key in keys]
    names = ("MI, all<br>alike", "MI,<br>weighted", "Norm-Sub,<br>weighted", "full-report<br>IBU", "auto")
    axis = {"type": "log", "tickvals": _RATIOS}
    fig = bars(names, {"geometric mean": means}, dark, "squared error / MI, all alike", factor, **axis)
    return fig.update_xaxes(tickangle=0, tickfont_size=11)
