"""The far ends of what the library accepts: finite distributions and no warning (warnings are errors here)."""

from __future__ import annotations

import numpy as np
import pytest
from mechanism_cases import DRAWN

import ldpcore as ldp
from ldpcore.estimators import DISTRIBUTIONS

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
PUBLISHED = ("L-GRR", "L-BLH", "L-OLH")


def assert_distribution(estimate: np.ndarray, *shape: int) -> None:
    assert estimate.shape == shape
    assert np.isfinite(estimate).all()
    assert estimate.min() >= 0
    np.testing.assert_allclose(estimate.sum(axis=-1), 1, rtol=0, atol=1e-9)


def assert_all_estimates(counts: np.ndarray, n: int, m: ldp.Mechanism, posts=tuple(ldp.POSTPROCESSINGS)) -> None:
    """Look at every estimate from counts (..., k)."""
    for post in posts:
        estimate = ldp.mi(counts, n, m, post=post)
        assert np.isfinite(estimate).all()
        if post in DISTRIBUTIONS:
            assert_distribution(estimate, *counts.shape)
    for channel in ("exact", "published") if m.name in PUBLISHED else ("exact",):
        run = ldp.ibu_run(counts, m, max_iter=100, channel=channel, record=(0, 1, 50, 100))
        assert_distribution(run.estimates, *counts.shape)
        assert np.isfinite(run.trace.log_likelihood).all()
        assert_distribution(ldp.ibu_limit(counts, m, channel=channel), *counts.shape)


def histograms(k: int, n: int) -> list[np.ndarray]:
    one, even = np.zeros(k, dtype=np.int64), np.full(k, n // k)
    one[k // 2] = n
    even[0] += n - even.sum()
    return [one, even]


@pytest.mark.parametrize("eps", [1e-4, 0.01, 1.0, 20.0])
@pytest.mark.parametrize("n", [1, 10**9])
@pytest.mark.parametrize("name", DRAWN)
def test_two_values(name: str, n: int, eps: float) -> None:
    m = ldp.mechanism(name, k=2, eps=eps)
    counts = np.concatenate([m.sample_counts(each, 4, np.random.default_rng(0)) for each in histograms(2, n)])
    counts = counts[counts.any(axis=1)]
    if len(counts):
        assert_all_estimates(counts, n, m)


@pytest.mark.parametrize("eps", [0.01, 20.0])
@pytest.mark.parametrize("name", ALL)
def test_ten_thousand_values(name: str, eps: float) -> None:
    k, n = 10_000, 10**6
    m = ldp.mechanism(name, k=k, eps=eps)
    for histogram in histograms(k, n):
        # The expected counts: drawing them takes long for SS, and they are no less extreme.
        counts = m.q * n + (m.p - m.q) * histogram
        if m.support_size is None:
            counts = np.round(counts)
        assert_all_estimates(counts, n, m, posts=("none", "norm-mul", "norm-cut", "norm-sub", "mle-apx"))


def test_ten_thousand_values_with_power() -> None:
    m = ldp.mechanism("OUE", k=10_000, eps=1.0)
    counts = m.sample_counts(histograms(10_000, 10**6)[1], 1, np.random.default_rng(1))[0]
    assert_distribution(ldp.mi(counts, 10**6, m, post="power-ns"), 10_000)


@pytest.mark.parametrize("eps", [0.01, 1.0, 20.0])
@pytest.mark.parametrize("n", [1, 1000, 10**9])
@pytest.mark.parametrize("name", ALL)
def test_all_counts_in_one_value(name: str, n: int, eps: float) -> None:
    m = ldp.mechanism(name, k=5, eps=eps)
    counts = np.zeros(5, dtype=np.int64)
    counts[-(m.support_size or 1) :] = n  # as few as can be
    assert_all_estimates(counts, n, m)


@pytest.mark.parametrize("name", ALL)
def test_every_report_supports_everything(name: str) -> None:
    m = ldp.mechanism(name, k=5, eps=1.0)
    # Or as much of everything as it can.
    assert_all_estimates(np.full(5, 10**9 * (m.support_size or 5) // 5), 10**9, m)


@pytest.mark.parametrize("eps", [0.01, 20.0])
@pytest.mark.parametrize("name", ALL)
def test_full_reports_of_one_user(name: str, eps: float) -> None:
    for k in (2, 300):
        m = ldp.mechanism(name, k=k, eps=eps)
        reports = m.privatize([1], np.random.default_rng(2))
        assert_distribution(ldp.ibu_full(reports, m, max_iter=200), k)


def test_full_reports_with_huge_ratios_in_single_precision(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ldpcore.estimators.full._DOUBLE_UP_TO", 0)
    m = ldp.mechanism("OUE", k=20, eps=50.0)
    reports = m.privatize(np.arange(200) % 7, np.random.default_rng(3))
    assert_distribution(ldp.ibu_full(reports, m, max_iter=3000), 20)


def test_supports_that_say_nothing_leave_the_start() -> None:
    for bits in (np.zeros((5, 4), dtype=bool), np.ones((5, 4), dtype=bool)):
        np.testing.assert_allclose(ldp.ibu_supports(bits, 1e9), 0.25, rtol=1e-12)
    start = np.array([0.4, 0.3, 0.2, 0.1])
    np.testing.assert_allclose(ldp.ibu_supports(np.eye(4, dtype=bool), 1.0, start=start), start, rtol=1e-12)


def test_one_iteration_and_no_tolerance() -> None:
    m = ldp.mechanism("GRR", k=3, eps=1.0)
    run = ldp.ibu_run([5, 3, 2], m, max_iter=1, tol=0)
    assert int(run.iterations) == 1
    assert not run.converged
