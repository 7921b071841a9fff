"""Matrix Inversion: unbiased, with the variances that the mechanisms promise, and the solution of its linear system.

False alarms: every test here compares its largest z-score with `limit(comparisons)`, the two-sided normal
quantile at a family-wise rate of 1e-6 (Bonferroni); the seeds are fixed, so a pass stays a pass.
"""

from __future__ import annotations

import copy
from functools import cache
from statistics import NormalDist

import numpy as np
import pytest

import ldpcore as ldp

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
HISTOGRAM = np.array([1000, 600, 250, 140, 10, 0])
K, N = HISTOGRAM.size, int(HISTOGRAM.sum())
FAMILY_WISE = 1e-6


def limit(comparisons: int) -> float:
    return NormalDist().inv_cdf(1 - FAMILY_WISE / (2 * comparisons))


def mean_scores(raw: np.ndarray, expected: np.ndarray, variance: np.ndarray) -> np.ndarray:
    return (raw.mean(axis=0) - expected) / np.sqrt(variance / len(raw))


def variance_scores(raw: np.ndarray, variance: np.ndarray) -> np.ndarray:
    """Wilson and Hilferty's cube root: normal to far beyond 6 standard deviations at thousands of runs."""
    ratio = raw.var(axis=0, ddof=1) / variance
    spread = 2 / (9 * (len(raw) - 1))
    return (np.cbrt(ratio) - (1 - spread)) / np.sqrt(spread)


@cache
def counts_of(name: str, seed: int) -> np.ndarray:
    """Draw counts once for all who look at them, rightly and wrongly."""
    return ldp.mechanism(name, k=K, eps=2.0).sample_counts(HISTOGRAM, 20_000, np.random.default_rng(seed))


@pytest.mark.parametrize("name", ALL)
def test_given_the_data_it_is_unbiased_with_the_noise_variance(name: str) -> None:
    m = ldp.mechanism(name, k=K, eps=2.0)
    raw = ldp.mi(counts_of(name, 1), N, m, post="none")
    variance = m.noise_variance(HISTOGRAM / N, N)
    allowed = limit(2 * K * len(ALL))
    assert np.abs(mean_scores(raw, HISTOGRAM / N, variance)).max() < allowed
    assert np.abs(variance_scores(raw, variance)).max() < allowed


@pytest.mark.slow
@pytest.mark.parametrize("name", ALL)
def test_with_users_from_a_population_it_is_unbiased_with_the_total_variance(name: str) -> None:
    m = ldp.mechanism(name, k=K, eps=2.0)
    theta = np.array([0.5, 0.3, 0.1, 0.06, 0.03, 0.01])
    rng = np.random.default_rng(2)
    users = 400
    counts = [m.sample_counts(h, 1, rng)[0] for h in rng.multinomial(users, theta, size=2000)]
    raw = ldp.mi(np.array(counts), users, m, post="none")
    variance = m.total_variance(theta, users)
    allowed = limit(2 * K * len(ALL))
    assert np.abs(mean_scores(raw, theta, variance)).max() < allowed
    assert np.abs(variance_scores(raw, variance)).max() < allowed


@pytest.mark.parametrize("name", ALL)
@pytest.mark.parametrize("which", ["p", "q"])
def test_a_probability_that_is_two_percent_wrong_would_be_caught(name: str, which: str) -> None:
    """The tests above can fail: the same reports read with p (or q) 2 % off give a bias far beyond the limit."""
    m = ldp.mechanism(name, k=K, eps=2.0)
    wrong = copy.copy(m)
    setattr(wrong, which, getattr(m, which) * 0.98)
    raw = ldp.mi(counts_of(name, 1), N, wrong, post="none")
    scores = mean_scores(raw, HISTOGRAM / N, wrong.noise_variance(HISTOGRAM / N, N))
    assert np.abs(scores).max() > limit(2 * K * len(ALL))


@pytest.mark.parametrize("name", ["OUE", "BLH", "GRR", "SS"])
def test_noise_and_total_variance_would_be_told_apart(name: str) -> None:
    """The variance check can fail too: counts of fixed users don't have the variance of sampled users."""
    m = ldp.mechanism(name, k=K, eps=2.0)
    raw = ldp.mi(counts_of(name, 3), N, m, post="none")
    total = m.total_variance(HISTOGRAM / N, N)
    assert np.abs(variance_scores(raw, total)).max() > limit(2 * K * len(ALL))


def channel_matrix(m: ldp.Mechanism) -> np.ndarray:
    return (m.p - m.q) * np.eye(m.k) + m.q * np.ones((m.k, m.k))


@pytest.mark.parametrize("name", ["GRR", "SS", "L-GRR"])
def test_it_solves_the_linear_system(name: str) -> None:
    """Where all reports support equally many values, ΣC is fixed, and raw MI is the inverse of the k×k matrix."""
    m = ldp.mechanism(name, k=K, eps=1.0)
    counts = m.sample_counts(HISTOGRAM, 5, np.random.default_rng(4))
    solved = np.linalg.solve(channel_matrix(m), counts.T / N).T
    np.testing.assert_allclose(ldp.mi(counts, N, m, post="none"), solved, rtol=0, atol=1e-12)


