"""The laws of support counts against sums written out, exact fractions and simulation."""

import math
from fractions import Fraction

import numpy as np
import pytest
from mechanism_cases import z_limit

from ldpcore.theory.count_law import binomial_pmf, binomial_tails, binomial_window, sum_window, upper_tail


def exact_binomial(n, chance, x):
    p = Fraction(chance)
    return float(math.comb(n, x) * p**x * (1 - p) ** (n - x))


@pytest.mark.parametrize(("n", "chance"), [(1, 0.3), (7, 0.5), (40, 0.01), (300, 0.93)])
def test_binomial_chances_are_those_of_fractions(n, chance):
    x = np.arange(n + 1)
    expected = [exact_binomial(n, chance, i) for i in range(n + 1)]
    np.testing.assert_allclose(binomial_pmf(n, chance, x), expected, rtol=1e-11, atol=1e-300)


def test_chances_of_what_is_sure_or_can_not_be():
    np.testing.assert_array_equal(binomial_pmf(3, 0.0, [0, 1, 3]), [1, 0, 0])
    np.testing.assert_array_equal(binomial_pmf(3, 1.0, [0, 1, 3]), [0, 0, 1])
    np.testing.assert_array_equal(binomial_pmf(0, 0.4, [0, 1]), [1, 0])


@pytest.mark.parametrize(("n", "chance"), [(10, 0.5), (10**6, 1e-7), (10**5, 0.3), (10**9, 0.5), (10**12, 1e-10)])
def test_a_window_holds_all_that_has_a_chance(n, chance):
    first, pmf = binomial_window(n, chance)
    assert pmf.sum() == pytest.approx(1, abs=1e-9)
    counts = first[0] + np.arange(pmf.shape[1])
    mean = pmf[0] @ counts
    assert mean == pytest.approx(n * chance, rel=1e-9)
    assert pmf[0] @ (counts - mean) ** 2 == pytest.approx(n * chance * (1 - chance), rel=1e-6)


@pytest.mark.parametrize("c", [0, 3, 12])
def test_the_law_of_a_count_is_the_convolution(c):
    n, p, q = 12, 0.7, 0.2
    expected = np.zeros(n + 1)
    for a in range(c + 1):
        for b in range(n - c + 1):
            expected[a + b] += exact_binomial(c, p, a) * exact_binomial(n - c, q, b)
    first, pmf = sum_window(c, p, n - c, q)
    np.testing.assert_allclose(pmf[0, : n + 1 - first[0]], expected[first[0] :], rtol=1e-10)


def test_rows_are_computed_as_if_alone():
    c = np.array([0, 5, 900])
    first, pmf = sum_window(c, 0.5, 1_000 - c, 0.01)
    for row, users in enumerate(c.tolist()):
        start, alone = sum_window(users, 0.5, 1_000 - users, 0.01)
        counts = np.arange(0, 1_001)
        both = []
        for begin, chances in ((first[row], pmf[row]), (start[0], alone[0])):
            place = counts - begin
            inside = (place >= 0) & (place < chances.size)
            both.append(np.where(inside, chances[np.clip(place, 0, chances.size - 1)], 0))
        np.testing.assert_allclose(both[0], both[1], atol=1e-12)


@pytest.mark.parametrize(("n", "chance", "x"), [(30, 0.2, 0), (30, 0.2, 6), (30, 0.2, 29), (30, 0.2, 30), (5, 0.9, 2)])
def test_tails_are_sums(n, chance, x):
    below, above = binomial_tails(n, chance, x)
    assert below == pytest.approx(sum(exact_binomial(n, chance, i) for i in range(x + 1)), rel=1e-9)
    assert above == pytest.approx(sum(exact_binomial(n, chance, i) for i in range(x, n + 1)), rel=1e-9)


def test_tails_of_a_billion_trials_are_normal():
    n, chance = 10**9, 0.25
    sd = math.sqrt(n * chance * (1 - chance))
    below, above = binomial_tails(n, chance, int(n * chance - 4 * sd))
    assert below == pytest.approx(0.5 * math.erfc(4 / math.sqrt(2)), rel=0.01)
    assert above == pytest.approx(1, abs=1e-4)


@pytest.mark.parametrize(
    ("c", "others", "p", "q"), [(0, 1_000, 0.5, 0.03), (60, 1_000, 0.5, 0.01), (500, 500, 0.9, 0.02), (40, 9, 0.4, 0.3)]
)
def test_tails_by_saddle_points_are_right_to_a_percent(c, others, p, q):
    first, pmf = sum_window(c, p, others, q)
    mean, sd = c * p + others * q, math.sqrt(c * p * (1 - p) + others * q * (1 - q))
    x = np.array([math.floor(mean + z * sd) + 1 for z in (0, 0.5, 1, 2, 3, 4, 5)])
    tails = pmf[0][::-1].cumsum()[::-1]
    np.testing.assert_allclose(upper_tail(c, p, others, q, x), tails[x - first[0]], rtol=0.01)
    assert upper_tail(c, p, others, q, c + others + 1) == 0
    assert upper_tail(c, p, others, q, c + others) == pytest.approx(p**c * q**others)


def test_counts_are_drawn_from_that_law():
    rng, runs = np.random.default_rng(3), 200_000
    drawn = rng.binomial(8, 0.6, runs) + rng.binomial(50, 0.05, runs)
    first, pmf = sum_window(8, 0.6, 50, 0.05)
    chances = pmf[0, : 16 - first[0]]
    shares = np.bincount(drawn, minlength=16)[first[0] : 16] / runs
    # A false alarm in a million.
    z = (shares - chances) / np.sqrt(chances * (1 - chances) / runs)
    assert np.abs(z).max() < z_limit(16)
