"""How an IBU run went: its trace, its flags, and runs in batches."""

from __future__ import annotations

import numpy as np
import pytest

import ldpcore as ldp

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
PUBLISHED = [(name, "published") for name in ("L-GRR", "L-BLH", "L-OLH")]
CHANNELS = [(name, "exact") for name in ALL] + PUBLISHED


def mechanism(name: str, k: int, eps: float = 1.0) -> ldp.Mechanism:
    return ldp.mechanism(name, k=k, eps=eps)


def batch_of_counts(m: ldp.Mechanism, runs: int, seed: int = 0, n: int = 2000) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return m.sample_counts(rng.multinomial(n, rng.dirichlet(np.full(m.k, 0.5))), runs, rng)


@pytest.mark.parametrize(("name", "channel"), CHANNELS)
def test_the_likelihood_never_falls(name: str, channel: str) -> None:
    m = mechanism(name, 8)
    counts = batch_of_counts(m, 5)
    start = np.random.default_rng(1).dirichlet(np.ones(8), size=5)
    for begin in (None, start):
        run = ldp.ibu_run(counts, m, max_iter=600, start=begin, channel=channel, record=range(601))
        gains = np.diff(run.trace.log_likelihood, axis=0)
        assert gains.min() > -1e-9  # rounding of a sum of about n terms' worth of logarithms
        assert run.trace.log_likelihood[-1].min() > run.trace.log_likelihood[0].min()


@pytest.mark.parametrize("name", ["L-BLH", "L-OLH"])
def test_bug_the_likelihood_falls_where_the_published_q_exceeds_p(name: str) -> None:
    m = ldp.mechanism(name, k=8, eps=0.3, eps_inf=3.0)
    run = ldp.ibu_run(batch_of_counts(m, 5), m, max_iter=3000, tol=0, channel="published", record=range(0, 3001, 50))
    assert np.diff(run.trace.log_likelihood, axis=0).min() > -1e-9


@pytest.mark.parametrize("stop", ["max_abs", "mse", "mae", "max_squared"])
@pytest.mark.parametrize(("name", "channel"), CHANNELS)
def test_the_trace_says_what_happened(name: str, channel: str, stop: str, plain_ibu, log_likelihood) -> None:
    m = mechanism(name, 6)
    counts = batch_of_counts(m, 1)[0]
    p, q = m.channel(channel)
    marks = [0, 1, 2, 17, 64, 65, 80, 99, 150, 151]
    plain = plain_ibu(counts, p, q, 151)
    trace = ldp.ibu_run(counts, m, max_iter=151, tol=0, stop=stop, channel=channel, record=marks).trace
    np.testing.assert_array_equal(trace.iterations, marks)
    np.testing.assert_allclose(trace.estimates, plain.iterates[marks], rtol=0, atol=1e-13)
    expected = log_likelihood(plain.iterates[marks], counts, p, q)
    np.testing.assert_allclose(trace.log_likelihood, expected, rtol=1e-12)
    assert np.isnan(trace.steps[0])
    np.testing.assert_allclose(trace.steps[1:], plain.steps(stop)[np.array(marks[1:]) - 1], rtol=1e-6, atol=1e-15)


def test_record_in_any_order_and_twice() -> None:
    m = mechanism("OUE", 4)
    trace = ldp.ibu_run([5, 6, 7, 8], m, max_iter=9, tol=0, record=[9, 3, 3, 0]).trace
    assert trace.iterations.tolist() == [0, 3, 9]
    assert trace.estimates.shape == (3, 4)
    assert trace.log_likelihood.shape == trace.steps.shape == (3,)


def test_nothing_recorded_is_an_empty_trace() -> None:
    trace = ldp.ibu_run(np.ones((2, 5, 4)), mechanism("OUE", 4)).trace
    assert trace.iterations.shape == (0,)
    assert trace.estimates.shape == (0, 2, 5, 4)
    assert trace.log_likelihood.shape == trace.steps.shape == (0, 2, 5)


