"""The post-processings of raw MI estimates against their definitions and against other algorithms."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldpcore as ldp
from ldpcore.estimators import DISTRIBUTIONS, postprocess

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
OUE4 = ldp.mechanism("OUE", k=4, eps=1.0)


def apply(method: str, raw: list[float], n: int = 1000) -> np.ndarray:
    return postprocess(np.array(raw), method, n=n, m=OUE4)


def bisect(f, low: float, high: float) -> float:
    """Where the increasing f crosses 0, to the last bits."""
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if f(middle) < 0 else (low, middle)
    return (low + high) / 2


# ---- by definition ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("method", "raw", "expected"),
    [
        ("none", [-0.1, 0.5, 0.2, 0.1], [-0.1, 0.5, 0.2, 0.1]),
        ("base-pos", [-0.1, 0.5, 0.2, 0.1], [0, 0.5, 0.2, 0.1]),
        ("base-pos", [-0.1, -0.5, -0.2, -0.1], [0, 0, 0, 0]),
        ("norm", [-0.1, 0.5, 0.2, 0.2], [-0.05, 0.55, 0.25, 0.25]),
        ("norm", [0.5, 0.5, 0.5, 0.5], [0.25, 0.25, 0.25, 0.25]),
        ("norm-mul", [-0.1, 0.4, 0.2, 0.2], [0, 0.5, 0.25, 0.25]),
        ("norm-mul", [-0.1, -0.1, -0.1, -0.1], [0.25, 0.25, 0.25, 0.25]),
        # 0.75 + 0.5 is past 1: the rest goes, and the two are rescaled.
        ("norm-cut", [0.125, 0.75, -0.25, 0.5], [0, 0.6, 0, 0.4]),
        # 0.5 + 0.5 is 1 already: the third isn't needed.
        ("norm-cut", [0.25, 0.5, 0.5, -0.25], [0, 0.5, 0.5, 0]),
        # All the positive ones together don't reach 1: only rescaled.
        ("norm-cut", [0.25, 0.25, -0.5, 0.0], [0.5, 0.5, 0, 0]),
        ("norm-cut", [-0.1, -0.2, -0.3, 0.0], [0.25, 0.25, 0.25, 0.25]),
        ("norm-sub", [0.7, 0.5, -0.2, -0.1], [0.6, 0.4, 0, 0]),
        ("norm-sub", [2.0, 0.5, 0.2, 0.1], [1, 0, 0, 0]),
        ("norm-sub", [-1.0, -1.0, -1.0, -1.0], [0.25, 0.25, 0.25, 0.25]),
    ],
)
def test_by_definition(method: str, raw: list[float], expected: list[float]) -> None:
    np.testing.assert_allclose(apply(method, raw), expected, rtol=0, atol=1e-15)


def test_base_cut_keeps_what_is_above_the_noise_of_an_absent_value() -> None:
    n = 2000
    variance = OUE4.q * (1 - OUE4.q) / (n * (OUE4.p - OUE4.q) ** 2)
    threshold = NormalDist().inv_cdf(1 - 0.05 / 4) * variance**0.5
    raw = [1.001 * threshold, 0.999 * threshold, -threshold, 0.9]
    np.testing.assert_array_equal(apply("base-cut", raw, n), [raw[0], 0, 0, 0.9])


def test_bug_norm_cut_keeps_a_third_value_after_two_that_sum_to_one() -> None:
    """0.5 + 0.5 is exactly 1, so 0.4 must go; (0.5 + 0.5 + 0.4) - 0.4 is just below 1, though, by rounding."""
    np.testing.assert_allclose(apply("norm-cut", [0.5, 0.5, 0.4, 0.0]), [0.5, 0.5, 0, 0], atol=1e-12)


# ---- Norm-Sub: the projection on the simplex --------------------------------------


def projection(raw: np.ndarray) -> np.ndarray:
    delta = bisect(lambda d: np.maximum(raw + d, 0).sum() - 1, -np.max(raw), 1 - np.min(raw))
    return np.maximum(raw + delta, 0)


vectors = st.lists(st.floats(-3, 3), min_size=2, max_size=40).map(np.array)


@settings(derandomize=True, deadline=None, max_examples=200)
@given(vectors)
def test_norm_sub_is_the_euclidean_projection(raw: np.ndarray) -> None:
    m = ldp.mechanism("OUE", k=raw.size, eps=1.0)
    got = postprocess(raw, "norm-sub", n=100, m=m)
    np.testing.assert_allclose(got, projection(raw), rtol=0, atol=1e-12)
    # KKT: the same shift for all that are above 0, and no less for those at 0.
    shift = got - raw
    assert np.ptp(shift[got > 0]) < 1e-12
    assert (shift[got == 0] >= shift[got > 0].max() - 1e-12).all()


@settings(derandomize=True, deadline=None, max_examples=100)
@given(vectors)
def test_norm_sums_to_one(raw: np.ndarray) -> None:
    m = ldp.mechanism("GRR", k=raw.size, eps=1.0)
    got = postprocess(raw, "norm", n=100, m=m)
    assert got.sum() == pytest.approx(1, abs=1e-12)
    assert np.ptp(got - raw) < 1e-12


# ---- MLE-Apx ----------------------------------------------------------------------


def spread(m: ldp.Mechanism) -> tuple[float, float]:
    """n(p-q)² times the noise variance of a frequency f is a + b·f."""
    zero, one = m.noise_variance([0.0, 1.0], 1) * (m.p - m.q) ** 2
    return zero, one - zero


def mle_by_bisection(raw: np.ndarray, m: ldp.Mechanism) -> np.ndarray:
    """f = max(f̃ + y(a + b·f), 0) solved for the y that makes the sum 1; y stays where 1 - yb is above 0."""
    a, b = spread(m)
    edge = 1 / abs(b) if abs(b) > 1e-9 else 1e9
    far = 10 * (1 + np.abs(raw).max()) / a
    low, high = (-far, min(far, edge)) if b > 0 else (-min(far, edge), far)

    def at(y: float) -> np.ndarray:
        return np.maximum((raw + y * a) / max(1 - y * b, 1e-300), 0)

    return at(bisect(lambda y: at(y).sum() - 1, low, high))


def noisy_raw(m: ldp.Mechanism, n: int, seed: int) -> np.ndarray:
    rng = np.random.default_rng(seed)
    histogram = rng.multinomial(n, rng.dirichlet(np.full(m.k, 0.3)))
    return ldp.mi(m.sample_counts(histogram, 1, rng)[0], n, m, post="none")


@pytest.mark.parametrize("eps", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("name", ALL)
def test_mle_apx_is_its_own_fixed_point(name: str, eps: float) -> None:
    m = ldp.mechanism(name, k=12, eps=eps)
    a, b = spread(m)
    for seed in range(10):
        raw = noisy_raw(m, 500, seed)
        f = postprocess(raw, "mle-apx", n=500, m=m)
        y = (f - raw) / (a + b * f)  # the shift in units of the variance that the result implies
        kept = f > 0
        scale = 1 + np.abs(y).max()
        assert np.ptp(y[kept]) < 1e-9 * scale
        assert (raw + y[kept][0] * a <= 1e-9)[~kept].all()
        assert f.sum() == pytest.approx(1, abs=1e-12)
        np.testing.assert_allclose(f, mle_by_bisection(raw, m), rtol=0, atol=1e-9)


def test_mle_apx_equals_norm_sub_when_the_variance_is_the_same_for_all() -> None:
    m = ldp.mechanism("SUE", k=12, eps=1.0)  # p + q = 1
    for seed in range(20):
        raw = noisy_raw(m, 500, seed)
        both = [postprocess(raw, method, n=500, m=m) for method in ("mle-apx", "norm-sub")]
        np.testing.assert_allclose(*both, rtol=0, atol=1e-12)


@pytest.mark.parametrize("name", ["GRR", "SS", "BLH", "L-GRR", "L-BLH"])
def test_bug_mle_apx_divides_by_zero_where_p_rounds_to_one(name: str) -> None:
    """At ε = 50 p is 1.0, so a + b = p(1-p) is 0, and so is the divisor of the largest value alone."""
    m = ldp.mechanism(name, k=3, eps=50.0)
    # Solved by hand with all three above 0: the raw estimates of BLH are (0.4, -0.6, -0.8), y is 4, 1 - yb is 2.
    np.testing.assert_allclose(ldp.mi([700, 200, 100], 1000, m, post="mle-apx"), [0.7, 0.2, 0.1], atol=1e-9)


# ---- PowerNS, batches -------------------------------------------------------------


@pytest.mark.parametrize("name", ALL)
def test_power_ns_is_norm_sub_of_power(name: str) -> None:
    m = ldp.mechanism(name, k=8, eps=1.0)
    raw = noisy_raw(m, 1000, 0)
    power = postprocess(raw, "power", n=1000, m=m)
    np.testing.assert_allclose(postprocess(raw, "power-ns", n=1000, m=m), projection(power), rtol=0, atol=1e-12)


@pytest.mark.parametrize("method", list(ldp.POSTPROCESSINGS))
def test_a_batch_is_its_rows(method: str) -> None:
    m = ldp.mechanism("OLH", k=6, eps=1.0)
    raw = np.array([noisy_raw(m, 300, seed) for seed in range(12)])
    whole = postprocess(raw.reshape(3, 4, 6), method, n=300, m=m)
    assert whole.shape == (3, 4, 6)
    for row, got in zip(raw, whole.reshape(12, 6), strict=True):
        np.testing.assert_allclose(got, postprocess(row, method, n=300, m=m), rtol=0, atol=1e-14)


@pytest.mark.parametrize("method", DISTRIBUTIONS)
def test_distributions_are_left_alone(method: str) -> None:
    """All but Power's shrinkage are projections: a distribution with enough users behind it stays itself."""
    f = np.array([0.4, 0.3, 0.2, 0.1])
    loose = 1e-3 if method == "power-ns" else 1e-12
    np.testing.assert_allclose(apply(method, f.tolist(), 10**10), f, rtol=0, atol=loose)
