"""A number of which there are several: the mean over the runs, and the runs behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused

# These functions describe a sample: of a summary, its runs. All other functions get a number, the mean of the runs.
_OF_THE_RUNS = {
    np.mean, np.average, np.median, np.std, np.var, np.quantile, np.percentile, np.min, np.max, np.ptp, np.histogram,
    np.nanmean, np.nanmedian, np.nanstd, np.nanvar, np.nanquantile, np.nanpercentile, np.nanmin, np.nanmax,
}  # fmt: skip


class Summary(float):
    """The mean over the runs, as a float, with the standard error, quantiles and values behind it.

    NumPy's statistics are those of the runs: `np.mean(s)` is `s.mean`, `np.std(s)` their spread and
    `np.quantile(s, 0.9)` a quantile of them. In arithmetic, comparisons and arrays a summary is the number `s.mean`.

    Examples
    --------
    >>> import ldpcore as ldp, numpy as np
    >>> s = ldp.Summary([1.0, 2.0, 3.0, 6.0])
    >>> print(f"{s:.1f} ± {s.se:.1f}", s > 2, np.max(s), s.quantile(0.5))
    3.0 ± 1.1 True 6.0 2.0
    """

    values: FloatArray

    def __new__(cls, values: Any) -> Self:
        array = check.reals("values", values)
        if array.size == 0:
            raise Refused("values must hold the number of at least one run; got none")
        self = super().__new__(cls, array.mean())
        self.values = array
        return self

    @property
    def mean(self) -> float:
        """The mean over the runs, as a plain float."""
        return float(self)

    @property
    def se(self) -> float:
        """Standard error of the mean; nan for a single run, or where a value is infinite."""
        if self.values.size < 2 or not np.isfinite(self.values).all():
            return float("nan")
        return float(self.values.std(ddof=1) / np.sqrt(self.values.size))

    def quantile(self, share: float) -> float:
        """Return the value that this share of the runs is at or below.

        Examples
        --------
        >>> Summary([1.0, 2.0, 3.0, 6.0]).quantile(0.75)
        3.0
        """
        share = check.real("share", share, 0, 1)
        return float(np.quantile(self.values, share, method="inverted_cdf"))

    def __array_function__(
        self, func: Callable[..., Any], types: Sequence[type], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        read = _values if func in _OF_THE_RUNS else _number
        return func(*(read(a) for a in args), **{name: read(a) for name, a in kwargs.items()})


def _values(argument: Any) -> Any:
    return argument.values if isinstance(argument, Summary) else argument


def _number(argument: Any) -> Any:
    """Return an argument with summaries as plain numbers, also in lists of them."""
    if isinstance(argument, (list, tuple)):
        return type(argument)(_number(a) for a in argument)
    return float(argument) if isinstance(argument, Summary) else argument
