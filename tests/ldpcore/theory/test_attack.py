"""The attacker who sees many reports of one user, against enumeration of all that can be sent, and simulated users."""

import math
from itertools import pairwise, product

import numpy as np
import pytest
from exact_channels import channel_of, memo_channel_of, second_channel
from mechanism_cases import KNOWN, KNOWN_CASES, KNOWN_CHAINS, MANY_CELLS, PAPERS, case_id, make, sending, z_limit

import ldpcore as ldp
from ldpcore import theory
from ldpcore.theory import attack
from ldpcore.theory.attack import Chance, attack_success, attack_success_after

SIMULATED = ("GRR", "SS", "L-GRR", "L-BLH", "L-OLH")
Z = z_limit(200)  # a false alarm in a million for the tests of this file together


@pytest.fixture(autouse=True)
def fewer_users(monkeypatch):
    monkeypatch.setattr(attack, "_SIMULATED", (300_000, 200, 4_000))


def simulated(m):
    """Tell whether the attack is simulated: where what a report says of one value depends on the others."""
    return m.rounds.cells is not None if m.longitudinal else m.support_law != "independent"


def best_guess(probabilities, reports, prior=None):
    """Return Σ over all sequences of reports of the largest θ_v Pr[sequence | v]: the Bayes rule itself."""
    k, outputs = probabilities.shape
    theta = np.full(k, 1 / k) if prior is None else prior
    sequences = np.array(list(product(range(outputs), repeat=reports)))
    return (theta[:, None] * probabilities[:, sequences].prod(axis=2)).max(axis=0).sum()


def best_guess_with_memo(first, second, reports, prior=None):
    """Return the same with a memo that is drawn once (first: k × memos), and reports anew (second: memos × outputs)."""
    theta = np.full(len(first), 1 / len(first)) if prior is None else prior
    sequences = np.array(list(product(range(second.shape[1]), repeat=reports)))
    return (theta[:, None] * (first @ second[:, sequences].prod(axis=2))).max(axis=0).sum()


def enumerated(m, reports, prior=None):
    if not m.longitudinal:
        return best_guess(channel_of(m)[0], reports, prior)
    memo, _ = memo_channel_of(m)
    second = second_channel(m)
    if m.g is None:
        return best_guess_with_memo(memo, second, reports, prior)
    # The attacker knows the hash function: the best guess is made for each on its own.
    functions = memo.reshape(m.k, -1, m.g).transpose(1, 0, 2)
    return sum(best_guess_with_memo(function, second, reports, prior) for function in functions)


def assert_near(found, expected):
    assert found.chance == pytest.approx(expected, abs=max(Z * found.se, 1e-12))


@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
@pytest.mark.parametrize(("k", "eps", "reports"), [(3, 1.0, 2), (3, 1.0, 3), (2, 0.4, 4), (3, 2.5, 3)])
def test_the_best_guess_from_all_that_can_be_sent(case, k, eps, reports):
    if case[0] in MANY_CELLS:
        k, eps, reports = (3, eps, 2) if eps <= 1 else (2, 1.6, 2)  # g^k hash functions
    m = make(case, k, eps)
    found = attack_success_after(m, reports)
    assert (found.se > 0) == simulated(m)
    assert found.se < 0.01
    assert_near(found, enumerated(m, reports))


# Two values alike and one apart, all apart, and one that nobody has.
PRIORS = {3: [(0.6, 0.2, 0.2), (0.5, 0.15, 0.35), (0.55, 0.0, 0.45)], 2: [(0.7, 0.3), (0.45, 0.55), (1.0, 0.0)]}


@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
@pytest.mark.parametrize(("k", "eps", "reports"), [(2, 0.4, 4), (3, 1.5, 3)])
@pytest.mark.parametrize("which", [0, 1, 2])
def test_an_attacker_who_knows_the_shares_is_the_bayes_rule_too(case, k, eps, reports, which):
    if case[0] in MANY_CELLS:
        k, eps, reports = (3, eps, 2) if eps <= 1 else (2, 1.6, 2)  # g^k hash functions
    m, prior = make(case, k, eps), np.array(PRIORS[k][which])
    after = attack_success_after(m, reports, prior)
    assert (after.se > 0) == (simulated(m) and prior.max() < 1)
    assert after.se < 0.01
    assert_near(after, enumerated(m, reports, prior))
    assert after.chance >= prior.max() - Z * after.se - 1e-12


