"""The visitor's own data: it lives in the session and nowhere else, not on disk, not in the URL, in no shared cache."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

import streamlit as st

import ldpcore as ldp
from ldpcore.datasets import OwnBinning, OwnCategories, OwnNumbers
from ldpcore.tables import Table

NUMBERS, CATEGORIES = "numbers", "categories"
T = TypeVar("T")
_KEPT, _RESULTS, _NEW, _ASKED = "_own_data", "_own_results", "_own_is_new", "_own_asked"
_HISTOGRAMS = 200


class NoDataError(Exception):
    """The visitor's own data is asked for, and there is none in this session."""


@dataclass(frozen=True, eq=False)
class Kept:
    """The table that was brought, the column that is used, and how it is binned."""

    table: Table
    column: str
    data: OwnNumbers | OwnCategories
    binning: OwnBinning

    @property
    def users(self) -> int:
        """Number of rows that can be used."""
        return self.data.usable(self.binning)[0]

    @property
    def kind(self) -> str:
        """Return "numbers" or "categories"."""
        return NUMBERS if isinstance(self.data, OwnNumbers) else CATEGORIES

    def bins(self, wanted: int) -> int:
        """Return the number of bins nearest to the wanted one: there are no more than there are categories."""
        most = self.data.k_max(self.binning)
        return wanted if most is None else min(wanted, most)


def kept() -> Kept | None:
    """Return what this session holds."""
    found = st.session_state.get(_KEPT)
    return found if isinstance(found, Kept) else None


def needed() -> Kept:
    """Return what this session holds, or say that there is nothing."""
    found = kept()
    if found is None:
        raise NoDataError
    return found


def keep(new: Kept) -> None:
    """Hold this from now on; what was computed from other data is forgotten."""
    new.data.histogram(new.bins(2), binning=new.binning)  # a sentence now, before anything is lost
    st.session_state[_KEPT] = new
    st.session_state.pop(_RESULTS, None)


def words() -> dict[str, Any]:
    """Return how the data is binned, as the controls of the page Your data and links say it."""
    found = kept()
    if found is None:
        return {}
    how = found.binning
    return {
        "own_scale": "log" if how.log else "linear",
        "own_clip": f"{100 * how.clip:g}%",
        "own_low": how.low,
        "own_high": how.high,
        "own_rare": f"{100 * how.rare:g}%",
    }


def ask(words_of_link: dict[str, Any]) -> None:
    """Note how a link wants own data to be binned, for when the data comes."""
    if words_of_link:
        st.session_state[_ASKED] = words_of_link


def asked() -> dict[str, Any]:
    """Return once how a link wants own data to be binned."""
    return dict(st.session_state.pop(_ASKED, {}))


def announce() -> None:
    """Let the next run use the data on all pages: in this one the control that chooses is drawn already."""
    st.session_state[_NEW] = True


def announced() -> bool:
    """Tell once whether there is new data to use."""
    return bool(st.session_state.pop(_NEW, False))


def forget() -> None:
    """Drop the data and all that was computed from it."""
    for key in (_KEPT, _RESULTS):
        st.session_state.pop(key, None)


def histogram(setting: ldp.Setting) -> ldp.Histogram | None:
    """Return the own data as a setting needs it; None for the settings that have data of their own."""
    if setting.data != ldp.OWN_DATA:
        return None
    found = needed()
    how = (setting.k, setting.n, setting.seed)
    return remember("histogram", how, _HISTOGRAMS, lambda: found.data.histogram(how[0], how[1], how[2], found.binning))


def remember(name: str, arguments: tuple[Any, ...], entries: int, compute: Callable[[], T]) -> T:
    """Compute something once for this session; of each name, the latest `entries` are held."""
    held: OrderedDict[Any, T] = st.session_state.setdefault(_RESULTS, {}).setdefault(name, OrderedDict())
    if arguments not in held:
        held[arguments] = compute()
        if len(held) > entries:
            held.popitem(last=False)
    held.move_to_end(arguments)
    return held[arguments]
