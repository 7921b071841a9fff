"""Who wins where: a map over ε and the number of users, or of bins, and what a click on it opens."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Any

import plotly.graph_objects as go
import streamlit as st

from ldpcore import tournament
from ldpcore.tournament import Winner
from ldpui import opening, theme, vocabulary
from ldpui.charts import maps
from ldpui.format import significant
from pages.study import standings

# Where a map is of many settings together, a click opens one of them.
_DATA, _MECHANISM, _K, _N = "gaussian", "OUE", 50, 10_000
# Each name its ground; those that hardly ever win share the last.
_GROUNDS = {
    "auto": 1, "auto-ordered": 0, "ibu": 6, "ibu-cv": 2, "limit": 3, "smooth": 4, "power-ns": 5, "norm-sub": 3,
}  # fmt: skip


@dataclass(frozen=True)
class Choice:
    """What the controls of the page say."""

    data: str
    mechanism: str
    ordered: bool
    rows: str
    k: int | None

    @property
    def shown_k(self) -> int | None:
        """The k whose settings are shown; all where the map goes over k."""
        return None if self.rows == "k" else self.k


@st.cache_data(show_spinner=False, max_entries=200)
def winners(choice: Choice) -> dict[tuple[float, float], Winner]:
    """Return who is best at each ε and each row of the map, where anything was run."""
    cells = standings.select(choice.data, choice.mechanism, ordered=choice.ordered, k=choice.shown_k)
    eps, rows = cells.settings["eps"].to_numpy(), cells.settings[choice.rows].to_numpy()
    here = sorted(set(zip(rows.tolist(), eps.tolist(), strict=True)))
    return {(row, e): tournament.winner(cells.where((rows == row) & (eps == e))) for row, e in here}


def figure(choice: Choice, dark: bool) -> go.Figure:
    """Draw the map: a name in every square, ≈ before it where others are as good."""
    won = winners(choice)
    y = levels(choice)
    number = len(maps.GROUNDS)
    grid = [[won.get((row, e)) for e in tournament.EPS] for row in y]
    fig = go.Figure(
        go.Heatmap(
            x=[f"{e:g}" for e in tournament.EPS],
            y=[f"{row:,}" for row in y],
            z=[[None if w is None else _GROUNDS.get(w.key, 5) for w in line] for line in grid],
            text=[["" if w is None else _short(w) for w in line] for line in grid],
            customdata=[["" if w is None else _long(w) for w in line] for line in grid],
            texttemplate="%{text}",
            textfont={"color": maps.CELL_WORDS[False]},
            colorscale=[(edge, c) for i, c in enumerate(maps.GROUNDS) for edge in (i / number, (i + 1) / number)],
            zmin=-0.5,
            zmax=number - 0.5,
            showscale=False,
            xgap=1,
            ygap=1,
        )
    )
    title = "users n" if choice.rows == "n" else "bins k"
    fig.update_layout(
        theme.layout(
            dark,
            xaxis={"title": {"text": "privacy budget ε (ε₁ where users report repeatedly)"}, "type": "category"},
            yaxis={"title": {"text": title}, "type": "category"},
            height=380,
            margin={"t": 10},
        )
    )
    return maps.clickable(fig)


def levels(choice: Choice) -> tuple[int, ...]:
    """Return the rows of the map, from below."""
    return tournament.N if choice.rows == "n" else tuple(level.k for level in tournament.LEVELS)


def _short(w: Winner) -> str:
    name = tournament.NAMES[w.key].replace(", ordered bins", ",<br>ordered")
    return f"≈ {name}" if w.ties else name


def _long(w: Winner) -> str:
    of = "1 setting" if w.settings == 1 else f"{w.settings} settings"
    ties = ", ".join(tournament.NAMES[key] for key in w.ties)
    tied = f"<br>as good, within 5% or noise: {ties}" if ties else ""
    return f"<b>{tournament.NAMES[w.key]}</b>, {significant(w.score, 2)} × MI's error, {of}{tied}"


# ---- opening a square in Estimate -------------------------------------------------


def on_square(key: str, choice: Choice) -> dict[str, Any]:
    """Return what makes the squares open in Estimate, for data that Estimate has."""
    return {} if choice.data in tournament.SHAPES else opening.on_click(partial(_open, key, choice))


def _open(key: str, choice: Choice) -> None:
    point = opening.clicked(key)
    if not point or not point.get("customdata"):
        return
    row, column = (int(place) for place in point["customdata"])
    level = levels(choice)[row]
    n, k = (level, choice.k or _K) if choice.rows == "n" else (_N, level)
    data = choice.data if choice.data in vocabulary.DATA.values() else _DATA
    mechanism = _MECHANISM if choice.mechanism == standings.EVERY else choice.mechanism
    if k <= vocabulary.SCALES["k"].high:
        opening.in_estimate(standings.setting_of(data, mechanism, tournament.EPS[column], n, k))


def opens(choice: Choice) -> str:
    """Say what a click opens, or why nothing."""
    high = f"{vocabulary.SCALES['k'].high:,.0f}"
    if choice.data in tournament.SHAPES:
        return f"Estimate does not have the data {tournament.DATA[choice.data]}, so these squares do not open there."
    if choice.rows == "n" and (choice.k or 0) > vocabulary.SCALES["k"].high:
        return f"Estimate goes up to {high} bins, so these squares do not open there."
    pooled = []
    if choice.data not in vocabulary.DATA.values():
        pooled.append(tournament.DATA[_DATA])
    if choice.mechanism == standings.EVERY:
        pooled.append(_MECHANISM)
    if choice.rows == "k":
        pooled.append(f"n = {_N:,}")
    elif choice.k is None:
        pooled.append(f"k = {_K}")
    one = f", with {', '.join(pooled)} as one of the settings that a square stands for" if pooled else ""
    limit = f" Squares of more than {high} bins do not open." if choice.rows == "k" else ""
    return f"**Click a square** to open it in Estimate{one}.{limit}"
