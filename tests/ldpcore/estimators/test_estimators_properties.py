"""Whatever the mechanism, the number of values, ε and the data: an estimate that promises a distribution is one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import HealthCheck, given, note, settings
from hypothesis import strategies as st

import ldpcore as ldp
from ldpcore.estimators import DISTRIBUTIONS

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
quiet = settings(derandomize=True, deadline=None, max_examples=120, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def collections(draw: st.DrawFn) -> tuple[ldp.Mechanism, int, np.ndarray]:
    """Draw a mechanism, a histogram of its users, and the support counts of three collections among them."""
    k = draw(st.integers(2, 200))
    eps = draw(st.one_of(st.sampled_from([0.01, 20.0]), st.floats(0.01, 20)))
    m = ldp.mechanism(draw(st.sampled_from(ALL)), k=k, eps=eps)
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    skew = draw(st.sampled_from([0.01, 0.3, 1.0, 100.0]))
    n = draw(st.integers(1, 10**6))
    histogram = rng.multinomial(n, rng.dirichlet(np.full(k, skew)))
    counts = m.sample_counts(histogram, 3, rng)
    counts[~counts.any(axis=1), 0] = 1  # nobody supporting anything is not a collection
    return m, n, counts


def assert_distributions(estimates: np.ndarray, shape: tuple[int, ...]) -> None:
    assert estimates.shape == shape
    assert np.isfinite(estimates).all()
    assert estimates.min() >= 0
    np.testing.assert_allclose(estimates.sum(axis=-1), 1, rtol=0, atol=1e-9)


@pytest.mark.slow
@quiet
@given(collections())
def test_mi_is_a_distribution(case: tuple[ldp.Mechanism, int, np.ndarray]) -> None:
    m, n, counts = case
    for post in DISTRIBUTIONS:
        note(post)
        assert_distributions(ldp.mi(counts, n, m, post=post), counts.shape)


@pytest.mark.slow
@quiet
@given(collections())
def test_ibu_is_a_distribution(case: tuple[ldp.Mechanism, int, np.ndarray]) -> None:
    m, _, counts = case
    assert_distributions(ldp.ibu(counts, m, max_iter=50), counts.shape)


@quiet
@given(collections())
def test_ibu_limit_is_a_distribution(case: tuple[ldp.Mechanism, int, np.ndarray]) -> None:
    m, _, counts = case
    assert_distributions(ldp.ibu_limit(counts, m), counts.shape)


@quiet
@given(collections())
def test_the_published_channel_gives_a_distribution(case: tuple[ldp.Mechanism, int, np.ndarray]) -> None:
    m, _, counts = case
    assert_distributions(ldp.ibu(counts, m, max_iter=50, channel="published"), counts.shape)
    assert_distributions(ldp.ibu_limit(counts, m, channel="published"), counts.shape)


@quiet
@given(collections())
def test_the_order_of_the_values_does_not_matter(case: tuple[ldp.Mechanism, int, np.ndarray]) -> None:
    m, n, counts = case
    order = np.random.default_rng(0).permutation(m.k)
    for estimate in (
        lambda c: ldp.mi(c, n, m, post="norm-sub"),
        lambda c: ldp.ibu(c, m, max_iter=50),
        lambda c: ldp.ibu_limit(c, m),
    ):
        np.testing.assert_allclose(estimate(counts[:, order]), estimate(counts)[:, order], rtol=0, atol=1e-9)
