"""IBU followed far beyond its own steps, and how far below its maximum that leaves what it climbs."""

import math

import numpy as np
import pytest

import ldpcore as ldp

MECHANISMS = ldp.ONE_TIME + ldp.LONGITUDINAL
CHANNELS = [(name, "exact") for name in MECHANISMS] + [(name, "published") for name in ("L-GRR", "L-BLH", "L-OLH")]


def counts_of(m, n=3_000, seed=3):
    rng = np.random.default_rng(seed)
    return m.sample_counts(rng.multinomial(n, rng.dirichlet(np.full(m.k, 0.7))), 1, rng)[0]


@pytest.mark.parametrize(("name", "channel"), CHANNELS)
def test_the_gap_is_that_of_the_matrix_form(name, channel, plain_ibu, log_likelihood):
    m = ldp.mechanism(name, k=7, eps=1.5)
    counts, (p, q) = counts_of(m), m.channel(channel)
    iterates = plain_ibu(counts, p, q, 60).iterates
    best = ldp.ibu_limit(counts, m, channel=channel)
    gaps = ldp.likelihood_gap(iterates, counts, m, channel=channel)
    expected = (log_likelihood(best, counts, p, q) - log_likelihood(iterates, counts, p, q)) / counts.sum()
    np.testing.assert_allclose(gaps, expected, rtol=1e-9, atol=1e-14)
    assert (np.diff(gaps) <= 0).all()
    # No other histogram is above the limit.
    others = np.random.default_rng(1).dirichlet(np.ones(7), size=200)
    assert ldp.likelihood_gap(others, counts, m, channel=channel).min() > 0
    assert ldp.likelihood_gap(best, counts, m, channel=channel) == 0


def test_a_small_gap_has_its_digits():
    m = ldp.mechanism("GRR", k=3, eps=2.0)
    counts = np.array([50, 30, 20])
    best = ldp.ibu_limit(counts, m)
    assert best.min() > 0
    off = 1e-6 * np.array([1.0, -0.5, -0.5])
    seen = m.q + (m.p - m.q) * best
    # To the second order the gap is half of Σ φ (A δ)²/(Aθ)², and at an inner limit Aθ = φ.
    expected = 0.5 * float((((m.p - m.q) * off) ** 2 / seen).sum())
    assert float(ldp.likelihood_gap(best + off, counts, m)) == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(("name", "channel"), CHANNELS)
def test_the_trace_is_ibu_and_beyond_its_own_steps_its_path(name, channel, plain_ibu, log_likelihood):
    m = ldp.mechanism(name, k=6, eps=1.0)
    counts, (p, q) = counts_of(m), m.channel(channel)
    marks = [0, 1, 5, 60, 61, 200, 1_000, 2_999]
    plain = plain_ibu(counts, p, q, 3_000)
    trace = ldp.ibu_trace(counts, m, [*marks[::-1], 5], channel=channel, own_steps=60)
    assert trace.iterations.tolist() == marks
    np.testing.assert_allclose(trace.estimates[:4], plain.iterates[marks[:4]], rtol=0, atol=1e-13)
    gone = np.abs(plain.iterates[marks] - 1 / 6).sum(axis=-1)
    apart = np.abs(trace.estimates - plain.iterates[marks]).sum(axis=-1)
    assert (apart <= 2e-3 * gone + 1e-14).all()
    np.testing.assert_allclose(
        trace.log_likelihood, log_likelihood(trace.estimates, counts, p, q), rtol=1e-12, atol=1e-9
    )
    steps = plain.steps("max_abs")
    np.testing.assert_allclose(trace.steps[1:4], steps[[0, 4, 59]], rtol=1e-6, atol=1e-15)
    # Beyond, the step is the next one.
    np.testing.assert_allclose(trace.steps[4:], steps[marks[4:]], rtol=0.1, atol=1e-9)


def test_rows_and_starts_go_together():
    m = ldp.mechanism("OUE", k=5, eps=2.0)
    counts = np.stack([counts_of(m, seed=seed) for seed in (1, 2)])
    starts = np.random.default_rng(1).dirichlet(np.ones(5), size=2)
    both = ldp.ibu_trace(counts, m, [0, 30, 500], start=starts, own_steps=50, stop="mae")
    assert both.estimates.shape == (3, 2, 5)
    assert both.log_likelihood.shape == both.steps.shape == (3, 2)
    np.testing.assert_allclose(both.estimates[0], starts)
    for row in range(2):
        alone = ldp.ibu_trace(counts[row], m, [0, 30, 500], start=starts[row], own_steps=50, stop="mae")
        np.testing.assert_allclose(both.estimates[:, row], alone.estimates, atol=2e-4)


def test_a_trace_may_end_within_its_own_steps():
    m = ldp.mechanism("OUE", k=5, eps=2.0)
    trace = ldp.ibu_trace(counts_of(m), m, [0])
    assert trace.iterations.tolist() == [0]
    np.testing.assert_allclose(trace.estimates, 0.2)


def test_where_p_is_q_nothing_moves(monkeypatch):
    m = ldp.mechanism("L-GRR", k=4, eps=1.0)
    monkeypatch.setattr(type(m), "published_channel", (0.3, 0.3))
    trace = ldp.ibu_trace([5, 6, 7, 8], m, [0, 10, 10**6], channel="published", own_steps=20)
    np.testing.assert_allclose(trace.estimates, 0.25)
    assert trace.steps[1:].tolist() == [0, 0]
    assert (ldp.likelihood_gap(trace.estimates, [5, 6, 7, 8], m, channel="published") == 0).all()
    assert m.ibu_time_of("published") == math.inf
    assert m.share_of_the_way(10**6, "published") == 0


@pytest.mark.parametrize(
    ("change", "said"),
    [({"iterations": [-1]}, "iterations"), ({"stop": "cv"}, "stop"), ({"own_steps": 0}, "own_steps")],
)
def test_bad_arguments_have_a_sentence(change, said):
    arguments = {"iterations": [1], "stop": "max_abs", "own_steps": 5} | change
    with pytest.raises(ldp.Refused, match=f"^{said} must be"):
        ldp.ibu_trace([1, 2], ldp.mechanism("GRR", k=2, eps=1.0), **arguments)


@pytest.mark.parametrize("eps", [0.3, 1.0, 3.0])
@pytest.mark.parametrize("counts", [[0, 0, 0, 0, 1], [0, 0, 1, 2, 30]])
def test_bug_what_has_vanished_has_no_logarithm(counts, eps):
    """Values nobody reports fall below the smallest number long before the own steps end: the path began there."""
    m = ldp.mechanism("GRR", k=5, eps=eps)
    trace = ldp.ibu_trace(counts, m, [5_000, 20_000, 10**6])
    assert trace.estimates[0].min() == 0
    np.testing.assert_allclose(trace.estimates[-1], ldp.ibu_limit(counts, m), rtol=0, atol=1e-9)
