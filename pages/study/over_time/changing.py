"""Users whose value changes: what that costs in all, and how well users and changes are recognised."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import theory
from ldpui import theme, widgets
from ldpui.format import budget, times
from ldpui.progress import sign, with_progress
from pages.study.over_time import chart, controls, parts
from pages.study.over_time.chart import Axes, Line
from pages.study.over_time.followed import REPORTS, SETS, Followed, data_for, jobs, telling

# The number of reports that the sentences speak of.
_IN_ALL = 1_000


def view(s: ldp.Setting, followed: Sequence[Followed], noises: Sequence[str], row: Any) -> None:
    """Draw the cost of all reports, and how well two sets of them are told apart."""
    with row:
        every = int(widgets.slide("The value changes every so many reports", "every", controls.EVERY, width=300))
        what = widgets.pick("An observer tells", "told", controls.TELLINGS)
        known = widgets.pick("The observer thinks that", "knows", controls.PRIORS) == controls.SHARES
        waiting = st.empty()
    left, right = st.columns(2, gap="medium")
    with left:
        costs = _costs(s, followed, noises, every)
    with right:
        place = st.empty()
    st.markdown("\n".join(f"- {_cost(of, every)}" for of in followed))
    st.caption(_NOT_COVERED)
    lines: list[Line] = []
    draw = partial(_recognised, place, s, followed, lines, what)
    data = data_for(s, known)
    notes = []
    new = any(telling.known(of.setting, data, memo, known, what) is None for of, memo in jobs(followed, noises))
    with sign(waiting, "simulating pairs of users", new):
        for of, memo in with_progress(jobs(followed, noises), "Simulating pairs of users", draw):
            try:
                *chances, last = telling(of.setting, data, memo, known, what)
            except ldp.Refused as refused:
                notes.append(f"- {of.label} is left out of what an observer tells: {refused}.")
                continue
            words = [f"{parts.reports(t)} in each set: {parts.share(c)}" for t, c in zip(SETS, chances, strict=True)]
            lines.append(Line(of, memo, SETS, [100 * c.chance for c in chances], words, [100 * c.se for c in chances]))
            notes.append(
                f"- **{of.label}** {parts.noise(memo)}: {_WHO[what]} is told rightly {parts.share(chances[0])} of the "
                f"time from one report in each set, in the end {parts.share(last)}."
            )
    draw(last=True)
    st.markdown("\n".join(notes))
    st.caption(_RECOGNISED[what])
    parts.table(_table(costs, lines, every, what), s, "over-time-changing")


def _costs(s: ldp.Setting, followed: Sequence[Followed], noises: Sequence[str], every: int) -> list[Line]:
    lines = []
    for of, memo in jobs(followed, noises):
        costs = [theory.changing_eps(of.mechanism, r, every, memo=memo) for r in REPORTS]
        words = [f"{parts.reports(r)}: ε = {budget(c)}" for r, c in zip(REPORTS, costs, strict=True)]
        lines.append(Line(of, memo, REPORTS, costs, words))
    axes = Axes("reports sent (log scale)", "ε of all of them (log scale)", True)
    alt = f"What all reports cost if the value changes every {every} of them, against their number."
    parts.figure(chart.curves(lines, axes, dark=theme.is_dark()), "over_time_costs", alt, s, followed, ["n"])
    return lines


def _recognised(
    place: Any, s: ldp.Setting, followed: Sequence[Followed], lines: Sequence[Line], what: str, last: bool = False
) -> None:
    axes = Axes("reports in each of two sets (log scale)", f"{what}: told rightly (%)", False, _BLIND, floor=True)
    key = "over_time_told" if last else f"over_time_told_{len(lines)}"
    alt = f"How often it is told rightly whether two sets of reports are of {what}, against the reports in each set."
    fig = chart.curves(lines, axes, dark=theme.is_dark())
    fig.update_yaxes(range=[43, 102], rangemode="normal")
    with place:
        parts.figure(fig, key, alt, s, followed, ["n"])


def _cost(of: Followed, every: int) -> str:
    """Say what a thousand reports cost."""
    m = of.mechanism
    values = min(-(-_IN_ALL // every), m.k)
    with_memo, fresh = (theory.changing_eps(m, _IN_ALL, every, memo=memo) for memo in (True, False))
    different = times(values, "different value") if values > 1 else "one value"
    text = f"**{of.label}**: {_IN_ALL:,} reports with {different} cost "
    text += f"ε = **{budget(with_memo)}** with a memo for each"
    if m.g is not None and of.longitudinal:
        text += f" cell of one hash function ({m.g:,} cells), between histories that change cells at the same times"
    else:
        most = m.memos * theory.effective_eps_after(m, math.inf)
        text += f" value ({m.k:,} values: never more than {budget(most)})"
    return f"{text}; with fresh noise {budget(fresh)}."


_BLIND = (("blind", 50.0),)
_WHO = {controls.USERS: "whether one user or two", controls.CHANGE: "whether the value changed"}
_NOT_COVERED = """What reports cost in ε compares two histories that differ in every value and change at the same times;
a value goes on to one that was not held before, and after all of them begins again. **That** a value has changed is in
no such sum: reports of another memo look different, and ε∞ does not bound how well that is seen (*changed or not*).
Where a hash function is kept, their cells change at the same times too: a change within a cell is told from one between
cells by the reports, and no such sum bounds how well."""
_RECOGNISED = {
    controls.USERS: """Two sets of reports, of one user or of two, both equally likely beforehand: 50% is blind
guessing. The observer sees no names, addresses or times. A memo of bits is a fingerprint: with many bits hardly two
users have the same, however little it says of the value. Hashed reports name the user's own hash function, of 32
bits. Fresh noise leaves only the value to go by. Curves are simulated (bands hold 95%); the end is exact.""",
    controls.CHANGE: """Two sets of reports of one user, whose value stayed or changed between them, both equally likely
beforehand: 50% is blind guessing. Where values are hashed to g cells, one change in g stays within a cell and is never
seen. Curves are simulated (bands hold 95%); the end is exact.""",
}


def _table(costs: Sequence[Line], lines: Sequence[Line], every: int, what: str) -> list[pd.DataFrame]:
    return [
        parts.curve(line.of, line.memo, quantity="eps_in_all", every=every, reports=line.x, value=line.y)
        for line in costs
    ] + [
        parts.curve(
            line.of,
            line.memo,
            quantity=what,
            reports=line.x,
            value=np.asarray(line.y) / 100,
            standard_error=np.asarray(line.se) / 100,
        )
        for line in lines
    ]
