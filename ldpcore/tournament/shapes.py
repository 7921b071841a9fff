"""The users of the tournament: the six distributions of the paper, and three that it has not.

The three are shares of the bins, written down for any k. They are not among `ldpcore.DATASETS`, whose bins come from
values on a line: of a Zipf law, say, bins of equal width would show one bin and a tail.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable

import numpy as np

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.datasets import sample_histogram
from ldpcore.paper.experiment import LABELS


def zipf(k: int) -> FloatArray:
    """Return shares in proportion to 1/v: many rare values, as words or web sites have.

    >>> zipf(3).round(3).tolist()
    [0.545, 0.273, 0.182]
    """
    weights = 1 / np.arange(1, k + 1)
    return np.asarray(weights / weights.sum())


def spike(k: int) -> FloatArray:
    """Return half of the users at one value, a third of the way along, and the others everywhere alike.

    >>> spike(4).tolist()
    [0.125, 0.625, 0.125, 0.125]
    """
    shares = np.full(k, 0.5 / k)
    shares[k // 3] += 0.5
    return shares


def two_peaks(k: int) -> FloatArray:
    """Return two bells of different width, 60 % of the users in the narrow one.

    >>> two_peaks(10).round(2).tolist()
    [0.01, 0.12, 0.35, 0.14, 0.05, 0.08, 0.1, 0.08, 0.05, 0.02]
    """
    x = (np.arange(k) + 0.5) / k

    def bell(centre: float, width: float) -> FloatArray:
        weights = np.exp(-0.5 * ((x - centre) / width) ** 2)
        return np.asarray(weights / weights.sum())

    return np.asarray(0.6 * bell(0.25, 0.07) + 0.4 * bell(0.65, 0.16))


SHAPES: dict[str, Callable[[int], FloatArray]] = {"zipf": zipf, "spike": spike, "two-peaks": two_peaks}
"""The distributions that the paper has not: functions from k to the shares of k bins, by name."""
DATA = LABELS | {"zipf": "Zipf", "spike": "Spike", "two-peaks": "Two peaks"}
"""What people call the distributions of the tournament, by name; the paper's six first."""


def users(data: str, n: int, k: int, seed: int) -> IntArray:
    """Draw n users over k bins, shape (k,): the paper's distributions in bins of equal width.

    Examples
    --------
    >>> from ldpcore import tournament
    >>> tournament.users("spike", 1_000, 10, seed=0).sum()
    np.int64(1000)
    """
    check.choice("data", data, DATA)
    if data not in SHAPES:
        return sample_histogram(data, n, k, seed=seed).counts
    rng = np.random.default_rng([check.seed(seed), zlib.crc32(data.encode())])
    n, k = check.integer("n", n, 1, check.N_MAX), check.integer("k", k, 2, check.K_MAX)
    return rng.multinomial(n, SHAPES[data](k))
