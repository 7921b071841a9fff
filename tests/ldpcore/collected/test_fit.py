"""Whether reports fit the mechanism that is said to have made them.

Every random test has a fixed seed. Unless it says otherwise, a correct library fails one with a chance of 10⁻⁶.
"""

from __future__ import annotations

import math
import re

import numpy as np
import pytest
from collected_counts import CONSTANT, VARYING, collect
from mechanism_cases import KNOWN, MECHANISMS, z_limit

import ldpcore as ldp
from ldpcore.collected import total_support


@pytest.mark.parametrize("name", MECHANISMS)
def test_right_reports_fit(name):
    for seed in range(5):
        m, _users, counts = collect(name, seed=seed)
        fit = ldp.check_fit(counts, 20_000, m)
        assert fit.p_value > 1e-6 / 70
        told = "total support" if name in KNOWN else "single value"  # sums need a law of what is supported
        assert fit.statistic == ("rare values" if name in CONSTANT else told)
        if fit.fits:
            start = {
                "fits": ("These reports fit: ",),
                "can't be checked": ("These reports can't be checked: ", "ε = 1 fits: "),
            }
            assert fit.sentence.startswith(start[fit.verdict])
            assert name not in CONSTANT or fit.verdict == "can't be checked"


@pytest.mark.parametrize("name", [name for name in VARYING if name in KNOWN])
def test_the_total_support_has_the_stated_moments(name):
    n, runs = 400, 4_000
    m = ldp.mechanism(name, k=8, eps=1.0)
    users = np.array([n, 0, 0, 0, 0, 0, 0, 0])
    totals = m.sample_counts(users, runs, np.random.default_rng(8)).sum(axis=1)
    fit = ldp.check_fit(np.full(8, 100), n, m)
    assert abs(totals.mean() - fit.expected) < z_limit(2) * fit.sd / math.sqrt(runs)
    assert abs(totals.var() / fit.sd**2 - 1) < z_limit(2) * math.sqrt(2 / runs)


@pytest.mark.parametrize("name", ["BLH", "OLH"])
@pytest.mark.parametrize("family", ldp.HASH_FAMILIES)
def test_real_hashes_have_that_total_support_too(name, family):
    m = ldp.mechanism(name, k=20, eps=1.0, hash_family=family)
    rng = np.random.default_rng(9)
    counts = m.support_counts(m.privatize(rng.integers(0, 20, 50_000), rng))
    assert ldp.check_fit(counts, 50_000, m).p_value > 1e-6


@pytest.mark.parametrize("name", ["SUE", "OUE", "THE", "L-SUE", "L-OUE", "L-SOUE", "L-OSUE"])
def test_another_eps_is_found(name):
    inf = {"eps_inf": 4.0} if name in ldp.LONGITUDINAL else {}
    _, users, counts = collect(name, n=200_000, k=20, eps=2.0, **inf)
    stated = ldp.mechanism(name, k=20, eps=1.0, **inf)
    fit = ldp.check_fit(counts, int(users.sum()), stated)
    assert not fit.fits
    assert fit.p_value < 1e-9
    assert abs(fit.eps - 2) < 0.06
    at = r" \(with ε∞ = 4\)" if inf else ""
    assert re.match(rf"These reports look like ε ≈ {fit.eps:.2f}, not 1{at}: the total", fit.sentence)


@pytest.mark.parametrize("name", ["BLH", "L-BLH"])
def test_hashed_reports_show_another_eps_at_the_same_number_of_cells(name):
    inf = {"eps_inf": 4.0} if name in ldp.LONGITUDINAL else {}
    _, _users, counts = collect(name, n=2_000_000, k=10, eps=2.0, **inf)
    fit = ldp.check_fit(counts, 2_000_000, ldp.mechanism(name, k=10, eps=1.0, **inf))
    assert not fit.fits
    assert abs(fit.eps - 2) < 0.06


