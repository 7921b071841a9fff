"""Corner cases that once went wrong, one test for each."""

from __future__ import annotations

import copy
import math
import pickle
from fractions import Fraction

import numpy as np
import pytest
from mechanism_cases import LONGITUDINAL_CASES, case_id, make

from ldpcore.errors import InfeasibleError, Refused
from ldpcore.mechanisms import hash_cells, max_eps, mechanism


def exact_chain_keep(m):
    """Return p - q of two rounds of randomized response, (p₁-q₁)(p₂-q₂), in exact fractions."""
    return float((Fraction(m.p1) - Fraction(m.q1)) * (Fraction(m.p2) - Fraction(m.q2)))


@pytest.mark.parametrize("calibration", ["published", "tight"])
@pytest.mark.parametrize(("k", "eps"), [(10_000, 1e-4), (100_000, 1e-3), (1_000_000, 1e-4), (1_000_000, 1e-2)])
def test_p_minus_q_of_l_grr_does_not_drown_in_rounding(k, eps, calibration):
    # privatize keeps a value with (p₁-q₁)(p₂-q₂); estimates and sampled counts use p - q: they must agree.
    m = mechanism("L-GRR", k=k, eps=eps, calibration=calibration)
    assert m.p - m.q == pytest.approx(exact_chain_keep(m), rel=1e-5, abs=0)


@pytest.mark.parametrize(("k", "eps"), [(100_000, 1e-3), (1_000_000, 1e-4), (1_000_000, 1e-2)])
def test_cost_of_l_grr_does_not_drown_in_rounding(k, eps):
    m = mechanism("L-GRR", k=k, eps=eps)
    keep = exact_chain_keep(m)
    assert m.effective_eps == pytest.approx(math.log1p(k * keep / (1 - keep)), rel=1e-5, abs=0)


@pytest.mark.parametrize("eps", [1e-4, 0.1, 1.0, 10.0])
@pytest.mark.parametrize("case", LONGITUDINAL_CASES, ids=case_id)
def test_budgets_that_almost_agree(case, eps):
    # e^ε₁ and e^ε∞ may then be the same float64: still a mechanism, or a ValueError that says why not.
    eps_inf = math.nextafter(eps, math.inf)
    if eps >= max_eps(case[0], eps_inf):
        with pytest.raises(InfeasibleError):
            make(case, 5, eps, eps_inf)
    else:
        m = make(case, 5, eps, eps_inf)
        assert 0 < m.q < m.p < 1


@pytest.mark.parametrize("gap", [1e-10, 1e-9])
def test_cells_of_l_olh_do_not_drown_in_rounding(gap):
    # As ε₁ tends to ε∞ the published formula tends to 1 + round(e^ε₁), here 2.
    assert mechanism("L-OLH", k=5, eps=1e-4, eps_inf=1e-4 * (1 + gap)).g == 2


@pytest.mark.parametrize("name", ["GRR", "L-OSUE"])
@pytest.mark.parametrize("argument", ["k", "eps"])
def test_whole_numbers_beyond_all_floats_are_value_errors(name, argument):
    with pytest.raises(ValueError, match=rf"^{argument} must be"):
        mechanism(name, **({"k": 4, "eps": 1.0} | {argument: 10**400}))


def test_runs_beyond_all_floats_is_a_value_error():
    with pytest.raises(ValueError, match=r"^runs must be"):
        mechanism("GRR", k=2, eps=1.0).sample_counts([1, 1], -(10**400), np.random.default_rng(1))


def through_pickle(error):
    return pickle.loads(pickle.dumps(error))  # noqa: S301 - our own bytes


@pytest.mark.parametrize("duplicate", [copy.copy, through_pickle])
def test_infeasible_error_survives_another_process(duplicate):
    with pytest.raises(InfeasibleError) as caught:
        mechanism("L-OUE", k=3, eps=1.0, eps_inf=1.1)
    twin = duplicate(caught.value)
    assert str(twin) == str(caught.value)
    assert twin.max_eps == caught.value.max_eps


def test_hash_of_a_single_seed_gives_no_warning():
    expected = hash_cells([7], np.arange(4), 5)
    assert hash_cells(7, np.arange(4), 5).tolist() == expected.tolist()
    assert int(hash_cells(7, 3, 5)) == expected[3]


def test_noisy_histograms_check_their_generator():
    with pytest.raises(ValueError, match=r"^rng must be"):
        mechanism("THE", k=3, eps=1.0).noisy_histograms([0], None, accept_leak=True)


@pytest.mark.parametrize("name", ["L-GRR", "L-SUE", "L-OUE", "L-SOUE"])
@pytest.mark.parametrize("eps_inf", [0, -1.0, float("nan"), float("inf"), 1000.0, "2", None, True])
def test_max_eps_checks_its_argument(name, eps_inf):
    with pytest.raises(ValueError, match=r"^eps_inf must be"):
        max_eps(name, eps_inf)


@pytest.mark.parametrize("name", ["OUE", "THE", "L-SUE"])
def test_bits_that_are_objects(name):
    with pytest.raises(ValueError, match=r"^reports must"):
        mechanism(name, k=3, eps=1.0).support_counts([[None, 0, 1]])


@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "BLH", "L-OLH"])
def test_ragged_values_are_named(name):
    with pytest.raises(ValueError, match=r"^values must"):
        mechanism(name, k=3, eps=1.0).privatize([[0], [1, 2]], np.random.default_rng(1))


def test_ragged_histograms_and_reports_are_named():
    rng = np.random.default_rng(1)
    with pytest.raises(ValueError, match=r"^histogram must"):
        mechanism("GRR", k=2, eps=1.0).sample_counts([[0], [1, 2]], 1, rng)
    for name in ("GRR", "OUE", "SS"):
        with pytest.raises(ValueError, match=r"^reports must"):
            mechanism(name, k=3, eps=1.0).support_counts([[0], [1, 2]])


@pytest.mark.parametrize("name", ["L-GRR", "L-OSUE", "L-OLH"])
def test_a_wrong_memo_is_called_a_memo(name):
    m = mechanism(name, k=3, eps=1.0)
    wrong = {"L-GRR": [3], "L-OSUE": [[0, 1, 2]], "L-OLH": ([1], [99])}[name]
    with pytest.raises(Refused, match=r"^memo\b.* must"):
        m.report(wrong, np.random.default_rng(1))


def test_a_report_that_is_no_pair_is_shown():
    with pytest.raises(ValueError, match=r"^reports must be a pair.*; got 5"):
        mechanism("OLH", k=3, eps=1.0).support_counts(5)


def test_several_names_at_once():
    with pytest.raises(ValueError, match=r"^name must be one of"):
        mechanism(np.array(["GRR", "SS"]), k=3, eps=1.0)
