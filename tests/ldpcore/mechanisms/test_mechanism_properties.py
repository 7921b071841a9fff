"""Properties that hold for every mechanism, number of values and budget."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from mechanism_cases import CASES, KNOWN_CASES, make

cases, known_cases = st.sampled_from(CASES), st.sampled_from(KNOWN_CASES)
sizes = st.integers(2, 300)
budgets = st.floats(0.01, 20)
seeds = st.integers(0, 2**32 - 1)
property_test = settings(max_examples=300, deadline=None, derandomize=True)
# Where an example takes long, there are still several for each case.
long_test = settings(property_test, max_examples=120)


@given(case=cases, k=sizes, eps=budgets)
@property_test
def test_parameters(case, k, eps):
    m = make(case, k, eps)
    assert 0 < m.q < m.p <= 1
    assert m.likelihood_ratio > 1
    assert 0 < m.effective_eps <= eps + 1e-9
    variances = m.noise_variance(np.linspace(0, 1, 5), 1000)
    assert (variances > 0).all()
    assert (m.total_variance(np.linspace(0.1, 0.9, 5), 1000) > 0).all()
    if m.longitudinal:
        assert 0 < m.q2 < m.p2 <= 1
        assert 0 < m.q1 < m.p1 <= 1


@given(case=known_cases, k=sizes, eps=budgets)
@property_test
def test_p_and_q_agree_with_the_likelihood_ratio(case, k, eps):
    """λ is p/q for single values, and the ratio of the odds of p and q for bits, whatever k is."""
    m = make(case, k, eps)
    kind, size = m.report_kind.key, m.support_size
    if kind == "values":
        ratio = m.p / m.q
    elif kind == "bits":
        ratio = m.p * (1 - m.q) / (m.q * (1 - m.p))
    elif kind == "pairs":
        ratio = m.p * (m.g - 1) / (1 - m.p)
    else:
        ratio = m.p * (k - size) / ((1 - m.p) * size)
    # 1 - p has lost digits where p is nearly 1: compare the logarithms.
    lost = 1e-15 / (1 - m.p) if m.p < 1 else math.inf
    assert abs(math.log(ratio / m.likelihood_ratio)) <= 1e-9 + 4 * lost if lost < 0.1 else ratio > 1


@pytest.mark.slow
@given(case=cases, k=st.integers(2, 60), eps=budgets, data=st.data())
@long_test
def test_sampled_counts_are_possible_and_reproducible(case, k, eps, data):
    m = make(case, k, eps)
    histogram = data.draw(st.lists(st.integers(0, 10**6), min_size=k, max_size=k).filter(any))
    seed = data.draw(seeds)
    counts = m.sample_counts(histogram, 3, np.random.default_rng(seed))
    assert counts.shape == (3, k)
    assert counts.dtype == np.int64
    assert counts.min() >= 0
    assert counts.max() <= sum(histogram)
    np.testing.assert_array_equal(counts, m.sample_counts(histogram, 3, np.random.default_rng(seed)))
    np.testing.assert_array_equal(counts, make(case, k, eps).sample_counts(histogram, 3, np.random.default_rng(seed)))


@pytest.mark.slow
@given(case=cases, k=st.integers(2, 60), eps=budgets, data=st.data())
@long_test
def test_reports_are_valid_and_reproducible(case, k, eps, data):
    m = make(case, k, eps)
    values = data.draw(st.lists(st.integers(0, k - 1), min_size=1, max_size=30))
    seed = data.draw(seeds)
    reports = m.privatize(values, np.random.default_rng(seed))
    supports = m.supports(reports)
    assert supports.shape == (len(values), k)
    np.testing.assert_array_equal(m.support_counts(reports), supports.sum(axis=0))
    np.testing.assert_array_equal(supports, m.supports(m.privatize(values, np.random.default_rng(seed))))
    if m.support_size is not None:
        assert (supports.sum(axis=1) == m.support_size).all()


# A new cell makes the report of published L-OLH weaker: it is the one exception.
@given(
    case=cases.filter(lambda c: c != ("L-OLH", "published")),
    k=sizes,
    eps=st.floats(0.01, 19.9),
    more=st.floats(1e-3, 0.1),
)
@property_test
def test_more_budget_never_means_a_weaker_report(case, k, eps, more):
    m, richer = make(case, k, eps), make(case, k, eps + more)
    assert richer.effective_eps > m.effective_eps
