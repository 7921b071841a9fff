"""The 95 % intervals of one collection: where the truth of each bin may be, whatever estimate is drawn."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpcore.collected.intervals import Support, count_interval, cut
from ldpui import theme
from ldpui.bins import Bins
from ldpui.charts.common import MANY_BINS, Array
from ldpui.format import significant

LEVEL = 0.95
NAME = f"{LEVEL:.0%} interval"
# The truth counts as within an interval if it is outside by no more than this, which is rounding.
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False)
class Whiskers:
    """The intervals of one collection.

    Attributes
    ----------
    ends : lower and upper ends as shares of the users, shape (2, k)
    top : the highest upper end of each bin among all collections, for an axis that stays
    """

    ends: Array
    top: Array

    @classmethod
    def of(cls, result: ldp.Result, collection: int | None) -> Whiskers:
        """Return those of a collection, by its number from 1; without one, of the first."""
        n, m = result.setting.n, result.mechanism
        number = ((collection or 1) - 1) % len(result.counts)
        # The more a value is supported, the higher its interval: the largest counts say how high they go.
        # They come from several collections, so that `ldp.intervals` would find no n for them.
        most = np.stack([result.counts[number], result.counts.max(axis=0)])
        ends = cut(count_interval("noise", most.ravel(), Support(n, m.p, m.q), LEVEL)).reshape(2, 2, m.k)
        return cls(ends[:, 0], ends[1, 1])

    def holding(self, truth: Array) -> int:
        """Return how many of the intervals hold the truth of their bin."""
        low, high = self.ends
        return int(((low <= truth + _ROUNDING) & (truth <= high + _ROUNDING)).sum())

    def trace(self, bins: Bins, dark: bool, floor: float | None) -> dict[str, Any]:
        """Return a thin upright bar for each bin, as one line with gaps; on a log axis it ends where the axis does."""
        x, (low, high) = bins.centres, 100 * self.ends
        gap = np.full(x.size, np.nan)
        bottom = low if floor is None else np.maximum(low, floor)
        color, many = theme.ink(dark), x.size > MANY_BINS
        hover_texts = [f"{NAME} {significant(a)} to {significant(b)}%" for a, b in zip(low, high, strict=True)]
        return dict(  # noqa: C408 - reads like the trace that it becomes
            type="scatter",
            x=np.stack([x, x, gap], axis=1).ravel(),
            y=np.stack([bottom, np.maximum(high, bottom), gap], axis=1).ravel(),
            mode="lines" if many else "lines+markers",
            name=NAME,
            line={"color": color, "width": 1},
            marker={"symbol": "line-ew", "size": 8, "line": {"color": color, "width": 1}},
            opacity=0.6,
            text=np.repeat(hover_texts, 3),
            hovertemplate="%{text}<extra></extra>",
        )

    def words(self, truth: Array) -> str:
        """Say whose the intervals are, and how many of them hold what they promise to."""
        return (
            f"Thin upright bars: {NAME}s, which belong to the truth of a bin and not to an estimator, so they are the "
            f"same whatever is drawn; here {self.holding(truth):,} of {truth.size:,} hold the truth."
        )
