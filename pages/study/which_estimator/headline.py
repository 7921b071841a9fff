"""What the tournament comes to, in a few sentences: with Uniform data and without, and beside PowerNS."""

from __future__ import annotations

import numpy as np
import streamlit as st

from ldpcore import tournament
from ldpcore.tournament import Cells
from ldpui import cache
from pages.study import standings

SPIKE = "spike"


_NAMES = tournament.NAMES | {"auto-ordered": "auto, told of the order"}
# What each does, for somebody who meets it here for the first time.
_SUMMARIES = {
    "auto-ordered": "may also smooth over neighbouring bins",
    "auto": "tries others on half of the users, judges them by the other half, and takes one that did well",
    "power-ns": "pulls bins towards what a power law would expect; tries nothing out",
    "mi": "takes the noise away, sets what is negative to 0 and rescales",
    "ibu": "the paper's 10,000 steps of fitting, from equal bins",
}


@st.cache_data(max_entries=1, max_size=cache.MAX_BYTES, ttl=cache.TTL, show_spinner=False)
def sentences() -> str:
    """Say how auto, PowerNS and IBU do on all settings and without Uniform data, and auto beside PowerNS."""
    every, steep = (standings.select(data) for data in (standings.ALL, standings.ALL_BUT_UNIFORM))
    scores = [{s.key: s.score for s in cells.standings()} for cells in (every, steep)]
    rows = "\n".join(
        f"| **{_NAMES[key]}**: {what} | {scores[0][key]:.2f} | {scores[1][key]:.2f} |"
        for key, what in _SUMMARIES.items()
    )
    rough = every.where(~every.settings["data"].isin([standings.UNIFORM, SPIKE]))
    return (
        "The same noisy reports can be made into a histogram in many ways: each is an *estimator*. "
        f"{len(every.contestants)} of them were tried in {len(every.settings):,} settings (data, mechanism, ε, users, "
        "bins) in which the truth is known. Below is their squared error next to that of MI, a simple one: "
        f"**1 is as good as MI, 0.5 is half its error, {_example(scores[0]['ibu'])}**. "
        "Small is good. Each number is a geometric mean over the settings, in which half and double even out.\n\n"
        "| estimator | all settings | no Uniform data |\n|---|---|---|\n"
        f"{rows}\n\n"
        "Why without Uniform data too? There all bins are alike: an estimator that starts from equal bins and hardly "
        "moves is right without having learned anything. "
        f"What does trying out win? Next to PowerNS, auto that is not told of the order has {_beside(every)} in all "
        f"settings, {_beside(steep)} without Uniform data and {_beside(rough)} without Uniform and Spike."
    )


def _example(score: float) -> str:
    """Read one score aloud.

    >>> _example(1.192), _example(0.8)
    ('1.19 (IBU) is 19% more', '0.80 (IBU) is 20% less')
    """
    return f"{score:.2f} (IBU) is {abs(100 * score - 100):.0f}% {'more' if score > 1 else 'less'}"


def _beside(cells: Cells) -> str:
    """Say how auto's error compares with PowerNS's."""
    mean, se = cells.log_ratio("auto", "power-ns")
    away = 100 * np.expm1(mean)
    spread = f"± {100 * se:.1f}%"
    if abs(mean) < 2 * se:
        return f"the same error within the noise ({away:+.1f}% {spread})".replace("-", "−")
    return f"{abs(away):.1f}% {'less' if away < 0 else 'more'} error ({spread})"
