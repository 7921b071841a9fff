"""Comparing mechanisms at the same privacy, on the same users."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

import ldpcore as ldp
from ldpui import registry


def eps_inf(s: ldp.Setting) -> float:
    """Return the ε∞ of the longitudinal mechanisms: the chosen one, or twice ε as in the paper."""
    return 2 * s.eps if s.eps_inf is None else s.eps_inf


def same_privacy(s: ldp.Setting, name: str) -> ldp.Setting:
    """Return the setting with another mechanism, whose first report costs the same ε."""
    return replace(s, mechanism=name, eps_inf=None if name in ldp.ONE_TIME else eps_inf(s))


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


def ordered(rows: Sequence[dict[str, Any]], order: str) -> list[dict[str, Any]]:
    """Sort rows; errors ascending, gains descending."""
    keys = {
        registry.SORTS[0]: lambda r: (ldp.ONE_TIME + ldp.LONGITUDINAL).index(r["mechanism"]),
        registry.SORTS[1]: lambda r: r["mi"],
        registry.SORTS[2]: lambda r: r["ibu"],
        registry.SORTS[3]: lambda r: -r["gain"],
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
    return [float(low - 0.15 * (high - low) - 0.1), float(high + 0.3 * (high - low) + 0.2)]


def flat(r: dict[str, Any]) -> dict[str, Any]:
    """Return a row of the table."""
    return {
        "Mechanism": r["mechanism"],
        "MI": float(r["mi"]),
        "MI ±": r["mi"].se,
        "IBU": float(r["ibu"]),
        "IBU ±": r["ibu"].se,
        "Γ %": float(r["gain"]),
        "Γ ±": r["gain"].se,
        "Limit": float(r["limit"]),
        "Effective ε": r["effective_eps"],
        "Bits": r["bits"],
    }


def open_in_estimate(s: ldp.Setting, name: str) -> None:
    """Go to the page Estimate with this mechanism, at the privacy that is compared.

    By its address, as a link would: Streamlit's own way refuses while widgets are bound to the URL.
    """
    kind, key = (registry.ONE_TIME, "mechanism") if name in ldp.ONE_TIME else (registry.REPEATED, "chain")
    query = registry.link({"reports": kind, key: name} | registry.privacy_words(s.eps, eps_inf(s), name))
    target = json.dumps(registry.address().rsplit("/", 1)[0] + "/" + query)
    st.html(f"<script>window.location.assign({target})</script>", unsafe_allow_javascript=True)
