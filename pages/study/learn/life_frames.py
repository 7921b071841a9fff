"""What is seen of reports on their way: one stage by stage, or many one after the other, and the belief below."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ldpui import theme
from ldpui.charts.common import Array
from ldpui.format import times
from pages.study.learn import panels, player
from pages.study.learn.journey import Journey
from pages.study.learn.population import NAMES, K


def frames(last: Sequence[Journey], beliefs: Array, version: int, dark: bool) -> player.Player:
    """Show the last report stage by stage, or the last few one after the other; `beliefs` has a row for each report."""
    first = len(beliefs) - len(last)
    before = beliefs[first - 1] if first else np.full(K, 1 / K)
    both = (
        panels.tiles("On your phone", NAMES, theme.IBU, dark),
        panels.rows(
            "What the server may believe",
            NAMES,
            (),
            dark,
            truth_name="belief after all reports so far",
            bar=theme.BELIEF,
        ),
    )
    if len(last) == 1:
        shown = [_stage_frame(last[0], i, before, first + 1) for i in range(len(last[0].stages))]
        shown.append(_belief_frame(last[0], beliefs[-1], first + 1))
        pace = 1_600
    else:
        shown = [_belief_frame(one, beliefs[i], i + 1) for i, one in enumerate(last, first)]
        pace = 700 if len(last) <= 10 else 70
    return player.Player(
        both,
        shown,
        slider="Stage of the report" if len(last) == 1 else "Report",
        pace=pace,
        tells=False,
        autoplay=True,
        version=version,
    )


def _stage_frame(journey: Journey, number: int, belief: Array, report: int) -> player.Frame:
    stage = journey.stages[number]
    earlier = journey.stages[number - 1].lit if number else stage.lit
    tiles = panels.on(stage.lit, stage.words, stage.lit != earlier)
    return player.Frame(f"Report {report}: {stage.title}", f"**{stage.title}.** {stage.text}", [tiles, _bars(belief)])


def _belief_frame(journey: Journey, belief: Array, report: int) -> player.Frame:
    stage = journey.stages[-1]
    text = (
        f"**What the server believes** after {times(report, 'report')}: {_most(belief)}. The lit ones are those that "
        "this report speaks for."
    )
    return player.Frame(f"Report {report}: belief", text, [panels.on(stage.lit, stage.words), _bars(belief)])


def _most(belief: Array) -> str:
    """Say what is held for most likely; several things may be so."""
    likeliest = np.flatnonzero(belief > belief.max() * (1 - 1e-9)).tolist()
    if len(likeliest) == K:
        return "all eight are equally likely"
    names = " and ".join(f"“{NAMES[v]}”" for v in likeliest) if len(likeliest) < 3 else times(len(likeliest), "thing")
    each = " each" if len(likeliest) > 1 else ""
    return f"most of all {names}, with **{chance(float(belief.max()))}**{each}"


def _bars(belief: Array) -> dict[str, Any]:
    return panels.marks(truth=100 * belief, numbers=[chance(float(b)) for b in belief])


def chance(share: float) -> str:
    """Write a belief; what is nearly impossible, or nearly sure, is not quite so.

    >>> chance(0.125), chance(1e-9), chance(0.99999)
    ('12.5%', '< 0.1%', '> 99.9%')
    """
    if 0 < share < 0.0005:
        return "< 0.1%"
    return "> 99.9%" if share > 0.9995 else f"{100 * share:.1f}%"
