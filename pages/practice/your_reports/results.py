"""What is said about collected reports, and their table."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore.collected.fit import DOES_NOT_FIT
from ldpcore.collected.report_tables import worst_fit, worst_verdict
from ldpui import cache, glossary
from ldpui.format import plain
from pages.practice.your_reports import texts
from pages.practice.your_reports.state import Full, Outcome


@dataclass(frozen=True)
class FitVerdict:
    """Whether the reports fit what is said about them, in a sentence with its p-value."""

    verdict: str
    sentence: str

    @property
    def fits(self) -> bool:
        """Whether there is no alarm."""
        return self.verdict != DOES_NOT_FIT

    @classmethod
    def of(cls, collected: ldp.Collected) -> FitVerdict:
        sentence, p_value = worst_fit(collected.fit)
        worst = min(collected.fit, key=lambda fit: fit.p_value)
        if collected.names and worst.values:
            sentence += f" Value {worst.values[0]:,} is {plain(collected.names[worst.values[0]])}."
        shown = f"{p_value:.2g}" if p_value >= 1e-4 else "below 0.0001"
        return cls(worst_verdict(collected.fit), f"{sentence} p-value {shown}.")


def left_out_words(outcome: Outcome) -> list[str]:
    """Say which estimates are not there, and why."""
    collected, description = outcome.collected, outcome.job.description
    words = []
    if outcome.job.mixed:
        words.append("IBU on counts and its limit need one ε for all; full-report IBU takes their place.")
    if description.counts:
        words.append("Full-report IBU needs the reports; support counts are not enough.")
    elif outcome.by_counts:
        words.append(f"A report of {description.mechanism} is one value: full-report IBU is IBU's limit.")
    elif outcome.full is Full.STOPPED:
        words.append("Full-report IBU was stopped.")
    elif outcome.full is Full.NOT_POSSIBLE:
        words.append(
            f"Full-report IBU is left out: it keeps every report, here n·k = {collected.n * description.k:,} entries, "
            f"and this page stops at {cache.FULL_ENTRIES:,}. The Python script below does it on your own machine."
        )
    return words


# The columns of the table by their names in `Collected.table`: what they are called, and what they mean.
_INTERVALS = {
    "noise_low": ("noise only, from", texts.NOISE),
    "noise_high": ("to", texts.NOISE),
    "population_low": ("noise with sampling, from", texts.POPULATION),
    "population_high": ("to ", texts.POPULATION),
}
_MEANINGS = {
    "raw": texts.RAW,
    "mi": glossary.MI,
    "ibu": glossary.IBU,
    "limit": glossary.LIMIT,
    "full": glossary.FULL,
    "auto": glossary.AUTO,
}
_ESTIMATES = {e.key: (e.name, _MEANINGS.get(e.key, e.summary)) for e in ldp.ESTIMATORS.values()}
# The intervals stand beside raw MI, which they belong to.
_COLUMNS = {"raw": _ESTIMATES["raw"]} | _INTERVALS | _ESTIMATES


def percent_table(collected: ldp.Collected) -> tuple[pd.DataFrame, dict[str, Any]]:
    """Return the estimates in percent, and how their columns are called and written."""
    frame = collected.table()
    there = [name for name in _COLUMNS if name in frame]
    first = ["value", *(["name"] if collected.names else []), "count"]
    shown = frame[first].join(100 * frame[there])
    number = st.column_config.NumberColumn
    places = max(2, math.ceil(math.log10(len(frame))))
    config = {name: number(_COLUMNS[name][0], help=_COLUMNS[name][1], format=f"%.{places}f%%") for name in there}
    support = number("support count", help=glossary.SUPPORT, format="localized")
    name = st.column_config.TextColumn("name", width="medium")
    return shown, config | {"value": number("value"), "name": name, "count": support}