@pytest.mark.parametrize("case", KNOWN_CHAINS, ids=case_id)
@pytest.mark.parametrize("which", [0, 1, 2])
def test_one_who_knows_the_shares_and_sees_the_memo(case, which):
    m, prior = make(case, 3, 0.8), np.array(PRIORS[3][which])
    expected = best_guess(memo_channel_of(m)[0], 1, prior)
    assert attack_success_after(m, math.inf, prior).chance == pytest.approx(expected, rel=1e-9)
    assert attack_success_after(m, 1, prior) == Chance(attack_success(m, prior))


@pytest.mark.parametrize("name", [*sending("bits", PAPERS), "OLH", "SS", "L-GRR", "L-OLH"])
def test_simulated_users_of_a_skewed_population_are_guessed_as_often(name):
    k, reports, users = 12, 6, 20_000
    prior = 0.7 ** np.arange(k) / (0.7 ** np.arange(k)).sum()
    m, rng = ldp.mechanism(name, k=k, eps=1.5), np.random.default_rng(9)
    values = rng.choice(k, users, p=prior)
    if m.longitudinal:
        memo = m.memoize(values, rng)
        supports = sum(m.supports(m.report(memo, rng)).astype(int) for _ in range(reports))
    else:
        supports = sum(m.supports(m.privatize(values, rng)).astype(int) for _ in range(reports))
    after = attack_success_after(m, reports, prior)
    # Any rule of what is supported how often is right at most as often as the best one, and the best one as often.
    rules = [(np.log(prior) + weight * supports).argmax(axis=1) for weight in (0, 0.3, 0.7, m.effective_eps, 3)]
    spread = math.hypot(after.se, math.sqrt(after.chance * (1 - after.chance) / users))
    rates = [(guesses == values).mean() for guesses in rules]
    assert max(rates) <= after.chance + Z * spread
    if not m.longitudinal:
        assert rates[3] == pytest.approx(after.chance, abs=Z * spread)


@pytest.mark.parametrize("name", ["OUE", "L-SUE", "OLH"])
def test_shares_that_are_nearly_equal_are_nearly_uniform(name):
    m = ldp.mechanism(name, k=50, eps=1.0)
    nearly = 1 + 1e-9 * np.arange(50)
    for reports in (2, 30, 400):
        uniform = attack_success_after(m, reports).chance
        assert attack_success_after(m, reports, nearly / nearly.sum()).chance == pytest.approx(uniform, rel=1e-7)


def test_many_reports_of_many_values_lose_no_digits():
    # One of a thousand values is as common as all others together; every other share is a little different.
    shares = np.concatenate([[0.5], 0.5 * (1 + np.linspace(-0.1, 0.1, 999)) / 999])
    m = ldp.mechanism("OUE", k=1_000, eps=0.5)
    chances = [attack_success_after(m, reports, shares / shares.sum()).chance for reports in (1, 10, 100, 1_000)]
    assert chances[0] == pytest.approx(attack_success(m, shares / shares.sum()), rel=1e-9)
    assert 0.5 - 1e-9 <= chances[0] <= chances[1] + 1e-9 < chances[2] < chances[3] < 1 + 1e-9
    assert chances[3] > 0.999


@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
@pytest.mark.parametrize("k", [2, 30])
def test_one_report_is_one_report(case, k):
    m = make(case, k, 1.3)
    assert attack_success_after(m, 1) == Chance(theory.attack_success(m))
    assert theory.attack_success is attack_success


