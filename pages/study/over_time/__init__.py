"""Users who report again and again: what is learned of them, what it costs, and what the server wins."""

from __future__ import annotations

from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import sidebar, widgets
from ldpui.navigation import heading
from pages.study.over_time import attacker, changing, controls, followed, life, server

_VIEWS = {controls.ATTACKER: attacker.view, controls.CHANGING: changing.view, controls.SERVER: server.view}


def page() -> None:
    """Draw the page."""
    heading("A user is asked again and again: what does an observer learn, with a memo and without?")
    s = sidebar.repeated()
    with widgets.page_controls("What is drawn"):
        aspect = widgets.pick("Look at", "aspect", controls.ASPECTS)
        place = st.container()
    if aspect == controls.LIFE:
        life.view(s, place)
    else:
        _compared(s, aspect, place)


def _compared(s: ldp.Setting, aspect: str, place: Any) -> None:
    """Draw curves of several mechanisms, with the controls in their place."""
    with place:
        names = widgets.several("Mechanisms", "followed", controls.NAMES)
        row = st.container(horizontal=True, vertical_alignment="bottom", gap="medium")
        with row:
            noises = widgets.several("Noise", "noise", controls.NOISES, help=_NOISE_HELP, width="content")
    chosen = followed.choose(s, names, row)
    if chosen and noises:
        _VIEWS[aspect](s, chosen, noises, row)
    elif chosen:
        st.info("Choose a memo or fresh noise above, or both.", icon=":material/info:")


_NOISE_HELP = """*With a memo*: a longitudinal mechanism draws its first round once, keeps it, and blurs it again at
every report. A one-time mechanism has no memo; here it means that the first report is sent again and again. *Fresh
noise*: everything is drawn anew at every report, as if the memo were lost each time."""
