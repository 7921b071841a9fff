"""Bounds and attackers against enumeration of all reports, simulation, and closed forms."""

import math
from fractions import Fraction
from functools import lru_cache

import numpy as np
import pytest
from exact_channels import channel_of
from mechanism_cases import KNOWN, KNOWN_CASES, MANY_CELLS, PAPERS, case_id, make, sending

import ldpcore as ldp
from ldpcore import theory
from ldpcore.theory import bounds

SKEWED = np.array([0.55, 0.3, 0.1, 0.05, 0.0])


@lru_cache
def channel(case, k, eps):
    m = make(case, k, eps)
    return m, *channel_of(m)


def enumerated_trace(probabilities, theta):
    """Σθ-constrained trace of the inverse information, from Pr[y | v] alone: I = Σ_y Pr[y|·]Pr[y|·]ᵀ/Pr[y]."""
    information = (probabilities / (theta @ probabilities)) @ probabilities.T
    k = len(theta)
    basis = np.linalg.svd(np.ones((1, k)))[2][1:]  # orthonormal directions that sum to 0
    return np.trace(np.linalg.inv(basis @ information @ basis.T))


# ---- Cramér-Rao --------------------------------------------------------------------


@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
@pytest.mark.parametrize("eps", [0.1, 1.0, 3.0])
@pytest.mark.parametrize("theta", [SKEWED, np.full(5, 0.2)], ids=["skewed", "uniform"])
def test_the_bound_is_that_of_the_enumerated_reports(case, eps, theta):
    if case[0] in MANY_CELLS and eps > 1:
        theta = theta[:3] / theta[:3].sum()  # g^k hash functions: more would be too many to enumerate
    k = len(theta)
    m, probabilities, _ = channel(case, k, eps)
    bound = theory.cramer_rao(m, theta, 1_000)
    expected = enumerated_trace(probabilities, theta)
    assert bound.mse == pytest.approx(expected / (1_000 * k), rel=1e-8)
    assert bound.relative_error == 0
    noise = theory.cramer_rao(m, theta, 1_000, against="users").mse
    assert noise == pytest.approx((expected - (theta * (1 - theta)).sum()) / (1_000 * k), rel=1e-6)


@pytest.mark.parametrize("k", [2, 3, 8, 9])
@pytest.mark.parametrize("eps", [0.02, 0.5, 2.0, 6.0])
def test_the_bound_of_subset_selection(k, eps):
    theta = np.arange(1, k + 1) / (k * (k + 1) / 2)
    m, probabilities, _ = channel(("SS", None), k, eps)
    assert theory.cramer_rao(m, theta, 1).mse == pytest.approx(enumerated_trace(probabilities, theta) / k, rel=1e-8)


@pytest.mark.slow
@pytest.mark.parametrize("name", ["OUE", "OLH", "SS", "L-SUE"])
def test_the_bound_for_many_values_is_that_of_simulated_reports(name):
    k = 60
    theta = 0.9 ** np.arange(k) / (0.9 ** np.arange(k)).sum()
    m = ldp.mechanism(name, k=k, eps=2.0)
    bound = theory.cramer_rao(m, theta, 1)
    assert bound.method == "quadrature"
    trace, error = bounds._simulated_trace(m, theta, 100_000, seed=1)
    assert 0 < error < 0.01
    assert bound.mse * k == pytest.approx(trace, rel=5 * error)


@pytest.mark.slow
def test_subset_selection_with_very_many_values_is_simulated():
    m = ldp.mechanism("SS", k=210, eps=3.0)
    theta = np.full(210, 1 / 210)
    bound = theory.cramer_rao(m, theta, 10_000, reports=5_000)
    assert bound.method == "simulation"
    # With uniform θ all values are alike, and MI of SS is efficient: the bound is its variance, within Σδ = 0.
    expected = _efficient_uniform_mse(m, 10_000)
    assert bound.mse == pytest.approx(expected, rel=max(5 * bound.relative_error, 0.03))
    assert theory.cramer_rao(m, theta, 10_000, reports=5_000) == bound


def _efficient_uniform_mse(m, n):
    gamma = m.q + (m.p - m.q) / m.k
    return gamma * (1 - gamma) / (n * (m.p - m.q) ** 2)


