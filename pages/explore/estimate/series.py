"""The series that the chart of Estimate can show: how each looks, and what its switch says of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

import ldpcore as ldp
from ldpui import cache, glossary, theme
from ldpui.charts.common import Array
from ldpui.own import Upload
from ldpui.theme import Look

# From a result and the visitor's own data, if these are meant, to an estimate of every run.
Runs = Callable[[ldp.Result, Upload | None], Array]


@dataclass(frozen=True)
class Series:
    """A series: how it looks, where its numbers come from, and its switch; without one it is always drawn."""

    look: Look
    runs: Runs
    label: str = ""
    meaning: str = ""

    @property
    def switched(self) -> bool:
        return bool(self.label)


def _estimate(key: str, meaning: str, runs: Runs | None = None) -> Series:
    look = theme.of_estimator(key)
    return Series(look, runs or _of_result(key), look.name, meaning)


def _of_result(key: str) -> Runs:
    return lambda result, data: result.estimate(key)


def _auto(result: ldp.Result, data: Upload | None) -> Array:
    runs = range(result.setting.runs)
    return np.concatenate([cache.slow_estimate(result.setting, data, "auto", number) for number in runs])


def _full(result: ldp.Result, data: Upload | None) -> Array:
    return cache.run_full(result.setting, data)


def _observed(result: ldp.Result, data: Upload | None) -> Array:
    return result.counts / result.setting.n


# By the key of the estimator, which is also that of the switch and the word of a link; always in this order.
SERIES: dict[str, Series] = {
    "mi": Series(theme.MI, _of_result("mi")),
    "ibu": Series(theme.IBU, _of_result("ibu")),
    "limit": _estimate("limit", glossary.LIMIT),
    "raw": _estimate("raw", glossary.RAW),
    "auto": _estimate("auto", glossary.AUTO, _auto),
    "full": _estimate("full", glossary.FULL, _full),
    "observed": Series(theme.OBSERVED, _observed, "What the server saw", glossary.OBSERVED),
}
SWITCHED = {key: series for key, series in SERIES.items() if series.switched}
ALWAYS = tuple(key for key, series in SERIES.items() if not series.switched)
