"""The ranked tables of the Advisor."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore import advisor as core
from ldpcore.advisor import Candidate, Measured
from ldpui import auto_choices, glossary
from pages.practice.advisor import phrases
from pages.practice.advisor.attacker import MANY_REPORTS, guessed, guessed_knowing
from pages.practice.advisor.errors import ADVISED, AUTO
from pages.practice.advisor.needs import Need
from pages.practice.advisor.question import Question


def error_table(candidates: Sequence[Candidate], q: Question) -> pd.DataFrame:
    """Return the ranked table of what is reached; equals share a rank."""
    unit, order = phrases.unit(q.accuracy), core.ranked(candidates)
    properties = {c.mechanism.name: _properties(c.mechanism, q.setting) for c in order}
    return pd.DataFrame(
        {
            "No.": place,
            "Mechanism": c.mechanism.name,
            "Estimator": ldp.estimator(c.estimator).name,
            "Error": unit * _but_for_noise(c.error.value),
            "±": unit * _but_for_noise(c.error.se),
            "Enough": enough(c.error, q.accuracy.bound),
            **properties[c.mechanism.name],
            "Runs": c.error.runs,
            **({"Chose": auto_choices.brief(auto_choices.tally(c.error.chosen))} if c.error.chosen else {}),
        }
        for place, c in zip(_places([c.error for c in order]), order, strict=True)
    )


def _but_for_noise(x: float) -> float:
    """Return 0 for what floats make of 0."""
    return 0.0 if abs(x) <= core.FLOAT_NOISE else x


def _places(errors: Sequence[Measured]) -> list[int]:
    """Return the ranks of ascending errors; equals have the rank of the first of them."""
    places: list[int] = []
    for i, error in enumerate(errors):
        same = i > 0 and core.equal(errors[i - 1], error)
        places.append(places[-1] if same else i + 1)
    return places


def enough(error: Measured, bound: float) -> str:
    """Say whether an error is within the bound: "yes", "no", or "too close"."""
    if core.close(error, Measured(bound, 0.0)):
        return "too close"
    return "yes" if error.value <= bound else "no"


def needed_table(needs: Sequence[Need], q: Question) -> pd.DataFrame:
    """Return the ranked table of what is needed; what is out of reach has no number.

    The number is rounded up, and what noise leaves open is rounded outwards.
    """
    places = _places([need.candidate.error for need in needs])
    return pd.DataFrame(
        {
            "No.": place,
            "Mechanism": need.mechanism.name,
            "Estimator": ldp.estimator(need.estimator).name,
            "Needed": _finite(core.round_up(need.answer.value)),
            "from": _finite(core.round_down(need.answer.low)),
            "to": _finite(core.round_up(need.answer.high)),
            **(_properties(need.mechanism, q.setting) if need.answer.reached else {}),
            "Found by": need.answer.method if need.answer.reached else "out of reach",
        }
        for place, need in zip(places, needs, strict=True)
    )


def _finite(x: float) -> float:
    return x if math.isfinite(x) else math.nan


def _properties(m: ldp.Mechanism, s: ldp.Setting) -> dict[str, float]:
    """Return what a report costs, and what an attacker makes of reports."""
    properties = {
        "Bits": m.report_bits,
        "Guessed once": 100 * guessed(m, 1).chance,
        "Knowing the shares": 100 * guessed_knowing(m, 1, s).chance,
    }
    if m.longitudinal:
        many = guessed(m, MANY_REPORTS)
        spread = 100 * many.se if many.se > 1e-9 else 0.0  # else the last digits of equal numbers
        properties |= {"After 100": 100 * many.chance, "± of that": spread, "Ever": 100 * guessed(m, math.inf).chance}
    return properties


def columns(q: Question) -> dict[str, Any]:
    """Return how the columns of both tables are named, written and explained."""
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    users = q.sought == "n"
    needed = "users needed" if users else "ε₁ needed" if q.repeated else "ε needed"
    amount: dict[str, Any] = {"format": "localized" if users else "%.3g", "help": glossary.NEEDED}
    return {
        "No.": number(
            width=40,
            pinned=True,
            help="Rank: the smallest error, or the least that is needed, comes first; equals share a rank.",
        ),
        "Mechanism": text(pinned=True, help="How each user blurs the value before sending it."),
        "Estimator": text(pinned=True, help=_ESTIMATOR_HELP),
        "Error": number(
            "within ± (points)" if phrases.in_points(q.accuracy) else "total variation",
            format="%.3g",
            help=glossary.GOAL,
        ),
        "±": number(format="%.2g", help="Standard error of the simulation."),
        "Enough": text("enough?", help="Whether the accuracy asked for above is reached."),
        "Needed": number(needed, **amount),
        "from": number(**amount),
        "to": number(**amount),
        "Found by": text("found by", help=glossary.NEEDED),
        **_PROPERTY_COLUMNS,
        "Runs": number("runs", help=glossary.RUNS),
        "Chose": text("auto chose", help="Which kind of estimator, and in how many of its runs."),
    }


_ESTIMATOR_HELP = "How the server makes a histogram of the reports.\n\n" + "\n".join(
    f"- **{e.name}**: {e.summary}" for e in (*ADVISED, ldp.estimator(AUTO))
)
_PROPERTY_COLUMNS: dict[str, Any] = {
    "Bits": st.column_config.NumberColumn("bits", format="%.3g", help=glossary.BITS),
    "Guessed once": st.column_config.NumberColumn("guessed from 1 (%)", format="%.3g", help=glossary.GUESS_ONCE),
    "Knowing the shares": st.column_config.NumberColumn("shares known (%)", format="%.3g", help=glossary.GUESS_KNOWING),
    "After 100": st.column_config.NumberColumn("after 100 (%)", format="%.3g", help=glossary.GUESS_MANY),
    "± of that": st.column_config.NumberColumn(
        "±", format="%.1g", help="Standard error of the simulation; 0 where the chance is exact."
    ),
    "Ever": st.column_config.NumberColumn("ever (%)", format="%.3g", help=glossary.GUESS_EVER),
}
