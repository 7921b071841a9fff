"""Sweeps on a page: results appear as they are computed, and a change of the controls stops the old sweep."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import cache, session
from ldpui.own import Upload

# Streamlit stops a script that is out of date only where it draws; so something is drawn this often.
_PAUSE = 0.25


@cache.by_setting(20_000, 5_000)
def errors(
    setting: ldp.Setting, data: Upload | None, estimators: tuple[str, ...]
) -> dict[str, dict[str, tuple[float, float]]]:
    """Return for each metric the estimators' errors at a setting, as mean and standard error, and the gains over MI."""
    result = run_for(setting, data, estimators)
    found: dict[str, dict[str, tuple[float, float]]] = {}
    for metric in ldp.METRICS:
        here = found.setdefault(metric, {})
        for name in estimators:
            error = result.error(name, metric)
            here[name] = (error.mean, error.se)
            if name != "mi":
                gain = result.gain(metric, estimator=name)
                here[f"gain_{name}"] = (gain.mean, gain.se)
    return found


def limits(settings: Sequence[ldp.Setting]) -> list[tuple[ldp.Setting, dict[str, float]]]:
    """Ask theory about many settings, with progress."""
    found, bar = [], st.empty()
    drawn = time.monotonic()
    for done, setting in enumerate(settings, start=1):
        found.append((setting, cache.limits(setting, session.data_of(setting))))
        if time.monotonic() - drawn > _PAUSE and done < len(settings):
            drawn = time.monotonic()
            bar.progress(done / len(settings), f"What theory allows: {done} of {len(settings)}")
    bar.empty()
    return found


def run_for(setting: ldp.Setting, data: Upload | None, estimators: tuple[str, ...]) -> ldp.Result:
    """Run an experiment; IBU's iterations are left out where nobody asks for them."""
    short = setting if "ibu" in estimators else replace(setting, max_iter=1)
    return ldp.run(short, cache.own_histogram(setting, data))


def progressive(
    settings: Sequence[ldp.Setting],
    metric: str,
    estimators: tuple[str, ...],
    draw: Callable[[list[dict[str, Any]]], None],
) -> list[dict[str, Any]]:
    """Compute the errors of many settings; call `draw` with what there is a few times a second."""
    rows: list[dict[str, Any]] = []
    bar = st.empty()
    begun = drawn = time.monotonic()
    for done, setting in enumerate(settings, start=1):
        found = errors(setting, session.data_of(setting), estimators)[metric]
        rows += [{"setting": setting, "estimator": name, "mean": mean, "se": se} for name, (mean, se) in found.items()]
        now = time.monotonic()
        if now - drawn > _PAUSE and done < len(settings):
            drawn = now
            left = (now - begun) / done * (len(settings) - done)
            bar.progress(done / len(settings), f"{done} of {len(settings)} settings, about {left:.0f} s left")
            draw(rows)
    bar.empty()
    return rows
