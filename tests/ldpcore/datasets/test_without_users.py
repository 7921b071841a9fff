"""Histograms that are drawn without users have the law of those with users."""

import itertools
import math

import numpy as np
import pytest
from distribution_cases import VARIANTS, Z_MAX, over_whole_numbers, variant_ids

from ldpcore.datasets import (
    DATASETS,
    distribution,
    histogram,
    sample,
    sample_histogram,
)
from ldpcore.datasets.sampling import _extremes, _multinomial, histogram_without_users


@pytest.mark.parametrize("binning", ["equal-width", "paper"])
@pytest.mark.parametrize("data", DATASETS)
def test_small_n_is_the_histogram_of_the_sample(data, binning):
    for n in (1, 2, 20_000):
        h = sample_histogram(data, n, 50, binning, seed=4)
        x = sample(data, n, seed=4)
        np.testing.assert_array_equal(h.counts, histogram(x, 50, binning))
        assert h.n == n
        if n > 2:
            assert h.edges[0] == x.min()
            assert h.edges[-1] == x.max()


def test_one_million_is_still_drawn_user_by_user():
    h = sample_histogram("exponential", 10**6, 10, seed=1)
    np.testing.assert_array_equal(h.counts, histogram(sample("exponential", 10**6, seed=1), 10))


def compare_moments(a, b):
    """Two-sample z-scores of the means and of the variances, column by column."""
    assert a.shape == b.shape
    runs = len(a)

    def score(x, y):
        spread = np.sqrt((x.var(axis=0) + y.var(axis=0)) / runs)
        return np.abs(x.mean(axis=0) - y.mean(axis=0)) / np.maximum(spread, 1e-12)

    centre = (a.mean(axis=0) + b.mean(axis=0)) / 2
    worst = max(score(a, b).max(), score((a - centre) ** 2, (b - centre) ** 2).max())
    assert worst < Z_MAX


def binned_at_once(x, k, binning):
    """Return the smallest and the largest value and the counts of k bins, for each of many samples."""
    low, high = x.min(axis=1, keepdims=True), x.max(axis=1, keepdims=True)
    same = low == high
    bins = k + (binning == "paper")
    steps = np.arange(1, bins) / bins
    inner = np.where(same, low - 0.5, low) + np.where(same, 1.0, high - low) * steps
    below = (x[:, :, None] < inner[:, None, :]).sum(axis=1)
    counts = np.diff(below, axis=1, prepend=0, append=x.shape[1])
    if binning == "paper":
        counts = np.column_stack([counts[:, :-2], counts[:, -2:].sum(axis=1)])
    return np.column_stack([low, high, counts])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variant", "binning"),
    [*((v, "equal-width") for v in VARIANTS), *((v, "paper") for v in VARIANTS[: len(DATASETS)])],
    ids=lambda case: case if isinstance(case, str) else variant_ids(case),
)
def test_without_users_as_with_users(variant, binning):
    """50 users, 700 histograms each way: means, variances and products of all bins and both extremes."""
    n, k, runs = 50, 6, 700
    dist, rng = distribution(*variant), np.random.default_rng(17)
    a = binned_at_once(dist.draw(runs * n, rng).reshape(runs, n), k, binning)
    without = [histogram_without_users(dist, n, k, binning, rng) for _ in range(runs)]
    b = np.array([[h.edges[0], h.edges[-1], *h.counts] for h in without], dtype=float)
    assert np.all(b[:, 2:].sum(axis=1) == n)
    # Logarithms tame the tail of the largest income: 700 runs must see the variance of what they compare.
    if variant[0] == "acs-income":
        a[:, :2], b[:, :2] = np.log(a[:, :2]), np.log(b[:, :2])
    scale = np.maximum(a.std(axis=0), 1e-9)
    a, b = (a - a.mean(axis=0)) / scale, (b - a.mean(axis=0)) / scale
    compare_moments(a, b)
    i, j = np.triu_indices(k + 2, 1)
    compare_moments(a[:, i] * a[:, j], b[:, i] * b[:, j])


class Pairs:
    """A generator of given pairs instead of two exponentials."""

    def __init__(self, pairs):
        self._pairs = iter(pairs)

    def standard_exponential(self, size):
        assert size == 2
        return np.array(next(self._pairs))


@pytest.mark.parametrize("n", [2, 3, 50])
def test_extremes_of_uniform_samples(n):
    """Closed forms: E min = 1/(n+1), E max = n/(n+1), one variance for both, and their covariance.

    Nothing is left to chance: each of 60 quantiles of one exponential meets each of the other. By this midpoint rule
    the means are right to six thousandths of a standard deviation, and second moments to a hundredth; to six at n = 50,
    where more of them comes from the far ends.
    """
    dist, quantiles = distribution("uniform", {"low": 0.0, "high": 1.0}), -np.log1p(-(np.arange(60) + 0.5) / 60)
    pairs = Pairs(itertools.product(quantiles, quantiles))
    low, high = np.array([_extremes(dist, n, pairs) for _ in range(60 * 60)]).T
    assert np.all(low <= high)
    sd = math.sqrt(n / ((n + 1) ** 2 * (n + 2)))
    assert low.mean() == pytest.approx(1 / (n + 1), abs=0.01 * sd)
    assert high.mean() == pytest.approx(n / (n + 1), abs=0.01 * sd)
    covariance = sd**2 / n
    expected = [[sd**2, covariance], [covariance, sd**2]]
    np.testing.assert_allclose(np.cov(low, high, bias=True), expected, rtol=0.01 if n < 50 else 0.07)


