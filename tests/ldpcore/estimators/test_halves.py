"""Counts split as if the users had been halved: against the halves of users, one by one."""

from itertools import combinations

import numpy as np
import pytest
from mechanism_cases import MECHANISMS

import ldpcore as ldp
from ldpcore.estimators.halves import (
    _drawn,
    _drawn_of_reports,
    halves_of_counts,
    halves_of_reports,
    halves_of_rows,
    row_generator,
)


def test_halves_of_single_values_are_those_of_all_halves_of_the_users():
    # Six reports of GRR: 0 0 0 1 1 2. All 20 halves are equally likely.
    reports = np.array([0, 0, 0, 1, 1, 2])
    every = [tuple(np.bincount(reports[list(half)], minlength=3)) for half in combinations(range(6), 3)]
    m = ldp.mechanism("GRR", k=3, eps=1.0)
    drawn = _drawn(np.array([3, 2, 1]), 6, 3, m, 40_000, np.random.default_rng(1))
    for half in set(every):
        chance = every.count(half) / 20
        share = (drawn == half).all(axis=1).mean()
        # Five standard errors: 6 such tests alarm falsely in 4 of a million.
        assert abs(share - chance) < 5 * (chance * (1 - chance) / 40_000) ** 0.5
    users = _drawn_of_reports(reports, m, 3, 2_000, np.random.default_rng(2))
    assert {tuple(row) for row in users.astype(int)} == set(every)


@pytest.mark.parametrize("eps", [1.0, 4.0])
@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "OLH", "L-GRR"])
def test_halves_are_about_the_same_users_with_twice_the_noise(name, eps):
    """Given the users, the first half says nothing of the second. At ε = 4 sampling would be most of what differs."""
    users, draws = np.array([60, 30, 10, 0]) * 8, 3_000
    n, k, m, rng = users.sum(), users.size, ldp.mechanism(name, k=users.size, eps=eps), np.random.default_rng(3)
    whole = m.sample_counts(users, draws, rng).astype(float)
    first = halves_of_rows(whole, n, n // 2, m, 1, [rng] * draws)[:, 0]
    second = whole - first
    rates = m.q + (m.p - m.q) * users / n
    spread = np.sqrt(m.noise_variance(users / n, n // 2)) * (m.p - m.q) * (n // 2)
    # Means to five standard errors; standard deviations of 3 000 draws are known to 1.3 %, and each half's noise is
    # estimated from its own counts, in the bins of few users from few.
    assert (np.abs(first.mean(axis=0) - rates * n / 2) < 5 * spread / draws**0.5).all()
    assert first.std(axis=0) == pytest.approx(spread, rel=0.12)
    across = np.corrcoef(first.T, second.T)[:k, k:]
    # In an empty bin what a few reports more say is in part taken for users. Plain halves are at -0.9 at ε = 4.
    assert np.abs(across).max() < 0.2


def test_halves_of_reports_are_those_of_counts():
    """The users themselves, drawn: the same spread as from the counts alone, where sampling would be ten times it."""
    m, values = ldp.mechanism("OUE", k=4, eps=6.0), np.repeat(np.arange(4), [600, 300, 100, 0])
    reports = m.privatize(values, np.random.default_rng(1))
    counts = m.support_counts(reports).astype(float)
    users = halves_of_reports(reports, m, 500, 2_000, np.random.default_rng(2))
    drawn = halves_of_counts(counts, 1_000, 500, m, 2_000, np.random.default_rng(3))
    # 2 000 draws know a standard deviation to 1.6 %: five standard errors of two such.
    assert users.std(axis=0) == pytest.approx(drawn.std(axis=0), rel=0.11)
    np.testing.assert_allclose(users.mean(axis=0), counts / 2, atol=0.02 * counts.max())


@pytest.mark.parametrize("name", MECHANISMS)
def test_halves_can_be_counts(name):
    m = ldp.mechanism(name, k=7, eps=1.0)
    counts = m.sample_counts(np.arange(7) * 30, 1, np.random.default_rng(0))[0].astype(float)
    n = 630
    half = halves_of_counts(counts, n, 315, m, 20, np.random.default_rng(1))
    assert half.shape == (20, 7)
    assert (half >= 0).all()
    assert (half <= counts).all()
    if m.support_size is not None:
        assert half.sum(axis=1) == pytest.approx(np.full(20, 315 * m.support_size), rel=1e-6)


def test_more_users_than_numpy_draws():
    m, n = ldp.mechanism("OUE", k=3, eps=1.0), 4 * 10**9
    half = halves_of_counts(np.array([2e9, 100.0, n - 50.0]), n, n // 2, m, 4_000, np.random.default_rng(1))
    # Hypergeometric: mean C/2, variance C(n-C)/4n; 4 000 draws know a standard deviation to 1.1 %.
    assert half.mean(axis=0) == pytest.approx([1e9, 50, 2e9 - 25], rel=0.03)
    assert half.std(axis=0) == pytest.approx([(4e9 / 16) ** 0.5, 5, 50**0.5 / 2], rel=0.06)


def test_the_splits_hang_on_counts_and_seed_alone():
    counts = np.array([5.0, 3.0, 2.0])
    draws = [row_generator(counts, seed).random() for seed in (0, 0, 1)]
    assert draws[0] == draws[1] != draws[2]
    assert row_generator(counts + 1, 0).random() != draws[0]
