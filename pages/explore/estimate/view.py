"""What is on the page Estimate: the result, and how it is looked at."""

from __future__ import annotations

from dataclasses import dataclass

import ldpcore as ldp
from ldpui.bins import Bins
from ldpui.charts import show
from ldpui.charts.common import Array
from ldpui.own import Upload
from ldpui.theme import Look


@dataclass(frozen=True, eq=False)
class View:
    """What is on the page.

    Attributes
    ----------
    result, data : what came of the setting, and the own data behind it
    series : the estimates that are drawn, (runs, k) each, and how they look
    bins : the bins under them
    collection : number of the collection that is shown alone, from 1; None where the mean of all is shown
    dark, log : the ground, and the vertical axis
    """

    result: ldp.Result
    data: Upload | None
    series: list[tuple[Look, Array]]
    bins: Bins
    collection: int | None = None
    dark: bool = False
    log: bool = False

    @property
    def shown(self) -> list[tuple[Look, Array]]:
        """The series as they are drawn: all runs, or the collection's alone."""
        if self.collection is None:
            return self.series
        return [(look, e[[(self.collection - 1) % len(e)]]) for look, e in self.series]

    @property
    def zoom_key(self) -> str:
        """What a zoom belongs to: it stays as long as the horizontal axis means the same."""
        s = self.result.setting
        return f"{s.data} {s.params} {self.bins.axis['title']}"

    @property
    def window(self) -> tuple[float, float] | None:
        """The part of the horizontal axis that the reader zoomed to."""
        return show.zoom(self.zoom_key)
