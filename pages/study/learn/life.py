"""Lesson 2. Life of a report: one value on its way to the server, by any mechanism, again and again."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpcore.theory import observer_beliefs
from ldpui import session, theme, widgets
from ldpui.address import links
from ldpui.charts.common import Array
from pages.study.learn import journey, life_frames, life_words, plain, player, progress
from pages.study.learn.kinds import KINDS
from pages.study.learn.population import NAMES, K
from pages.study.learn.sender import Sender

NUMBER = 2
STRENGTHS = ("0.5", "1", "2", "4")
# So many reports the server gets at most.
REPORTS_MAX = 1_000
_BATCHES = (1, 10, 100)
_TYPES: dict[bool, Literal["primary", "secondary"]] = {True: "primary", False: "secondary"}

_STORY = """
Not only yes and no: here one of eight things was looked up last night. Choose what **you** looked up, and the
**mechanism**, which is the recipe for the noise on your phone. Then send a report and watch: how the value is written
down, where noise falls, what travels, and what the server may believe.
"""


def make(name: str, eps: float) -> ldp.Mechanism:
    """Return a mechanism of the lesson; a longitudinal one promises twice as much for all reports together."""
    if not ldp.mechanism_class(name).longitudinal:
        return ldp.mechanism(name, k=K, eps=eps)
    return ldp.mechanism(name, k=K, eps=eps, eps_inf=2 * eps, calibration="tight")


def can_be_shown(name: str) -> bool:
    """Tell whether the lesson can follow reports of a mechanism: of a kind that it knows, with rounds that are told."""
    try:
        possible = [make(name, float(eps)) for eps in STRENGTHS]
    except ldp.Refused:
        return False
    return all(m.report_kind.key in KINDS and (m.eps_inf is None or m.rounds is not None) for m in possible)


MECHANISMS = tuple(name for name in (*ldp.ONE_TIME, *ldp.LONGITUDINAL) if can_be_shown(name))

links.declare(
    links.one_of("sender", "GRR", MECHANISMS, page=True),
    links.one_of("secret", "a symptom", NAMES, page=True),
    links.one_of("strength", "1", STRENGTHS, page=True),
)


@dataclass
class Life:
    """What one pupil's phone has sent with the choices that are on screen.

    Attributes
    ----------
    reports, beliefs
        Every report, and what the server believes after each of them.
    last
        The lives of those that the last press of a button sent: no others are shown, and a thousand would be megabytes.
    """

    choice: tuple[str, str, str] | None = None
    sender: Sender | None = None
    rng: Any = None
    reports: list[Any] = field(default_factory=list)
    beliefs: Array = field(default_factory=lambda: np.empty((0, K)))
    last: list[journey.Journey] = field(default_factory=list)
    presses: int = 0


def draw() -> None:
    """Draw the lesson."""
    st.markdown(_STORY)
    life = _choices()
    m = life.sender.mechanism if life.sender else make("GRR", 1.0)
    st.caption(f"**{m.full_name} ({m.name}).** {plain.line(m)}{life_words.memo_words(m)}")
    options = ("never", "now and then", "nearly always")
    if not progress.guess("life", life_words.QUESTION, options, "never", life_words.because(m)):
        return
    _buttons(life)
    if not life.reports:
        st.caption("Nothing was sent yet. The server holds all eight for equally likely.")
        progress.task(NUMBER, life_words.task(m), False)
        return
    dark = theme.is_dark()
    player.draw(life_frames.frames(life.last, life.beliefs, life.presses, dark), "life_player", dark)
    own = life.sender.own if life.sender else 0
    st.markdown(life_words.summary(m, life.beliefs[:, own]))
    progress.task(NUMBER, life_words.task(m), bool(life.beliefs[-1, own] >= life_words.SURE))


def _choices() -> Life:
    """Ask for value, mechanism and ε; whoever changes one begins anew."""
    with st.container(horizontal=True, vertical_alignment="bottom"):
        secret = widgets.choose("You looked up", "secret", NAMES, width=190)
        name = widgets.choose("Mechanism", "sender", MECHANISMS, width=190)
        strength = widgets.pick("ε of one report (small = private)", "strength", STRENGTHS)
    life = session.current().part(Life)
    if life.choice != (secret, name, strength):
        rng = np.random.default_rng()
        life.choice, life.rng = (secret, name, strength), rng
        life.reports, life.beliefs, life.last = [], np.empty((0, K)), []
        life.sender = Sender.new(make(name, float(strength)), NAMES.index(secret), NAMES, rng)
    return life


def _buttons(life: Life) -> None:
    with st.container(horizontal=True):
        for number in _BATCHES:
            label = "Send a report" if number == 1 else f"Send {number} more"
            full = len(life.reports) + number > REPORTS_MAX
            st.button(
                label, key=f"send_{number}", type=_TYPES[number == 1], on_click=send, args=(life, number), disabled=full
            )
        st.button(
            "Start again", icon=":material/restart_alt:", key="send_none", on_click=setattr, args=(life, "choice", None)
        )


def send(life: Life, number: int) -> None:
    """Send so many reports more."""
    if life.sender is not None:
        life.last = [journey.send(life.sender, life.rng) for _ in range(number)]
        life.reports += [sent.report for sent in life.last]
        # The beliefs are computed here, and not when the page is drawn: that happens more often.
        life.beliefs = observer_beliefs(life.sender.mechanism, life.reports)
        life.presses += 1
