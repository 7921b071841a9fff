"""A number of which there are several: the mean over the runs, and the runs behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray
from ldpcore.errors import Refused

# These functions describe a sample: of a summary, its runs. Some of the names are other functions in other versions.
_OF_THE_RUNS = {
    getattr(np, name)
    for name in (
        "mean average median std var quantile percentile min max amin amax ptp histogram histogram_bin_edges sum prod "
        "cumsum cumprod cumulative_sum cumulative_prod any all count_nonzero sort argsort argmin argmax unique diff "
        "corrcoef cov nanmean nanmedian nanstd nanvar nanquantile nanpercentile nanmin nanmax nansum nanprod nancumsum "
        "nancumprod nanargmin nanargmax"
    ).split()
    if hasattr(np, name)
}
# What is done to single numbers, and what puts several into an array, sees the mean.
_OF_THE_MEAN = {
    getattr(np, name)
    for name in (
        "round around fix clip nan_to_num real imag where select isclose allclose array_equal array_equiv full "
        "full_like linspace logspace geomspace interp stack hstack vstack dstack column_stack concatenate block append "
        "broadcast_to isposinf isneginf isreal isrealobj iscomplex iscomplexobj ndim shape result_type can_cast"
    ).split()
    if hasattr(np, name)
}


class Summary(float):
    """The mean over the runs, as a float, with the standard error, quantiles and values behind it.

    NumPy's statistics are those of the runs: `np.mean(s)` is `s.mean`, `np.std(s)` their spread and
    `np.quantile(s, 0.9)` a quantile of them; so are sums, sorting and the like. In arithmetic, comparisons, rounding
    and arrays a summary is the number `s.mean`. Functions of NumPy's that could mean either refuse it with a TypeError:
    `s.values` are the runs.

    Examples
    --------
    >>> import ldpcore as ldp, numpy as np
    >>> s = ldp.Summary([1.0, 2.0, 3.0, 6.0])
    >>> print(f"{s:.1f} ± {s.se:.1f}", s > 2, np.max(s), s.quantile(0.5))
    3.0 ± 1.1 True 6.0 2.0
    """

    values: FloatArray

    def __new__(cls, values: Any) -> Self:
        array = np.atleast_1d(check.reals("values", values))
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
        if func not in _OF_THE_RUNS and func not in _OF_THE_MEAN:
            raise TypeError(
                f"np.{func.__name__} of a Summary could be that of its runs or of their mean: "
                "ask for s.values or for s.mean instead"
            )
        read = _values if func in _OF_THE_RUNS else _number
        return func(*(read(a) for a in args), **{name: read(a) for name, a in kwargs.items()})


def _values(argument: Any) -> Any:
    return argument.values if isinstance(argument, Summary) else argument


def _number(argument: Any) -> Any:
    """Return an argument with summaries as plain numbers, also in lists of them."""
    if isinstance(argument, (list, tuple)):
        return type(argument)(_number(a) for a in argument)
    return float(argument) if isinstance(argument, Summary) else argument
