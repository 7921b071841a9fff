"""The visitor's own data: a column that was brought, and how it is binned."""

from __future__ import annotations

import math
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, Self

import ldpcore as ldp
from ldpcore.datasets import OwnBinning, OwnCategories, OwnDates, OwnNumbers
from ldpui.format import times

if TYPE_CHECKING:
    from ldpui.computing.reading import UploadedTable

NUMBERS, DATES, CATEGORIES = "numbers", "dates", "categories"
# Bins of dates have the unit that suits them, unless somebody says otherwise.
AUTOMATIC = "automatic"
# Whole numbers can have a bin each; not more than these.
VALUES, BINS_MAX = "values", 1_000
# Why there are not as many bins as are wanted, where bins have no unit.
_WHY_BINS = {
    NUMBERS: "one bin for each whole number from the smallest to the largest",
    CATEGORIES: "your data has no more categories",
}

# How many answers of a kind an upload keeps: pages ask the same few at every run.
_KEPT_BINS, _KEPT_HISTOGRAMS = 64, 8


class NoDataError(Exception):
    """The visitor's own data is asked for, and there is none in this session."""


@dataclass(frozen=True, eq=False)
class Upload:
    """What is known of the table that was brought, the column that is used, and how it is binned.

    `version` is another one for every upload and every way to bin it, in all sessions: what is computed from an
    upload is cached by it. What every run of a page asks is computed once and kept with the upload, and with nothing
    that outlives it: of ten million numbers each answer takes a good part of a second.
    """

    table: UploadedTable
    column: str
    data: OwnNumbers | OwnDates | OwnCategories
    binning: OwnBinning
    version: str = field(init=False, default_factory=lambda: uuid.uuid4().hex)

    def __getstate__(self) -> dict[str, Any]:
        """Return what a worker needs: not what is kept of earlier answers."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    @cached_property
    def usable(self) -> tuple[int, dict[str, int]]:
        """How many rows are used, and how many are not, by reason."""
        return self.data.usable(self.binning)

    @property
    def users(self) -> int:
        """Number of rows that can be used."""
        return self.usable[0]

    @property
    def kind(self) -> str:
        """Return "numbers", "dates" or "categories"."""
        return self.data.kind

    @property
    def decides_bins(self) -> bool:
        """Whether the data or the page Your data say how the bins are made: only numbers leave it open."""
        return self.kind != NUMBERS or self.binning.log or self.binning.values

    def bins(self, wanted: int) -> int:
        """Return the number of bins nearest to the wanted one: there are no more than there are categories or days."""
        return self._bins(wanted)

    @cached_property
    def _bins(self) -> Callable[[int], int]:
        # The function must not hold the upload, which holds the function: such a circle would keep the column in memory
        # until the next garbage collection.
        data, binning = self.data, self.binning
        return lru_cache(_KEPT_BINS)(lambda wanted: data.bins(wanted, binning))

    @cached_property
    def _k_max(self) -> int | None:
        return self.data.k_max(self.binning)

    @cached_property
    def whole_numbers(self) -> tuple[float, int] | None:
        """The smallest number and how many there are to the largest, where each whole number can have a bin."""
        try:
            edges = self.data.whole_edges(self.binning)
        except ldp.Refused:  # there are too many, or the binning takes logarithms
            return None
        return None if edges is None else (float(edges[0]) + 0.5, edges.size - 1)

    def why_bins(self, wanted: int) -> str:
        """Say why there are not as many bins as are wanted."""
        unit, most = self.data.unit(self.binning), self._k_max
        if unit is None or most is None:
            return _WHY_BINS[self.kind]
        return f"each bin is {times(math.ceil(most / wanted), unit)} of your data"

    def can_have_values(self, most: int = BINS_MAX) -> bool:
        """Tell whether each whole number can have a bin of its own, and there are at most so many."""
        ends = self.data.whole_range
        return ends is not None and 2 <= ends[1] - ends[0] + 1 <= most

    def checked(self) -> Self:
        """Return it, or refuse it now, before anything is lost: binned like this there may be no rows left."""
        self.histogram(self.bins(2))
        return self

    def histogram(self, k: int, n: int | None = None, seed: int = 0, by_value: bool = False) -> ldp.Histogram:
        """Return the rows in k bins, or n users drawn from them; with one bin per value if told so."""
        if n is None or n == self.users:
            return self._rows(k, by_value)
        return self.data.histogram(k, n, seed, replace(self.binning, values=True) if by_value else self.binning)

    @cached_property
    def _rows(self) -> Callable[[int, bool], ldp.Histogram]:
        data, binning = self.data, self.binning

        def rows(k: int, by_value: bool) -> ldp.Histogram:
            histogram = data.histogram(k, binning=replace(binning, values=True) if by_value else binning)
            for array in (histogram.counts, histogram.edges):
                array.setflags(write=False)  # the next run gets the same arrays
            return histogram

        return lru_cache(_KEPT_HISTOGRAMS)(rows)

    def words(self) -> dict[str, str | float | None]:
        """Return how the column is binned, as the controls of the page Your data and links say it."""
        how = self.binning
        return {
            "own_scale": "log" if how.log else VALUES if how.values else "linear",
            "own_clip": f"{100 * how.clip:g}%",
            "own_low": how.low,
            "own_high": how.high,
            "own_rare": f"{100 * how.rare:g}%",
            "own_unit": how.unit or AUTOMATIC,
        }
