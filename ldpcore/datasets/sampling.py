"""Draw user values, or their histogram without the users.

The histogram of n samples of a continuous distribution needs only the smallest and
the largest of them, which have closed forms, and a multinomial draw for the rest. Its
cost does not depend on n, and its distribution is exactly that of n drawn users.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from ldpcore import _validate as check
from ldpcore._validate import FloatArray, IntArray
from ldpcore.datasets.acs import AcsIncome
from ldpcore.datasets.base import DiscreteDistribution, Distribution
from ldpcore.datasets.binning import BINNINGS, Histogram, bin_edges, bin_values, user_values
from ldpcore.datasets.synthetic import Exponential, Gaussian, Poisson, Triangular, Uniform
from ldpcore.errors import Refused

Params = Mapping[str, float] | Iterable[tuple[str, float]]
Seed = int | np.random.Generator

DISTRIBUTIONS: dict[str, type[Distribution]] = {
    family.name: family for family in (Gaussian, Exponential, Uniform, Poisson, Triangular, AcsIncome)
}
"""The classes of the distributions by name, in the paper's order."""
DATASETS = tuple(DISTRIBUTIONS)
"""The names of the distributions that data sets are drawn from."""

# Up to USERS_MAX users every value is drawn; `sample` refuses to fill memory beyond SAMPLE_MAX.
USERS_MAX = 10**6
SAMPLE_MAX = 10**8


def distribution(data: str, params: Params = ()) -> Distribution:
    """Return the distribution called `data`, with the paper's parameters where `params` has no others.

    Examples
    --------
    >>> distribution("gaussian", {"sd": 50})
    Gaussian(mean=1000.0, sd=50.0)
    """
    family = DISTRIBUTIONS[check.choice("data", data, DISTRIBUTIONS)]
    try:
        chosen = dict(params)
    except (TypeError, ValueError):
        raise Refused(f"params must be a mapping or pairs of name and value; got {params!r:.60}") from None
    allowed = [p.name for p in family.parameters()]
    for name in chosen:
        if name not in allowed:
            what = f"only {', '.join(allowed)}" if allowed else "nothing"
            raise Refused(f"params may hold {what} for {data}; got {name!r}")
    return family(**chosen)


def data_rng(seed: Seed) -> np.random.Generator:
    """Return the generator of the data: a stream of its own beside those of the noise.

    A Generator is returned as it is.

    Examples
    --------
    >>> from ldpcore.datasets import data_rng
    >>> bool(data_rng(7).random() == data_rng(7).random())
    True
    """
    if isinstance(seed, np.random.Generator):
        return seed
    seed = check.seed(seed)
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(0,)))


def sample(data: str, n: int, seed: Seed = 0, params: Params = ()) -> npt.NDArray[Any]:
    """Draw the values of n users.

    Parameters
    ----------
    data : str
        One of `DATASETS`.
    n : int
        Number of users, up to 10⁸. `sample_histogram` has no need of the users and goes up to 10¹².
    seed : int or numpy.random.Generator
        The same seed gives the same values.
    params : mapping or pairs of (name, value)
        Parameters of the distribution, where they are not to be the paper's.

    Returns
    -------
    ndarray, shape (n,)
        float64; int64 for "poisson".

    Examples
    --------
    >>> incomes = sample("acs-income", n=1_000, seed=7)
    >>> incomes.shape, bool(incomes.min() > 100)
    ((1000,), True)
    """
    dist = distribution(data, params)
    n = check.integer("n", n, 1)
    if n > SAMPLE_MAX:
        raise Refused(
            f"n must be a whole number from 1 to {SAMPLE_MAX:,} to draw user by user; "
            f"got {n:,} (sample_histogram takes more)"
        )
    return dist.draw(n, data_rng(seed))


