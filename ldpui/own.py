"""The visitor's own data: a column that was brought, and how it is binned."""

from __future__ import annotations

import math
import uuid
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Self

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
_WHY_BINS = {NUMBERS: "one bin for each value of your data", CATEGORIES: "your data has no more categories"}


class NoDataError(Exception):
    """The visitor's own data is asked for, and there is none in this session."""


@dataclass(frozen=True, eq=False)
class Upload:
    """What is known of the table that was brought, the column that is used, and how it is binned.

    `version` is another one for every upload and every way to bin it, in all sessions: what is computed from an
    upload is cached by it.
    """

    table: UploadedTable
    column: str
    data: OwnNumbers | OwnDates | OwnCategories
    binning: OwnBinning
    version: str = field(init=False, default_factory=lambda: uuid.uuid4().hex)

    @property
    def users(self) -> int:
        """Number of rows that can be used."""
        return self.data.usable(self.binning)[0]

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
        return self.data.bins(wanted, self.binning)

    def why_bins(self, wanted: int) -> str:
        """Say why there are not as many bins as are wanted."""
        unit, most = self.data.unit(self.binning), self.data.k_max(self.binning)
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
        return self.data.histogram(k, n, seed, replace(self.binning, values=True) if by_value else self.binning)

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
