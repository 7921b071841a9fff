"""How the ranking of the Advisor would move if the data were other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import pandas as pd
import plotly.graph_objects as go
import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Accuracy, Candidate
from ldpui import glossary
from ldpui.address import vocabulary
from ldpui.charts.maps import heat
from ldpui.format import significant
from ldpui.progress import with_progress
from pages.practice.advisor import errors, phrases
from pages.practice.advisor.participants import participants


@dataclass(frozen=True)
class OtherData:
    """What every mechanism reaches with its best estimator, if the data were other."""

    label: str
    candidates: tuple[Candidate, ...]

    @cached_property
    def best(self) -> dict[str, Candidate]:
        """Every mechanism with its best estimator, the best mechanism first."""
        return {c.mechanism.name: c for c in core.best_of_each(self.candidates)}

    @property
    def order(self) -> list[str]:
        """The mechanisms, the best first."""
        return list(self.best)

    @property
    def first(self) -> Candidate:
        return self.best[self.order[0]]

    def place(self, name: str) -> int:
        """Return the rank of a mechanism, from 1."""
        return self.order.index(name) + 1

    def surplus(self, name: str) -> float:
        """Return by how many percent the error of a mechanism is larger than that of the best."""
        return 100 * (self.best[name].error.value / self.first.error.value - 1)

    def undecided(self, name: str) -> bool:
        """Tell whether noise can't tell a mechanism from the best."""
        return core.close(self.first.error, self.best[name].error)


def other_data(s: ldp.Setting, kind: str) -> list[OtherData]:
    """Ask the same for each of the distributions, and for the visitor's own data if that is chosen."""
    names = list(ldp.DATASETS) + ([s.data] if s.data == ldp.OWN_DATA else [])
    return [
        _with_data(s if name == s.data else replace(s, data=name, params=()), kind)
        for name in with_progress(names, "other data")
    ]


def _with_data(s: ldp.Setting, kind: str) -> OtherData:
    candidates = tuple(errors.candidates(participants(s).settings, kind))
    return OtherData(vocabulary.OWN if s.data == ldp.OWN_DATA else ldp.distribution(s.data).label, candidates)


def sentence(others: Sequence[OtherData], first: str, s: ldp.Setting) -> str:
    """Say how often the first stays first."""
    lost = [other for other in others if other.order[0] != first and not other.undecided(first)]
    text = (
        f"At {phrases.privacy(s)}, with {phrases.crowd(s)}: {first} is first, or too close to the first to call, for "
    )
    text += f"**{len(others) - len(lost)} of {len(others)}** distributions"
    if not lost:
        return f"{text}."
    worst = max(lost, key=lambda other: other.surplus(first))
    return f"{text}; at worst ({worst.label}) staying with it costs {significant(worst.surplus(first), 2)}% more error."


def table(others: Sequence[OtherData], first: str, accuracy: Accuracy) -> pd.DataFrame:
    """Return for each distribution the best mechanism, and what staying with `first` would cost."""
    unit = phrases.unit(accuracy)
    return pd.DataFrame(
        {
            "If the data were": other.label,
            "best": core.name_with_ties(other.first, other.candidates),
            "error": unit * other.first.error.value,
            "±": unit * other.first.error.se,
            "place": other.place(first),
            "own": unit * other.best[first].error.value,
            "own ±": unit * other.best[first].error.se,
            "cost": _cost(other, first),
        }
        for other in others
    )


def _cost(other: OtherData, first: str) -> str:
    if other.order[0] == first:
        return "nothing"
    more = f"+{significant(other.surplus(first), 2)}%"
    return f"{more}, too close to call" if other.undecided(first) else more


def columns(accuracy: Accuracy, first: str) -> dict[str, Any]:
    """Return how the columns of the table are written."""
    number = st.column_config.NumberColumn
    error = "error (points)" if phrases.in_points(accuracy) else "total variation"
    return {
        "error": number(error, format="%.3g", help=glossary.GOAL),
        "±": number(format="%.2g", help="Standard error of the simulation."),
        "place": number(f"{first} is no.", help="Each mechanism with its best estimator."),
        "own": number(f"{first}: {error}", format="%.3g", help=glossary.GOAL),
        "own ±": number("±", format="%.2g", help="Standard error of the simulation."),
        "cost": st.column_config.TextColumn(f"staying with {first} costs"),
    }


def figure(others: Sequence[OtherData], accuracy: Accuracy, dark: bool) -> go.Figure:
    """Draw the rank of every mechanism (rows, the best overall on top) for every distribution (columns)."""
    names = sorted(others[0].best, key=lambda name: -sum(other.place(name) for other in others))
    places = [[other.place(name) for other in others] for name in names]
    fig = heat(
        [other.label for other in others],
        names,
        [[-place for place in row] for row in places],
        [[_rank(other, name) for other in others] for name in names],
        titles=("if the data were", "", "rank"),
        hover=[[_hover(other.best[name], accuracy) for other in others] for name in names],
        dark=dark,
    )
    fig.update_traces(showscale=False)
    return fig.update_layout(height=90 + 40 * len(names))


def _rank(other: OtherData, name: str) -> str:
    """Write the rank of a mechanism, with a sign where noise can't tell it from the first."""
    place = other.place(name)
    return f"≈ {place}" if place > 1 and other.undecided(name) else str(place)


def _hover(c: Candidate, accuracy: Accuracy) -> str:
    return f"{c.name}: {phrases.error(c.error.value, accuracy, c.error.se)}"