@pytest.mark.parametrize("eps", [0.1, 1.0, 8.0])
@pytest.mark.parametrize("name", ALL)
def test_it_inverts_the_channel(name: str, eps: float) -> None:
    m = ldp.mechanism(name, k=K, eps=eps)
    expected = channel_matrix(m) @ (HISTOGRAM / N)
    raw = ldp.mi(expected * N, N, m, post="none")
    np.testing.assert_allclose(raw, HISTOGRAM / N, rtol=0, atol=1e-9)


@pytest.mark.parametrize("post", ["norm-mul", "norm-cut"])
@pytest.mark.parametrize("name", ALL)
def test_uniform_when_every_raw_estimate_is_negative(name: str, post: str) -> None:
    m = ldp.mechanism(name, k=K, eps=1.0)
    if m.support_size is not None:  # then the raw estimates sum to 1, and some are above 0
        raw = np.full(K, -0.01)
        np.testing.assert_allclose(ldp.postprocess(raw, post, n=N, m=m), 1 / K, rtol=1e-15)
        return
    counts = np.ones(K)
    assert (ldp.mi(counts, N, m, post="none") < 0).all()
    np.testing.assert_allclose(ldp.mi(counts, N, m, post=post), 1 / K, rtol=1e-15)


FIXED = [("GRR", 1), ("L-GRR", 1), ("SS", 3)]


@pytest.mark.parametrize(("name", "size"), FIXED)
def test_a_wrong_number_of_reports_is_an_error_where_the_counts_tell(name: str, size: int) -> None:
    m = ldp.mechanism(name, k=10, eps=1.0)
    assert m.support_size == size
    counts = m.sample_counts(np.full(10, 100), 4, np.random.default_rng(3))
    estimates = ldp.mi(counts, 1_000, m, post="none")
    np.testing.assert_allclose(estimates.sum(axis=1), 1, rtol=1e-12)
    for wrong in (999, 1_001, 2_000):
        with pytest.raises(
            ldp.Refused, match=rf"counts must sum to {wrong * size:,}, .* got a sum of {1_000 * size:,}"
        ):
            ldp.mi(counts, wrong, m)
    counts[2, 4] += 1  # one row of several
    with pytest.raises(ldp.Refused, match=rf"got a sum of {1_000 * size + 1:,}"):
        ldp.mi(counts, 1_000, m)


ASKED = {
    **{key: e for key, e in ldp.ESTIMATORS.items() if e.needs == "counts"},
    "intervals": ldp.intervals,
    "check_fit": ldp.check_fit,
    "estimate": ldp.estimate,
    "estimate_groups": lambda counts, n, m: ldp.estimate_groups([(counts, n, m)]),
    "choose_groups": lambda counts, n, m: ldp.choose_groups([(counts, n, m)]),
    "ibu until the counts say so": lambda counts, n, m: ldp.ibu(counts, m, stop="cv", n=n),
}


@pytest.mark.parametrize("asked", ASKED.values(), ids=ASKED)
def test_all_that_is_made_of_counts_asks_whether_n_is_theirs(asked) -> None:
    counts, grr = [500, 300, 200], ldp.mechanism("GRR", k=3, eps=1.0)
    asked(counts, 1_000, grr)
    for wrong in (999, 50_000):
        with pytest.raises(ldp.Refused, match=rf"counts must sum to {wrong:,}, .* got a sum of 1,000"):
            asked(counts, wrong, grr)
    for wrong in (7, "abc", 0):
        with pytest.raises(ldp.Refused, match=r"(?:counts must .*|n must be a whole number .* got )"):
            asked(counts, wrong, grr)
    with pytest.raises(ldp.Refused, match=r"counts must .* got 500"):
        asked(counts, 499, ldp.mechanism("OUE", k=3, eps=1.0))


@pytest.mark.parametrize("name", [name for name, _ in FIXED])
def test_counts_that_are_not_whole_may_miss_the_sum_by_rounding_only(name: str) -> None:
    m = ldp.mechanism(name, k=10, eps=1.0)
    expected = m.q * 999 + (m.p - m.q) * 999 * np.arange(10) / 45
    np.testing.assert_allclose(ldp.mi(expected, 999, m), np.arange(10) / 45, atol=1e-12)
    with pytest.raises(ldp.Refused, match="counts must sum to"):
        ldp.mi(expected * (1 + 1e-6), 999, m)


@pytest.mark.parametrize("post", list(ldp.POSTPROCESSINGS))
def test_more_counts_than_reports_is_an_error(post: str) -> None:
    m = ldp.mechanism("OUE", k=3, eps=1.0)
    with pytest.raises(ValueError, match=r"counts must be at most n = 10, .* got 11"):
        ldp.mi([1, 11, 2], 10, m, post=post)
    assert ldp.mi([1, 10, 2], 10, m, post=post).shape == (3,)


def test_the_papers_mi_is_the_default() -> None:
    m = ldp.mechanism("SUE", k=K, eps=1.0)
    counts = m.sample_counts(HISTOGRAM, 3, np.random.default_rng(5))
    clipped = np.clip(ldp.mi(counts, N, m, post="none"), 0, None)
    np.testing.assert_allclose(ldp.mi(counts, N, m), clipped / clipped.sum(axis=1, keepdims=True), rtol=1e-14)
