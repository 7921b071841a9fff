"""The results of the tournament that ship with the project, as the pages of this section read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import tournament
from ldpcore.tournament import Cells
from ldpui import cache
from ldpui.address import vocabulary
from ldpui.format import short

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
    """Return what the paper's own grid says of every contestant, for each table and metric: see `paper_summary`."""
    return tournament.paper_summary(tournament.load("paper")[0])


@st.cache_resource(show_spinner=False)
def question(name: str) -> pd.DataFrame:
    """Return the points of one of the open questions."""
    frame = tournament.load("questions")[0]
    return frame[frame["question"] == name].astype({"part": str, "series": str}).reset_index(drop=True)


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
    return row_words(cells.settings.iloc[number])


def row_words(row: Any) -> str:
    """Say the same of a row of results."""
    return (
        f"{row['mechanism']} on {tournament.DATA[row['data']]}, ε = {row['eps']:g}, n = {row['n']:,}, k = {row['k']:,}"
    )


@st.cache_data(max_entries=8, max_size=cache.MAX_BYTES, ttl=cache.TTL, show_spinner=False)
def provenance(part: str) -> str:
    """Say when, how and by which version the results of a part were made."""
    notes = tournament.load(part)[1]
    how = f"with version {notes['version']}, seed {notes['seed']}, by `{notes['command']}`"
    return f"Made on {notes['date']} {how}{_took(notes.get('sittings', []))}."


def _took(sittings: list[dict[str, Any]]) -> str:
    """Say how long it took, with how many processes.

    >>> _took([{"seconds": 480.0, "workers": 1, "cores": 2}, {"seconds": 30.0, "workers": 2, "cores": 2}])
    ', in 8.5 minutes with 1 to 2 processes on 2 cores'
    """
    if not sittings:
        return ""
    workers = sorted({sitting["workers"] or 0 for sitting in sittings})
    ends = f"{workers[0]} to {workers[-1]}" if len(workers) > 1 else f"{workers[0]}"
    minutes = sum(sitting["seconds"] for sitting in sittings) / 60
    processes = f"{ends} process{'' if workers[-1] == 1 else 'es'} on {sittings[-1]['cores']} cores"
    return f", in {minutes:.2g} minutes with {processes}"


def in_estimate(settings: pd.DataFrame) -> Any:
    """Tell of each setting whether Estimate can show it: whether it has the data, and so many bins."""
    known = ~settings["data"].isin(list(tournament.SHAPES)).to_numpy()
    return known & (settings["k"] <= vocabulary.SCALES["k"].high).to_numpy()


def setting_of(row: Any) -> ldp.Setting:
    """Return a setting of the tournament as Estimate runs it; a longitudinal mechanism has ε∞ = 2ε."""
    data, mechanism, eps, n, k = (row[name] for name in ("data", "mechanism", "eps", "n", "k"))
    return ldp.Setting(data=str(data), mechanism=str(mechanism), eps=float(eps), n=int(n), k=int(k))


def words_of(row: Any) -> dict[str, str]:
    """Return the words of a link that opens a setting of the tournament in Estimate, with all estimators."""
    s = setting_of(row)
    words = {"data": tournament.DATA[s.data], "n": short(s.n), "k": str(s.k)}
    words |= {"closer": "All estimators", "slow": "true"}
    if s.eps_inf is None:
        return words | {"mechanism": s.mechanism, "eps": f"{s.eps:g}"}
    return words | {"reports": vocabulary.REPEATED, "chain": s.mechanism, "eps_inf": f"{s.eps_inf:g}"}


@dataclass(frozen=True)
class Distance:
    """By how much one contestant's error is above another's at one value: their ratio less 1, its standard error."""

    value: Any
    excess: float
    se: float


def apart(one: str, other: str, by: str, cells: Cells) -> list[Distance]:
    """Return how far two contestants are apart for each data set, n, ε or k."""
    column = cells.settings[by]
    out = []
    for value in column.unique():
        mean, se = cells.where(column == value).log_ratio(one, other)
        out.append(Distance(value, float(np.expm1(mean)), se))
    return out
