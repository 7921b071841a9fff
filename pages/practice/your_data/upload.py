"""Bringing data of one's own: from a file or from what is pasted to a column that all pages can use."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpcore.collected.report_tables import other_columns
from ldpcore.datasets import OwnBinning, OwnNumbers, categories_from, kind_of, numbers_from
from ldpcore.tables import SUFFIXES, Table, paste_table, read_table
from ldpui import failures, links, own, session, vocabulary, widgets
from ldpui.format import plain, times
from ldpui.own import Upload
from pages.practice.your_data import controls

_MAKERS: dict[str, Callable[[Table, str], Any]] = {own.NUMBERS: numbers_from, own.CATEGORIES: categories_from}
_EXAMPLE = "example.csv"
FILES = [suffix.removeprefix(".") for suffix in SUFFIXES]


# ---- bringing it ---------------------------------------------------------------------


def take_file(uploaded: Any, header: bool) -> bool:
    """Take over an uploaded file, once, and tell whether it was; what was there before stays if it can't be used."""
    version = (uploaded.file_id, header)
    here = session.current().own
    if here.file == version:
        return False
    here.file = version
    with st.spinner("Reading the file…"):
        return _take(lambda: read_table(uploaded.getvalue(), uploaded.name, header=header))


def take_text() -> None:
    """Take over what was pasted."""
    _take(lambda: paste_table(st.session_state.get("own_text") or ""))


def take_example() -> None:
    """Take over the example."""
    _take(lambda: read_table(example(), _EXAMPLE))


def _take(read: Callable[[], Table]) -> bool:
    here = session.current().own
    here.problem = None
    try:
        here.use(_first_usable(read()))
        st.session_state.pop("own_column", None)
    except Exception as error:  # Streamlit's own control flow does not derive from Exception
        here.problem = failures.reason(error, "it was read")
        return False
    use_everywhere()
    return True


def use_everywhere() -> None:
    """Let the next run choose the data on all pages."""
    session.current().own.choose = True


def forget() -> None:
    """Drop the data; the pages go back to what is built in."""
    here = session.current().own
    here.upload = here.problem = None
    if st.session_state.get("data") == vocabulary.OWN:
        st.session_state["data"] = links.CONTROLS["data"].default


def _first_usable(table: Table) -> Upload:
    """Return the table with the first of its columns that can be used; an index only if there is nothing else."""
    refused, others = None, other_columns(table)
    for column in sorted(table.columns, key=lambda name: name in others):
        kind = kind_of(table, column)
        if kind is not None:
            try:
                return Upload(table, column, _MAKERS[kind](table, column), OwnBinning())
            except ldp.Refused as error:
                refused = refused or error
    raise refused or ldp.Refused(f"{table.name} has no column of numbers or words")


# ---- choosing what is used of it -----------------------------------------------------


def choose(found: Upload) -> str | None:
    """Offer the columns and how to bin the chosen one; say what is wrong with a choice, which then has no effect."""
    try:
        wanted = _with_bins(_with_column(found))
        if (wanted.column, wanted.kind, wanted.binning) != (found.column, found.kind, found.binning):
            session.current().own.use(wanted)
            st.rerun()  # the sidebar shows the data too, and is drawn already
    except ldp.Refused as refused:
        return str(refused)
    return None