def sample_histogram(
    data: str, n: int, k: int | None, binning: str = "equal-width", seed: Seed = 0, params: Params = ()
) -> Histogram:
    """Draw the histogram of n users over k bins between their smallest and largest value.

    Up to 10⁶ users it is `histogram(sample(data, n, seed, params), k, binning)`; above, it is
    drawn without the users, with exactly the same distribution. Either way all k share one
    data set, or at least its extremes, per (data, n, seed).

    Parameters
    ----------
    data, seed, params
        As for `sample`.
    n : int
        Number of users, up to 10¹².
    k, binning
        See `bin_edges`. "values" is for distributions over whole numbers, and k may be None there.

    Examples
    --------
    >>> sample_histogram("poisson", n=1_000, k=None, binning="values").edges[:3]
    array([-0.5,  0.5,  1.5])
    >>> sample_histogram("uniform", n=10**9, k=4).counts.sum()
    np.int64(1000000000)
    """
    dist = distribution(data, params)
    n = check.integer("n", n, 1, check.N_MAX)
    if check.choice("binning", binning, BINNINGS) == "values" and not dist.whole:
        raise Refused(f"one bin per value is for whole numbers; got {data}, whose values may be any")
    rng = data_rng(seed)
    if n <= USERS_MAX:
        return bin_values(dist.draw(n, rng).astype(np.float64, copy=False), k, binning)
    return histogram_without_users(dist, n, k, binning, rng)


def histogram_without_users(
    dist: Distribution, n: int, k: int | None, binning: str, rng: np.random.Generator
) -> Histogram:
    """Draw the histogram of n >= 2 users at a cost that does not depend on n."""
    if isinstance(dist, DiscreteDistribution):
        values, p = dist.atoms()
        persons = _multinomial(n, p, rng)
        present = persons > 0
        return bin_values(values[present].astype(np.float64), k, binning, persons[present])
    low, high = _extremes(dist, n, rng)
    if low == high:  # a distribution narrower than float64 can resolve
        return bin_values(np.array([low]), k, binning, np.array([n]))
    edges = bin_edges(low, high, k, binning)
    counts = _multinomial(n - 2, _bin_masses(dist, edges), rng)
    counts[0] += 1
    counts[-1] += 1
    return Histogram(counts, edges)


def _extremes(dist: Distribution, n: int, rng: np.random.Generator) -> tuple[float, float]:
    """Draw the smallest and the largest of n samples.

    As probabilities they are U_max = U^(1/n) and U_min = U_max (1 - V^(1/(n-1))). With -ln U and
    -ln V standard exponential, expm1 keeps all digits of 1 - U_max and of U_min for any n.
    """
    # One exponential in 2**53 comes out as 0, which would put an extreme at infinity.
    to_max, to_min = np.maximum(rng.standard_exponential(2), 2.0**-60).tolist()
    above_max = -math.expm1(-to_max / n)
    below_min = math.exp(-to_max / n) * -math.expm1(-to_min / (n - 1))
    return float(dist.quantile(below_min)), float(dist.upper_quantile(above_max))


def _bin_masses(dist: Distribution, edges: FloatArray) -> FloatArray:
    """Return the probability of each bin, given that a sample lies within the edges."""
    below, above = dist.cdf(edges), dist.survival(edges)
    # In each half of the distribution the tail that is small there has the digits.
    masses = np.where(below[1:] < 0.5, np.diff(below), -np.diff(above))
    masses = np.maximum(masses, 0.0)
    return np.asarray(masses / masses.sum())


def drawn_users(persons: IntArray, n: int | None, seed: int) -> IntArray:
    """Return how many users have each of somebody's own values, or lie in each bin: the data themselves, or n drawn."""
    rows = int(persons.sum())
    if n is None or check.integer("n", n, 1, check.N_MAX) == rows:
        return persons
    return _multinomial(int(n), persons / rows, data_rng(seed))


def _multinomial(n: int, p: FloatArray, rng: np.random.Generator) -> IntArray:
    # NumPy subtracts the probabilities one after the other from 1. Smallest first, what
    # remains is never smaller than its rounding error, however far the tails reach.
    order = np.argsort(p, kind="stable")
    counts = np.empty(p.size, dtype=np.int64)
    counts[order] = rng.multinomial(n, p[order])
    return counts


def sample_records(values: Any, n: int, seed: Seed = 0) -> FloatArray:
    """Draw n users from given records, with replacement.

    Examples
    --------
    >>> from ldpcore.datasets import sample_records
    >>> sample_records([10.0, 20.0, 30.0], n=5, seed=1).size
    5
    """
    records = user_values("values", values)
    n = check.integer("n", n, 1, SAMPLE_MAX)
    return np.asarray(records[data_rng(seed).integers(records.size, size=n)])