@pytest.mark.slow
@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
@pytest.mark.parametrize(("k", "eps"), [(2, 1.0), (40, 2.0), (1000, 3.0)])
def test_more_reports_are_never_worse_and_tend_to_the_end(case, k, eps):
    m = make(case, k, eps)
    found = [attack_success_after(m, r) for r in (1, 2, 5, 20, 100, math.inf)]
    for before, after in pairwise(found):
        assert after.chance >= before.chance - Z * math.hypot(before.se, after.se) - 1e-12
    assert all(1 / k <= f.chance <= 1 + 1e-12 for f in found)
    if not m.longitudinal:
        assert found[-1] == Chance(1.0)
    else:
        # ε∞ bounds what any number of reports can say.
        assert found[-1].chance <= math.exp(m.eps_inf) / k * (1 + 1e-9)
    if not simulated(m):
        assert attack_success_after(m, 10_000).chance == pytest.approx(found[-1].chance, rel=1e-3)


@pytest.mark.parametrize("case", KNOWN_CHAINS, ids=case_id)
def test_the_end_is_an_attacker_who_sees_the_memo(case):
    m = make(case, 3 if case[0] in MANY_CELLS else 4, 0.8)
    assert attack_success_after(m, math.inf).chance == pytest.approx(best_guess(memo_channel_of(m)[0], 1), rel=1e-9)


@pytest.mark.parametrize("name", [*sending("bits", PAPERS), "BLH", "OLH", "SS", "GRR", "L-GRR", "L-OLH"])
def test_simulated_users_are_guessed_as_often(name):
    k, reports, users = 12, 6, 20_000
    m, rng = ldp.mechanism(name, k=k, eps=1.5), np.random.default_rng(8)
    values = rng.integers(0, k, users)
    if m.longitudinal:
        memo = m.memoize(values, rng)
        supports = sum(m.supports(m.report(memo, rng)).astype(int) for _ in range(reports))
    else:
        supports = sum(m.supports(m.privatize(values, rng)).astype(int) for _ in range(reports))
    # The value that is supported most often; among equals, any. (For L-OLH the supports follow the cells.)
    guesses = (supports + rng.random(supports.shape) / 2).argmax(axis=1)
    found = attack_success_after(m, reports)
    spread = math.hypot(found.se, math.sqrt(found.chance * (1 - found.chance) / users))
    assert (guesses == values).mean() == pytest.approx(found.chance, abs=Z * spread)


def test_the_same_seed_gives_the_same_chance():
    assert [name for name in PAPERS if simulated(ldp.mechanism(name, k=4, eps=1.0))] == list(SIMULATED)
    for name in SIMULATED:
        m = ldp.mechanism(name, k=20, eps=1.0)
        assert attack_success_after(m, 5, seed=3) == attack_success_after(m, 5, seed=3)
        assert attack_success_after(m, 5, seed=3) != attack_success_after(m, 5, seed=4)


@pytest.mark.slow
@pytest.mark.parametrize("name", KNOWN)
@pytest.mark.parametrize("eps", [1e-3, 10.0])
def test_extreme_privacy(name, eps):
    m = ldp.mechanism(name, k=50, eps=eps)
    for reports in (2, 300, math.inf):
        found = attack_success_after(m, reports)
        assert 1 / 50 * (1 - 1e-9) <= found.chance <= 1 + 1e-12
        assert math.isfinite(found.se)
    # 300 reports of ε = 0.001 say at most e^0.3 (and a memo much less).
    if eps < 1:
        assert attack_success_after(m, 300).chance <= math.exp(0.3) / 50


@pytest.mark.parametrize("reports", [0, -1, 1.5, 10_001, "many"])
def test_a_bad_number_of_reports_is_named(reports):
    with pytest.raises(ValueError, match="reports must be a whole number from 1 to 10,000"):
        attack_success_after(ldp.mechanism("OUE", k=3, eps=1), reports)


@pytest.mark.parametrize("eps", [4.0, 6.0, 8.0, 10.0, 12.0, 16.0])
def test_the_error_is_honest_where_hardly_any_report_is_wrong(eps):
    """Two reports of GRR with two values say as much as one: where they differ, a coin decides. So the truth is p."""
    m = ldp.mechanism("GRR", k=2, eps=eps)
    for chance in (attack_success_after(m, 2), ldp.theory.attack_curve(m, [1, 2], memo=False)[1]):
        assert 0 < chance.se < 0.01
        assert abs(chance.chance - m.p) < Z * chance.se
