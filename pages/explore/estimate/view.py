"""How the page Estimate is looked at: with the setting, all that decides its figures."""

from __future__ import annotations

from dataclasses import dataclass

import ldpcore as ldp
from ldpui.bins import Bins, bins_of
from ldpui.charts.common import Array
from ldpui.own import Upload
from ldpui.theme import Look
from pages.explore.estimate.series import ALWAYS, SERIES


@dataclass(frozen=True)
class View:
    """How a result is looked at.

    Attributes
    ----------
    series : the keys of the estimates that are drawn
    collection : number of the collection that is shown alone, from 1; None where the mean of all is shown
    dark, log : the ground, and the vertical axis
    meaning : what the values are called, where the data's own name is not meant
    window : the part of the horizontal axis that the reader zoomed to
    large : whether it is shown to an audience
    intervals : whether the 95 % intervals of the one collection are drawn
    """

    series: tuple[str, ...] = ALWAYS
    collection: int | None = None
    dark: bool = False
    log: bool = False
    meaning: str | None = None
    window: tuple[float, float] | None = None
    large: bool = False
    intervals: bool = False

    def bins(self, result: ldp.Result) -> Bins:
        """Return the bins of a result, by what the values are called."""
        return bins_of(result, self.meaning)

    def estimates(self, result: ldp.Result, data: Upload | None) -> list[tuple[Look, Array]]:
        """Return the series, all runs of them."""
        return [(SERIES[key].look, SERIES[key].runs(result, data)) for key in self.series]

    def shown(self, series: list[tuple[Look, Array]]) -> list[tuple[Look, Array]]:
        """Return the series as they are drawn: all runs, or the collection's alone."""
        if self.collection is None:
            return series
        return [(look, e[[(self.collection - 1) % len(e)]]) for look, e in series]


def zoom_key(s: ldp.Setting, data: Upload | None, meaning: str | None) -> str:
    """Return what a zoom belongs to: it stays as long as the horizontal axis means the same."""
    return f"{s.data} {s.params} {meaning}" if data is None else data.version
