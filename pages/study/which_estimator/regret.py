"""How far each contestant is from the best in hindsight: a chart, a table, and sentences."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache

import pandas as pd
import plotly.graph_objects as go

from ldpcore import tournament
from ldpcore.tournament import Standing
from ldpui import theme
from ldpui.format import factor
from pages.study import standings
from pages.study.which_estimator.chosen import cells_of
from pages.study.which_estimator.maps import Choice


@dataclass(frozen=True)
class Table:
    """The standings, best first; by key in words where each is farthest from the best; and the number of settings."""

    ranked: list[Standing]
    worst_places: dict[str, str]
    settings: int


@lru_cache(maxsize=200)
def table(choice: Choice) -> Table:
    """Return how the contestants stand on the chosen settings; shared and never changed."""
    cells = cells_of(choice)
    ranked = cells.standings()
    return Table(ranked, {s.key: standings.setting_words(cells, s.worst_at) for s in ranked}, len(cells.settings))


def times(ratio: float) -> str:
    """Write a ratio as a person says it.

    >>> times(1.234), times(3.14159), times(64230.0)
    ('1.23 ×', '3.1 ×', '64,000 ×')
    """
    return f"{factor(ratio)} ×"


def sentences(choice: Choice) -> list[str]:
    """Say who does best on these settings, how bad it can get, and what staying with IBU or MI costs."""
    standing = table(choice)
    ranked, where = standing.ranked, standing.worst_places
    by_key = {s.key: s for s in ranked}
    first, safest = ranked[0], min(ranked, key=lambda s: s.worst)
    name = tournament.NAMES[first.key]
    repeats = f", in means of {tournament.REPEATS} repeats; other settings and repeats may be worse"
    out = [
        f"On these **{standing.settings:,} settings** the lowest error on the whole has **{name}**: "
        f"{factor(first.score)} times the squared error of MI (geometric mean, ± {100 * first.se:.1f}%)."
    ]
    if safest.key == first.key:
        out.append(f"It is also the safest on them: at most {times(first.worst)} the best of its setting{repeats}.")
    else:
        out.append(
            f"It has up to {times(first.worst)} the best of a setting ({where[first.key]}); the safest on them is "
            f"**{tournament.NAMES[safest.key]}**, at most {times(safest.worst)} ({where[safest.key]}){repeats}."
        )
    stays = [f"{tournament.NAMES[key]} {times(by_key[key].cost)}" for key in ("mi", "ibu", "norm-sub", "power-ns")]
    out.append(
        "What it costs to stay with one estimator everywhere, as a geometric mean over the best in hindsight: "
        f"{name} {times(first.cost)}, {', '.join(s for s in stays if not s.startswith(name + ' '))}."
    )
    return out


# What the standard errors of pooled means were to stay below.
WANTED_SE = 0.03


@cache
def how_sure() -> str:
    """Say for which numbers of bins the standard errors of means over all settings are below what was wanted."""
    largest = {level.k: max(s.se for s in standings.select(k=level.k).standings()) for level in tournament.LEVELS}
    overall = max(s.se for s in standings.select().standings())
    within, beyond = (
        [f"{100 * se:.1f}% at k = {k:,}" for k, se in largest.items() if (se < WANTED_SE) == below]
        for below in (True, False)
    )
    text = f"Over all settings they are at most {100 * overall:.1f}%; for each k alone {', '.join(within)}"
    if beyond:
        text += f", but {' and '.join(beyond)}, where fewer settings were run: not below {100 * WANTED_SE:g}%"
    return f"{text}."


def figure(choice: Choice, dark: bool) -> go.Figure:
    """Draw median, geometric mean and worst ratio to the best in hindsight, the best contestant on top."""
    standing = table(choice)
    ranked = sorted(standing.ranked, key=lambda s: -s.cost)
    names = [tournament.NAMES[s.key] for s in ranked]
    colors = [theme.of_estimator(s.key).color(dark) for s in ranked]
    fig = go.Figure()
    for s, name, color in zip(ranked, names, colors, strict=True):
        fig.add_trace(
            go.Scatter(
                x=[s.median, s.worst], y=[name, name], mode="lines", line={"color": color, "width": 1},
                showlegend=False, hoverinfo="skip",
            )
        )  # fmt: skip
    marks = {
        "median": ("circle", [s.median for s in ranked]),
        "on the whole (geometric mean)": ("diamond", [s.cost for s in ranked]),
        "worst": ("x", [s.worst for s in ranked]),
    }
    for label, (symbol, values) in marks.items():
        hover_texts = [
            times(v) + (f"<br>{standing.worst_places[s.key]}" if label == "worst" else "")
            for v, s in zip(values, ranked, strict=True)
        ]
        fig.add_trace(
            go.Scatter(
                x=values, y=names, mode="markers", name=label, text=hover_texts, legendgroup=label, showlegend=False,
                marker={"symbol": symbol, "size": 9, "color": colors},
                hovertemplate="%{y}, " + label + ": %{text}<extra></extra>",
            )
        )  # fmt: skip
        # The legend explains the shapes, which are the same for all estimators, so it has none of their colours.
        shape = {"symbol": symbol, "size": 9, "color": theme.ink(dark)}
        fig.add_trace(go.Scatter(x=[None], y=names[:1], mode="markers", name=label, legendgroup=label, marker=shape))
    ratios = {"title": {"text": "× the best's squared error (log)"}, "type": "log"}
    fig.update_layout(theme.layout(dark, xaxis=ratios, yaxis={"showgrid": False}, height=500))
    return fig


@lru_cache(maxsize=200)
def frame(choice: Choice) -> pd.DataFrame:
    """Return the numbers behind the chart; shared and never changed."""
    standing = table(choice)
    return pd.DataFrame(
        {
            "Estimator": [tournament.NAMES[s.key] for s in standing.ranked],
            "error / MI's": [s.score for s in standing.ranked],
            "± %": [100 * s.se for s in standing.ranked],
            "cost of staying ×": [s.cost for s in standing.ranked],
            "median ×": [s.median for s in standing.ranked],
            "at worst ×": [s.worst for s in standing.ranked],
            "there": [standing.worst_places[s.key] for s in standing.ranked],
            "best or within 5 %": [s.wins for s in standing.ranked],
        }
    )
