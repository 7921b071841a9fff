"""Power: the posterior mean under a power-law prior, against dense numerical integration."""

from __future__ import annotations

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.estimators import postprocess

# The exponents that the docstring promises: a grid from 0 to 3.
ALPHAS = np.linspace(0, 3, 13)
# name, k, ε, n: noise much wider than, about as wide as, and much narrower than the frequencies.
CASES = [
    ("OUE", 5, 1.0, 50),
    ("OUE", 20, 1.0, 1000),
    ("BLH", 50, 1.0, 20_000),
    ("GRR", 20, 2.0, 20_000),
    ("SS", 20, 4.0, 20_000),
    ("THE", 12, 3.0, 5000),
    ("L-OSUE", 20, 2.0, 50_000),
]


def data(name: str, k: int, eps: float, n: int, seed: int) -> tuple[ldp.Mechanism, np.ndarray, float]:
    m = ldp.mechanism(name, k=k, eps=eps)
    rng = np.random.default_rng(seed)
    weights = 1 / np.arange(1, k + 1) ** 1.5
    histogram = rng.multinomial(n, weights / weights.sum())
    raw = ldp.mi(m.sample_counts(histogram, 1, rng)[0], n, m, post="none")
    return m, raw, (m.q * (1 - m.q) / n) ** 0.5 / (m.p - m.q)


def trapezoid(y: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (np.diff(x) * (y[..., 1:] + y[..., :-1]) / 2).sum(axis=-1)


def posterior(raw: np.ndarray, alpha: float, low: float, sigma: float) -> tuple[float, np.ndarray]:
    """Log-evidence of all raw estimates and their posterior means, prior ∝ x^-α on [low, 1].

    Integrated over x itself (not over ln x) on nodes that are dense near `low`, where the prior is steep.
    """
    x = np.exp(np.linspace(np.log(low), 0, 20_001))
    x[0], x[-1] = low, 1.0
    prior = x**-alpha / trapezoid(x**-alpha, x)
    exponent = -0.5 * ((x - raw[:, None]) / sigma) ** 2
    top = exponent.max(axis=1, keepdims=True)
    density = np.exp(exponent - top) * prior
    evidence = trapezoid(density, x)
    return float((np.log(evidence) + top[:, 0]).sum()), trapezoid(density * x, x) / evidence


def all_posteriors(raw: np.ndarray, n: int, sigma: float) -> tuple[np.ndarray, list[np.ndarray]]:
    fits, means = zip(*(posterior(raw, alpha, 1 / n, sigma) for alpha in ALPHAS), strict=True)
    return np.array(fits), list(means)


@pytest.mark.slow
@pytest.mark.parametrize("seed", [0, 1])
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case[0]}-k{case[1]}-eps{case[2]:g}-n{case[3]}")
def test_power_is_the_posterior_mean_at_the_likeliest_exponent(case: tuple[str, int, float, int], seed: int) -> None:
    m, raw, sigma = data(*case, seed)
    n = case[3]
    fits, means = all_posteriors(raw, n, sigma)
    best, second = np.sort(fits)[::-1][:2]
    assert best - second > 1e-4  # the case must not be a tie that the last digits decide
    got = postprocess(raw, "power", n=n, m=m)
    nearest = int(np.argmin([np.abs(got - mean).max() for mean in means]))
    assert ALPHAS[nearest] == ALPHAS[np.argmax(fits)]
    np.testing.assert_allclose(got, means[int(np.argmax(fits))], rtol=2e-3, atol=1e-3 * sigma)


def test_power_with_next_to_no_noise_leaves_frequencies_in_place() -> None:
    """σ is 4e-10 here: nothing within (1/n, 1) may move by more than some σ, not even close to 1."""
    n = 10**9
    m = ldp.mechanism("OUE", k=3, eps=20.0)
    sigma = float(np.sqrt(m.noise_variance(0.0, n)))
    for raw in ([0.5, 0.3, 0.2], [0.1, 0.6, 0.3], [0.999805, 0.0001, 0.000095]):
        got = postprocess(np.array(raw), "power", n=n, m=m)
        np.testing.assert_allclose(got, raw, rtol=0, atol=10 * sigma)
