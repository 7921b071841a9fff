"""The results of the tournament that ship with the project, as the pages of this section read them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import tournament
from ldpcore.tournament import Cells

UNIFORM = "uniform"
ALL, ALL_BUT_UNIFORM = "all nine", "all but Uniform"
EVERY = "all fourteen"


@st.cache_resource(show_spinner="Reading the shipped results…")
def cells() -> Cells:
    """Return all settings of the tournament; shared and never changed."""
    return Cells.of(tournament.load("matches")[0])


@st.cache_resource(show_spinner="Reading the shipped results…")
def shuffled() -> Cells:
    """Return the settings that were also run with their bins in another order."""
    return tournament.shuffled(tournament.load("matches")[0])


@st.cache_resource(show_spinner=False)
def paper() -> pd.DataFrame:
    """Return Γ of every contestant on the paper's own grid: means in percent for each table, metric and estimator.

    "worse" is the share of settings in which its mean error is above MI's, "worst" the largest ratio of the two, at
    "worst_k" bins, and "many_bins" the mean reduction where there are more than two.
    """
    frame = tournament.load("paper")[0]
    keys = ["table", "metric", "estimator"]
    numbers = ["gain", "reduction", "ibu_gain", "ibu_reduction"]
    means = frame.groupby(keys, observed=True)[numbers].mean()
    losses = frame.assign(worse=frame["reduction"] < 0, worst=1 - frame["reduction"] / 100)
    lost = losses.groupby(keys, observed=True).agg(worse=("worse", "mean"), worst=("worst", "max"))
    at = losses.loc[losses.groupby(keys, observed=True)["worst"].idxmax()].set_index(keys)["k"].rename("worst_k")
    many = frame[frame["k"] > 2].groupby(keys, observed=True)["reduction"].mean().rename("many_bins")
    return means.join([lost, at, many]).reset_index()


@st.cache_resource(show_spinner=False)
def question(name: str) -> pd.DataFrame:
    """Return the points of one of the open questions."""
    frame = tournament.load("questions")[0]
    return frame[frame["question"] == name].astype({"part": str, "series": str}).reset_index(drop=True)


@st.cache_data(show_spinner=False)
def about(part: str) -> dict[str, Any]:
    """Return how a part was made."""
    return tournament.load(part)[1]


def contestants(ordered: bool) -> tuple[str, ...]:
    """Return who can be used: where bins have no order, nobody who needs one."""
    return tournament.CONTESTANTS if ordered else tournament.ORDER_BLIND


def select(data: str = ALL, mechanism: str = EVERY, *, ordered: bool = True, k: int | None = None) -> Cells:
    """Return the settings with these data (a name, or one of the two words for several), mechanism and k."""
    every = cells()
    s = every.settings
    keep = np.ones(len(s), dtype=bool)
    if data == ALL_BUT_UNIFORM:
        keep &= (s["data"] != UNIFORM).to_numpy()
    elif data != ALL:
        keep &= (s["data"] == data).to_numpy()
    if mechanism != EVERY:
        keep &= (s["mechanism"] == mechanism).to_numpy()
    if k is not None:
        keep &= (s["k"] == k).to_numpy()
    return every.where(keep).among(contestants(ordered))


def setting_words(cells: Cells, number: int) -> str:
    """Say which setting it is.

    >>> import pandas as pd
    >>> one = {"mechanism": "OUE", "data": "zipf", "eps": 0.5, "n": 1_000, "k": 10, "repeat": 0, "mi": 0.1}
    >>> setting_words(Cells.of(pd.DataFrame([one]), ("mi",)), 0)
    'OUE on Zipf, ε = 0.5, n = 1,000, k = 10'
    """
    s = cells.settings.iloc[number]
    return f"{s['mechanism']} on {tournament.DATA[s['data']]}, ε = {s['eps']:g}, n = {s['n']:,}, k = {s['k']:,}"


def made(part: str) -> str:
    """Say how the results of a part were made."""
    notes = about(part)
    return f"Made on {notes['date']} with version {notes['version']}, seed {notes['seed']}, by `{notes['command']}`."


def setting_of(data: str, mechanism: str, eps: float, n: int, k: int) -> ldp.Setting:
    """Return a setting of the tournament as Estimate runs it; a longitudinal mechanism has ε∞ = 2ε."""
    return ldp.Setting(data=data, mechanism=mechanism, eps=eps, n=n, k=k)
