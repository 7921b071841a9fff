"""Counts of random sets by halving the values: against all sets, one by one, and against users."""

from collections import Counter
from itertools import combinations, product
from math import comb
from zlib import crc32

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.mechanisms._set_counts import _chances, set_counts
from ldpcore.mechanisms.subset import uniform_sets


def exact_law(k, size, users, holders):
    """Return the chance of every vector of counts, by going through all sets of all users."""
    law = Counter({(0,) * k: 1.0})
    kinds = [list(combinations(range(k), size))] * users
    for value, number in enumerate(holders):
        kinds += [[s for s in combinations(range(k), size) if value in s]] * number
    for sets in kinds:
        new = Counter()
        for (counts, chance), chosen in product(law.items(), sets):
            key = tuple(c + (v in chosen) for v, c in enumerate(counts))
            new[key] += chance / len(sets)
        law = new
    return law


@pytest.mark.parametrize(
    ("k", "size", "users", "holders"),
    [(4, 2, 2, (0, 0, 0, 0)), (5, 2, 1, (1, 0, 0, 0, 1)), (5, 3, 0, (0, 2, 1, 0, 0)), (3, 1, 2, (0, 1, 0))],
)
def test_all_sets_have_their_chance(k, size, users, holders):
    draws = 60_000
    law = exact_law(k, size, users, holders)
    counts = set_counts(np.full(draws, users), np.tile(holders, (draws, 1)), size, np.random.default_rng(1))
    seen = Counter(map(tuple, counts.tolist()))
    assert set(seen) <= set(law)
    squares = sum((seen[key] - draws * chance) ** 2 / (draws * chance) for key, chance in law.items())
    # A χ² with so many degrees of freedom is beyond this in about one of a million (Wilson and Hilferty).
    freedom = len(law) - 1
    assert squares < freedom * (1 - 2 / (9 * freedom) + 4.8 * np.sqrt(2 / (9 * freedom))) ** 3


@pytest.mark.parametrize(("left", "right"), [(1, 1), (0, 4), (5, 0), (7, 9), (40, 41), (300, 299)])
def test_chances_are_quotients_of_whole_numbers(left, right):
    r = np.arange(left + right + 1)[:, None]
    chances, on_left = _chances(r, np.arange(left + 1), left, right)
    lefts, rights = ([comb(number, i) for i in range(left + right + 1)] for number in (left, right))
    for one, row in zip(r[:, 0].tolist(), chances, strict=True):
        every = [lefts[i] * rights[one - i] if i <= one else 0 for i in range(left + 1)]
        of = comb(left + right, one)
        exact = np.array([number / of for number in every])
        # What is left out is less than 1e-22.
        np.testing.assert_allclose(row, exact[on_left], rtol=1e-13, atol=1e-22)
        assert exact.sum() - exact[on_left].sum() < 1e-15


def test_chances_are_the_same_on_every_machine():
    """Products, quotients and sums alone: to the last bit, so that the same seed draws the same sets everywhere."""
    chances, _ = _chances(np.arange(20, 60)[:, None], np.arange(61), 60, 61)
    assert crc32(chances.tobytes()) == 3_785_373_684


@pytest.mark.slow
def test_many_values_have_the_moments_of_the_mechanism():
    m = ldp.mechanism("SS", k=90, eps=1.0)
    histogram, runs = np.zeros(90, dtype=int), 3_000
    histogram[[0, 44, 45, 89]] = [400, 300, 200, 100]
    counts = m.sample_counts(histogram, runs, np.random.default_rng(2))
    assert (counts.sum(axis=1) == 1_000 * m.omega).all()
    mean = m.q * 1_000 + (m.p - m.q) * histogram
    variance = histogram * m.p * (1 - m.p) + (1_000 - histogram) * m.q * (1 - m.q)
    # Five standard errors of a mean; a variance of 3 000 draws is known to 2.6 %.
    assert (np.abs(counts.mean(axis=0) - mean) < 5 * np.sqrt(variance / runs)).all()
    np.testing.assert_allclose(counts.var(axis=0), variance, rtol=0.14)
    # Sets have a fixed size, so the covariances of a value with all others sum to minus its variance.
    cov = np.cov(counts.T)
    np.testing.assert_allclose(cov.sum(axis=1), 0, atol=1e-6)


def test_pairs_of_values_meet_as_often_as_they_should():
    counts = uniform_sets(np.full(4_000, 50), 70, 20, np.random.default_rng(3))
    cov = np.cov(counts.T)
    share = 20 / 70
    among = -50 * share * (1 - share) / 69
    off = cov[~np.eye(70, dtype=bool)]
    # The mean of all pairs is fixed by the variances; neighbours and halves must not differ from the rest.
    near, far = np.diag(cov, 1).mean(), np.diag(cov, 40).mean()
    spread = 50 * share * (1 - share) / np.sqrt(4_000)
    assert off.mean() == pytest.approx(among, rel=0.05)
    assert abs(near - among) < 5 * spread / np.sqrt(69)
    assert abs(far - among) < 5 * spread / np.sqrt(30)


def test_it_takes_the_edges():
    rng = np.random.default_rng(4)
    assert (uniform_sets(np.array([7]), 100, 99, rng).sum() == 7 * 99).all()
    assert (set_counts(np.array([0]), np.eye(1, 100, dtype=int) * 9, 1, rng) == np.eye(1, 100, dtype=int) * 9).all()
    many = uniform_sets(np.array([10**11]), 64, 32, rng)
    assert many.sum() == 32 * 10**11
    assert np.abs(many / 5e10 - 1).max() < 1e-4
