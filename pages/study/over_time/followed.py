"""The mechanisms that are followed over time, each with a memo and with fresh noise, and what is computed of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpcore import theory
from ldpcore.theory import Chance
from ldpcore.theory.two_rounds import rounds_of
from ldpui import cache, glossary, privacy, session, theme, widgets
from ldpui.computing import compute, work
from ldpui.own import Upload
from ldpui.theme import Look
from pages.study.over_time import controls

# Along all axes of reports: from one to ten thousand.
REPORTS = (*(digit * 10**power for power in range(4) for digit in (1, 2, 5)), 10_000)
# Pairs of sets of reports are simulated for as many points as are drawn in a moment.
SETS = (1, 2, 5, 10, 20, 50, 100)


@dataclass(frozen=True)
class Followed:
    """A mechanism that is followed.

    Attributes
    ----------
    label : its name, with the calibration where both are drawn
    setting : what it is made of; a one-time mechanism has the ε₁ of the others as its ε
    look : how it is drawn
    """

    label: str
    setting: ldp.Setting
    look: Look

    @property
    def mechanism(self) -> ldp.Mechanism:
        return self.setting.make_mechanism()

    @property
    def longitudinal(self) -> bool:
        return self.setting.eps_inf is not None


def choose(s: ldp.Setting, names: Sequence[str], row: Any) -> list[Followed]:
    """Return the mechanisms that can have the budgets, and say which can't; the row of controls asks how."""
    both = any(ldp.mechanism_class(name).calibration_matters for name in names)
    with row:
        two = both and widgets.switch("Both calibrations", "calibrations", help=_both_help())
    followed: list[Followed] = []
    for name in names:
        for label, calibration in _versions(name, s.calibration, two):
            try:
                setting = possible(s, name, calibration)
            except ldp.Refused as refused:
                st.warning(f"**{name}** is left out: {refused}.", icon=":material/block:")
                break
            followed.append(Followed(label, setting, theme.SERIES[len(followed) % len(theme.SERIES)]))
    if not names:
        st.info("Choose at least one mechanism above.", icon=":material/info:")
    return followed


def possible(s: ldp.Setting, name: str, calibration: str) -> ldp.Setting:
    """Return the setting with a mechanism, or refuse: a chain must have the budgets, and say what its rounds are."""
    setting = replace(privacy.same_privacy(s, name), calibration=calibration)
    if setting.eps_inf is not None:
        rounds_of(setting.make_mechanism())
    return setting


def _versions(name: str, calibration: str, two: bool) -> list[tuple[str, str]]:
    """Return what a mechanism is called, once or with either calibration."""
    if not (two and ldp.mechanism_class(name).calibration_matters):
        return [(name, calibration)]
    return [(f"{name}, {which}", which) for which in ldp.CALIBRATIONS]


def _both_help() -> str:
    return (
        f"Draws {glossary.with_two_calibrations()} twice: with the second round as published, whose first report costs "
        "less than ε₁, and with a tight one, whose first report costs exactly ε₁. *Advanced* says which one is drawn "
        "alone."
    )


# ---- what is computed -------------------------------------------------------------------


def shares(s: ldp.Setting, data: Upload | None, known: bool) -> np.ndarray | None:
    """Return what the attacker knows of the values: their shares in the data, or nothing."""
    return cache.histogram(s, data).frequencies if known else None


@cache.by_setting(2_000, 200, apart=True)
def curve(s: ldp.Setting, data: Upload | None, memo: bool, known: bool) -> tuple[Chance, ...]:
    """Return the attacker's chances after each number of `REPORTS`."""
    prior = shares(s, data, known)
    followed = partial(theory.attack_curve, s.make_mechanism(), REPORTS, prior, memo=memo, seed=s.seed)
    return compute.run(followed, key=("attack curve", s, memo, known) if data is None else None)


@cache.by_setting(2_000, 200)
def end(s: ldp.Setting, data: Upload | None, known: bool) -> float:
    """Return the attacker's chance after infinitely many reports of a memo."""
    m = s.make_mechanism()
    many = math.inf if m.longitudinal else 1
    return theory.attack_success_after(m, many, shares(s, data, known)).chance


@cache.by_setting(2_000, 200, apart=True)
def telling(s: ldp.Setting, data: Upload | None, memo: bool, known: bool, what: str) -> tuple[Chance, ...]:
    """Return how well it is told whether two sets of reports are of one user, or of one value.

    With each number of reports of `SETS` in a set, and in the end with infinitely many.
    """
    function = theory.linkability if what == controls.USERS else theory.change_noticed
    m, prior = s.make_mechanism(), shares(s, data, known)
    calls = [partial(function, m, reports, prior, memo=memo, seed=s.seed) for reports in (*SETS, math.inf)]
    return tuple(compute.run(work.together, *calls, key=("telling", s, memo, known, what) if data is None else None))


def data_for(s: ldp.Setting, known: bool) -> Upload | None:
    """Return the own data where they decide something: without them results are shared by all visitors."""
    return session.data_of(s) if known else None


def jobs(followed: Sequence[Followed], noises: Sequence[str]) -> list[tuple[Followed, bool]]:
    """Return each mechanism with a memo and without, as far as both are drawn."""
    return [(one, noise == controls.MEMO) for one in followed for noise in controls.NOISES if noise in noises]
