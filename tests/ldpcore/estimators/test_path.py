"""IBU's path in large steps, against IBU's own steps; kernels over the bins, against a matrix."""

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.estimators.kernels import bandwidths, smoothed
from ldpcore.estimators.path import Observed, ibu_path


@pytest.mark.parametrize("data", ["poisson", "uniform", "acs-income"])
@pytest.mark.parametrize(("name", "eps", "k"), [("GRR", 4.0, 60), ("OUE", 1.0, 50), ("SS", 2.0, 30), ("BLH", 3.0, 8)])
def test_the_path_is_that_of_ibu(data, name, eps, k):
    m = ldp.mechanism(name, k=k, eps=eps)
    counts = m.sample_counts(ldp.sample_histogram(data, 20_000, k).counts, 2, np.random.default_rng(1))
    times = [1, 2, 17, 60, 200, 1_000, 3_000]
    own = ldp.ibu_run(counts, m, tol=0.0, max_iter=3_000, record=times).trace.estimates
    path = ibu_path([Observed.of(counts.astype(float), m.p, m.q)], times)
    gone = np.abs(own - 1 / k).sum(axis=-1)
    # To a five-hundredth of what it has gone; the first steps are IBU's own.
    assert (np.abs(path - own).sum(axis=-1) < 2e-3 * gone).all()
    np.testing.assert_allclose(path[:3], own[:3], rtol=1e-10)


def test_the_path_leads_to_the_limit_however_far_it_is():
    m = ldp.mechanism("GRR", k=5_000, eps=0.5)
    counts = m.sample_counts(ldp.sample_histogram("gaussian", 10**6, 5_000).counts, 1, np.random.default_rng(1))
    (end,) = ibu_path([Observed.of(counts.astype(float), m.p, m.q)], [16 * m.ibu_time])
    assert np.abs(end - ldp.ibu_limit(counts, m)).sum() < 1e-6


def test_several_epsilon_have_a_channel_each():
    one, two = ldp.mechanism("OUE", k=6, eps=1.0), ldp.mechanism("GRR", k=6, eps=2.0)
    rng, histogram = np.random.default_rng(1), np.array([500, 300, 100, 60, 40, 0])
    counts = [m.sample_counts(histogram, 1, rng)[0].astype(float) for m in (one, two)]
    theta = np.full(6, 1 / 6)
    for _ in range(300):
        growth = 0.0
        for c, m, weight in zip(counts, (one, two), (0.7, 0.3), strict=True):
            channel = np.full((6, 6), m.q) + (m.p - m.q) * np.eye(6)
            channel /= channel.sum(axis=1, keepdims=True)
            growth = growth + weight * channel @ (c / c.sum() / (channel @ theta))
        theta = theta * growth
    seen = [Observed.of(c[None], m.p, m.q, w) for c, m, w in zip(counts, (one, two), (0.7, 0.3), strict=True)]
    assert np.abs(ibu_path(seen, [300])[0, 0] - theta).max() < 1e-3


def test_a_kernel_is_a_gaussian_between_mirrors():
    k, width = 12, 2.0
    i, j = np.arange(k)[:, None], np.arange(k)
    kernel = np.zeros((k, k))
    for image in range(-5, 6):
        for distance in (i - j + 2 * k * image, i + j + 1 + 2 * k * image):
            kernel += np.exp(-0.5 * (distance / width) ** 2) / (width * np.sqrt(2 * np.pi))
    values = np.random.default_rng(1).normal(size=(3, k))
    # A sampled Gaussian of two bins is its own transform to about e^(-2π²·4/4).
    np.testing.assert_allclose(smoothed(values, np.array([width]))[0], values @ kernel.T, atol=1e-7)


def test_kernels_keep_the_sum_and_do_nothing_or_all():
    values = np.random.default_rng(1).normal(size=(2, 9))
    out = smoothed(values, np.array([0.0, 0.7, 3.0, 1e6]))
    np.testing.assert_allclose(out.sum(axis=-1), np.tile(values.sum(axis=-1), (4, 1)))
    np.testing.assert_allclose(out[0], values, atol=1e-14)
    np.testing.assert_allclose(out[3], np.tile(values.mean(axis=-1, keepdims=True), 9), atol=1e-14)
    assert bandwidths(2).size >= 1
    assert bandwidths(100).max() == pytest.approx(32)
