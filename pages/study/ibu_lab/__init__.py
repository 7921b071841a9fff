"""IBU step by step: a player, three curves, starts side by side, and the clocks of all mechanisms."""

from __future__ import annotations

import plotly.graph_objects as go
import streamlit as st

import ldpcore as ldp
from ldpui import export, glossary, session, theme, widgets
from ldpui.address import links
from ldpui.bins import bins_of
from ldpui.charts import finished, player_keys, show
from ldpui.navigation import heading
from ldpui.own import Upload
from ldpui.progress import sign
from pages.study.ibu_lab import clocks, controls, curves, markers, player, sentences, starts, takeaway, ways
from pages.study.ibu_lab.paths import Path, path, validated


def page(s: ldp.Setting) -> None:
    """Draw the page."""
    heading("What does IBU do step by step, and when should it stop?")
    data = session.data_of(s)
    with st.container(horizontal=True, vertical_alignment="bottom", key="lab_controls"):
        number = controls.collection(s.runs)
        widgets.explanations()
        place = st.empty()
    # One sign for all three parts, each of which is drawn when it is there.
    new = any(part.known(s, data, number) is None for part in (path, validated, ways.ways))
    with sign(place, "following IBU, from every start", new):
        steps = path(s, data, number)
        _player(s, data, number, steps)
        _curves(s, data, number, steps)
        starts.section(s, data, number, steps)
    clocks.section(s)
    plain = player_figure(s, data, number, theme.is_dark(), large=False, meaning=meaning_of(s, data))
    takeaway.downloads(s, steps, number, plain)


@finished.by_setting(30, 5)
def player_figure(
    s: ldp.Setting, data: Upload | None, number: int, dark: bool, large: bool, meaning: str | None
) -> go.Figure:
    """Return the player of a collection."""
    steps = path(s, data, number)
    drawn = player.player(steps, bins_of(steps, meaning), dark=dark, source=_source(s, number))
    return theme.enlarged(drawn) if large else drawn


@finished.by_setting(30, 5)
def curves_figure(s: ldp.Setting, data: Upload | None, number: int, dark: bool, large: bool) -> go.Figure:
    """Return the curves of a collection, with their marks."""
    steps = path(s, data, number)
    marks = markers.markers(steps, validated(s, data, number))
    drawn = curves.curves(steps, marks, dark=dark, source=_source(s, number))
    return theme.enlarged(drawn) if large else drawn


def _source(s: ldp.Setting, number: int) -> list[str]:
    setting_line, how = export.described(s)
    # Which program it was has a line of its own: all in one is too long for a phone.
    return [setting_line, *f"collection {number} of {how}".split(" · ")]


def meaning_of(s: ldp.Setting, data: Upload | None) -> str | None:
    """Return what the values are called."""
    return session.current().meanings.get(s.data) if data is None else data.column


def _player(s: ldp.Setting, data: Upload | None, number: int, steps: Path) -> None:
    """Draw the player, and tell what it shows."""
    large = bool(links.value("present"))
    figure = player_figure(s, data, number, theme.is_dark(), large=large, meaning=meaning_of(s, data))
    story = sentences.story(steps)
    name = export.file_name(s, f"ibu-lab-collection{number}")
    show.chart(
        figure, "lab_player", f"IBU's estimate against the truth, step by step. {story}".replace("*", ""), name=name
    )
    player_keys.draw("lab_player", "Steps of IBU", "after {} steps")
    st.markdown(story, help=glossary.LAB_POINTS)
    st.caption(
        f"Grey: what the users of **collection {number}** really hold. Blue: IBU's estimate, which moves. Below: what "
        "a bin is off by at every step, and where the player stands. It plays in your browser; the frames are evenly "
        "spaced on a log scale, so it goes faster and faster."
    )


def _curves(s: ldp.Setting, data: Upload | None, number: int, steps: Path) -> None:
    """Draw error, likelihood and step size against the steps, with the marks."""
    st.header("Where to stop", anchor=False, help=glossary.LAB_MARKS)
    marks = markers.markers(steps, validated(s, data, number))
    figure = curves_figure(s, data, number, theme.is_dark(), bool(links.value("present")))
    show.chart(
        figure,
        "lab_curves",
        "Error, distance of the likelihood from its maximum, and size of a step against the number of steps, with "
        + ", ".join(f"{mark.name} at {mark.words}" for mark in marks)
        + ".",
        name=export.file_name(s, f"ibu-steps-collection{number}"),
    )
    st.table(markers.table(steps, marks))
    for note in markers.notes(marks):
        st.markdown(f"- {note}")
    st.markdown(sentences.clock_words(steps), help=glossary.CLOCK)
    st.caption(
        f"{sentences.what_it_climbs(steps)} Up to 10,000 steps every one is done; beyond, IBU's path is followed in "
        "large steps, right to a few thousandths of the way. Curves end where their numbers are mere rounding."
    )
