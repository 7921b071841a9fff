"""Which part of the axes is shown."""

from __future__ import annotations

import numpy as np

import ldpcore as ldp
from ldpui.bins import Bins, long_tail
from ldpui.charts.common import Array


def shown_window(result: ldp.Result, bins: Bins, window: tuple[float, float] | None) -> tuple[float, float]:
    """Return what is shown: what the reader zoomed to, or all bins, or those that hold nearly everybody."""
    if window is not None:
        return window
    last = long_tail(result.true)
    return float(bins.edges[0]), float(bins.edges[-1 if last is None else last])


def has_long_tail(result: ldp.Result) -> bool:
    """Tell whether the chart starts zoomed in on the bins that hold nearly everybody."""
    return long_tail(result.true) is not None


def log_range(truth: Array, tops: list[Array]) -> list[float]:
    """Return a log axis from the smallest share that one user can make to the largest that is shown."""
    top = max([truth.max(), *(top.max() for top in tops)])
    smallest = truth[truth > 0].min()
    return [float(np.log10(max(smallest / 3, top / 1e6))), float(np.log10(top * 1.5))]
