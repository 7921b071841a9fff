"""The parameters that mechanisms choose for themselves: second rounds, g, ω, θ, feasible budgets, known costs."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext

import numpy as np
import pytest
from mechanism_cases import MECHANISMS, PAPERS, PAPERS_CASES, case_id, make, sending

from ldpcore import paper
from ldpcore.errors import InfeasibleError
from ldpcore.mechanisms import CALIBRATIONS, max_eps, mechanism

UNARY = sending("bits", PAPERS)
CHAINS = [case for case in PAPERS_CASES if case[1]]
PAIRS = ((0.1, 0.2), (0.5, 3.0), (1.0, 1.1), (1.0, 2.0), (2.0, 4.0), (4.0, 8.0))


def published_g(eps, eps_inf):
    """Evaluate the published number of cells as it is printed, in 60 digits."""
    with localcontext() as context:
        context.prec = 60
        a, b = Decimal(eps_inf).exp(), Decimal(eps).exp()
        under = a**4 - 14 * a**2 + 12 * a * b * (1 - a * b) + 12 * a**3 * b + 1
        return 1 + max(1, round((1 - a**2 + under.sqrt()) / (6 * (a - b))))


@pytest.mark.parametrize("eps", [0.1, 0.5, 1.0, 1.5, 2.0, 3.0, 5.0, 8.0])
def test_cells_of_one_time_hashing(eps):
    assert mechanism("OLH", k=10, eps=eps).g == round(math.exp(eps)) + 1
    assert mechanism("BLH", k=10, eps=eps).g == 2


@pytest.mark.parametrize("calibration", CALIBRATIONS)
def test_cells_of_longitudinal_hashing(calibration):
    rng = np.random.default_rng(1)
    draws = [(eps, eps * (1 + 10**gap)) for eps, gap in rng.uniform((0.01, -3), (8, 1), (300, 2)).tolist()]
    for eps, eps_inf in [*PAIRS, *draws]:
        case = {"k": 10, "eps": eps, "eps_inf": eps_inf, "calibration": calibration}
        assert mechanism("L-OLH", **case).g == published_g(eps, eps_inf), (eps, eps_inf)
        assert mechanism("L-BLH", **case).g == 2


@pytest.mark.parametrize("k", [2, 3, 10, 74, 1000])
@pytest.mark.parametrize("eps", [0.1, 1.0, 2.0, 4.0, 8.0])
def test_size_of_subsets(k, eps):
    assert mechanism("SS", k=k, eps=eps).omega == max(1, round(k / (math.exp(eps) + 1)))


FEASIBLE = [
    pytest.param(case, *pair, id=f"{case_id(case)}-{pair}")
    for case in CHAINS
    for pair in PAIRS
    if pair[0] < max_eps(case[0], pair[1])
]


@pytest.mark.parametrize(("case", "eps", "eps_inf"), FEASIBLE)
def test_rounds_follow_the_formulas(case, eps, eps_inf):
    name, calibration = case
    k = 7
    m = make(case, k, eps, eps_inf)
    a, b = math.exp(eps_inf), math.exp(eps)
    if name in UNARY:
        root = math.sqrt(a)
        p1, q1 = (root / (root + 1), 1 / (root + 1)) if name in ("L-SUE", "L-SOUE") else (0.5, 1 / (a + 1))
        expected_p2 = {"L-OUE": 0.5, "L-SOUE": 0.5, "L-OSUE": (a * b - 1) / (a * b + a - b - 1)}
        # Basic RAPPOR: both rounds symmetric, so the chain is SUE at ε₁ when p₁p₂+q₁q₂ is SUE's p.
        p = math.sqrt(b) / (math.sqrt(b) + 1)
        p2 = expected_p2.get(name, (p - q1) / (p1 - q1))
        q2 = m.q2 if name in ("L-OUE", "L-SOUE") else 1 - p2
        p, q = p1 * p2 + (1 - p1) * q2, q1 * p2 + (1 - q1) * q2
        assert p * (1 - q) / (q * (1 - p)) == pytest.approx(b, rel=1e-9)
    else:
        size = k if name == "L-GRR" else m.g
        p1, q1 = a / (a + size - 1), 1 / (a + size - 1)
        if calibration == "published":
            p2 = (a * b - 1) / (-size * b + (size - 1) * a + b + a * b - 1)
        else:
            p2 = (b / (b + size - 1) - q1) / (p1 - q1)
        q2 = (1 - p2) / (size - 1)
    assert (m.p1, m.q1, m.p2, m.q2) == pytest.approx((p1, q1, p2, q2), rel=1e-9)


@pytest.mark.parametrize("case", CHAINS, ids=case_id)
def test_published_channel_is_the_papers(case):
    m = make(case, 7, 1.0, 2.0)
    if case[0] in UNARY:
        assert m.published_channel == (m.p, m.q)
        return
    q1 = m.q1 if case[0] == "L-GRR" else 1 / m.g
    assert m.published_channel == pytest.approx((m.p, m.p1 * m.q2 + q1 * m.p2), rel=1e-12)
    assert m.channel("published") == m.published_channel
    assert m.channel() == m.channel("exact") == (m.p, m.q)


# ---- known numbers ----------------------------------------------------------------


def test_published_l_grr_costs_less_and_errs_more_than_it_must():
    small = mechanism("L-GRR", k=20, eps=1, eps_inf=2)
    print(f"published L-GRR, k = 20: effective ε {small.effective_eps:.4f} of 1")
    assert small.effective_eps == pytest.approx(0.51, abs=0.005)
    assert small.noise_variance(0, 1) == pytest.approx(44, abs=0.5)
    assert mechanism("L-GRR", k=100, eps=1, eps_inf=2).noise_variance(0, 1) == pytest.approx(3057, abs=0.5)


@pytest.mark.parametrize(("k", "expected", "digits"), [(20, 7.0, 0.05), (100, 34, 0.5)])
def test_tight_l_grr_is_as_good_as_grr(k, expected, digits):
    tight = mechanism("L-GRR", k=k, eps=1, eps_inf=2, calibration="tight")
    assert tight.effective_eps == pytest.approx(1, abs=1e-12)
    assert tight.noise_variance(0, 1) == pytest.approx(expected, abs=digits)
    assert tight.noise_variance(0, 1) == pytest.approx(mechanism("GRR", k=k, eps=1).noise_variance(0, 1), rel=1e-9)


def test_published_l_grr_is_tight_for_two_values():
    assert mechanism("L-GRR", k=2, eps=1, eps_inf=2).effective_eps == pytest.approx(1, abs=1e-12)


# From the threshold that a grid of 10⁻⁹ finds, to the digits that a threshold 10⁻⁵ away keeps.
@pytest.mark.parametrize(("eps", "cost"), [(0.5, 0.47186), (1, 0.89599), (2, 1.63566), (4, 2.8589), (8, 4.9647)])
def test_the_costs_less_than_it_says(eps, cost):
    m = mechanism("THE", k=5, eps=eps)
    print(f"THE, ε = {eps}: effective ε {m.effective_eps:.5f}")
    assert m.effective_eps == pytest.approx(cost, abs=5e-5)
    assert m.likelihood_ratio == pytest.approx(m.p * (1 - m.q) / (m.q * (1 - m.p)), rel=1e-9)


# ---- THE's threshold ----------------------------------------------------------------


def printed_variance(theta, eps):
    half = np.exp(eps * theta / 2)
    return (2 * half - 1) / (1 + np.exp(eps * (theta - 0.5)) - 2 * half) ** 2


@pytest.mark.parametrize("eps", [0.1, 0.5, 1, 2, 4, 8, 12, 20])
def test_threshold_is_the_minimum_of_the_published_formula(eps):
    theta = mechanism("THE", k=5, eps=eps).theta
    low, high, best = 0.5, 1.0, None
    for _ in range(4):
        grid = np.linspace(low, high, 10_002)[1:-1]
        best = grid[np.argmin(printed_variance(grid, eps))]
        step = grid[1] - grid[0]
        low, high = max(0.5, best - 20 * step), min(1.0, best + 20 * step)
    assert theta == pytest.approx(best, abs=1e-6)
    assert printed_variance(theta, eps) <= printed_variance(best, eps) * (1 + 1e-13)


def test_published_formula_is_the_variance_of_a_rare_value():
    for eps in (0.5, 2.0, 6.0):
        m = mechanism("THE", k=5, eps=eps)
        assert m.noise_variance(0.0, 1) == pytest.approx(printed_variance(m.theta, eps), rel=1e-9)


def test_threshold_can_be_set():
    m = mechanism("THE", k=5, eps=2, theta=0.9)
    assert (m.theta, m.p, m.q) == pytest.approx((0.9, 1 - 0.5 * math.exp(-0.1), 0.5 * math.exp(-0.9)), rel=1e-12)


# ---- feasible budgets ---------------------------------------------------------------


def bound(name, eps_inf):
    a, s = math.exp(eps_inf), math.exp(eps_inf / 2)
    return math.log((2 * a + 1) / 3) if name == "L-OUE" else math.log(s * (2 * s + 1) / (s + 2))


@pytest.mark.parametrize("name", ["L-OUE", "L-SOUE"])
@pytest.mark.parametrize("eps_inf", [0.2, 1.0, 2.0, 5.0, 12.0])
def test_bound_of_the_first_budget(name, eps_inf):
    largest = bound(name, eps_inf)
    assert max_eps(name, eps_inf) == pytest.approx(largest, rel=1e-12)
    below = mechanism(name, k=3, eps=largest * (1 - 1e-6), eps_inf=eps_inf)
    assert 0 < below.q2 < 1e-4
    odds = below.p * (1 - below.q) / (below.q * (1 - below.p))
    assert math.log(odds) == pytest.approx(below.eps, rel=1e-9)
    # Rounding may leave the closed form an ulp below the library's bound: hence the factor.
    for eps in (max_eps(name, eps_inf), largest * (1 + 1e-12), largest * 1.01):
        with pytest.raises(
            InfeasibleError, match=rf"^eps .*below .*{name} with eps_inf .* = {eps_inf:g}.*got"
        ) as caught:
            mechanism(name, k=3, eps=eps, eps_inf=eps_inf)
        assert isinstance(caught.value, ValueError)
        assert caught.value.max_eps == pytest.approx(largest, rel=1e-12)


@pytest.mark.parametrize("name", [n for n in paper.LONGITUDINAL if n not in ("L-OUE", "L-SOUE")])
def test_other_mechanisms_take_any_budget_below_eps_inf(name):
    assert max_eps(name, 2.0) == 2.0
    for calibration in CALIBRATIONS:
        assert mechanism(name, k=3, eps=2.0 - 1e-6, eps_inf=2.0, calibration=calibration).p2 > 0.99


@pytest.mark.parametrize("name", MECHANISMS)
def test_variances_follow_the_formulas(name):
    m = mechanism(name, k=6, eps=1.0)
    f, n = np.array([0.0, 0.2, 0.8]), 50
    noise = (f * m.p * (1 - m.p) + (1 - f) * m.q * (1 - m.q)) / (n * (m.p - m.q) ** 2)
    np.testing.assert_allclose(m.noise_variance(f, n), noise, rtol=1e-12)
    # Sampling the users adds the variance of their true counts.
    np.testing.assert_allclose(m.total_variance(f, n), noise + f * (1 - f) / n, rtol=1e-12)
