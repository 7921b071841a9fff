"""How many bins there are: any number, or one for each value where the data are whole numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpui import cache, glossary, widgets
from ldpui.address import links, vocabulary
from ldpui.own import Upload

EQUAL_WIDTH, VALUES = "equal-width", "values"
# Bins that hold twice as many values as others show steps that are not in the data; an eighth more nobody sees.
_UNEVEN = 1.5


@dataclass(frozen=True)
class WholeNumbers:
    """Data that are whole numbers: the smallest of them, and how many there are from it to the largest."""

    low: float
    bins: int


@dataclass(frozen=True)
class Choice:
    """The number of bins and how they are made; what is to be said of them, and whether one per value is offered."""

    k: int
    binning: str
    note: str = ""
    offer: int | None = None

    def explain(self) -> None:
        """Say what is to be said, where there is room for it."""
        if not self.note:
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(self.note, width="content")
            if self.offer is not None:
                label = f"One bin per value (k = {self.offer})"
                st.button(label, key="bin_by_value", on_click=_bin_by, args=(VALUES,))


def choose(data: dict[str, Any], n: int, upload: Upload | None) -> Choice:
    """Offer the number of bins."""
    whole = _whole_numbers(data, n, upload)
    binning = str(links.value("binning"))
    # The page Your data offers a bin per value too; its choice comes first.
    own_values = upload is not None and upload.binning.values
    if (binning == VALUES or own_values) and whole is not None and whole.bins <= vocabulary.SCALES["k"].high:
        st.caption(f"k = **{whole.bins}**: one bin per value")
        if not own_values:
            st.button("Choose k", key="choose_k", on_click=_bin_by, args=(EQUAL_WIDTH,))
        return Choice(whole.bins, VALUES)
    wanted = int(vocabulary.SCALES["k"].number(widgets.dial("Bins k", "k", help=glossary.K)))
    k = wanted if upload is None else upload.bins(wanted)
    if binning == VALUES and not (upload is not None and upload.decides_bins):
        return Choice(k, EQUAL_WIDTH, _why_not(whole))
    if upload is not None:
        if k != wanted:
            return Choice(k, EQUAL_WIDTH, f"k = {k}: {upload.why_bins(wanted)}.")
        if binning != EQUAL_WIDTH and not upload.decides_bins:
            return Choice(
                k, EQUAL_WIDTH, "The paper's way to make bins is for its own data: here are bins of equal width."
            )
        binning = EQUAL_WIDTH
    note = None if whole is None else uneven(whole, k, binning)
    if note is None or whole is None:
        return Choice(k, binning)
    return Choice(k, binning, note, whole.bins if whole.bins <= vocabulary.SCALES["k"].high else None)


def _whole_numbers(data: dict[str, Any], n: int, upload: Upload | None) -> WholeNumbers | None:
    """Return the whole numbers that the data are; None if they are none, or too many."""
    if upload is not None:
        return None if upload.whole_numbers is None else WholeNumbers(*upload.whole_numbers)
    if data["data"] == ldp.OWN_DATA:
        return None
    try:
        edges = cache.value_edges(data["data"], data["params"], n, round(float(links.value("seed"))))
    except ldp.Refused:  # there are too many
        return None
    return WholeNumbers(edges[0] + 0.5, len(edges) - 1) if edges else None


def _why_not(whole: WholeNumbers | None) -> str:
    if whole is None:
        return "One bin per value is for whole numbers: here are bins of equal width."
    return f"One bin per value would be {whole.bins:,} bins: here are bins of equal width."


def uneven(whole: WholeNumbers, k: int, binning: str = EQUAL_WIDTH) -> str | None:
    """Say that bins of equal width hold unequally many whole numbers, if they do."""
    numbers = whole.low + np.arange(whole.bins)
    inside = ldp.histogram(numbers, k, binning)
    least, most = int(inside.min()), int(inside.max())
    if most <= _UNEVEN * least:
        return None
    if least == 0:
        return f"{k} bins for {whole.bins} whole numbers: the holes are between the bins, not in the data."
    return f"Some bins hold {most} whole numbers and some {least}: these steps are not in the data."


def _bin_by(binning: str) -> None:
    st.session_state["binning"] = binning


def suit_data() -> None:
    """Give whole numbers a bin each when they are chosen, and other data bins of equal width."""
    chosen = vocabulary.DATA.get(st.session_state["data"])
    if chosen is not None and ldp.distribution(chosen).whole:
        st.session_state["binning"] = VALUES
    elif links.value("binning") == VALUES:
        st.session_state["binning"] = EQUAL_WIDTH
