"""IBU from several starts, side by side: the limit is the same, the way there is not."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpui import export, glossary, session, theme, widgets
from ldpui.address import links
from ldpui.charts import show
from ldpui.format import percent, times
from ldpui.format import points as in_points
from ldpui.navigation import part
from ldpui.own import Upload
from ldpui.progress import sign
from pages.study.ibu_lab import controls, drawing, own_start, start_figures
from pages.study.ibu_lab.axes import count_words
from pages.study.ibu_lab.paths import Path, points
from pages.study.ibu_lab.ways import NAMES, Way, own_way


@part("IBU lab")
def section(s: ldp.Setting, data: Upload | None, number: int, followed: Path) -> None:
    """Draw the part of the page that compares starts; another start draws nothing else again."""
    st.header("From another start", anchor=False, help=glossary.LAB_STARTS)
    text = _ask(s.k)
    # The sign that something is computed stands here, and not on top of the page: whoever draws a start has scrolled
    # down, and would not see it there.
    with sign(st.empty(), "following IBU from your start", is_new(s, data, number, text)):
        _refuse(text, s.k)
        all_ways = start_figures.all_ways(s, data, number, text)
    after = widgets.pick("The estimates after so many steps", "lab_after", controls.STEPS)
    at = followed.nearest(min(controls.STEPS[after], followed.steps[-1]))
    meaning = session.current().meanings.get(s.data) if data is None else data.column
    view = start_figures.View(number, text, at, meaning, theme.is_dark(), bool(links.value("present")))
    for place, way in zip(st.columns(len(all_ways)), all_ways, strict=True):
        with place:
            st.markdown(f"**{_capital(NAMES[way.key])}**")
            alt = f"Truth, start and estimate after {count_words(followed.steps[at])}, from {NAMES[way.key]}."
            show.chart(start_figures.side(s, data, view, way.key), f"lab_start_{way.key}", alt)
    st.markdown(words(followed, all_ways, at))
    alt = "What a bin is off by against the number of steps, for every start."
    show.chart(
        start_figures.errors(s, data, view),
        "lab_starts",
        alt,
        name=export.file_name(s, f"ibu-starts-collection{number}"),
    )


def _ask(k: int) -> str:
    """Ask for a start of the visitor's own, typed, drawn or by the name of a shape; return its text."""
    typed, drawn = st.columns(2, gap="medium")
    with typed:
        text = st.text_input(
            "Your own start, as numbers",
            max_chars=controls.LONGEST,
            placeholder="for example 1 2 3 4 5",
            help=glossary.LAB_OWN,
            **widgets.bound("lab_own"),
        )
        with st.container(horizontal=True, gap="small", key="lab_shapes"):
            for name, shape in own_start.SHAPES.items():
                st.button(name, key=f"lab_shape_{name}", on_click=_take, args=(shape,))
            st.button("none", key="lab_shape_none", on_click=_take, args=("",), disabled=not text)
    with drawn:
        st.caption("Or draw it: drag over the bars, or use the arrow keys.")
        drawing.draw(start_figures.legal(text or "", k), k)
    return text or ""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _take(text: str) -> None:
    st.session_state["lab_own"] = text


def is_new(s: ldp.Setting, data: Upload | None, number: int, text: str) -> bool:
    """Tell whether there is a start of the visitor's own from which IBU was not followed yet."""
    own = start_figures.legal(text, s.k)
    return own is not None and not own.problem and own_way.known(s, data, number, text) is None


def _refuse(text: str, k: int) -> None:
    """Say why there is no way from the visitor's own start, if there is none."""
    try:
        own = own_start.read(text, k)
    except ldp.Refused as refused:
        st.info(f"{_capital(str(refused))}.", icon=":material/edit:")
        return
    if own is not None and own.problem:
        st.info(own.problem, icon=":material/block:")


def words(path: Path, all_ways: list[Way], at: int) -> str:
    """Say what the starts lead to after so many steps, and how far apart they still are."""
    off = ", ".join(
        f"{NAMES[way.key]} **{in_points(float(points(way.estimates[at], path.truth)))}**" for way in all_ways
    )
    gaps = [0.5 * np.abs(a.estimates[at] - b.estimates[at]).sum() for a, b in combinations(all_ways, 2)]
    apart = float(max(gaps))
    if not np.isfinite(path.clock):
        return "The channel has p = q: reports say nothing, and IBU stays wherever it starts."
    together = (
        "they are at the same place, to a millionth of the users"
        if apart < 1e-6
        else f"to turn the two farthest apart into each other, {percent(apart)} of the users would have to move"
    )
    empty = int((path.mi == 0).sum())
    lifted = (
        f" MI has {times(empty, 'bin')} at 0, and IBU could never leave that: one user is added to every bin first."
        if empty
        else ""
    )
    return (
        f"After {count_words(path.steps[at])} a bin is off by, in points: from {off}; {together}. **The limit is the "
        f"same for every start** without a 0 (off by {in_points(path.error_of(path.limit))}): what is left of a start "
        f"is owed to stopping.{lifted}"
    )
