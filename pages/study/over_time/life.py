"""One user's life: the value, the memo, the reports, and what an observer believes after each of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpcore import theory
from ldpcore.theory import Chance, Life
from ldpui import cache, session, theme, widgets
from ldpui.charts import finished, player_keys, show
from ldpui.format import times
from ldpui.navigation import part
from pages.study.over_time import controls, followed, life_chart, life_player, parts

# So many reports are followed.
REPORTS = 40


@dataclass
class Lives:
    """How many lives were drawn before."""

    number: int = 0


def view(s: ldp.Setting, place: Any) -> None:
    """Draw a life with a memo and one with fresh noise, with the controls in their place."""
    with place, st.container(horizontal=True, vertical_alignment="bottom", gap="medium"):
        name = widgets.choose("Mechanism", "life_of", controls.NAMES, width=160)
        every = int(widgets.slide("The value changes every so many reports", "every", controls.EVERY, width=300))
        known = widgets.pick("The observer thinks that", "knows", controls.PRIORS) == controls.SHARES
    try:
        m = followed.possible(s, name, s.calibration).make_mechanism()
    except ldp.Refused as refused:
        st.warning(f"**{name}** is not possible here: {refused}.", icon=":material/block:")
        return
    _lives(s, m, every, known)


@part("Over time")
def _lives(s: ldp.Setting, m: ldp.Mechanism, every: int, known: bool) -> None:
    """Draw both lives; another one is drawn without the rest of the page."""
    drawn = session.current().part(Lives)
    shares = cache.histogram(s, session.data_of(s)).frequencies
    values = values_over_time(shares, every, np.random.default_rng([s.seed, drawn.number]))
    prior = shares if known else None
    for place, memo in zip(st.columns(2, gap="medium"), (True, False), strict=True):
        noise = controls.MEMO if memo else controls.FRESH
        rng = np.random.default_rng([s.seed, drawn.number, memo])
        life = theory.live(m, values, rng, prior, memo=memo)
        with place:
            st.markdown(f"**{m.name}, {noise}**")
            key = f"over_time_life_{'memo' if memo else 'fresh'}"
            alt = f"Which values each of {REPORTS} reports of one user supports, {noise}, and the observer's belief."
            dark = theme.is_dark()
            chart = show.sized(life_chart.life(life, dark=dark))
            figure = finished.finish(chart, life_player.frames(REPORTS, dark=dark))
            show.chart(figure, key, alt, name=parts.file_name(s, key))
            player_keys.draw(key, "Reports that have come")
            st.markdown(sentence(life))
    st.button("Another life", icon=":material/casino:", key="another_life", on_click=_next, args=(drawn,))
    st.caption(_MADE)


def _next(drawn: Lives) -> None:
    drawn.number += 1


def values_over_time(shares: np.ndarray, every: int, rng: np.random.Generator) -> np.ndarray:
    """Return the value at each report: drawn from the shares, and another one after every so many reports."""
    periods = -(-REPORTS // every)
    possible = int((shares > 0).sum())
    # No value comes twice before all possible ones were held.
    order = rng.choice(shares.size, min(periods, possible), replace=False, p=shares)
    return np.resize(np.repeat(order, every), REPORTS)


def sentence(life: Life) -> str:
    """Say what the observer believes in the end, and whether that is right."""
    last, true = life.beliefs[-1], int(life.values[-1])
    changes = np.flatnonzero(np.diff(life.values))
    since = len(life.values) - (int(changes[-1]) + 1 if changes.size else 0)
    likeliest = np.flatnonzero(last >= last.max() * (1 - 1e-9))
    of = f"After {times(since, 'report')} of {'the last' if changes.size else 'this'} value"
    belief = parts.share(Chance(float(last.max())))
    if likeliest.size > 1:
        among = "the true one among them" if true in likeliest else "not the true one"
        return f"{of} {likeliest.size} bins are equally likely to the observer ({belief} each), {among}."
    right = "and is right" if true == likeliest[0] else f"and is wrong: it is bin {true}"
    return f"{of} the observer believes most in bin {likeliest[0]} ({belief}), {right}."


_MADE = """Blue: the bins that a report supports. Orange: those that the memo supports and this report does not. The
line is the true value; of many bins only those around it are drawn. With a memo of bits or of a set, the same rows come
back again and again: that is how a user is recognised. A new value has a memo of its own. A one-time mechanism has no
memo; here its first report is sent again and again. The observer knows the mechanism, is told when the value changes,
and begins anew then. **Play** lets the reports come one by one."""