def _with_column(found: Upload) -> Upload:
    """Offer the columns of the table, and how to take the chosen one."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        columns = list(found.table.columns)
        if st.session_state.get("own_column") not in columns:
            st.session_state["own_column"] = found.column
        column = st.selectbox("Column", columns, key="own_column", width=320)
        guess = found.kind if column == found.column else kind_of(found.table, column) or own.CATEGORIES
        # A key for each column: another one has another guess.
        kind = st.segmented_control(
            "Taken as", list(_MAKERS), default=guess, required=True, key=f"own_kind_{columns.index(column)}", help=_KIND
        )
    if (column, kind) == (found.column, found.kind):
        return found
    with st.spinner("Reading the column…"):
        return replace(found, column=column, data=_MAKERS[kind](found.table, column))


def _with_bins(found: Upload) -> Upload:
    """Offer how the column is binned."""
    # What a link asked for, or what was chosen before other pages were looked at.
    for key, value in found.words().items():
        st.session_state.setdefault(key, value)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        binning = _number_bins() if found.kind == own.NUMBERS else _category_bins()
    return replace(found, binning=binning)


def _number_bins() -> OwnBinning:
    low = st.number_input(
        "From", value=None, placeholder="smallest", help=_RANGE, width=170, **widgets.bound("own_low")
    )
    high = st.number_input("To", value=None, placeholder="largest", help=_RANGE, width=170, **widgets.bound("own_high"))
    clip = widgets.choose("Clip at each end", "own_clip", controls.SHARES_CUT, help=_CLIP, width=150)
    scale = widgets.pick("Bins of equal width on a scale that is", "own_scale", ("linear", "log"), help=_SCALE)
    return OwnBinning(low=low, high=high, clip=_share(clip), log=scale == "log")


def _category_bins() -> OwnBinning:
    rare = widgets.choose("Pool categories rarer than", "own_rare", controls.SHARES_CUT, help=_RARE, width=220)
    return OwnBinning(rare=_share(rare))


def _share(word: str) -> float:
    return float(word.rstrip("%")) / 100


# ---- saying what became of it --------------------------------------------------------


def account(found: Upload) -> str:
    """Say how many rows were read, how many are used, and why the others are not."""
    used, dropped = found.data.usable(found.binning)
    text = (
        f"**{times(found.table.rows, 'row')}** read from {plain(found.table.name)}, "
        f"column {plain(found.column)}: **{used:,} used**"
    )
    if not dropped:
        return f"{text}, none dropped."
    reasons = "; ".join(f"{count:,} {reason}{_rows(found, reason)}" for reason, count in dropped.items())
    return f"{text}, {sum(dropped.values()):,} dropped ({reasons})."


def advice(found: Upload, k: int) -> str | None:
    """Say when there are more bins than different numbers, so that some must stay empty."""
    if not isinstance(found.data, OwnNumbers) or found.data.values.size >= k:
        return None
    return f"There are only {times(found.data.values.size, 'different number')}: with fewer bins there are no gaps."


def _rows(found: Upload, reason: str) -> str:
    first = found.data.examples.get(reason, ())
    more = ", …" if found.data.dropped.get(reason, 0) > len(first) else ""
    word = "row" if len(first) == 1 else "rows"
    return f", {word} {', '.join(f'{row:,}' for row in first)}{more}" if first else ""


def example() -> bytes:
    """Return a made-up survey as CSV, with the gaps that real ones have."""
    rng = np.random.default_rng(7)
    rows = 3_000
    age = np.clip(rng.normal(41, 14, rows), 16, 90).astype(int)
    minutes = np.round(rng.lognormal(3.1, 0.6, rows), 1)
    modes = rng.choice(
        ["car", "bus", "train", "bicycle", "on foot", "ferry"], rows, p=[0.45, 0.2, 0.15, 0.12, 0.07, 0.01]
    )
    gap = rng.random((rows, 3)) < 0.01
    lines = ["age,minutes to work,way to work"]
    for i in range(rows):
        cells = (str(age[i]), f"{minutes[i]:g}", str(modes[i]))
        lines.append(",".join("" if gap[i, j] else cell for j, cell in enumerate(cells)))
    return ("\n".join(lines) + "\n").encode()


_KIND = """*numbers* are sorted into k bins; *categories* are taken as they are, the k − 1 most frequent and "other"."""
_RANGE = """Rows outside are left out. A range that you know beforehand is better than one read off the data: in a real
collection nobody sees the data first."""
_CLIP = """This share of the rows at each end is moved to the first and the last bin, so that a few extreme values do
not stretch the bins."""
_SCALE = """*linear*: bins of equal width. *log*: each bin is the same number of times wider than the one before, which
suits incomes, times and sizes; values of 0 or below are left out."""
_RARE = """Categories with a smaller share of the rows are counted together, as "other"."""
