"""What an attacker makes of the reports of one user."""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpcore.theory.attack import Chance
from pages.practice.advisor.phrases import with_error

MANY_REPORTS, AGAIN = 100, 10


def guessed(m: ldp.Mechanism, reports: float) -> Chance:
    """Return how often the best guess from so many reports of a user is right."""
    return _guessed(m.name, tuple(m.parameters.items()), reports)


@st.cache_data(max_entries=2_000, show_spinner=False)
def _guessed(name: str, parameters: tuple[tuple[str, Any], ...], reports: float) -> Chance:
    return ldp.theory.attack_success_after(ldp.mechanism(name, **dict(parameters)), reports)


def sentence(m: ldp.Mechanism) -> str:
    """Say what an attacker makes of one report, and of more."""
    once, blind = guessed(m, 1), 1 / m.k
    text = (
        f"Somebody who sees one report of {m.name} and guesses the user's value is right {_share(once)} of the time "
        f"({_share(Chance(blind))} without any report, if all values are equally likely)"
    )
    if m.longitudinal:
        many, ever = guessed(m, MANY_REPORTS), guessed(m, math.inf)
        most = "" if _share(many) == _share(ever) else f" than {_share(ever)}"
        return f"{text}; after {MANY_REPORTS} reports {_share(many)}, and never more{most}."
    again = guessed(m, AGAIN)
    return (
        f"{text}. That holds for **one** report: asked {AGAIN} times with fresh noise, {_share(again)}. For repeated "
        "collections choose *repeatedly* above."
    )


def _share(chance: Chance) -> str:
    """Write a chance in percent, certainty only where it is certain.

    >>> _share(Chance(0.04182)), _share(Chance(0.53112, 2e-4)), _share(Chance(0.99999)), _share(Chance(1.0))
    ('4.18%', '53.11 ± 0.02%', 'over 99.9%', '100%')
    """
    if 0.9995 <= chance.chance < 1:
        return "over 99.9%"
    value, spread = with_error(100 * chance.chance, 100 * chance.se)
    return f"{value}{f' ± {spread}' if spread else ''}%"
