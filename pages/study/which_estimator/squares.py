"""The squares of the map: on how many settings each rests, and which of them a click opens in Estimate."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache, partial
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore import tournament
from ldpui.address import opening, vocabulary
from pages.study import standings
from pages.study.which_estimator.maps import Choice, cells_of, levels, winners

# A square of fewer settings is said to be thin.
FEW = 5


def how_thin(choice: Choice) -> str:
    """Say on how many settings the squares rest, and that a few of them are not many."""
    numbers = sorted(w.settings for w in winners(choice).values())
    if not numbers:
        return "None of these settings was run."
    low, high = numbers[0], numbers[-1]
    repeats = f"{tournament.REPEATS} repeats"
    thin = sum(number < FEW for number in numbers)
    if high == 1:
        text = f"Every square is one setting of {repeats}: chance, and which mechanism was run, decide much"
    else:
        text = f"A square stands for {low if low == high else f'{low} to {high}'} settings of {repeats} each"
        which = "all" if thin == len(numbers) else f"{thin} of {len(numbers)}"
        text += f", {which} for fewer than {FEW}: there chance, and what was run, decide much" if thin else ""
    empty = len(levels(choice)) * len(tournament.EPS) - len(numbers)
    return f"{text}. {'Empty squares were not run.' if empty else ''}".strip()


def on_square(key: str, choice: Choice) -> dict[str, Any]:
    """Return what makes the squares open in Estimate, if any of them has a setting that Estimate can show."""
    return opening.on_click(partial(_open, key, choice)) if shown_in_estimate(choice) else {}


def _open(key: str, choice: Choice) -> None:
    point = opening.clicked(key)
    if not point or not point.get("customdata"):
        return
    row, column = (int(place) for place in point["customdata"])
    setting = shown_in_estimate(choice).get((levels(choice)[row], tournament.EPS[column]))
    if setting is not None:
        # `slow` also shows the estimators that take seconds: the winner is often one of them.
        opening.in_estimate(setting, closer="All estimators", slow=True)


@lru_cache(maxsize=200)
def shown_in_estimate(choice: Choice) -> dict[tuple[float, float], ldp.Setting]:
    """Return of each square one of its settings that Estimate can show: that in which the winner does best.

    Shared and never changed.
    """
    cells, out = cells_of(choice), {}
    possible = standings.in_estimate(cells.settings)
    rows, eps = cells.settings[choice.rows].to_numpy(), cells.settings["eps"].to_numpy()
    for (row, e), won in winners(choice).items():
        behind = cells.behind[:, cells.contestants.index(won.key)]
        here = np.flatnonzero(possible & (rows == row) & (eps == e))
        if here.size:
            out[row, e] = standings.setting_of(cells.settings.iloc[here[behind[here].argmin()]])
    return out


def opens(choice: Choice) -> str:
    """Say what a click opens, or why nothing."""
    won, possible = winners(choice), shown_in_estimate(choice)
    why = f"Estimate has neither {_listed(tournament.SHAPES)} nor more than {vocabulary.SCALES['k'].high:,.0f} bins"
    if not possible:
        return f"{why}, so these squares do not open there."
    several = any(w.settings > 1 for w in won.values())
    text = "**Click a square** to open it in Estimate" + (
        ": that of its settings in which the winner does best." if several else "."
    )
    return text if len(possible) == len(won) else f"{text} {why}: {len(won) - len(possible)} squares do not open."


def _listed(names: Iterable[str]) -> str:
    *some, last = (tournament.DATA[name] for name in names)
    return f"{', '.join(some)} and {last} data"
