"""The counts of simulated users and the counts drawn directly have the same, exact distribution.

Means, variances and covariances of the support counts are compared with closed forms. The limits
come from the normal approximation of the averages over the repeats: a correct library fails
one of these tests with a chance of 10⁻⁶ (Bonferroni over all compared entries).
"""

from __future__ import annotations

import numpy as np
import pytest
from exact_channels import channel_of
from mechanism_cases import CASES, HASHING, KNOWN_CASES, case_id, make, z_limit

from ldpcore.mechanisms import mechanism

HISTOGRAM = np.array([0, 40, 3, 0, 5, 12])
REPEATS = 20_000
PATHS = ("sampled", "simulated")


def exact_means(m, histogram, p=None):
    p = m.p if p is None else p
    return histogram.sum() * m.q + histogram * (p - m.q)


def pair_probabilities(m):
    """Return Pr[v and w in S | x] as a (k, k, k) array indexed x, v, w, from closed forms."""
    k = m.k
    x, v, w = np.indices((k, k, k))
    single = np.where(x == v, m.p, m.q), np.where(x == w, m.p, m.q)
    if m.support_law == "fixed size":
        # Beside the true value lie ω-1 others of k-1; without it the pair is one of the subset's pairs of others.
        s = m.support_size
        beside = m.p * (s - 1) / (k - 1)
        others = m.p * (s - 1) * (s - 2) + (1 - m.p) * s * (s - 1)
        pairs = np.where((x == v) | (x == w), beside, others / ((k - 1) * max(k - 2, 1)))
    else:
        # Bits are independent, and so are the cells of different values.
        pairs = single[0] * single[1]
    return np.where(v == w, single[0], pairs)


def exact_covariances(m, histogram):
    """Sum over the users of Pr[v, w in S] - Pr[v in S] Pr[w in S]."""
    first = m.q + (m.p - m.q) * np.eye(m.k)
    return np.einsum("x,xvw->vw", histogram, pair_probabilities(m) - first[:, :, None] * first[:, None, :])


def draw(m, histogram, repeats, path, seed):
    """Return the support counts of many collections, shape (repeats, k)."""
    rng = np.random.default_rng(seed)
    if path == "sampled":
        return m.sample_counts(histogram, repeats, rng)
    values = np.tile(np.repeat(np.arange(m.k), histogram), repeats)
    supports = m.supports(m.privatize(values, rng))
    return supports.reshape(repeats, -1, m.k).sum(axis=1)


def z_of_means(counts, means, covariances):
    return (counts.mean(axis=0) - means) / np.sqrt(np.diag(covariances) / len(counts))


def z_of_covariances(counts, means, covariances):
    """Standardize the products of deviations, one for each pair v <= w."""
    rows, columns = np.triu_indices(len(means))
    deviations = counts - means
    products = deviations[:, rows] * deviations[:, columns]
    spread = products.std(axis=0) / np.sqrt(len(counts))
    return (products.mean(axis=0) - covariances[rows, columns]) / spread


def assert_exact_moments(m, histogram, counts):
    means, covariances = exact_means(m, histogram), exact_covariances(m, histogram)
    z = np.concatenate([z_of_means(counts, means, covariances), z_of_covariances(counts, means, covariances)])
    assert np.abs(z).max() < z_limit(z.size)


def assert_sums(m, histogram, counts):
    """A report of randomized response supports one value, a subset ω of them."""
    if m.support_size is not None:
        assert (counts.sum(axis=1) == histogram.sum() * m.support_size).all()


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
def test_counts_have_the_exact_moments_and_a_wrong_p_is_caught(case, path):
    m = make(case, HISTOGRAM.size, 1.0)
    counts = draw(m, HISTOGRAM, REPEATS, path, seed=11)
    assert counts.shape == (REPEATS, m.k)
    assert_exact_moments(m, HISTOGRAM, counts)
    assert_sums(m, HISTOGRAM, counts)
    # The same test with a p that is 2 % off must fail: it is sharp enough to mean something.
    means, covariances = exact_means(m, HISTOGRAM, 1.02 * m.p), exact_covariances(m, HISTOGRAM)
    comparisons = m.k + m.k * (m.k + 1) // 2
    assert np.abs(z_of_means(counts, means, covariances)).max() > z_limit(comparisons)


@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
def test_variances_are_the_published_formula(case):
    m = make(case, HISTOGRAM.size, 1.0)
    n = int(HISTOGRAM.sum())
    published = n**2 * (m.p - m.q) ** 2 * m.noise_variance(HISTOGRAM / n, n)
    np.testing.assert_allclose(np.diag(exact_covariances(m, HISTOGRAM)), published, rtol=1e-9)


@pytest.mark.parametrize("eps", [0.3, 1.0, 2.0])
@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
def test_closed_forms_of_pairs_agree_with_the_enumeration(case, eps):
    k = 4 if case[0] in HASHING else 6
    m = make(case, k, eps)
    probabilities, supports = channel_of(m)
    enumerated = np.einsum("xy,yv,yw->xvw", probabilities, supports, supports.astype(float), optimize=True)
    np.testing.assert_allclose(pair_probabilities(m), enumerated, rtol=0, atol=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize(("k", "eps", "omega"), [(8, 0.5, 3), (9, 0.1, 4), (5, 4.0, 1), (2, 0.7, 1), (3, 0.2, 1)])
def test_subsets_of_other_sizes(k, eps, omega, path):
    m = mechanism("SS", k=k, eps=eps)
    assert m.omega == omega
    histogram = np.resize([7, 0, 20, 2], k)
    counts = draw(m, histogram, REPEATS // 2, path, seed=12)
    if k == 2:
        # The two counts always sum to n, so one of them says all.
        means, covariances = exact_means(m, histogram), exact_covariances(m, histogram)
        assert np.abs(z_of_means(counts, means, covariances)).max() < z_limit(2)
    else:
        assert_exact_moments(m, histogram, counts)
    assert_sums(m, histogram, counts)


@pytest.mark.slow
@pytest.mark.parametrize("path", PATHS)
def test_subsets_of_many_values(path):
    # ω = 11 of 40: the scan works on a moving window of groups here.
    m = mechanism("SS", k=40, eps=1.0)
    assert m.omega == 11
    histogram = np.where(np.arange(40) % 3 == 0, 0, np.arange(40))
    histogram[[0, 39]] = 50, 30
    counts = draw(m, histogram, 1500 if path == "sampled" else 600, path, seed=13)
    assert_exact_moments(m, histogram, counts)
    assert_sums(m, histogram, counts)


@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_support_counts_are_the_sums_of_the_supports(case):
    # 777 reports: more than the 255 that are added at once, and not a multiple of it.
    m = make(case, 9, 1.0)
    rng = np.random.default_rng(14)
    reports = m.privatize(rng.integers(0, 9, 777), rng)
    supports = m.supports(reports)
    assert supports.shape == (777, 9)
    assert supports.dtype == np.bool_
    np.testing.assert_array_equal(m.support_counts(reports), supports.sum(axis=0))


def test_subset_reports_are_sorted_and_hold_no_value_twice():
    for k, eps in ((7, 0.1), (40, 1.0), (300, 2.0)):
        m = mechanism("SS", k=k, eps=eps)
        rng = np.random.default_rng(15)
        reports = m.privatize(rng.integers(0, k, 5000), rng)
        assert reports.shape == (5000, m.omega)
        assert (np.diff(reports.astype(int), axis=1) > 0).all()
        assert reports.min() == 0
        assert reports.max() == k - 1
