"""The paper's results, published and reproduced, as the pages of this section read them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpui import cache

# Those of the paper, whatever distributions there are by now.
LABELS = ldp.paper.LABELS
# What the pages call its tables, in their order.
TABLES = ("Table 1, reporting once", "Table 2, reporting repeatedly")


@st.cache_resource(show_spinner="Reading the shipped results…")
def results() -> ldp.paper.Results:
    """Return the results that ship with the project; shared and never changed."""
    return ldp.paper.load_results()


@st.cache_data(max_entries=4, max_size=cache.MAX_BYTES, ttl=cache.TTL, show_spinner=False)
def cells() -> pd.DataFrame:
    """Return the cells of both tables in all their variants."""
    return ldp.paper.cells(results().details)


@st.cache_resource(show_spinner=False)
def bars() -> pd.DataFrame:
    """Return the bars of Figures 1 and 2; shared and never changed."""
    return ldp.paper.bars(results().details)


@st.cache_resource(show_spinner=False)
def lines(by: str) -> pd.DataFrame:
    """Return the lines of Figures 3 and 4 against "eps", "n" or "k"; shared and never changed."""
    return ldp.paper.lines(results().details, by)


@dataclass(frozen=True, eq=False)
class Grid:
    """A table of the paper with its row and column averages: numbers, the spread over the draws, and their number."""

    rows: list[str]
    columns: list[str]
    gain: np.ndarray[Any, Any]
    sd: np.ndarray[Any, Any]
    draws: dict[str, int]  # of each row but the averages


@st.cache_resource(show_spinner=False, max_entries=32)
def grid(table: int, metric: str, value: str) -> Grid:
    """Return one of the four values of every cell; the last row and column are averages, as in the paper.

    Shared and never changed.
    """
    about = ldp.paper.TABLES[table]
    every = cells()
    variant = "as published" if value == "published" else value
    part = every[(every["table"] == table) & (every["metric"] == metric) & (every["variant"] == variant)]
    wide = part.pivot_table(index="data", columns="mechanism", values=["gain", "sd", "published"])
    gain = wide["published" if value == "published" else "gain"].loc[list(about.data), list(about.mechanisms)]
    sd = wide["sd"].loc[list(about.data), list(about.mechanisms)]
    numbers = np.asarray(gain, dtype=float)
    spread = np.full_like(numbers, np.nan) if value == "published" else np.asarray(sd, dtype=float)
    numbers = np.vstack([numbers, numbers.mean(axis=0)])
    numbers = np.column_stack([numbers, numbers.mean(axis=1)])
    spread = np.pad(spread, ((0, 1), (0, 1)), constant_values=np.nan)
    draws = {LABELS[str(data)]: int(number) for data, number in part.groupby("data")["draws"].min().items()}
    return Grid([*(LABELS[d] for d in about.data), "Average"], [*about.mechanisms, "Average"], numbers, spread, draws)


def cell(table: int, metric: str, data: str, mechanism: str, value: str) -> float:
    """Return one number of a table."""
    shown = grid(table, metric, value)
    return float(shown.gain[shown.rows.index(LABELS[data]), shown.columns.index(mechanism)])


@dataclass(frozen=True)
class Deviation:
    """How far the reproduction is from the published table at most, in points.

    Attributes
    ----------
    mechanisms : float
        In the averages of the mechanisms, the table's last row.
    distributions : float
        In the averages of the distributions, its last column.
    farthest : str
        The distribution whose average is that far off.
    cells : float
        In any cell.
    """

    mechanisms: float
    distributions: float
    farthest: str
    cells: float


def deviation(table: int, metric: str) -> Deviation:
    """Compare the reproduction with the published table."""
    reproduced, published = grid(table, metric, "as published"), grid(table, metric, "published")
    away = np.abs(reproduced.gain - published.gain)
    rows = away[:-1, -1]
    return Deviation(
        mechanisms=float(away[-1, :-1].max()),
        distributions=float(rows.max()),
        farthest=reproduced.rows[int(rows.argmax())],
        cells=float(away[:-1, :-1].max()),
    )


def draws(table: int) -> str:
    """Say how often the data sets of a table were drawn."""
    about = results().about[str(table)]
    more = [f"{notes['draws']} of that of {LABELS[data]}" for data, notes in about["more"].items()]
    return ", ".join([f"{about['draws']} draws of the data sets", *more])


def ends(table: int, metric: str) -> pd.DataFrame:
    """Return the average of every distribution in the draw where it is lowest and in that where it is highest.

    Of the draws that all distributions have: the ends of many lie farther apart than those of few.
    """
    every = results().details
    part = every[(every["table"] == table) & (every["metric"] == metric) & (every["variant"] == "as published")]
    wide = part.pivot_table(index="data", columns="draw", values="gain", observed=True).dropna(axis="columns")
    return pd.DataFrame({"lowest": wide.min(axis=1), "highest": wide.max(axis=1), "draws": wide.shape[1]})


def spread(table: int, metric: str, data: str) -> float:
    """Return the mean standard deviation over the draws, in points, of a distribution's row."""
    shown = grid(table, metric, "as published")
    return float(np.nanmean(shown.sd[shown.rows.index(LABELS[data])]))
