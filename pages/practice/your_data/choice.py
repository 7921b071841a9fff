"""Which column of the data is used, and how it is binned."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

import ldpcore as ldp
from ldpcore.datasets import OwnBinning
from ldpui import own, session, uploads, widgets
from ldpui.computing import reading
from ldpui.own import Upload
from pages.practice.your_data import controls


def choose(upload: Upload) -> str | None:
    """Offer the columns and how to bin the chosen one; say what is wrong with a choice, which then has no effect."""
    try:
        wanted = _with_bins(_with_column(upload))
        if (wanted.column, wanted.kind, wanted.binning) != (upload.column, upload.kind, upload.binning):
            session.current().own.use(wanted)
            st.rerun()  # the sidebar shows the data too, and is drawn already
    except ldp.Refused as refused:
        return str(refused)
    return None


def _with_column(upload: Upload) -> Upload:
    """Offer the columns of the table, and how to take the chosen one."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        columns = list(upload.table.columns)
        if st.session_state.get("own_column") not in columns:
            st.session_state["own_column"] = upload.column
        column = st.selectbox("Column", columns, key="own_column", width=320)
        guess = upload.kind if column == upload.column else _guess(upload, column)
        # Each column has a control of its own: another column has another guess.
        key = f"own_kind_{columns.index(column)}"
        kind = st.segmented_control(
            "Taken as", list(reading.READERS), default=guess, required=True, key=key, help=_KIND
        )
        kind = kind or guess  # the browser sees to `required`; other programs can leave it empty
    if (column, kind) == (upload.column, upload.kind):
        return upload
    with st.spinner("Reading the column…"):
        data = uploads.ask(reading.column_of, upload.table.file, column, kind, rows=upload.table.rows)
    return replace(upload, column=column, data=data)


def _guess(upload: Upload, column: str) -> str:
    return uploads.ask(reading.kind_in, upload.table.file, column, rows=upload.table.rows) or own.CATEGORIES


def _with_bins(upload: Upload) -> Upload:
    """Offer how the column is binned."""
    # The controls start where they were before the visitor went to other pages.
    for key, value in upload.words().items():
        st.session_state.setdefault(key, value)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        binning = _BINS[upload.kind](upload)
    return replace(upload, binning=binning)


def _number_bins(upload: Upload) -> OwnBinning:
    ends = [
        st.number_input(label, value=None, placeholder=end, help=_RANGE, width=170, **widgets.bound(key))
        for label, end, key in (("From", "smallest", "own_low"), ("To", "largest", "own_high"))
    ]
    clip = widgets.choose("Clip at each end", "own_clip", controls.SHARES_CUT, help=_CLIP, width=150)
    scales = controls.SCALES if upload.can_have_values() else controls.SCALES[:2]
    if st.session_state.get("own_scale") not in scales:
        st.session_state["own_scale"] = scales[0]
    scale = widgets.pick("Bins", "own_scale", scales, help=_SCALE)
    return OwnBinning(low=ends[0], high=ends[1], clip=_share(clip), log=scale == "log", values=scale == own.VALUES)


def _category_bins(upload: Upload) -> OwnBinning:
    rare = widgets.choose("Pool categories rarer than", "own_rare", controls.SHARES_CUT, help=_RARE, width=220)
    return OwnBinning(rare=_share(rare))


def _date_bins(upload: Upload) -> OwnBinning:
    unit = widgets.pick("A bin is one", "own_unit", controls.UNIT_WORDS, help=_UNIT)
    return OwnBinning(unit=None if unit == own.AUTOMATIC else unit)


def _share(word: str) -> float:
    return float(word.rstrip("%")) / 100


_BINS = {own.NUMBERS: _number_bins, own.DATES: _date_bins, own.CATEGORIES: _category_bins}

_KIND = """*numbers* are sorted into k bins. *dates*, such as 2024-05-31 with or without a time, into days, weeks or
months. *categories* are taken as they are: the k − 1 most frequent, and one bin for all others."""
_RANGE = """Rows outside are left out. A range that you know beforehand is better than one read off the data: in a real
collection nobody sees the data first."""
_CLIP = """This share of the rows at each end is moved to the first and the last bin, so that a few extreme values do
not stretch the bins."""
_SCALE = """*linear*: k bins of equal width. *log*: each bin is the same number of times wider than the one before,
which suits incomes, times and sizes; values of 0 or below are left out. *values*, for whole numbers: a bin for each of
them, such as each year of age, whatever k is."""
_UNIT = """A bin is a day, a week from Monday to Sunday, or a month; *automatic* is the smallest of them of which there
are at most 100. Where there are more than k of them, a bin holds several."""
_RARE = """Categories with a smaller share of the rows are counted together, in a bin of all others."""
