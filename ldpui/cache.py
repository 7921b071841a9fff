"""Results, computed once for each Setting and shared by all sessions; those on a visitor's own data stay in theirs.

Every function here takes the setting and the data that it needs: what a session brought (see `session.data_of`), or
None for settings that have data of their own. The two decide the result, and nothing else does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np
import numpy.typing as npt
import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore.experiment.run import collect, iterate, join
from ldpcore.metrics import RECORDS
from ldpui.own import Upload

# Full-report IBU on the page: more than this would keep a reader waiting for many seconds.
FULL_ENTRIES = 4_000_000
FULL_RUNS = 3
# IBU works on so many numbers in about half a second.
PART_WORK = 150_000_000
P = ParamSpec("P")
T = TypeVar("T")
_BY_VERSION: dict[str | type[Any], Callable[[Any], Any]] = {Upload: lambda upload: upload.version}


def by_setting(entries: int, own_entries: int) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache a function whose first arguments are a setting, or a tuple of them, and their own data or None.

    For all sessions where there is no own data; else in the session that brought it, by the data's version.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        shared = st.cache_data(max_entries=entries, show_spinner=False)(function)
        private = st.cache_data(max_entries=own_entries, show_spinner=False, scope="session", hash_funcs=_BY_VERSION)(
            function
        )

        @wraps(function)
        def answer(*arguments: P.args, **options: P.kwargs) -> T:
            chosen = shared if arguments[1] is None else private
            return chosen(*arguments, **options)

        return answer

    return decorate


@st.cache_data(max_entries=200, show_spinner=False, scope="session", hash_funcs=_BY_VERSION)
def _own_histogram(data: Upload, k: int, n: int, seed: int, by_value: bool) -> ldp.Histogram:
    return data.histogram(k, n, seed, by_value)


def own_histogram(setting: ldp.Setting, data: Upload | None) -> ldp.Histogram | None:
    """Return own data as a setting needs it; None where the setting makes its own."""
    if data is None:
        return None
    return _own_histogram(data, setting.k, setting.n, setting.seed, setting.binning == "values")


def histogram(setting: ldp.Setting, data: Upload | None) -> ldp.Histogram:
    """Return the data of a setting."""
    return own_histogram(setting, data) or setting.make_histogram()


@by_setting(400, 20)
def run(setting: ldp.Setting, data: Upload | None) -> ldp.Result:
    """Run an experiment; a long one part by part, each of which is cached too."""
    parts = parts_of(setting)
    if len(parts) == 1:
        return ldp.run(setting, own_histogram(setting, data))
    return join(collect(setting, own_histogram(setting, data)), [run_part(setting, data, *part) for part in parts])


def parts_of(setting: ldp.Setting) -> list[tuple[int, int]]:
    """Return the runs in parts that take a moment each, as first run and number of runs."""
    each = max(1, PART_WORK // (setting.k * setting.max_iter))
    return [(first, min(each, setting.runs - first)) for first in range(0, setting.runs, each)]


@by_setting(400, 100)
def run_part(setting: ldp.Setting, data: Upload | None, first: int, number: int) -> ldp.IBURun:
    """Run IBU on some of the runs of an experiment."""
    return iterate(collect(setting, own_histogram(setting, data)), first, number)


@by_setting(40, 3)
def run_together(settings: tuple[ldp.Setting, ...], data: Upload | None) -> list[ldp.Result]:
    """Run settings that differ only in mechanism and privacy."""
    return ldp.run_together(settings, own_histogram(settings[0], data))


@by_setting(100, 20)
def run_full(setting: ldp.Setting, data: Upload | None) -> npt.NDArray[np.float64]:
    """Run full-report IBU a few times."""
    return ldp.run_full(setting, FULL_RUNS, own_histogram(setting, data))


def full_refusal(setting: ldp.Setting) -> str | None:
    """Say why full-report IBU is not on offer at this setting, if it is not."""
    entries = setting.n * setting.k
    if entries <= FULL_ENTRIES:
        return None
    return (
        f"Full-report IBU keeps every report: here n·k = {entries:,} entries, and this page stops at {FULL_ENTRIES:,}. "
        "Take fewer users or bins, or run ldpcore.run_full on your own machine."
    )


def slow_estimators() -> list[str]:
    """Return the keys of the estimators that take seconds: those that iterate, but for IBU, which every result has."""
    return [e.key for e in ldp.ESTIMATORS.values() if e.iterated and e.needs == "counts" and e.key != "ibu"]


@by_setting(2_000, 500)
def slow_estimate(setting: ldp.Setting, data: Upload | None, key: str, number: int) -> npt.NDArray[np.float64]:
    """Return what a slow estimator makes of one run, shape (1, k)."""
    result, one = run(setting, data), [number]
    names = ("counts", "mi", "ibu", "iterations", "converged")
    return replace(result, **{name: getattr(result, name)[one] for name in names}).estimate(key)


@by_setting(100, 20)
def estimator_table(
    setting: ldp.Setting, data: Upload | None, metric: str, with_full: bool, with_slow: bool = False
) -> pd.DataFrame:
    """Return the error of every estimator, best first."""
    result, slow = run(setting, data), slow_estimators()
    possible = [e for e in ldp.ESTIMATORS.values() if e.needs == "counts" and (result.ordered or not e.ordered)]
    errors = {e.key: result.error(e.key, metric) for e in possible if e.key not in slow}
    for key in slow if with_slow else ():
        estimates = np.concatenate([slow_estimate(setting, data, key, i) for i in range(setting.runs)])
        errors[key] = ldp.Summary(ldp.METRICS[metric](estimates, result.true))
    if with_full:
        errors["full"] = ldp.Summary(ldp.METRICS[metric](run_full(setting, data), result.true))
    record = RECORDS[metric]
    losses = {name: float(record.loss(error.values).mean()) for name, error in errors.items()}
    base = losses["mi"]
    rows = [
        {
            "Estimator": ldp.ESTIMATORS[name].name,
            "What it does": ldp.ESTIMATORS[name].summary,
            "Error": error.mean,
            "Standard error": error.se,
            "Against MI": 100 * (losses[name] / base - 1) if base > 0 and np.isfinite(losses[name]) else np.nan,
            "Runs": error.values.size,
        }
        for name, error in sorted(errors.items(), key=lambda item: losses[item[0]])
    ]
    return pd.DataFrame(rows)


@by_setting(5_000, 500)
def limits(setting: ldp.Setting, data: Upload | None) -> dict[str, float]:
    """Return what theory allows for the mean squared error at a setting."""
    m, n = setting.make_mechanism(), setting.n
    true = histogram(setting, data).frequencies
    return {
        "Cramér–Rao": ldp.theory.cramer_rao(m, true, n, against="users").mse,
        "Sampling": ldp.theory.sampling_mse(true, n),
        "Central model": ldp.theory.central_mse(setting.eps, n),
    }


@st.cache_data(max_entries=64, show_spinner=False)
def value_edges(data: str, params: tuple[tuple[str, float], ...], n: int, seed: int) -> list[float]:
    """Return the edges of one bin per value; none for data that are not whole numbers."""
    if not ldp.distribution(data).whole:
        return []
    edges: list[float] = ldp.sample_histogram(data, n, None, "values", seed, params).edges.tolist()
    return edges


@st.cache_data(max_entries=64, show_spinner=False)
def shape(data: str, params: tuple[tuple[str, float], ...]) -> list[float]:
    """Return the heights of a small preview of a distribution."""
    counts = ldp.sample_histogram(data, 10**7, 60, params=params).counts
    return [float(c) for c in counts / counts.max()]