def test_a_run_that_has_converged_stays_put() -> None:
    m = mechanism("GRR", 5, eps=3.0)
    # The first row is the channel of the uniform start, which doesn't move: it converges at once.
    counts = np.array([[200, 200, 200, 200, 200], [500, 300, 150, 30, 20]])
    run = ldp.ibu_run(counts, m, max_iter=500, tol=1e-9, record=range(0, 501, 10))
    fast, slow = (int(i) for i in run.iterations)
    assert fast < slow < 500
    assert run.converged.all()
    for row, at in ((0, fast), (1, slow)):
        after = run.trace.iterations >= at
        assert (run.trace.estimates[after, row] == run.estimates[row]).all()
        assert np.ptp(run.trace.log_likelihood[after, row]) == 0
        assert np.ptp(run.trace.steps[after, row]) == 0
        assert (run.trace.steps[after, row] < 1e-9).all()


def test_converged_is_told_apart_from_cut_off() -> None:
    m = mechanism("GRR", 3, eps=3.0)
    counts = np.array([50, 30, 20])
    needed = int(ldp.ibu_run(counts, m, tol=1e-10).iterations)
    assert bool(ldp.ibu_run(counts, m, tol=1e-10, max_iter=needed).converged)
    assert not bool(ldp.ibu_run(counts, m, tol=1e-10, max_iter=needed - 1).converged)
    assert not bool(ldp.ibu_run(counts, m, tol=0, max_iter=300).converged)


@pytest.mark.parametrize(("name", "channel"), CHANNELS)
def test_a_batch_is_its_rows(name: str, channel: str) -> None:
    m = mechanism(name, 6, eps=2.0)
    counts = np.concatenate([batch_of_counts(m, 3, seed, n=300) for seed in range(4)])
    start = np.random.default_rng(7).dirichlet(np.full(6, 5.0), size=12)
    options = {"max_iter": 400, "tol": 1e-8, "channel": channel}
    whole = ldp.ibu_run(counts.reshape(3, 4, 6), m, start=start.reshape(3, 4, 6), **options, record=(0, 50, 400))
    assert whole.estimates.shape == (3, 4, 6)
    assert whole.iterations.shape == whole.converged.shape == (3, 4)
    assert whole.trace.estimates.shape == (3, 3, 4, 6)
    for i in range(12):
        row = ldp.ibu_run(counts[i], m, start=start[i], **options, record=(0, 50, 400))
        np.testing.assert_allclose(whole.estimates.reshape(12, 6)[i], row.estimates, rtol=0, atol=1e-13)
        assert whole.iterations.ravel()[i] == row.iterations
        assert whole.converged.ravel()[i] == row.converged
        np.testing.assert_allclose(
            whole.trace.estimates.reshape(3, 12, 6)[:, i], row.trace.estimates, rtol=0, atol=1e-13
        )


def test_a_batch_larger_than_a_chunk_is_its_rows() -> None:
    m = mechanism("OUE", 50)
    counts = batch_of_counts(m, 400)
    whole = ldp.ibu(counts, m, max_iter=100)
    for i in (0, 162, 163, 164, 327, 399):
        np.testing.assert_allclose(whole[i], ldp.ibu(counts[i], m, max_iter=100), rtol=0, atol=1e-13)


def test_one_start_serves_all_rows() -> None:
    m = mechanism("OUE", 4)
    counts = batch_of_counts(m, 3)
    start = np.array([0.4, 0.3, 0.2, 0.1])
    each = ldp.ibu(counts, m, start=np.tile(start, (3, 1)), max_iter=20)
    np.testing.assert_array_equal(ldp.ibu(counts, m, start=start, max_iter=20), each)


def test_arguments_are_not_changed() -> None:
    m = mechanism("OUE", 4)
    counts, start = np.array([5.0, 6, 7, 8]), np.array([0.4, 0.3, 0.2, 0.1])
    ldp.ibu_run(counts, m, start=start, record=(0, 5))
    ldp.mi(counts, 30, m)
    assert counts.tolist() == [5, 6, 7, 8]
    assert start.tolist() == [0.4, 0.3, 0.2, 0.1]
