"""What an observer believes, against Bayes' rule over everything that a user may have drawn and kept."""

import itertools
import math

import numpy as np
import pytest
from mechanism_cases import KNOWN

import ldpcore as ldp
from ldpcore.mechanisms import hash_cells
from ldpcore.theory import attack_success_after, observer_beliefs

K, T = 3, 4


def made(name):
    return ldp.mechanism(name, k=K, eps=1.0, **({"eps_inf": 2.0} if name in ldp.LONGITUDINAL else {}))


def sent(m, value, rng):
    """Return what one user sends: of one memo, or each with fresh noise."""
    if not m.longitudinal:
        return [m.privatize([value], rng) for _ in range(T)]
    memo = m.memoize([value], rng)
    return [m.report(memo, rng) for _ in range(T)]


def responded(true, said, cells, p):
    return p if true == said else (1 - p) / (cells - 1)


def likelihood(m, reports, value):
    """Sum over all that may have been kept; no short cut."""
    r = m.rounds
    if r.cells is None:
        bits = [report[0] for report in reports]
        total = 0.0
        for memo in itertools.product((0, 1), repeat=K):
            chance = math.prod(
                (r.p1 if v == value else r.q1) if memo[v] else 1 - (r.p1 if v == value else r.q1) for v in range(K)
            )
            for row in bits:
                for v in range(K):
                    one = r.p2 if memo[v] else r.q2
                    chance *= one if row[v] else 1 - one
            total += chance
        return total
    if m.g is None:
        own, named = value, [int(report[0]) for report in reports]
    else:
        own = int(hash_cells(reports[0].seed, [value], m.g)[0])
        named = [int(report.value[0]) for report in reports]
    return sum(
        responded(own, memo, r.cells, r.p1) * math.prod(responded(memo, said, r.cells, r.p2) for said in named)
        for memo in range(r.cells)
    )


@pytest.mark.parametrize("name", [name for name in ldp.LONGITUDINAL if name in KNOWN])
def test_reports_of_one_memo_are_weighed_together(name):
    m, rng = made(name), np.random.default_rng(1)
    prior = np.array([0.5, 0.3, 0.2])
    for value in range(K):
        reports = sent(m, value, rng)
        beliefs = observer_beliefs(m, reports, prior)
        for t in range(1, T + 1):
            exact = prior * [likelihood(m, reports[:t], v) for v in range(K)]
            np.testing.assert_allclose(beliefs[t - 1], exact / exact.sum(), rtol=1e-9)


@pytest.mark.parametrize("name", ldp.ONE_TIME)
def test_fresh_reports_are_weighed_one_by_one(name):
    m, rng = made(name), np.random.default_rng(2)
    reports = sent(m, 1, rng)
    belief = np.full(K, 1 / K)
    for report, believed in zip(reports, observer_beliefs(m, reports), strict=True):
        belief = belief * np.where(m.supports(report)[0], m.likelihood_ratio, 1.0)
        belief /= belief.sum()
        np.testing.assert_allclose(believed, belief, rtol=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["OUE", "L-OSUE", "L-GRR"])
def test_the_belief_in_the_best_guess_is_on_average_how_often_it_is_right(name):
    m, rng = made(name), np.random.default_rng(3)
    best = [observer_beliefs(m, sent(m, int(rng.integers(K)), rng))[-1].max() for _ in range(1_500)]
    chance = attack_success_after(m, T)
    # Five standard errors of both: false alarms below one in a million.
    assert abs(np.mean(best) - chance.chance) < 5 * math.hypot(np.std(best) / math.sqrt(len(best)), chance.se)


def test_nothing_seen_and_reports_of_two_users():
    m, rng = made("L-OLH"), np.random.default_rng(4)
    assert observer_beliefs(m, []).shape == (0, K)
    with pytest.raises(ldp.Refused, match="one hash function"):
        observer_beliefs(m, [m.privatize([0], rng), m.privatize([0], rng)])


def test_rounds_that_are_not_told_are_refused(monkeypatch):
    m = made("L-SUE")
    monkeypatch.setattr(type(m), "rounds", None)
    with pytest.raises(ldp.Refused, match="two rounds"):
        observer_beliefs(m, [m.privatize([0], np.random.default_rng(5))])
