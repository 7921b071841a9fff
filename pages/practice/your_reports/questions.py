"""The questions of the page Your reports: what made the reports, and what the file holds."""

from __future__ import annotations

from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import glossary, widgets
from ldpui.address import links
from pages.practice.your_reports import controls, texts
from pages.practice.your_reports.description import Description


def values() -> dict[str, Any]:
    """Return what the controls of the page stand at, whether they are drawn or not."""
    return {key: links.value(key) for key in links.CONTROLS if key.startswith("r_")}


def ask() -> Description:
    """Draw the questions on what made the reports; those that do not concern the mechanism are not asked."""
    description = Description.of(values())
    with st.container(horizontal=True, vertical_alignment="bottom"):
        names = ldp.ONE_TIME + ldp.LONGITUDINAL
        widgets.choose("Mechanism", "r_mechanism", names, help=texts.MECHANISM, width=150)
        widgets.whole_number("Values k", "r_k", 2, controls.REPORT_BINS_MAX, help=texts.K, width=130)
        contents = (controls.REPORTS, controls.COUNTS)
        widgets.choose("The file holds", "r_holds", contents, help=texts.HOLDS, width=170)
        _ask_eps(description)
        _ask_options(description)
        if description.n is not None:
            widgets.whole_number("Reports n", "r_n", 0, controls.REPORT_USERS_MAX, help=texts.N, width=170)
    return description


def _ask_eps(description: Description) -> None:
    """Ask for ε: of all reports, or in which form each brings its own."""
    if not description.counts:
        each = (controls.SAME, controls.COLUMN)
        widgets.choose("ε is", "r_each", each, help=texts.EACH, width=190)
    if description.eps is not None:
        longitudinal = description.kind.longitudinal
        _real("ε of one report (ε₁)" if longitudinal else "Privacy budget ε", "r_eps", 50.0, glossary.EPS)
    if description.eps_inf is not None:
        _real("ε∞ of all reports", "r_eps_inf", 100.0, glossary.EPS_INF)


def _ask_options(description: Description) -> None:
    """Ask for what only some mechanisms have."""
    if description.kind.calibration_matters:
        widgets.choose("Calibration", "r_calibration", ldp.CALIBRATIONS, help=texts.CALIBRATION, width=150)
    if "hash_family" in description.kind.options and not description.counts:
        families = (controls.OWN_HASH, controls.PEERS_HASH)
        widgets.choose("Hash functions", "r_family", families, help=texts.FAMILY, width=310)
    if description.pair is not None:
        orders = (controls.VALUE_SEED, controls.SEED_VALUE)
        widgets.choose("Columns without names", "r_pair", orders, help=texts.PAIR, width=190)


def _real(label: str, key: str, high: float, what: str) -> None:
    default = links.CONTROLS[key].default
    st.number_input(label, 1e-4, high, default, 0.1, format="%g", help=what, width=170, **widgets.bound(key))