@pytest.mark.parametrize("name", ["GRR", "L-GRR"])
def test_rare_values_show_a_larger_eps(name):
    inf = {"eps_inf": 4.0, "calibration": "tight"} if name in ldp.LONGITUDINAL else {}
    m = ldp.mechanism(name, k=5, eps=2.0, **inf)
    counts = m.sample_counts([100_000, 50_000, 50_000, 0, 0], 1, np.random.default_rng(4))[0]
    fit = ldp.check_fit(counts, 200_000, ldp.mechanism(name, k=5, eps=1.0, **inf))
    assert not fit.fits
    # A lower bound that is wrong once in 1,000 at the most, and near the truth.
    assert 1.9 < fit.eps <= 2
    assert fit.sentence.startswith(f"These reports look like ε ≥ {fit.eps:.2f}, not 1")
    # A smaller ε only looks like a flatter histogram: nothing can be said.
    fit = ldp.check_fit(counts, 200_000, ldp.mechanism(name, k=5, eps=3.0, **({"eps_inf": 4.0} if inf else {})))
    assert fit.fits
    assert fit.eps is None


def test_subsets_of_the_wrong_eps():
    m = ldp.mechanism("SS", k=10, eps=1.2)
    stated = ldp.mechanism("SS", k=10, eps=1.0)
    assert m.omega == 2
    assert stated.omega == 3
    counts = m.sample_counts(np.full(10, 100), 1, np.random.default_rng(1))[0]
    with pytest.raises(
        ValueError, match="counts must sum to 3,000, because each of the n = 1,000 reports of SS supports 3 values"
    ):
        ldp.check_fit(counts, 1_000, stated)
    far = ldp.mechanism("SS", k=10, eps=1.4)
    assert far.omega == 2
    users = np.zeros(10, dtype=int)
    users[0] = 500_000
    fit = ldp.check_fit(far.sample_counts(users, 1, np.random.default_rng(1))[0], 500_000, m)
    assert not fit.fits
    assert 1.3 < fit.eps <= 1.4


def test_few_reports_are_checked_exactly():
    # Two reports of three bits: the chances of all totals, added up by hand.
    m = ldp.mechanism("OUE", k=3, eps=1.0)
    chances = {0: 1.0}
    for probability in [m.p, m.q, m.q] * 2:
        moved = {}
        for total, chance in chances.items():
            moved[total] = moved.get(total, 0) + chance * (1 - probability)
            moved[total + 1] = moved.get(total + 1, 0) + chance * probability
        chances = moved
    for total, counts in ((5, [2, 2, 1]), (1, [1, 0, 0]), (2, [1, 1, 0])):
        low = sum(c for t, c in chances.items() if t <= total)
        high = sum(c for t, c in chances.items() if t >= total)
        # Two tests, of the total and of each value; two reports can't make a count impossible.
        assert ldp.check_fit(counts, 2, m).p_value == pytest.approx(min(1, 2 * 2 * min(low, high)), rel=1e-9)


def test_the_exact_and_the_normal_p_value_agree(monkeypatch):
    m, n = ldp.mechanism("OUE", k=4, eps=1.0), 1_000
    for total in (1_200, 1_250, 1_307, 1_380):
        exact = total_support.total_p_value(total, n, m)
        monkeypatch.setattr(total_support, "EXACT_UP_TO", 0)
        assert total_support.total_p_value(total, n, m) == pytest.approx(exact, abs=0.01)
        monkeypatch.undo()


def test_no_eps_fits():
    fit = ldp.check_fit([1_000] * 10, 1_000, ldp.mechanism("OUE", k=10, eps=1.0))
    assert fit.eps is None
    assert fit.sentence.startswith("These reports do not fit OUE at any ε: the total support is 10,000 where")
    # With two values SUE supports one of them on average, whatever ε is.
    assert ldp.check_fit([600, 400], 1_000, ldp.mechanism("SUE", k=2, eps=1.0)).eps is None


def test_wrong_arguments_of_the_check():
    with pytest.raises(ValueError, match="counts must have one entry for each of the k = 3 values"):
        ldp.check_fit([1, 2], 3, ldp.mechanism("OUE", k=3, eps=1.0))
