"""The attacker's curve: against enumeration of all that can be sent, and simulated users who are guessed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanism_cases import KNOWN_CASES, MANY_CELLS, PAPERS, case_id, make, z_limit
from repeated_reports import fresh, with_memo

import ldpcore as ldp
from ldpcore.theory import attack_curve as curve
from ldpcore.theory import attack_is_exact, attack_success, attack_success_after
from ldpcore.theory.attack import Chance

SIMULATED_FRESH = ("GRR", "SS", "L-GRR")
SIMULATED_MEMO = ("L-GRR", "L-BLH", "L-OLH")
every_case = pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)


def best_guess(m, reports, theta, memo):
    """Return Σ over all sequences of the largest θ_v Pr[sequence | v]; the hash function is known."""
    if not memo:
        return (theta[:, None] * fresh(m, reports)).max(axis=0).sum()
    laws = with_memo(m, reports)
    return sum(weight * (theta[:, None] * (first @ law)).max(axis=0).sum() for weight, first, law in laws)


@every_case
@pytest.mark.parametrize("prior", [(1 / 3, 1 / 3, 1 / 3), (0.5, 0.15, 0.35)])
@pytest.mark.parametrize("memo", [True, False])
def test_small_curves_are_the_bayes_rule(case, prior, memo):
    """One false alarm in 10⁶ over all of them where users are simulated; to rounding where not."""
    k = 2 if case[0] in MANY_CELLS else 3
    m, theta = make(case, k, 1.3), np.array(prior[:k]) / sum(prior[:k])
    numbers = [1, 2] if case[0] in MANY_CELLS else [1, 2, 3]
    found = curve(m, numbers, theta, memo=memo)
    if memo and not m.longitudinal:
        assert found == (Chance(attack_success(m, theta)),) * len(numbers)
        return
    for reports, chance in zip(numbers, found, strict=True):
        expected = best_guess(m, reports, theta, memo)
        assert chance.chance == pytest.approx(expected, abs=max(z_limit(400) * chance.se, 1e-12))
        assert chance.se < 0.01
    assert all(chance.se == 0 for chance in found) or not attack_is_exact(m, memo=memo)


def test_which_curves_are_exact():
    for name in PAPERS:
        m = ldp.mechanism(name, k=5, eps=1.0)
        assert attack_is_exact(m, memo=False) == (name not in SIMULATED_FRESH)
        assert attack_is_exact(m) == (name not in SIMULATED_MEMO)


def guessed(m, numbers, users, memo, rng, prior=None):
    """Let users report through the mechanism itself; return how often the best guess is the true value.

    If all values are alike it is the value supported most, for every mechanism here, with a memo or without. With a
    prior the guess weighs both: `weighed` says what the supports are worth.
    """
    known = 0.0 if prior is None else np.log(prior)
    values = rng.choice(m.k, users, p=prior)
    counts = np.zeros((users, m.k))
    kept = m.memoize(values, rng) if m.longitudinal else m.privatize(values, rng)
    rates = []
    for t in range(1, max(numbers) + 1):
        report = m.privatize(values, rng) if not memo else m.report(kept, rng) if m.longitudinal else kept
        counts += m.supports(report)
        if t in numbers:
            # Those that are level are chosen from by chance.
            worth = counts if prior is None else weighed(m, counts, t, memo)
            score = known + worth + 1e-9 * rng.random(counts.shape)
            rates.append((score.argmax(axis=1) == values).mean())
    return np.array(rates)


def weighed(m, counts, reports, memo):
    """Return the log-likelihood of each value, but for a constant, if so many of the reports support it.

    Each fresh report that supports a value multiplies its odds by the likelihood ratio. Of one memo: for bits, by the
    binomial laws of a bit of the memo that is 1 and of one that is 0; for one of k values, by the sum over memos.
    """
    if not memo:
        return math.log(m.likelihood_ratio) * counts
    if m.rounds.cells is not None:
        memos = m.p2**counts * m.q2 ** (reports - counts)
        return np.log(m.p1 * memos + m.q1 * (memos.sum(axis=1, keepdims=True) - memos))
    one, zero = (p**counts * (1 - p) ** (reports - counts) for p in (m.p2, m.q2))
    return np.log((m.p1 * one + (1 - m.p1) * zero) / (m.q1 * one + (1 - m.q1) * zero))


def z_of(m, numbers, users, memo, rng, prior=None):
    """Return how many standard deviations simulated users are off the curve."""
    chances = curve(m, numbers, prior, memo=memo)
    expected, se = np.array([c.chance for c in chances]), np.array([c.se for c in chances])
    spread = np.sqrt(se**2 + expected * (1 - expected) / users)
    return (guessed(m, numbers, users, memo, rng, prior) - expected) / spread


@pytest.mark.slow
def test_simulated_users_are_guessed_as_often_as_the_curves_say():
    """All fourteen, with a memo and fresh, also after 200 reports, and with a prior that is not even: |z| ≤ 4.

    With such a prior all of them fresh, and of the memos one of values and one of bits. The seed is fixed, so this
    never fails by chance; with another seed right code would fail once in a hundred times (158 points, each with a
    chance of 6.3·10⁻⁵).
    """
    rng, z = np.random.default_rng(31), []
    shares = np.arange(12, 0, -1) / 78
    for name in PAPERS:
        # With less privacy the guess is always right after 200 reports with fresh noise.
        m, private = ldp.mechanism(name, k=12, eps=1.5), ldp.mechanism(name, k=12, eps=0.3)
        for memo in (True, False):
            z += [*z_of(m, [1, 4, 15], 6_000, memo, rng), *z_of(private, [40, 200], 6_000, memo, rng)]
        z += [*z_of(m, [4], 6_000, False, rng, shares)]
    for name in ("L-GRR", "L-OSUE"):
        z += [*z_of(ldp.mechanism(name, k=12, eps=1.5), [1, 15], 6_000, True, rng, shares)]
    worst = float(np.abs(z).max())
    print(f"largest |z| of {np.size(z)}: {worst:.2f}")
    assert np.size(z) == 158
    assert worst <= 4


@every_case
def test_long_curves_agree_with_single_points_and_end_where_they_must(case):
    m, numbers = make(case, 16, 2.0), [1, 3, 30, 1_000, 10_000]
    kept, anew = curve(m, numbers), curve(m, numbers, memo=False)
    points = [attack_success_after(m, t) for t in (3, 30)]
    for point, other in zip(points, (kept if m.longitudinal else anew)[1:3], strict=True):
        assert point.chance == pytest.approx(other.chance, abs=6 * math.hypot(point.se, other.se) + 1e-9)
    assert anew[-1].chance == pytest.approx(1.0, abs=0.01)
    end = attack_success_after(m, math.inf) if m.longitudinal else attack_success_after(m, 1)
    assert kept[-1].chance == pytest.approx(end.chance, rel=1e-3)
    assert all(c.chance <= end.chance + 1e-12 for c in kept)


def test_errors_shrink_where_the_curve_nears_what_is_known():
    m = ldp.mechanism("L-OLH", k=50, eps=1.0, eps_inf=2.0)
    middle, late = curve(m, [5, 1_000])
    assert 0 < late.se < middle.se / 100


def test_a_seed_decides_what_is_simulated():
    m = ldp.mechanism("L-GRR", k=20, eps=1.0)
    assert curve(m, [1, 5], seed=3) == curve(m, [1, 5], seed=3) != curve(m, [1, 5], seed=4)


def test_more_cells_than_fit_are_simulated_point_by_point():
    m = ldp.mechanism("L-OLH", k=4, eps=4.0, g=5_000)
    assert curve(m, [1, 2]) == tuple(attack_success_after(m, t) for t in (1, 2))


@pytest.mark.parametrize("numbers", [[], [2, 1], [1, 1]])
def test_numbers_of_reports_must_ascend(numbers):
    with pytest.raises(ldp.Refused, match="reports must be ascending numbers"):
        curve(ldp.mechanism("OUE", k=3, eps=1.0), numbers)
