"""Results, computed once for each Setting and shared by all sessions. Nothing that a user uploads comes here."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpui import words

# Full-report IBU on the page: more than this would keep a reader waiting for many seconds.
FULL_ENTRIES = 4_000_000
FULL_RUNS = 3


@st.cache_data(max_entries=400, show_spinner=False)
def run(setting: ldp.Setting) -> ldp.Result:
    """Run an experiment."""
    return ldp.run(setting)


@st.cache_data(max_entries=40, show_spinner=False)
def run_together(settings: tuple[ldp.Setting, ...]) -> list[ldp.Result]:
    """Run settings that differ only in mechanism and privacy."""
    return ldp.run_together(settings)


@st.cache_data(max_entries=100, show_spinner=False)
def run_full(setting: ldp.Setting) -> npt.NDArray[np.float64]:
    """Run full-report IBU a few times."""
    return ldp.run_full(setting, FULL_RUNS)


def full_refusal(setting: ldp.Setting) -> str | None:
    """Say why full-report IBU is not on offer at this setting, if it is not."""
    entries = setting.n * setting.k
    if entries <= FULL_ENTRIES:
        return None
    return (
        f"Full-report IBU keeps every report: here n·k = {entries:,} entries, and this page stops at {FULL_ENTRIES:,}. "
        "Take fewer users or bins, or run ldpcore.run_full on your own machine."
    )


@st.cache_data(max_entries=100, show_spinner=False)
def estimator_table(setting: ldp.Setting, metric: str, with_full: bool) -> pd.DataFrame:
    """Return the error of every estimator, best first."""
    result = run(setting)
    errors = {name: result.error(name, metric) for name in words.ESTIMATORS if name not in ("full", "norm-mul")}
    if with_full:
        errors["full"] = ldp.Summary(ldp.METRICS[metric](run_full(setting), result.true))
    base = errors["mi"].mean
    rows = [
        {
            "Estimator": words.ESTIMATORS[name],
            "What it does": words.ESTIMATORS_WHAT[name],
            "Error": error.mean,
            "Standard error": error.se,
            "Against MI": 100 * (error.mean / base - 1) if base > 0 and np.isfinite(error.mean) else np.nan,
            "Runs": error.values.size,
        }
        for name, error in errors.items()
    ]
    return pd.DataFrame(rows).sort_values("Error", kind="stable", ignore_index=True)


@st.cache_data(max_entries=5_000, show_spinner=False)
def limits(setting: ldp.Setting) -> dict[str, float]:
    """Return what theory allows for the mean squared error at a setting."""
    m, n = setting.make_mechanism(), setting.n
    true = setting.make_histogram().counts / n
    return {
        "Cramér–Rao": ldp.theory.cramer_rao(m, true, n, against="users").mse,
        "Sampling": ldp.theory.sampling_mse(true, n),
        "Central model": ldp.theory.central_mse(setting.eps, n),
    }


@st.cache_data(max_entries=64, show_spinner=False)
def shape(data: str, params: tuple[tuple[str, float], ...]) -> list[float]:
    """Return the heights of a small preview of a distribution."""
    counts = ldp.sample_histogram(data, 10**7, 60, params=params).counts
    return [float(c) for c in counts / counts.max()]
