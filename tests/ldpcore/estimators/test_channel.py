"""IBU for any channel: against every mechanism's own IBU, and against an optimiser that knows nothing of it."""

import numpy as np
import pytest
from mechanism_cases import MECHANISMS

import ldpcore as ldp


def channel_of(m):
    """Return the channel of a pure mechanism as its IBU takes it, scaled so that rows sum to 1."""
    A = np.full((m.k, m.k), m.q) + (m.p - m.q) * np.eye(m.k)
    return A / A.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("name", MECHANISMS)
def test_it_is_every_mechanisms_own_ibu(name):
    m = ldp.mechanism(name, k=6, eps=2.0)
    counts = m.sample_counts([500, 200, 200, 80, 20, 0], 2, np.random.default_rng(1))
    went = ldp.ibu_channel(counts, channel_of(m), max_iter=500)
    own = ldp.ibu_run(counts, m, max_iter=500)
    np.testing.assert_allclose(went.ibu, own.estimates, atol=1e-10)
    np.testing.assert_array_equal(went.iterations, own.iterations)
    assert went.limit_converged.all()
    np.testing.assert_allclose(went.limit, ldp.ibu_limit(counts, m), atol=1e-5)
    if m.support_size == 1:
        np.testing.assert_allclose(went.raw, ldp.mi(counts, 1_000, m, post="none"), atol=1e-12)
        np.testing.assert_allclose(went.mi, ldp.mi(counts, 1_000, m), atol=1e-12)
        assert went.eps == pytest.approx(m.effective_eps)


def test_its_limit_is_the_most_likely_histogram():
    """Frank and Wolfe's bound on the gap: no histogram is more likely by more than max_v of the gradient less 1."""
    rng = np.random.default_rng(2)
    A = rng.dirichlet(np.ones(9), size=5)
    seen = rng.multinomial(5_000, rng.dirichlet(np.ones(5)) @ A)
    went = ldp.ibu_channel(seen, A)
    gradient = A @ (seen / (went.limit @ A)) / 5_000
    assert gradient.max() - 1 < 1e-9
    # And a search at random finds nothing better.
    best = seen @ np.log(went.limit @ A)
    near = np.maximum(went.limit + rng.normal(scale=0.01, size=(2_000, 5)), 1e-12)
    assert (np.log(near / near.sum(axis=1, keepdims=True) @ A) @ seen <= best + 1e-9).all()


def test_least_squares_where_outputs_are_many():
    rng = np.random.default_rng(3)
    A, theta = rng.dirichlet(np.ones(12), size=4), np.array([0.4, 0.3, 0.2, 0.1])
    np.testing.assert_allclose(ldp.ibu_channel(theta @ A, A).raw, theta, atol=1e-10)
    np.testing.assert_allclose(ldp.ibu_channel(theta @ A, A).limit, theta, atol=1e-5)


def test_the_epsilon_of_a_channel():
    assert ldp.channel_eps([[0.5, 0.5], [0.5, 0.5]]) == 0
    assert ldp.channel_eps([[1.0, 0.0], [0.5, 0.5]]) == np.inf
    # An output that nobody sends says nothing.
    assert ldp.channel_eps([[0.8, 0.2, 0.0], [0.2, 0.8, 0.0]]) == pytest.approx(np.log(4))


@pytest.mark.parametrize(
    ("channel", "sentence"),
    [
        ([[0.5, 0.4], [0.5, 0.5]], "rows that sum to 1; got 0.9 in row 0"),
        ([[1.5, -0.5], [0.5, 0.5]], "must hold probabilities; got -0.5 in row 0, column 1"),
        ([[0.5, 0.5], [float("nan"), 0.5]], "must hold probabilities; got nan in row 1, column 0"),
        ([0.5, 0.5], "must be a matrix"),
        ([["a", "b"], ["c", "d"]], "must be a matrix"),
        ([[1.0, 0.0]], "must be a matrix"),
    ],
)
def test_what_is_no_channel(channel, sentence):
    with pytest.raises(ldp.Refused, match=sentence):
        ldp.ibu_channel([1, 1], channel)


