"""The settings that a reader has chosen, and whether any of them was run."""

from __future__ import annotations

from ldpcore import tournament
from ldpcore.tournament import Cells
from pages.study import standings
from pages.study.which_estimator.maps import Choice


def cells_of(choice: Choice) -> Cells:
    """Return the settings that are chosen, and what all contestants made of them."""
    return standings.select(choice.data, choice.mechanism, ordered=choice.ordered, k=choice.k)


def not_run(choice: Choice) -> str:
    """Say what was not run, if none of the chosen settings was: beyond 200 bins a mechanism has only some of the data.

    >>> not_run(Choice("uniform", "SS", True, "n", 1_000))
    'SS was not run on Uniform with 1,000 bins. Choose other data, another mechanism or fewer bins.'
    >>> not_run(Choice("uniform", "SS", True, "n", None))
    ''
    """
    if choice.k is None or len(cells_of(choice).settings):
        return ""
    on = tournament.DATA.get(choice.data, choice.data)
    what = f"{choice.mechanism} was not run on {on} with {choice.k:,} bins."
    return f"{what} Choose other data, another mechanism or fewer bins."
