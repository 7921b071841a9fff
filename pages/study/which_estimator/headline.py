"""What the tournament comes to, in a few sentences: with Uniform data and without, and beside PowerNS."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ldpcore import tournament
from ldpcore.tournament import Cells
from ldpui import cache
from pages.study import standings

SPIKE = "spike"


@st.cache_data(max_entries=1, max_size=cache.MAX_BYTES, ttl=cache.TTL, show_spinner=False)
def sentences() -> str:
    """Say how auto, PowerNS and IBU do on all settings and without Uniform data, and auto beside PowerNS."""
    every, steep = (standings.select(data) for data in (standings.ALL, standings.ALL_BUT_UNIFORM))
    keys = ("auto", "power-ns", "ibu", "auto-ordered")
    scores = [{s.key: f"{s.score:.2f}" for s in cells.standings()} for cells in (every, steep)]
    names = tournament.NAMES | {"auto-ordered": "auto told of the order"}
    listed = ", ".join(f"{names[key]} {scores[0][key]} ({scores[1][key]})" for key in keys)
    rough = every.where(~every.settings["data"].isin([standings.UNIFORM, SPIKE]))
    return (
        f"On {len(every.settings):,} settings, the squared error relative to MI's as a geometric mean, and in brackets "
        f"without Uniform data, on which whoever stays near uniform gains most: {listed}. "
        f"Beside PowerNS, which tries nothing out, auto without the order has {_beside(every)} on all settings, "
        f"{_beside(steep)} without Uniform data and {_beside(rough)} without Uniform and Spike."
    )


def _beside(cells: Cells) -> str:
    """Say how auto's error compares with PowerNS's."""
    mean, se = cells.log_ratio("auto", "power-ns")
    away = 100 * np.expm1(mean)
    spread = f"± {100 * se:.1f}%"
    if abs(mean) < 2 * se:
        return f"the same error within the noise ({away:+.1f}% {spread})".replace("-", "−")
    return f"{abs(away):.1f}% {'less' if away < 0 else 'more'} error ({spread})"
