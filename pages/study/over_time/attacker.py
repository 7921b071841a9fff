"""What an attacker makes of more and more reports of one user, and what they cost in ε."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import theory
from ldpcore.theory import Chance
from ldpui import theme, widgets
from ldpui.format import budget
from ldpui.progress import sign, with_progress
from pages.study.over_time import chart, controls, parts
from pages.study.over_time.chart import Axes, Line
from pages.study.over_time.followed import REPORTS, Followed, curve, data_for, end, jobs, shares

# Where blind guesses are right less often than this, the axis is logarithmic: else all memos would lie at its bottom.
_LOG_BELOW = 0.15


def view(s: ldp.Setting, followed: Sequence[Followed], noises: Sequence[str], row: Any) -> None:
    """Draw success and effective ε against the number of reports."""
    with row:
        known = widgets.pick("The attacker thinks that", "knows", controls.PRIORS) == controls.SHARES
        waiting = st.empty()
    data = data_for(s, known)
    blind = 1 / s.k if (prior := shares(s, data, known)) is None else float(prior.max())
    left, right = st.columns(2, gap="medium")
    with left:
        place = st.empty()
    with right:
        budgets(s, followed, noises)
    lines: list[Line] = []
    draw = partial(_success, place, s, followed, lines, blind)
    curves: dict[tuple[str, bool], tuple[Chance, ...]] = {}
    new = any(curve.known(of.setting, data, memo, known) is None for of, memo in jobs(followed, noises))
    with sign(waiting, "following users", new):
        for of, memo in with_progress(jobs(followed, noises), "Following users", draw):
            chances = curves[of.label, memo] = curve(of.setting, data, memo, known)
            lines.append(_line(of, memo, chances))
    draw(last=True)
    st.markdown(
        "\n".join(_sentences(followed, curves, {f.label: end(f.setting, data, known) for f in followed}, blind))
    )
    st.caption(_method_sentence(lines))
    parts.table([_curve(line) for line in lines], s, "over-time-attacker")


def _line(of: Followed, memo: bool, chances: Sequence[Chance]) -> Line:
    words = [f"after {parts.reports(r)}: {parts.share(c)}" for r, c in zip(REPORTS, chances, strict=True)]
    return Line(of, memo, REPORTS, [100 * c.chance for c in chances], words, [100 * c.se for c in chances])


def _success(
    place: st.delta_generator.DeltaGenerator,
    s: ldp.Setting,
    followed: Sequence[Followed],
    lines: Sequence[Line],
    blind: float,
    last: bool = False,
) -> None:
    log = blind < _LOG_BELOW
    title = "guessed rightly (%)" + (" (log scale)" if log else "")
    axes = Axes("reports seen (log scale)", title, log, (("without a report", 100 * blind),), floor=True)
    # A key of its own for every picture: one script run may draw the growing chart many times.
    key = "over_time_success" if last else f"over_time_success_{len(lines)}"
    alt = f"How often the best guess of a value is right, against the number of reports, for {len(lines)} curves."
    with place:
        parts.figure(chart.curves(lines, axes, dark=theme.is_dark()), key, alt, s, followed, ["n"])


def budgets(s: ldp.Setting, followed: Sequence[Followed], noises: Sequence[str]) -> None:
    """Draw the effective ε of so many reports."""
    lines = []
    for of, memo in jobs(followed, noises):
        costs = [theory.effective_eps_after(of.mechanism, r, memo=memo) for r in REPORTS]
        words = [f"{parts.reports(r)}: ε = {budget(c)}" for r, c in zip(REPORTS, costs, strict=True)]
        lines.append(Line(of, memo, REPORTS, costs, words))
    bounds = ((f"ε∞ = {s.eps_inf:g}", float(s.eps_inf or 0)),) if any(f.longitudinal for f in followed) else ()
    axes = Axes("reports seen (log scale)", "effective ε of all of them (log scale)", True, bounds)
    alt = "Effective ε of all reports together, against their number: bounded with a memo, without bound without one."
    parts.figure(chart.curves(lines, axes, dark=theme.is_dark()), "over_time_eps", alt, s, followed, ["n"])


def _sentences(
    followed: Sequence[Followed],
    curves: dict[tuple[str, bool], tuple[Chance, ...]],
    ends: dict[str, float],
    blind: float,
) -> list[str]:
    """Say in numbers what the curves show, one line for each mechanism."""
    lines = [f"Without any report the best guess is right **{parts.share(Chance(blind))}** of the time."]
    for of in followed:
        with_memo, fresh = (curves.get((of.label, memo)) for memo in (True, False))
        either = with_memo or fresh
        if either is None:
            continue
        nothing = ", which changes no mind" if either[0].chance <= blind * (1 + 1e-9) else ""
        text = f"- **{of.label}**: {parts.share(either[0])} with one report{nothing}."
        if with_memo is not None:
            text += _memo_sentence(of, with_memo, ends[of.label])
        if fresh is not None:
            at = {r: parts.share(c) for r, c in zip(REPORTS, fresh, strict=True)}
            late = "" if at[100] == at[10_000] else f", {at[10_000]} after 10,000"
            text += f" With fresh noise {at[100]} after 100 reports{late}."
        lines.append(text + _first_cost(of))
    return lines


def _memo_sentence(of: Followed, chances: Sequence[Chance], most: float) -> str:
    if not of.longitudinal:
        return " With a memo the same report is sent again: that is all there is to see, however often."
    near = next((r for r, c in zip(REPORTS, chances, strict=True) if c.chance >= 0.99 * most), None)
    when = "after 10,000 reports not quite there" if near is None else f"nearly there after {parts.reports(near)}"
    return f" With a memo {parts.bound(most)}, {when}."


def _first_cost(of: Followed) -> str:
    """Say what the first report really costs, where that is less than it may."""
    m = of.mechanism
    words = f" Its first report costs {budget(m.effective_eps)}, not the {budget(m.eps)} that it may."
    return words if m.effective_eps <= 0.995 * m.eps else ""


def _method_sentence(lines: Sequence[Line]) -> str:
    """Say which curves are exact, and how the others were made."""
    simulated = [f"{line.of.label} {parts.noise(line.memo)}" for line in lines if line.simulated]
    text = (
        "“Nearly there” is within 1% of it. ε is exact everywhere: the largest ratio over all sequences of reports "
        "and all pairs of values. Chances are exact"
    )
    if not simulated:
        return f"{text} too."
    worst = max(error for line in lines for error in line.se)
    return (
        f"{text} but for simulated users of {', '.join(simulated)}: bands hold 95%, the standard error is at most "
        f"{parts.error(worst)} percentage points."
    )


def _curve(line: Line) -> pd.DataFrame:
    shares = {"guessed_rightly": np.asarray(line.y) / 100, "standard_error": np.asarray(line.se) / 100}
    eps = [theory.effective_eps_after(line.of.mechanism, r, memo=line.memo) for r in line.x]
    return parts.curve(line.of, line.memo, reports=line.x, **shares, effective_eps=eps)