def test_what_cannot_be_seen():
    A = [[0.8, 0.2, 0.0], [0.2, 0.8, 0.0]]
    with pytest.raises(ldp.Refused, match="where no value gives the output"):
        ldp.ibu_channel([1, 1, 1], A)
    with pytest.raises(ldp.Refused, match="observed must have one entry for each of the m = 3 outputs"):
        ldp.ibu_channel([1, 1], A)
    assert ldp.ibu_channel([[3, 1, 0], [1, 3, 0]], A, max_iter=3).ibu.shape == (2, 2)
    assert "not converged" in repr(ldp.ibu_channel([3, 1, 0], A, max_iter=3))


def test_where_collections_start():
    A, seen = [[0.8, 0.2], [0.2, 0.8]], np.array([[[6, 4], [7, 3]], [[5, 5], [2, 8]]])
    own = np.array([[[0.4, 0.6], [0.5, 0.5]], [[0.9, 0.1], [0.3, 0.7]]])
    run = ldp.ibu_channel(seen, A, start=own, max_iter=3)
    for i, j in np.ndindex(2, 2):
        alone = ldp.ibu_channel(seen[i, j], A, start=own[i, j], max_iter=3)
        np.testing.assert_array_equal(run.ibu[i, j], alone.ibu)
    with pytest.raises(ldp.Refused, match=r"start must have shape \(2,\) or \(2, 2, 2\), as observed .* got \(5, 2\)"):
        ldp.ibu_channel(seen, A, start=np.full((5, 2), 0.5))
    with pytest.raises(ldp.Refused, match="observed must be an array, with rows of equal length"):
        ldp.ibu_channel([[6, 4], [7]], A)


# ---- Square Wave ------------------------------------------------------------------


def test_the_channel_of_square_wave_is_what_its_users_send():
    wave = ldp.SquareWave(k=5, eps=1.5, b=1)
    n = 60_000
    for value in (0, 3):
        seen = wave.output_counts(wave.privatize(np.full(n, value), np.random.default_rng(value))) / n
        # Five standard errors of a share; 14 shares alarm falsely in 8 of a million.
        assert (np.abs(seen - wave.channel[value]) < 5 * np.sqrt(wave.channel[value] / n)).all()
    assert wave.channel.sum(axis=1) == pytest.approx(np.ones(5))
    assert ldp.channel_eps(wave.channel) == pytest.approx(1.5)


def test_drawn_counts_have_the_law_of_users():
    wave = ldp.SquareWave(k=6, eps=1.0)
    histogram, rng, runs = np.array([30, 0, 50, 10, 0, 10]), np.random.default_rng(4), 4_000
    drawn = wave.sample_counts(histogram, runs, rng)
    values = np.repeat(np.arange(6), histogram)
    sent = np.stack([wave.output_counts(wave.privatize(values, rng)) for _ in range(runs)])
    assert (drawn.sum(axis=1) == 100).all()
    mean = histogram @ wave.channel
    cov = np.diag(mean) - wave.channel.T @ (histogram[:, None] * wave.channel)
    for counts in (drawn, sent):
        assert (np.abs(counts.mean(axis=0) - mean) < 5 * np.sqrt(np.diag(cov) / runs)).all()
        # A covariance of 4 000 draws is known to σᵤσᵥ/63; five of those.
        scale = np.sqrt(np.outer(np.diag(cov), np.diag(cov)))
        assert (np.abs(np.cov(counts.T) - cov) < 5 * 1.5 * scale / runs**0.5).all()


def test_the_half_width_is_the_published_one():
    for eps in (0.5, 1.0, 4.0):
        e = np.exp(eps)
        published = (eps * e - e + 1) / (2 * e * (e - 1 - eps))
        assert ldp.SquareWave(k=1_000, eps=eps).b == int(1_000 * published)
    assert ldp.SquareWave(k=100, eps=1e-4).b == 49


@pytest.mark.slow
def test_square_wave_with_smoothing_beats_a_pure_mechanism_on_smooth_data():
    histogram = ldp.sample_histogram("gaussian", 20_000, 50)
    wave, rng = ldp.SquareWave(k=50, eps=1.0), np.random.default_rng(5)
    ems = ldp.ibu_channel(wave.sample_counts(histogram.counts, 3, rng), wave.channel, smoothing=True)
    m = ldp.mechanism("OUE", k=50, eps=1.0)
    mi = ldp.mi(m.sample_counts(histogram.counts, 3, rng), 20_000, m)
    w = [ldp.metrics.wasserstein(e, histogram.frequencies).mean() for e in (ems.ibu, mi)]
    assert w[0] < w[1]
    assert ems.converged.all()
