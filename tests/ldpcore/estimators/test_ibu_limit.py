"""The limit of IBU in closed form is the maximum-likelihood estimate, and IBU runs into it."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldpcore as ldp

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
UPSIDE_DOWN = {"eps": 0.3, "eps_inf": 3.0}  # published q above p for the two hashing chains


def normalized_channel(m: ldp.Mechanism, channel: str) -> np.ndarray:
    p, q = m.channel(channel)
    A = np.full((m.k, m.k), q)
    np.fill_diagonal(A, p)
    return A / A.sum(axis=0)


def assert_kkt(theta: np.ndarray, counts: np.ndarray, m: ldp.Mechanism, channel: str = "exact") -> None:
    """The slope of the mean log-likelihood is 1 in every value above 0, and no more in those at 0."""
    A = normalized_channel(m, channel)
    slope = A @ (counts / counts.sum() / (A @ theta))
    assert theta.min() >= 0
    assert theta.sum() == pytest.approx(1, abs=1e-12)
    # θ·(slope - 1) rather than the slope alone: where θ is a rounding error of 0 the slope may be below 1.
    assert np.abs(theta * (slope - 1)).max() < 1e-9
    assert slope.max() < 1 + 1e-9


@st.composite
def cases(draw: st.DrawFn, least: int = 0) -> tuple[str, np.ndarray, float]:
    name = draw(st.sampled_from(ALL))
    counts = draw(st.lists(st.integers(least, 10_000), min_size=2, max_size=60).filter(any))
    return name, np.array(counts), draw(st.floats(0.05, 12))


@pytest.mark.slow
@settings(derandomize=True, deadline=None, max_examples=300)
@given(cases())
def test_kkt_conditions_hold(case: tuple[str, np.ndarray, float]) -> None:
    name, counts, eps = case
    m = ldp.mechanism(name, k=counts.size, eps=eps)
    assert_kkt(ldp.ibu_limit(counts, m), counts, m)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(cases(least=1), st.floats(0.05, 0.95))
def test_kkt_conditions_hold_for_the_published_channel(case: tuple[str, np.ndarray, float], share: float) -> None:
    name, counts, eps = case
    name = name if name in ("L-GRR", "L-BLH", "L-OLH") else "L-BLH"
    m = ldp.mechanism(name, k=counts.size, eps=share * eps, eps_inf=eps)
    p, q = m.channel("published")
    if abs(p - q) > 1e-6 * q:
        assert_kkt(ldp.ibu_limit(counts, m, channel="published"), counts, m, "published")


@pytest.mark.parametrize("name", ALL)
def test_ibu_runs_into_it(name: str) -> None:
    m = ldp.mechanism(name, k=4, eps=4.0)
    counts = m.sample_counts([500, 300, 150, 50], 5, np.random.default_rng(0))
    limit = ldp.ibu_limit(counts, m)
    np.testing.assert_allclose(ldp.ibu(counts, m, max_iter=50_000, tol=1e-15), limit, rtol=0, atol=1e-8)


@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "OLH"])
def test_ibu_runs_into_it_where_values_vanish(name: str) -> None:
    """Values on the edge of the simplex go to 0 geometrically where their count is well below the noise."""
    m = ldp.mechanism(name, k=5, eps=2.0)
    counts = np.round((m.q + (m.p - m.q) * np.array([0.7, 0.4, 0.1, -0.1, -0.1])) * 10_000)
    limit = ldp.ibu_limit(counts, m)
    assert (limit[3:] == 0).all()
    np.testing.assert_allclose(ldp.ibu(counts, m, max_iter=20_000, tol=1e-16), limit, rtol=0, atol=1e-8)


@pytest.mark.parametrize(("channel", "options"), [("exact", {"eps": 1.0}), ("published", UPSIDE_DOWN)])
@pytest.mark.parametrize("name", ["L-GRR", "L-BLH", "L-OLH"])
def test_no_iterate_is_likelier(name: str, channel: str, options: dict, log_likelihood) -> None:
    m = ldp.mechanism(name, k=12, **options)
    counts = m.sample_counts(np.arange(12) * 40, 20, np.random.default_rng(1))
    p, q = m.channel(channel)
    best = log_likelihood(ldp.ibu_limit(counts, m, channel=channel), counts, p, q)
    reached = log_likelihood(ldp.ibu(counts, m, channel=channel, max_iter=3000), counts, p, q)
    assert (best >= reached - 1e-12 * np.abs(reached)).all()


@pytest.mark.parametrize("eps", [0.2, 1.0, 4.0])
@pytest.mark.parametrize("name", ALL)
def test_no_iterate_of_any_mechanism_is_likelier(name: str, eps: float, log_likelihood) -> None:
    m = ldp.mechanism(name, k=12, eps=eps)
    counts = m.sample_counts(np.arange(12) ** 2, 10, np.random.default_rng(2))
    best = log_likelihood(ldp.ibu_limit(counts, m), counts, m.p, m.q)
    for iterations in (1, 100, 1000):
        reached = log_likelihood(ldp.ibu(counts, m, max_iter=iterations), counts, m.p, m.q)
        assert (best >= reached - 1e-12 * np.abs(reached)).all()


def test_it_is_mi_where_mi_is_inside_the_simplex() -> None:
    m = ldp.mechanism("GRR", k=4, eps=2.0)
    counts = np.array([400, 250, 200, 150])
    raw = ldp.mi(counts, 1000, m, post="none")
    assert (raw > 0).all()
    np.testing.assert_allclose(ldp.ibu_limit(counts, m), raw, rtol=0, atol=1e-12)


def test_a_batch_is_its_rows() -> None:
    m = ldp.mechanism("OUE", k=9, eps=1.0)
    counts = m.sample_counts(np.arange(9) * 30, 12, np.random.default_rng(3))
    whole = ldp.ibu_limit(counts.reshape(3, 4, 9), m)
    rows = [ldp.ibu_limit(row, m) for row in counts]
    np.testing.assert_allclose(whole.reshape(12, 9), rows, rtol=0, atol=1e-14)


@pytest.mark.parametrize("counts", [[0, 0, 5], [0, 3, 5], [0, 1, 1, 1]])
@pytest.mark.parametrize("name", ["L-BLH", "L-OLH"])
def test_bug_limit_divides_by_zero_when_q_exceeds_p_and_a_count_is_zero(name: str, counts: list[int]) -> None:
    """With q > p the commonest values go to 0, and all the mass to those nobody reported: left is 0 there."""
    m = ldp.mechanism(name, k=len(counts), **UPSIDE_DOWN)
    p, q = m.channel("published")
    assert q > p
    limit = ldp.ibu_limit(counts, m, channel="published")
    run = ldp.ibu(counts, m, channel="published", max_iter=100_000, tol=1e-15)
    np.testing.assert_allclose(limit, run, rtol=0, atol=1e-6)
