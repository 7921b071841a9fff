"""The ends of the allowed ranges: they work, and without warnings (warnings are errors in these tests)."""

from __future__ import annotations

import numpy as np
import pytest
from mechanism_cases import CASES, DRAWN_CASES, MECHANISMS, case_id, make, z_limit

from ldpcore.mechanisms import mechanism

BILLION = 10**9
SIZES = (2, 10_000)
BUDGETS = (0.01, 20.0)


def everybody_in(k, where, n):
    histogram = np.zeros(k, dtype=np.int64)
    histogram[where] = n
    return histogram


def assert_possible(m, histogram, counts):
    n = histogram.sum()
    assert counts.min() >= 0
    assert counts.max() <= n
    if m.support_size is not None:
        assert (counts.sum(axis=1) == n * m.support_size).all()


def assert_plausible_mean(m, histogram, counts):
    """Compare one draw with n q + c (p-q): false-alarm rate 10⁻⁶."""
    n = int(histogram.sum())
    spread = n * (m.p - m.q) * np.sqrt(m.noise_variance(histogram / n, n))
    distance = counts[0] - (n * m.q + histogram * (m.p - m.q))
    # A normal approximation needs counts that vary: the others may be off by a few users.
    assert (np.abs(distance) <= z_limit(m.k) * spread + 30).all()


@pytest.mark.slow
@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("k", SIZES)
@pytest.mark.parametrize("case", DRAWN_CASES, ids=case_id)
def test_counts(case, k, eps):
    m = make(case, k, eps)
    rng = np.random.default_rng(51)
    spread_out = np.full(k, BILLION // k)
    for histogram in (everybody_in(k, k - 1, 1), everybody_in(k, 1, BILLION), spread_out):
        # Subsets of thousands of values take a second a draw: two kinds of data are enough there.
        if m.name == "SS" and m.omega > 1000 and histogram is spread_out:
            continue
        counts = m.sample_counts(histogram, 1, rng)
        assert counts.shape == (1, k)
        assert_possible(m, histogram, counts)
        assert_plausible_mean(m, histogram, counts)


@pytest.mark.parametrize("eps", BUDGETS)
@pytest.mark.parametrize("k", SIZES)
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_one_user(case, k, eps):
    m = make(case, k, eps)
    rng = np.random.default_rng(52)
    for value in (0, k - 1):
        reports = m.privatize([value], rng)
        counts = m.support_counts(reports)
        assert counts.shape == (k,)
        assert_possible(m, everybody_in(k, value, 1), counts[None])
        if eps == 20.0 and m.name in ("GRR", "SS", "SUE", "BLH"):
            assert counts[value] == 1, "at ε = 20 the report holds the value but for a chance of 5·10⁻⁵"


@pytest.mark.parametrize("eps", [1e-4, 50.0])
@pytest.mark.parametrize("case", CASES, ids=case_id)
def test_smallest_and_largest_budget(case, eps):
    for k in (2, 3, 1000):
        m = make(case, k, eps)
        assert 0 < m.q < m.p <= 1
        assert m.effective_eps <= eps + 1e-9
        rng = np.random.default_rng(53)
        m.support_counts(m.privatize([0, k - 1], rng))
        assert_possible(m, everybody_in(k, 0, 50), m.sample_counts(everybody_in(k, 0, 50), 2, rng))


@pytest.mark.parametrize("case", DRAWN_CASES, ids=case_id)
def test_most_users(case):
    m = make(case, 5, 1.0)
    histogram = everybody_in(5, 2, 10**12)
    counts = m.sample_counts(histogram, 1, np.random.default_rng(54))
    assert_possible(m, histogram, counts)
    assert_plausible_mean(m, histogram, counts)


@pytest.mark.parametrize("name", MECHANISMS)
def test_numpy_numbers_and_whole_floats_are_numbers(name):
    m = mechanism(name, k=np.int64(4), eps=np.float32(1.0))
    assert isinstance(m.k, int)
    assert isinstance(m.eps, float)
    reference = mechanism(name, k=4.0, eps=1)
    for values in ([0.0, 3.0], np.array([0, 3], dtype=np.uint8), (0, 3)):
        expected = reference.supports(reference.privatize([0, 3], np.random.default_rng(55)))
        np.testing.assert_array_equal(m.supports(m.privatize(values, np.random.default_rng(55))), expected)


@pytest.mark.parametrize("name", MECHANISMS)
def test_report_sizes_and_descriptions(name):
    m = mechanism(name, k=64, eps=1.0)
    assert 0 < m.report_bits <= 64
    assert m.name == name
    assert m.full_name
    assert repr(m).startswith(f"{type(m).__name__}(k=64, eps=1")


def test_inputs_are_left_alone():
    for name in MECHANISMS:
        m = mechanism(name, k=4, eps=1.0)
        values, histogram = np.array([0, 1, 2, 3]), np.array([5, 0, 2, 1])
        rng = np.random.default_rng(56)
        m.support_counts(m.privatize(values, rng))
        m.sample_counts(histogram, 3, rng)
        assert values.tolist() == [0, 1, 2, 3]
        assert histogram.tolist() == [5, 0, 2, 1]
