"""From user values to the k bins that the mechanisms protect."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused

BINNINGS = ("equal-width", "paper", "values")
"""Ways to bin: k bins of equal width, the bins of the paper, or a bin for each whole number."""
# Beyond it float64 can't tell a whole number from the half beside it.
_EXACT = 2.0**51


@dataclass(frozen=True, eq=False)
class Histogram:
    """Users per bin, and the bins.

    Attributes
    ----------
    counts : ndarray of int64, shape (k,)
        Users in each bin.
    edges : ndarray of float64, shape (k + 1,)
        Bin i reaches from edges[i] to edges[i + 1]; the last one includes its right end.
    labels : tuple of str, length k or 0
        The names of the bins, where they are categories and not ranges of numbers.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> people = ldp.sample_histogram("gaussian", n=1_000, k=5)
    >>> people.n, people.edges.size
    (1000, 6)
    """

    counts: IntArray
    edges: FloatArray
    labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        counts = check.array_of("counts", self.counts)
        if counts.ndim != 1:
            raise Refused(f"counts must have one number for each bin; got shape {counts.shape}")
        edges = check.reals("edges", self.edges, finite=True)
        if edges.shape != (counts.size + 1,):
            ends = f"the k + 1 = {counts.size + 1} ends of the bins, one after the other"
            raise Refused(f"edges must be {ends}; got shape {edges.shape}")
        if (falls := np.flatnonzero(edges[1:] <= edges[:-1])).size:
            raise Refused(f"edges must rise; got {edges[falls[0] + 1]:g} after {edges[falls[0]]:g}")
        labels = check.sequence("labels", self.labels, "names", str)
        if labels and len(labels) != counts.size:
            raise Refused(f"labels must be a name for each of the k = {counts.size} bins; got {len(labels)}")
        object.__setattr__(self, "counts", check.counts_array("counts", counts, counts.size))
        object.__setattr__(self, "edges", edges)
        object.__setattr__(self, "labels", tuple(labels))

    @property
    def n(self) -> int:
        """Number of users."""
        return int(self.counts.sum())

    @property
    def frequencies(self) -> FloatArray:
        """The share of each bin, f = c/n."""
        return np.asarray(self.counts / self.n)


def check_histogram(data: Any) -> Histogram:
    """Return `data` if it is a histogram."""
    return check.instance("data", data, Histogram, "an ldpcore.Histogram")


def bin_edges(x_min: float, x_max: float, k: int | None, binning: str = "equal-width") -> FloatArray:
    """Return the k + 1 edges of the k bins for values from `x_min` to `x_max`.

    Parameters
    ----------
    x_min, x_max : float
        The smallest and the largest value. If they are equal the range is widened by
        0.5 on each side, as `numpy.histogram` does.
    k : int or None
        Number of bins, at least 2. None where the binning is "values": as many as there are.
    binning : {"equal-width", "paper", "values"}
        "equal-width": k bins of the same width. "paper": as the paper's authors do, k + 1
        bins of the same width, the last two of them merged. "values": one bin for each whole
        number, with its edges halfway to the next; at least two, so one more where all values
        are the same.

    Examples
    --------
    >>> bin_edges(0, 10, k=4)
    array([ 0. ,  2.5,  5. ,  7.5, 10. ])
    >>> bin_edges(0, 10, k=4, binning="paper")
    array([ 0.,  2.,  4.,  6., 10.])
    >>> bin_edges(3, 5, k=None, binning="values")
    array([2.5, 3.5, 4.5, 5.5])
    """
    check.choice("binning", binning, BINNINGS)
    low, high = check.real("x_min", x_min), check.real("x_max", x_max)
    if low > high:
        raise Refused(f"x_min must be at most x_max; got x_min = {low!r} and x_max = {high!r}")
    if binning == "values":
        return _value_edges(low, high, k)
    k = check.integer("k", k, 2, check.K_MAX)
    low, high = _widened(low, high)
    if not np.isfinite(high - low):
        raise Refused(f"the range of the values must be a finite number; got values from {low!r} to {high!r}")
    edges = np.linspace(low, high, _equal_bins(k, binning) + 1)
    if not np.all(edges[1:] > edges[:-1]):
        raise Refused(
            "k must be small enough for float64 to tell the bins apart; "
            f"got k = {k:,} for values from {low!r} to {high!r}"
        )
    return edges if binning == "equal-width" else np.delete(edges, k)


def histogram(x: Any, k: int | None, binning: str = "equal-width") -> IntArray:
    """Count the values `x` of n users in k bins between the smallest and the largest of them.

    Parameters
    ----------
    x : array_like, shape (n,)
        Finite numbers, at least one.
    k, binning
        See `bin_edges`.

    Returns
    -------
    ndarray of int64, shape (k,)

    Examples
    --------
    >>> histogram([1, 2, 2, 5], k=4)
    array([1, 2, 0, 1])
    """
    return bin_values(user_values("x", x), k, binning).counts


def bin_values(values: FloatArray, k: int | None, binning: str, persons: IntArray | None = None) -> Histogram:
    """Bin checked `values`; each stands for one user, or for as many as `persons` says."""
    low, high = float(values.min()), float(values.max())
    edges = bin_edges(low, high, k, binning)
    if binning == "values":
        whole_values("one bin per value", values)
        counts = np.bincount((values - low).astype(np.int64), persons, edges.size - 1)
        return Histogram(counts.astype(np.int64), edges)
    if k is None:
        raise Refused("k must be a whole number where the binning is not 'values'; got None")
    # Handing over the number of bins, not the edges, takes NumPy's path without sorting. It adds
    # weights up in float64, which is exact for whole numbers below 2**53.
    counts, _ = np.histogram(values, _equal_bins(k, binning), _widened(low, high), weights=persons)
    if binning == "paper":
        counts[-2] += counts[-1]
        counts = counts[:-1]
    return Histogram(counts.astype(np.int64), edges)


def user_values(name: str, x: Any) -> FloatArray:
    """Return `x` as a float64 array of shape (n,), n >= 1, finite everywhere."""
    check.nothing_hidden(name, x)
    try:
        array = np.asarray(x)
    except ValueError:  # NumPy's word for a ragged list
        array = np.empty(0, dtype=object)
    if array.ndim != 1 or array.size == 0 or array.dtype.kind not in "iuf":
        raise Refused(
            f"{name} must be a one-dimensional, non-empty array of numbers; "
            f"got shape {array.shape} and type {array.dtype}"
        )
    array = array.astype(np.float64, copy=False)
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise Refused(f"{name} must hold finite numbers; got {array[bad[0]]} at position {bad[0]}")
    return array


def whole_values(what: str, values: FloatArray) -> None:
    """Refuse values that are not whole numbers."""
    broken = values[values != np.floor(values)]
    if broken.size:
        raise Refused(f"{what} is for whole numbers; got {float(broken[0])!r}")


def _value_edges(low: float, high: float, k: int | None) -> FloatArray:
    """Return the edges halfway between the whole numbers from `low` to `high`, at least two of them."""
    whole_values("one bin per value", np.array([low, high]))
    high = max(high, low + 1)
    bins = high - low + 1
    if bins > check.K_MAX or abs(low) > _EXACT or abs(high) > _EXACT:
        raise Refused(
            f"one bin per value may take up to {check.K_MAX:,} bins; got values from {low!r} to {high!r}, "
            "which need other bins"
        )
    if k is not None and check.integer("k", k, 1, check.K_MAX) != bins:
        raise Refused(
            f"k must be {bins:,.0f} where the binning is 'values': there are so many whole numbers from {low:g} to "
            f"{high:g}; got {check.shown(k)}"
        )
    return low - 0.5 + np.arange(bins + 1)


def _equal_bins(k: int, binning: str) -> int:
    return k if binning == "equal-width" else k + 1


def _widened(low: float, high: float) -> tuple[float, float]:
    return (low - 0.5, high + 0.5) if low == high else (low, high)
