"""IBU on full reports says how it went, and reaches its tolerance in whatever precision the data is held."""

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.estimators import full


def reports_of(m, n=3_000):
    rng = np.random.default_rng(7)
    return m.privatize(np.minimum(rng.poisson(4, n), m.k - 1), rng)


@pytest.fixture
def single(monkeypatch):
    """Hold everything in single precision, and make it double in many small blocks."""
    monkeypatch.setattr(full, "_DOUBLE_UP_TO", 0)
    monkeypatch.setattr(full, "_BLOCK", 1 << 10)


@pytest.mark.parametrize("accelerate", [True, False])
@pytest.mark.parametrize("tol", [1e-7, 1e-10, 1e-13])
@pytest.mark.usefixtures("single")
def test_every_tolerance_is_reached_in_single_precision(tol, accelerate, monkeypatch):
    m = ldp.mechanism("OUE", k=12, eps=3.0)
    reports = reports_of(m)
    outcome = ldp.ibu_full_run(reports, m, tol=tol, accelerate=accelerate, max_iter=20_000)
    assert outcome.converged
    assert outcome.step < tol
    assert outcome.iterations < 20_000
    monkeypatch.setattr(full, "_DOUBLE_UP_TO", 10**9)
    double = ldp.ibu_full_run(reports, m, tol=tol, accelerate=accelerate, max_iter=20_000)
    # Both end within a few steps of one limit; how far they may be apart goes with the step.
    np.testing.assert_allclose(outcome.estimate, double.estimate, atol=max(3e3 * tol, 1e-9))


def test_an_estimate_from_single_precision_is_the_fixed_point(single):
    m = ldp.mechanism("OLH", k=9, eps=2.0)
    reports = reports_of(m)
    theta = ldp.ibu_full(reports, m, tol=1e-14, max_iter=50_000)
    # One step of the formula, written out in double precision.
    supports, extra = m.supports(reports), m.likelihood_ratio - 1
    step = theta * ((1 + extra * supports) / (1 + extra * (supports @ theta))[:, None]).mean(axis=0)
    np.testing.assert_allclose(step, theta, rtol=0, atol=1e-13)


def test_a_run_that_did_not_get_there_says_so():
    m = ldp.mechanism("OUE", k=12, eps=1.0)
    reports = reports_of(m)
    for accelerate in (True, False):
        outcome = ldp.ibu_full_run(reports, m, max_iter=5, tol=1e-12, accelerate=accelerate)
        assert (outcome.iterations, outcome.converged) == (5, False)
        assert outcome.step > 1e-12
        np.testing.assert_array_equal(
            outcome.estimate, ldp.ibu_full(reports, m, max_iter=5, tol=1e-12, accelerate=accelerate)
        )
    never = ldp.ibu_full_run(reports, m, max_iter=400, tol=0.0)
    assert not never.converged
    assert never.step < 1e-6


def test_most_steps_are_taken_in_single_precision(single, monkeypatch):
    m = ldp.mechanism("OUE", k=12, eps=3.0)
    reports, steps = reports_of(m), []
    once = full._Likelihood._step

    def watched(self, theta, kind):
        steps.append(kind)
        return once(self, theta, kind)

    monkeypatch.setattr(full._Likelihood, "_step", watched)
    assert ldp.ibu_full_run(reports, m, tol=1e-5).converged
    assert steps.count(np.float64) <= 1  # the one that measures the rounding
    assert ldp.ibu_full_run(reports, m).converged
    assert steps.count(np.float64) < len(steps) / 2
