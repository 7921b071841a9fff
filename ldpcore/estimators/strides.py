"""Many iterations of IBU at the cost of two, where its path is smooth.

With x = ln F one iteration adds a growth g(x) = ln(r + s) to x. Soon these growths change slowly from iteration to
iteration, so the sum of H of them follows from a few that are H iterations apart, by multirevolution Adams methods
(made for satellites: where one is after so many orbits). In backward differences over H iterations, z for the first,
H iterations are 1/(1-z), and one of them is its H-th root. So from n to n + H the growths add up to

    (1/(1-z) - 1) / ((1-z)^(-1/H) - 1) · g(n)          which predicts, and, with the growth where that leads,
          z       / ((1-z)^(-1/H) - 1) · g(n+H)        which corrects.

Both speak of iterations as they are, one by one: nothing is taken as continuous. What the series leave off shows in
how far the corrected is from the predicted, and H follows it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from math import comb

import numpy as np

from ldpcore._validate import FloatArray

# How many growths a stride is made of, and how many iterations the first ones are apart.
ORDER, FIRST_STRIDE = 8, 8
# So far may the corrected ln θ be from the predicted one. The corrected is closer to IBU by far: after 10,000
# iterations θ is off by less than 1e-12.
_APART = 2e-11
# A stride of twice the length is off by 2^(ORDER + 1) times as much.
_ROOM = 1.2 * 2.0 ** (ORDER + 1)
# The last growths are a window of rows that moves down, and back up at the end. To double the stride takes so many.
_KEPT = 2 * ORDER - 1
_ROWS = 3 * ORDER


@lru_cache(maxsize=64)
def stride_weights(length: int) -> tuple[FloatArray, FloatArray]:
    """Return the weights that predict a stride from the last growths, oldest first, and those that correct it.

    What corrects is that of the prediction, so it takes the growth there too. Both are exact where growths are a
    polynomial of the iteration, of a degree below the order.

    >>> predicts, corrects = stride_weights(8)
    >>> [round(float(weights.sum()), 9) for weights in (predicts, corrects)]  # growths that do not change
    [8.0, 0.0]
    """
    root = [1.0]
    for i in range(1, ORDER + 1):
        root.append(root[-1] * (1 / length + i - 1) / i)
    # 1 / ((1-z)^(-1/H) - 1) is 1/z times this series.
    series = [1 / root[1]]
    for i in range(1, ORDER):
        series.append(-sum(root[j + 1] * series[i - j] for j in range(1, i + 1)) / root[1])
    terms = np.cumsum(series)
    predicts = sum(term * _difference(i, ORDER) for i, term in enumerate(terms))
    return np.asarray(predicts), terms[-1] * _difference(ORDER, ORDER + 1)


def _difference(times: int, values: int) -> FloatArray:
    """Return the weights of the last backward difference of so many values, taken so many times."""
    signed = [float((-1) ** j * comb(times, j)) for j in range(times, -1, -1)]
    return np.array([0.0] * (values - times - 1) + signed)


@lru_cache(maxsize=1)
def _halving() -> FloatArray:
    """Return the matrix from growths to those half as far apart, by the polynomial through them."""
    at = np.arange(1.0 - ORDER, 1.0)
    columns = []
    for one in at:
        others = at[at != one]
        columns.append(((at[:, None] / 2 - others) / (one - others)).prod(axis=1))
    return np.stack(columns, axis=1)


class Strides:
    """The way of a batch of runs from where they are; all take strides of one length.

    `gain(f, out)` puts into `out` by which share of itself one iteration makes F larger, to the last digits of that
    share. Before, it makes θ add up to 1: what it is off by dies out in a few iterations, and strides would be short.
    """

    def __init__(self, f: FloatArray, gain: Callable[[FloatArray, FloatArray], None]) -> None:
        self.length = FIRST_STRIDE
        self._gain = gain
        self._places = [(np.log(f), f.copy()), (np.empty_like(f), np.empty_like(f))]
        self._off = np.empty_like(f)
        self._growths = np.empty((_ROWS, *f.shape))
        self._rows = self._growths.reshape(_ROWS, -1)
        self._last, self._known = 0, 1
        self._grow(self.f, self._growths[0])

    @property
    def f(self) -> FloatArray:
        """Where the runs are. It stays as it is while the next stride is taken."""
        return self._places[0][1]

    @property
    def growth(self) -> FloatArray:
        """What the next iteration adds to ln F."""
        growth: FloatArray = self._growths[self._last]
        return growth

    def arrive(self, f: FloatArray) -> None:
        """Note where the runs are after `FIRST_STRIDE` iterations more, in the beginning."""
        x, place = self._places[0]
        np.log(f, x)
        place[:] = f
        self._last += 1
        self._known += 1
        self._grow(place, self._growths[self._last])

    def stride(self) -> int:
        """Take a stride and return its length, or none and return 0: then the next is shorter."""
        predicts, corrects = stride_weights(self.length)
        (x, _), (new, f) = self._places
        last, off = self._last, self._off
        first = last - ORDER + 1
        np.dot(predicts, self._rows[first : last + 1], new.reshape(-1))
        new += x
        np.exp(new, f)
        self._grow(f, self._growths[last + 1])
        np.dot(corrects, self._rows[first : last + 2], off.reshape(-1))
        apart = max(off.max(), -off.min())
        if not apart <= _APART:
            self.shorten()
            return 0
        new += off
        np.exp(new, f)
        self._grow(f, self._growths[last + 1])
        self._places.reverse()
        length = self.length
        self._move_on(apart)
        return length

    def shorten(self) -> None:
        """Halve the length, with the growths between those known from the polynomial through them."""
        self._rows[:ORDER] = _halving() @ self._rows[self._last - ORDER + 1 : self._last + 1]
        self._last, self._known = ORDER - 1, ORDER
        self.length //= 2

    def _grow(self, f: FloatArray, out: FloatArray) -> None:
        self._gain(f, out)
        np.log1p(out, out)

    def _move_on(self, apart: float) -> None:
        """Make room for the next growth, and double the stride if it may be."""
        self._last += 1
        self._known = min(self._known + 1, _KEPT)
        if self._known == _KEPT and apart < _APART / _ROOM:
            self._rows[:ORDER] = self._rows[self._last - _KEPT + 1 : self._last + 1 : 2]
            self._last, self._known = ORDER - 1, ORDER
            self.length *= 2
        elif self._last == _ROWS - 2:
            self._rows[:_KEPT] = self._rows[self._last - _KEPT + 1 : self._last + 1]
            self._last = _KEPT - 1
