"""Comparing mechanisms at the same privacy, on the same users."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpui import privacy, session, vocabulary
from pages.explore.compare import controls


def row(result: ldp.Result, metric: str) -> dict[str, Any]:
    """Return what the chart and the table show of one mechanism."""
    return {
        "mechanism": result.setting.mechanism,
        "mi": result.error("mi", metric),
        "ibu": result.error("ibu", metric),
        "limit": result.error("limit", metric),
        "gain": result.gain(metric),
        "bits": result.mechanism.report_bits,
        "effective_eps": result.mechanism.effective_eps,
    }


def average_gain(rows: Sequence[dict[str, Any]]) -> str:
    """Return the mean of the gains in words; an infinite error has no part in it."""
    gains = [float(r["gain"]) for r in rows if np.isfinite(float(r["mi"])) and np.isfinite(float(r["ibu"]))]
    return f"{np.mean(gains):.0f}%" if gains else "not defined"


def infinite(rows: Sequence[dict[str, Any]]) -> str | None:
    """Say whose error is infinite, and so not drawn."""
    names = [
        f"{r['mechanism']} ({word})" for r in rows for key, word in _WORDS.items() if not np.isfinite(float(r[key]))
    ]
    if not names:
        return None
    return (
        "KL is infinite where an estimate gives 0 to a bin that has users. So it is here for "
        f"{', '.join(names)}: not drawn, and without a gain."
    )


_WORDS = {"mi": "MI", "ibu": "IBU"}


def on_a_step(s: ldp.Setting) -> bool:
    """Tell whether the slider of Estimate has the ε that is compared."""
    return float(privacy.privacy_words(s.eps, privacy.eps_inf(s), "GRR")["eps"]) == s.eps


def ordered(rows: Sequence[dict[str, Any]], order: str) -> list[dict[str, Any]]:
    """Sort rows; errors ascending, gains descending."""
    keys = {
        controls.SORTS[0]: lambda r: (ldp.ONE_TIME + ldp.LONGITUDINAL).index(r["mechanism"]),
        controls.SORTS[1]: lambda r: r["mi"],
        controls.SORTS[2]: lambda r: r["ibu"],
        controls.SORTS[3]: lambda r: -r["gain"],
    }
    return sorted(rows, key=keys[order])


def log_range(rows: Sequence[dict[str, Any]]) -> list[float] | None:
    """Return one log axis for all panels; None if there is nothing to draw."""
    values = np.array([float(r[key]) for r in rows for key in ("mi", "ibu")])
    values = values[np.isfinite(values) & (values > 0)]
    if not values.size:
        return None
    # Room above for the gains.
    low, high = np.log10(values.min()), np.log10(values.max())
    return [float(low - 0.15 * (high - low) - 0.1), float(high + 0.22 * (high - low) + 0.15)]


def flat(r: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the table."""
    return {
        "Mechanism": r["mechanism"],
        "MI": float(r["mi"]),
        "MI ±": r["mi"].se,
        "IBU": float(r["ibu"]),
        "IBU ±": r["ibu"].se,
        "Γ %": float(r["gain"]) if np.isfinite(float(r["mi"])) else np.nan,
        "Γ ±": r["gain"].se if np.isfinite(float(r["mi"])) else np.nan,
        "Limit": float(r["limit"]),
        "Effective ε": r["effective_eps"],
        "Bits": r["bits"],
    }


def open_in_estimate(s: ldp.Setting, name: str) -> None:
    """Go to the page Estimate with this mechanism, at the privacy that is compared."""
    kind, key = (vocabulary.ONE_TIME, "mechanism") if name in ldp.ONE_TIME else (vocabulary.REPEATED, "chain")
    st.session_state.update({"reports": kind, key: name} | privacy.privacy_words(s.eps, privacy.eps_inf(s), name))
    session.current().go_to = ""
