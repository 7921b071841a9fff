"""Theory and fit of mechanisms that say no more than what they must: simulated, and right."""

from __future__ import annotations

import math

import numpy as np
import pytest
from mechanism_cases import z_limit
from strangers import HadamardResponse

import ldpcore as ldp
from ldpcore.mechanisms.longitudinal import LGRR
from ldpcore.theory import attack_success, attack_success_after, cramer_rao

Z = z_limit(1)


@pytest.mark.parametrize("prior", [None, [0.2, 0.5, 0.3], [0.9, 0.05, 0.05]])
def test_an_attack_on_a_stranger_is_simulated(prior):
    """The chance by enumeration is Σ_y max_v θ_v·Pr[y | v]."""
    m = HadamardResponse(k=3, eps=1.0)
    theta = np.full(3, 1 / 3) if prior is None else np.array(prior)
    exact = (theta[:, None] * m.channel_matrix()).max(axis=0).sum()
    # 10 000 users whose belief spreads by less than 0.15.
    assert attack_success(m, prior) == pytest.approx(exact, abs=Z * 0.15 / 100)


def test_several_reports_of_a_stranger():
    """Two reports by enumeration: Σ_{y,y'} max_v Pr[y | v]·Pr[y' | v]/k. Many tell everything."""
    m = HadamardResponse(k=3, eps=1.0)
    channel = m.channel_matrix()
    for reports, exact in (
        (1, channel.max(axis=0).sum() / 3),
        (2, np.einsum("va,vb->vab", channel, channel).max(axis=0).sum() / 3),
    ):
        simulated = attack_success_after(m, reports)
        assert simulated.se > 0
        assert abs(simulated.chance - exact) < Z * simulated.se
    assert attack_success_after(m, math.inf).chance == 1.0


def test_the_bound_of_a_stranger_is_simulated():
    """The information by enumeration is Σ_y ccᵀ/Pr[y] with c_v = Pr[y | v], inverted on the changes that sum to 0."""
    m = HadamardResponse(k=3, eps=1.0)
    theta = np.array([0.2, 0.5, 0.3])
    channel = m.channel_matrix()
    information = (channel / (theta @ channel)) @ channel.T
    basis = np.linalg.svd(np.ones((1, 3)))[2][1:]
    exact = np.trace(np.linalg.inv(basis @ information @ basis.T)) / 3 / 1000
    bound = cramer_rao(m, theta, 1000)
    assert bound.method == "simulation"
    assert abs(bound.mse / exact - 1) < Z * bound.relative_error
    assert bound.relative_error < 0.01


def test_a_chain_that_does_not_say_its_rounds():
    """For L-GRR the value that is supported most often is the best guess, so not saying the rounds changes nothing."""

    class Silent(LGRR):
        rounds = None

    known, silent = (cls(k=5, eps=1.0, eps_inf=2.0, calibration="tight") for cls in (LGRR, Silent))
    for reports in (2, 6, math.inf):
        a, b = attack_success_after(known, reports), attack_success_after(silent, reports)
        assert b.se > 0
        assert abs(a.chance - b.chance) < Z * math.hypot(a.se, b.se)


def test_reports_of_a_stranger_are_checked_by_their_rarest_value():
    m = HadamardResponse(k=3, eps=1.0)
    rng = np.random.default_rng(7)
    values = rng.integers(0, 3, 5000)
    fit = ldp.check_fit(m.support_counts(m.privatize(values, rng)), 5000, m)
    assert (fit.statistic, fit.fits) == ("single value", True)
    assert "the same number" not in fit.sentence
    assert not ldp.check_fit([2000, 2600, 2600], 5000, m).fits


def test_collected_reports_of_a_stranger_are_estimated():
    m = HadamardResponse(k=3, eps=2.0)
    rng = np.random.default_rng(8)
    reports = m.privatize(np.repeat([0, 1, 2], [1000, 3000, 6000]), rng)
    collected = ldp.estimate_reports(reports, m)
    assert np.abs(collected.mi - [0.1, 0.3, 0.6]).max() < 0.08
    (part, one), (_, other) = ldp.split_by_eps(reports, np.where(np.arange(10_000) < 4000, 1.0, 2.0), m)
    assert (one.eps, other, len(part)) == (1.0, m, 4000)
