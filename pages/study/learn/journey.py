"""The life of one report, drawn by the mechanism's own code: from the value to what travels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from pages.study.learn import stages
from pages.study.learn.kinds import Stage
from pages.study.learn.sender import Sender


@dataclass(frozen=True, eq=False)
class Journey:
    """The stages of a report, and the report itself."""

    stages: list[Stage]
    report: Any


def send(sender: Sender, rng: np.random.Generator) -> Journey:
    """Send a report, and tell its life."""
    m = sender.mechanism
    shown = [stages.value(sender)]
    memo = sender.device.memo
    if memo is not None:
        report = sender.device.report(rng)
        shown += [*stages.encoded(sender, memo), stages.memo_stage(sender, memo), stages.fresh(sender, memo, report)]
    else:
        # Where a report is made of reals by a threshold, they are shown too.
        reals = m.noisy_histograms([sender.own], rng, accept_leak=True)
        report = m.privatize([sender.own], rng) if reals is None else m.supports(reals)
        shown += stages.encoded(sender, report)
        shown += stages.noise(sender, report, rng) if reals is None else stages.threshold(sender, reals, report)
    return Journey([*shown, stages.travels(sender, report)], report)
