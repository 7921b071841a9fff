"""Square Wave (Li et al., SIGMOD 2020): for ordered values, and not pure, so it is no `Mechanism`.

A report near the true value is e^ε times as likely as one far from it. There is no set of values that a report
supports, so the estimators of pure mechanisms do not apply; `ldpcore.ibu_channel` does, with smoothing (EMS) as
published.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.errors import Refused


class SquareWave:
    """Square Wave on k ordered values: a report is one of k + 2b outputs.

    The value v gives each of the 2b + 1 outputs v..v+2b, those within b of it, with probability p, and every other
    with q. b is the best half-width for real values in [0, 1], rounded down to bins, if not given.

    Attributes
    ----------
    k, eps, b : int, float, int
        Number of values, ε, and the half-width of the wave in bins.
    p, q : float
        Probability of an output within the wave and outside; p/q = e^ε.
    outputs : int
        How many outputs there are.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> wave = ldp.SquareWave(k=50, eps=1.0)
    >>> wave
    SquareWave(k=50, eps=1.0, b=12)
    >>> round(ldp.channel_eps(wave.channel), 6)
    1.0
    >>> seen = wave.sample_counts(ldp.sample_histogram("gaussian", n=20_000, k=50).counts, 1, np.random.default_rng(1))
    >>> ldp.ibu_channel(seen, wave.channel, smoothing=True).ibu.shape
    (1, 50)
    """

    name = "SW"
    full_name = "Square Wave"

    def __init__(self, *, k: int, eps: float, b: int | None = None) -> None:
        self.k, self.eps = check.integer("k", k, 2, check.K_MAX), check.epsilon("eps", eps)
        self.b = math.floor(best_half_width(self.eps) * self.k) if b is None else check.integer("b", b, 0, self.k)
        shrink = math.exp(-self.eps)
        self.width, self.outputs = 2 * self.b + 1, self.k + 2 * self.b
        self.p = 1 / (self.width + (self.k - 1) * shrink)
        self.q = shrink * self.p

    def __repr__(self) -> str:
        return f"SquareWave(k={self.k}, eps={self.eps}, b={self.b})"

    @property
    def channel(self) -> FloatArray:
        """The probability of each output for each value, shape (k, outputs)."""
        away = np.arange(self.outputs) - np.arange(self.k)[:, None]
        return np.where((away >= 0) & (away < self.width), self.p, self.q)

    def privatize(self, values: Any, rng: np.random.Generator) -> IntArray:
        """Return the reports of users with these values, one output each.

        A part (p-q)(2b+1) of them draws from the wave alone, the others from all outputs alike.

        Examples
        --------
        >>> wave, values = SquareWave(k=10, eps=50.0, b=1), np.array([0, 5, 9])
        >>> away = wave.privatize(values, np.random.default_rng(1)) - values
        >>> bool(((away >= 0) & (away <= 2)).all())  # all within the wave, at so large an ε
        True
        """
        array = check.integer_array("values", values, 0, self.k - 1)
        if array.ndim != 1:
            raise Refused(f"values must be one-dimensional, one value a user; got shape {array.shape}")
        check.generator("rng", rng)
        near = rng.random(array.size) < (self.p - self.q) * self.width
        return np.where(
            near, array + rng.integers(0, self.width, array.size), rng.integers(0, self.outputs, array.size)
        )

    def output_counts(self, reports: Any) -> IntArray:
        """Return how often each output was sent, shape (outputs,).

        Examples
        --------
        >>> SquareWave(k=4, eps=1.0, b=1).output_counts([0, 5, 5])
        array([1, 0, 0, 0, 0, 2])
        """
        array = check.integer_array("reports", reports, 0, self.outputs - 1)
        if array.ndim != 1:
            raise Refused(f"reports must be one-dimensional, one output a user; got shape {array.shape}")
        return np.bincount(array, minlength=self.outputs)

    def sample_counts(self, histogram: Any, runs: int, rng: np.random.Generator) -> IntArray:
        """Draw how often each output is sent in `runs` collections, shape (runs, outputs), without simulating users.

        Exactly the distribution that `privatize` and `output_counts` would give.

        Examples
        --------
        >>> counts = SquareWave(k=4, eps=1.0, b=1).sample_counts([500, 0, 0, 500], 2, np.random.default_rng(1))
        >>> counts.shape, counts.sum(axis=1)
        ((2, 6), array([1000, 1000]))
        """
        counts = check.counts_array("histogram", histogram, self.k)
        if counts.ndim != 1:
            raise Refused(f"histogram must be one-dimensional; got shape {counts.shape}")
        runs, rng = check.integer("runs", runs, 1, check.DRAWS_MAX // self.outputs), check.generator("rng", rng)
        near = rng.binomial(counts, (self.p - self.q) * self.width, size=(runs, self.k))
        anyone = counts.sum() - near.sum(axis=1)
        out = rng.multinomial(anyone, np.full(self.outputs, 1 / self.outputs))
        for run in range(runs):
            waves = rng.multinomial(near[run], np.full(self.width, 1 / self.width))
            np.add.at(out[run], np.arange(self.k)[:, None] + np.arange(self.width), waves)
        return out


def best_half_width(eps: float) -> float:
    """Return the half-width, for values in [0, 1], that lets a report say most (Li et al. 2020, equation 5).

    Examples
    --------
    >>> round(best_half_width(1.0), 4), round(best_half_width(1e-4), 2)
    (0.2561, 0.5)
    """
    if eps < 1e-3:  # the formula is 0/0 at 0; this is its beginning
        return 0.5 - eps / 3 + eps**2 / 9
    shrink = math.exp(-eps)
    return (eps - 1 + shrink) / (2 * (-math.expm1(-eps) - eps * shrink)) * shrink