@pytest.mark.parametrize("name", sending("bits", PAPERS))
def test_full_report_ibu_comes_close_to_the_bound(name):
    # Where all frequencies are well away from 0 the most likely θ is nearly unbiased and efficient.
    theta = np.array([0.4, 0.3, 0.2, 0.1])
    m = ldp.mechanism(name, k=4, eps=3.0)
    rng = np.random.default_rng(5)
    n, runs = 4_000, 60
    errors = [((ldp.ibu_full(m.privatize(rng.choice(4, n, p=theta), rng), m) - theta) ** 2).mean() for _ in range(runs)]
    # The squared errors are χ²-like with 3 degrees of freedom: 60 runs scatter by about √(2/3/60) = 11 %.
    assert np.mean(errors) == pytest.approx(theory.cramer_rao(m, theta, n).mse, rel=0.45)


@pytest.mark.slow
def test_more_privacy_has_a_higher_bound():
    theta = np.full(40, 0.025)
    for name in KNOWN:
        bounds = [theory.cramer_rao(ldp.mechanism(name, k=40, eps=e), theta, 1).mse for e in (0.5, 1, 2, 4)]
        assert bounds == sorted(bounds, reverse=True)
        assert bounds[-1] > theory.sampling_mse(theta, 1)


@pytest.mark.parametrize("name", [name for name in ldp.ONE_TIME if name in KNOWN])
@pytest.mark.parametrize("eps", [1e-3, 30.0])
def test_the_bound_at_extreme_privacy(name, eps):
    theta = np.array([0.7, 0.2, 0.1])
    bound = theory.cramer_rao(ldp.mechanism(name, k=3, eps=eps), theta, 1_000).mse
    assert math.isfinite(bound)
    floor = theory.sampling_mse(theta, 1_000)
    assert bound >= floor * (1 - 1e-9)
    if eps > 1 and name in ("GRR", "SS", "SUE", "OLH"):
        assert bound == pytest.approx(floor, rel=1e-3)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"frequencies": [0.5, 0.6]}, "frequencies must be k = 2 .* got a sum of 1.1"),
        ({"frequencies": [1.0]}, "frequencies must have one entry .* got shape"),
        ({"n": 0}, "n must be .* got 0"),
        ({"against": "truth"}, "against must be one of population, users; got 'truth'"),
        ({"m": ldp.mechanism("OUE", k=2_001, eps=1), "frequencies": np.full(2_001, 1 / 2_001)}, "k .* got 2001"),
    ],
)
def test_bad_arguments_of_the_bound(change, says):
    arguments = {"m": ldp.mechanism("OUE", k=2, eps=1), "frequencies": [0.5, 0.5], "n": 10} | change
    with pytest.raises(ValueError, match=says):
        theory.cramer_rao(**arguments)


# ---- models to compare with --------------------------------------------------------


def test_the_sampling_error_is_that_of_samples():
    theta = np.array([0.6, 0.3, 0.1])
    rng = np.random.default_rng(0)
    drawn = rng.multinomial(500, theta, size=20_000) / 500
    assert theory.sampling_mse(theta, 500) == pytest.approx(((drawn - theta) ** 2).mean(), rel=0.04)


def test_the_central_model_is_laplace_noise():
    rng = np.random.default_rng(0)
    noise = rng.laplace(scale=2 / 0.7, size=400_000) / 300
    assert theory.central_mse(0.7, 300) == pytest.approx((noise**2).mean(), rel=0.02)


@pytest.mark.parametrize(("k", "eps"), [(2, 1.0), (10, 0.5), (100, 1.0), (100, 4.0), (7, 3.0)])
def test_the_best_unbiased_is_no_worse_than_any_mechanism(k, eps):
    mse, omega = theory.best_unbiased_mse(k, eps, 1_000)
    f = np.full(k, 1 / k)
    for name in ldp.ONE_TIME:
        m = ldp.mechanism(name, k=k, eps=eps)
        assert mse <= m.noise_variance(f, 1_000).mean() * (1 + 1e-9)
    own = ldp.mechanism("SS", k=k, eps=eps)
    if omega == own.omega:
        # Σ of the noise variances does not depend on f.
        assert mse == pytest.approx(own.noise_variance(f, 1_000).mean(), rel=1e-9)
    assert abs(omega - own.omega) <= 1


def test_the_best_unbiased_by_brute_force():
    k, E, n = 12, math.exp(1.3), 50
    totals = {}
    for w in range(1, k):
        p = w * E / (w * E + k - w)
        q = w * (E * (w - 1) + k - w) / ((k - 1) * (w * E + k - w))
        totals[w] = (k * q * (1 - q) / (p - q) ** 2 + (1 - p - q) / (p - q)) / n / k
    mse, omega = theory.best_unbiased_mse(k, 1.3, n)
    assert omega == min(totals, key=totals.get)
    assert mse == pytest.approx(totals[omega], rel=1e-9)


