"""How somebody's own data are put into bins."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ldpcore import _validate as check
from ldpcore.errors import Refused

# Of the bins of dates.
UNITS = ("day", "week", "month")


@dataclass(frozen=True)
class OwnBinning:
    r"""How own data are put into bins.

    Attributes
    ----------
    low, high : float or None
        Range of the bins of numbers; values outside it are dropped. None: from the smallest, to the largest value.
    clip : float
        Share of the users at each end, from 0 to 0.49, whose numbers are clipped into the first and the last bin: at
        0.01 the bins reach from the 1 % to the 99 % quantile, where `low` and `high` do not say otherwise.
    log : bool
        Whether the bins of numbers have equal widths in log10. Values that are not above 0 are dropped.
    values : bool
        Whether there is one bin for each whole number, with its edges halfway to the next: for columns of whole numbers
        only, and without `log`.
    rare : float
        Categories of a smaller share than this, from 0 to 1, are pooled into one bin.
    unit : {"day", "week", "month"} or None
        Of the bins of dates. None: the smallest of which there are at most 100.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> table = ldp.read_table(b"income,city\n1,A\n10,B\n100,A\n100000,A\n", "people.csv")
    >>> ldp.numbers_from(table, "income").histogram(k=5, binning=OwnBinning(log=True)).counts
    array([1, 1, 1, 0, 1])
    """

    low: float | None = None
    high: float | None = None
    clip: float = 0.0
    log: bool = False
    rare: float = 0.0
    values: bool = False
    unit: str | None = None

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            if getattr(self, name) is not None:
                check.real(name, getattr(self, name))
        check.real("clip", self.clip, 0, 0.49)
        check.real("rare", self.rare, 0, 1)
        for name in ("log", "values"):
            check.truth(name, getattr(self, name))
        if self.unit is not None:
            check.choice("unit", self.unit, UNITS)
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise Refused(f"low must be below high; got low = {self.low!r} and high = {self.high!r}")
        if self.log and self.values:
            raise Refused("one bin per value has no equal widths in log10; got both log and values")
        for name in ("low", "high"):
            if self.log and getattr(self, name) is not None and getattr(self, name) <= 0:
                raise Refused(f"{name} must be above 0 for a logarithm; got {getattr(self, name)!r}")


def check_binning(binning: Any) -> OwnBinning:
    """Return `binning` if it is one."""
    return check.instance("binning", binning, OwnBinning, "an ldpcore.OwnBinning")
