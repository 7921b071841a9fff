"""The attacker's curve: against enumeration of all that can be sent, and simulated users who are guessed."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanism_cases import CASES, case_id, make, z_limit
from repeated_reports import fresh, with_memo

import ldpcore as ldp
from ldpcore.theory import attack_curve as curve
from ldpcore.theory import attack_is_exact, attack_success, attack_success_after
from ldpcore.theory.attack import Chance

SIMULATED_FRESH = ("GRR", "SS", "L-GRR")
SIMULATED_MEMO = ("L-GRR", "L-BLH", "L-OLH")
every_case = pytest.mark.parametrize("case", CASES, ids=case_id)


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
    k = 2 if case[0] in ("OLH", "L-OLH") else 3
    m, theta = make(case, k, 1.3), np.array(prior[:k]) / sum(prior[:k])
    numbers = [1, 2] if case[0] in ("OLH", "L-OLH") else [1, 2, 3]
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
    for name in ldp.ONE_TIME + ldp.LONGITUDINAL:
        m = ldp.mechanism(name, k=5, eps=1.0)
        assert attack_is_exact(m, memo=False) == (name not in SIMULATED_FRESH)
        assert attack_is_exact(m) == (name not in SIMULATED_MEMO)


def guessed(m, numbers, users, memo, rng):
    """Let users report through the mechanism itself; return how often the value supported most is the true one.

    If all values are alike this is the best guess for every mechanism here, with a memo or without.
    """
    values = rng.integers(0, m.k, users)
    counts = np.zeros((users, m.k))
    kept = m.memoize(values, rng) if m.longitudinal else m.privatize(values, rng)
    rates = []
    for t in range(1, max(numbers) + 1):
        report = m.privatize(values, rng) if not memo else m.report(kept, rng) if m.longitudinal else kept
        counts += m.supports(report)
        if t in numbers:
            rates.append(((counts + rng.random(counts.shape) / 2).argmax(axis=1) == values).mean())
    return np.array(rates)


@pytest.mark.slow
def test_simulated_users_are_guessed_as_often_as_the_curves_say():
    """All fourteen, with a memo and fresh, 6 000 users each: one false alarm in 10⁶ over all 84 points."""
    numbers, users, rng = [1, 4, 15], 6_000, np.random.default_rng(31)
    z = []
    for name in ldp.ONE_TIME + ldp.LONGITUDINAL:
        for memo in (True, False):
            m = ldp.mechanism(name, k=12, eps=1.5)
            chances = curve(m, numbers, memo=memo)
            expected, se = np.array([c.chance for c in chances]), np.array([c.se for c in chances])
            spread = np.sqrt(se**2 + expected * (1 - expected) / users)
            z.append((guessed(m, numbers, users, memo, rng) - expected) / spread)
    worst = float(np.abs(z).max())
    print(f"largest |z| of {np.size(z)}: {worst:.2f}")
    assert worst < z_limit(np.size(z))


@every_case
def test_long_curves_agree_with_single_points_and_end_where_they_must(case):
    m, numbers = make(case, 16, 2.0), [1, 3, 30, 1_000, 10_000]
    kept, anew = curve(m, numbers), curve(m, numbers, memo=False)
    points = [attack_success_after(m, t) for t in (3, 30)]
    for point, other in zip(points, (kept if m.longitudinal else anew)[1:3], strict=True):
        assert point.chance == pytest.approx(other.chance, abs=6 * math.hypot(point.se, other.se) + 1e-9)
    assert anew[-1].chance == pytest.approx(1.0, abs=0.01 if case[0] != "L-GRR" else 1)
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