# ---- the attacker ------------------------------------------------------------------


def uniform_closed_form(m):
    p, q, k = m.p, m.q, m.k
    if m.support_law == "fixed size":
        return p / m.support_size
    return p * (1 - (1 - q) ** k) / (k * q) + (1 - p) * (1 - q) ** (k - 1) / k


@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
@pytest.mark.parametrize("eps", [0.3, 2.0])
@pytest.mark.parametrize("k", [2, 30])
def test_the_attacker_with_a_uniform_prior(case, eps, k):
    m = make(case, k, eps)
    assert theory.attack_success(m) == pytest.approx(uniform_closed_form(m), rel=1e-9)


@pytest.mark.parametrize("case", KNOWN_CASES, ids=case_id)
@pytest.mark.parametrize("prior", [SKEWED, np.array([0.1, 0.2, 0.3, 0.25, 0.15])], ids=["skewed", "flat"])
def test_the_attacker_with_a_prior_is_the_bayes_rule_on_enumerated_reports(case, prior):
    m, probabilities, _ = channel(case, 5, 1.0)
    best = (prior[:, None] * probabilities).max(axis=0).sum()
    assert theory.attack_success(m, prior) == pytest.approx(best, rel=1e-9)


@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "OLH", "L-OSUE"])
def test_the_attacker_with_a_prior_is_that_of_simulated_users(name):
    k, n = 20, 60_000
    prior = 0.8 ** np.arange(k) / (0.8 ** np.arange(k)).sum()
    m, rng = ldp.mechanism(name, k=k, eps=2.0), np.random.default_rng(3)
    values = rng.choice(k, n, p=prior)
    supports = m.supports(m.privatize(values, rng))
    guesses = (prior * np.where(supports, m.likelihood_ratio, 1)).argmax(axis=1)
    success = theory.attack_success(m, prior)
    # Five standard deviations of a share of n: a false alarm in two million.
    assert (guesses == values).mean() == pytest.approx(success, abs=5 * math.sqrt(success * (1 - success) / n))
    assert prior[0] <= success <= math.exp(2.0) * prior[0]


def test_a_bad_prior_is_named():
    with pytest.raises(ValueError, match="prior must be k = 3 frequencies"):
        theory.attack_success(ldp.mechanism("GRR", k=3, eps=1), [0.1, 0.1, 0.1])


# Half of the bins have no users: of these next to everything is known.
SOME_EMPTY = np.concatenate([np.arange(1.0, 26.0) / 325, np.zeros(25)])


@pytest.mark.parametrize(
    ("name", "options", "speak"),
    [("SUE", {}, 1.0), ("OUE", {}, 0.5), ("OLH", {}, 1.0), ("L-OLH", {"eps_inf": 50.0}, 1.0)],
)
@pytest.mark.parametrize("eps", [42.0, 49.5])
def test_without_noise_the_users_who_speak_are_a_sample(name, options, speak, eps):
    """Of OUE every second report says nothing, and the others all: as many users fewer, and no noise."""
    m = ldp.mechanism(name, k=50, eps=eps, **options)
    sampling = theory.sampling_mse(SOME_EMPTY, 1_000)
    assert theory.cramer_rao(m, SOME_EMPTY, 1_000).mse == pytest.approx(sampling / speak, rel=1e-7)
    noise = theory.cramer_rao(m, SOME_EMPTY, 1_000, against="users").mse
    assert noise == pytest.approx(sampling / speak - sampling, abs=1e-7 * sampling)
    assert noise >= 0


@pytest.mark.parametrize("name", ["GRR", "SS", "L-GRR"])
@pytest.mark.parametrize("eps", [1.0, 20.0, 45.0])
def test_the_noise_of_single_values_keeps_its_digits(name, eps):
    """Where a report is wrong once in 10¹⁹ times, by fractions: no digit of it is left in 1 - p."""
    m = ldp.mechanism(name, k=3, eps=eps, **({"eps_inf": 50.0} if name == "L-GRR" else {}))
    theta, q = [Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)], Fraction(m.q)
    p = 1 - 2 * q
    expected = sum(f * p * (1 - p) + (1 - f) * q * (1 - q) for f in theta) / (p - q) ** 2 / 3
    bound = theory.cramer_rao(m, [float(f) for f in theta], 1, against="users")
    assert bound.mse == pytest.approx(float(expected), rel=1e-9)
    assert bound.relative_error == 0