@pytest.mark.parametrize("n", [10**9, 10**12])
def test_extremes_keep_their_digits(n):
    """Both n Pr[X > max] and n Pr[X < min] are standard exponential, up to 1/n: mean 1, variance 1."""
    dist, rng, runs = distribution("gaussian"), np.random.default_rng(8), 4000
    low, high = np.array([_extremes(dist, n, rng) for _ in range(runs)]).T
    for scaled in (n * dist.survival(high), n * dist.cdf(low)):
        assert np.all(scaled > 0)
        assert abs(scaled.mean() - 1) < Z_MAX / math.sqrt(runs)
        assert abs(np.mean((scaled - 1) ** 2) - 1) < Z_MAX * math.sqrt(8 / runs)


class Ones:
    """A generator whose exponentials are all 1."""

    def standard_exponential(self, size):
        return np.ones(size)


@pytest.mark.parametrize("data", ["gaussian", "exponential"])
def test_extremes_to_the_last_digits(data):
    """Two known extremes of 10¹² samples: n ln U_max = -1, and U_min follows."""
    n, dist = 10**12, distribution(data, {"mean": 0.0, "sd": 1.0} if data == "gaussian" else {})
    low, high = _extremes(dist, n, Ones())
    assert float(dist.survival(high)) * n == pytest.approx(1 - 0.5 / n, rel=1e-12)
    assert float(dist.cdf(low)) * n == pytest.approx(1 - 0.5 / n, rel=1e-12)


@pytest.mark.parametrize("n", [10**6 + 1, 10**9, 10**12])
@pytest.mark.parametrize("data", DATASETS)
def test_many_users(data, n):
    h = sample_histogram(data, n, 100, seed=6)
    again = sample_histogram(data, n, 100, seed=6)
    np.testing.assert_array_equal(h.counts, again.counts)
    assert h.counts.dtype == np.int64
    assert h.n == n
    assert h.counts.min() >= 0
    assert h.counts[0] >= 1
    assert h.counts[-1] >= 1
    np.testing.assert_allclose(h.frequencies, h.counts / n)
    # Every bin against its probability; the bounds also hold for the few users of an almost empty bin.
    dist = distribution(data)
    right = dist.cdf(np.ceil(h.edges[1:]) - 1 if over_whole_numbers(data) else h.edges[1:])
    right[-1] = 1
    expected = n * np.diff(right, prepend=0.0)
    assert np.all(np.abs(h.counts - expected) < 8 * np.sqrt(expected + 1) + 40)


@pytest.mark.parametrize("data", DATASETS)
def test_extremes_do_not_depend_on_k(data):
    for n in (5000, 10**10):
        wide, narrow = (sample_histogram(data, n, k, seed=2) for k in (2, 200))
        assert wide.edges[0] == narrow.edges[0]
        assert wide.edges[-1] == narrow.edges[-1]


def test_other_seeds_give_other_histograms():
    a, b = (sample_histogram("uniform", 10**9, 10, seed=s).counts for s in (0, 1))
    assert not np.array_equal(a, b)


def test_many_bins_and_a_wide_poisson():
    assert sample_histogram("gaussian", 10**12, 100_000).n == 10**12
    assert sample_histogram("poisson", 10**12, 1000, params={"rate": 1e6}).n == 10**12


def test_constant_data():
    """Nearly all users of a Poisson of rate 1e-9 are 0; and float64 cannot resolve this Gaussian."""
    h = sample_histogram("poisson", 1000, 4, params={"rate": 1e-9})
    np.testing.assert_array_equal(h.counts, [0, 0, 1000, 0])
    np.testing.assert_allclose(h.edges, [-0.5, -0.25, 0, 0.25, 0.5])
    for n in (1000, 10**9):
        h = sample_histogram("gaussian", n, 3, params={"mean": 1e9, "sd": 1e-9})
        np.testing.assert_array_equal(h.counts, [0, n, 0])


def test_multinomial_is_exact_below_the_rounding_of_one():
    """More users than the library allows, so that probabilities near 1e-16 have counts to compare.

    NumPy before 2.4 rounds 1 - p, and so loses probabilities below 1e-15: among as many users as the library allows,
    less than a thousandth of one.
    """
    smallest = 40 if np.lib.NumpyVersion(np.__version__) >= "2.4.0" else 16
    p = np.concatenate(([0.5, 0.5], 10.0 ** -np.arange(14, smallest)))
    p /= p.sum()
    n, runs, rng = 10**18, 200, np.random.default_rng(0)
    draws = np.array([_multinomial(n, p, rng) for _ in range(runs)])
    assert np.all(draws.sum(axis=1) == n)
    assert draws.min() >= 0
    expected = n * p
    assert np.all(np.abs(draws.mean(axis=0) - expected) < Z_MAX * np.sqrt(expected / runs) + 10 / runs)
