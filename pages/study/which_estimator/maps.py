"""Who wins where: a map over ε and the number of users, or of bins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import plotly.graph_objects as go

from ldpcore import tournament
from ldpcore.tournament import Cells, Winner
from ldpui import theme
from ldpui.charts import maps
from ldpui.format import factor, short
from pages.study import standings


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


def cells_of(choice: Choice) -> Cells:
    return standings.select(choice.data, choice.mechanism, ordered=choice.ordered, k=choice.shown_k)


@lru_cache(maxsize=200)
def winners(choice: Choice) -> dict[tuple[float, float], Winner]:
    """Return who is best at each ε and each row of the map, where anything was run; shared and never changed."""
    cells = cells_of(choice)
    eps, rows = cells.settings["eps"].to_numpy(), cells.settings[choice.rows].to_numpy()
    here = sorted(set(zip(rows.tolist(), eps.tolist(), strict=True)))
    return {(row, e): tournament.winner(cells.where((rows == row) & (eps == e))) for row, e in here}


def figure(choice: Choice, dark: bool) -> go.Figure:
    """Draw the map: a name in every square, ≈ before it where others are as good."""
    won = winners(choice)
    y = levels(choice)
    keys = tournament.CONTESTANTS
    grounds = [theme.of_estimator(key).ground for key in keys]
    grid = [[won.get((row, e)) for e in tournament.EPS] for row in y]
    fig = go.Figure(
        go.Heatmap(
            x=[f"{e:g}" for e in tournament.EPS],
            y=[short(row) if choice.rows == "n" else f"{row:,}" for row in y],
            z=[[None if w is None else keys.index(w.key) for w in line] for line in grid],
            text=[["" if w is None else _short(w) for w in line] for line in grid],
            customdata=[["" if w is None else _long(w) for w in line] for line in grid],
            texttemplate="%{text}",
            textfont={"color": maps.CELL_WORDS[False]},
            colorscale=maps.steps(grounds),
            zmin=-0.5,
            zmax=len(keys) - 0.5,
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
    """Return a name in short lines: Plotly writes all cells as small as the widest of them needs, on a phone too."""
    name = tournament.NAMES[w.key].removesuffix(" bins").replace(" ", "<br>")
    return f"≈ {name}" if w.ties else name


def _long(w: Winner) -> str:
    of = "1 setting" if w.settings == 1 else f"{w.settings} settings"
    ties = ", ".join(tournament.NAMES[key] for key in w.ties)
    tied = f"<br>as good, within 5% or noise: {ties}" if ties else ""
    return f"<b>{tournament.NAMES[w.key]}</b>, {factor(w.score)} × MI's error, {of}{tied}"
