"""What the server wins when it averages many collections from the same users."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpcore import theory
from ldpui import cache, session, theme
from ldpui.format import budget, points
from pages.study.over_time import chart, parts
from pages.study.over_time.chart import Axes, Line
from pages.study.over_time.followed import REPORTS, Followed, jobs


def view(s: ldp.Setting, followed: Sequence[Followed], noises: Sequence[str], _row: Any) -> None:
    """Draw the error of an average of collections against their number."""
    frequencies = cache.histogram(s, session.data_of(s)).frequencies
    lines = []
    for of, memo in jobs(followed, noises):
        errors = [_error(of.mechanism, frequencies, s.n, t, memo) for t in REPORTS]
        words = [f"{t:,} collections: ± {points(e)} points" for t, e in zip(REPORTS, errors, strict=True)]
        lines.append(Line(of, memo, REPORTS, errors, words))
    axes = Axes("collections averaged (log scale)", "error of a bin, in points (log scale)", True)
    alt = "Error of an average of collections against their number: with a memo it stops falling, with fresh noise not."
    parts.figure(chart.curves(lines, axes, dark=theme.is_dark()), "over_time_server", alt, s, followed, [])
    st.markdown("\n".join(f"- {_sentence(of, frequencies, s.n)}" for of in followed))
    st.caption(_MADE)
    table = [parts.curve(line.of, line.memo, collections=line.x, error_points=line.y) for line in lines]
    parts.table(table, s, "over-time-server")


def _error(m: ldp.Mechanism, frequencies: np.ndarray, n: int, collections: float, memo: bool) -> float:
    """Return the root of the mean variance over the bins, in percentage points."""
    return 100 * math.sqrt(float(theory.averaged_variance(m, frequencies, n, collections, memo=memo).mean()))


def _sentence(of: Followed, frequencies: np.ndarray, n: int) -> str:
    """Say what a hundred collections win over one."""
    m = of.mechanism
    once, with_memo, fresh = (_error(m, frequencies, n, t, memo) for t, memo in ((1, True), (100, True), (100, False)))
    text = f"**{of.label}**: a bin is off by ± {points(once)} points in one collection. "
    if not of.longitudinal:
        text += "If the same reports are sent again, averaging wins nothing"
    else:
        end = _error(m, frequencies, n, math.inf, True)
        text += (
            f"Averaged over 100 of them it is ± {points(with_memo)} with a memo, and never less than ± {points(end)}: "
            "the noise of the memo stays"
        )
    cost = theory.effective_eps_after(m, 100, memo=False)
    return f"{text}. With fresh noise it is ± {points(fresh)}, at an ε of {budget(cost)}."


_MADE = """Exact: the root of the mean variance of raw MI over all bins, given the users' values, which do not change;
all users report at every collection. What the server could gain by reading one user's reports together, instead of
averaging estimates, is not counted; the noise of the memos would stay in any case."""
