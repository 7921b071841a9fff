"""Iterations taken many at once are the iterations: the same estimates, and rest at the same one."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.estimators import batch, strides
from ldpcore.estimators.batch import LOOK_ALWAYS
from ldpcore.estimators.ibu import MAX_ITER, TOL, ibu_rows
from ldpcore.estimators.strides import FIRST_STRIDE, ORDER, Strides, stride_weights

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
# What one by one and in strides may differ by after thousands of iterations: ten times the most ever seen.
NEAR = 1e-11


@pytest.fixture
def taken(monkeypatch) -> list[int]:
    """Return the lengths of the strides taken, 0 for one that failed."""
    lengths: list[int] = []
    stride = Strides.stride

    def counted(path: Strides) -> int:
        lengths.append(stride(path))
        return lengths[-1]

    monkeypatch.setattr(Strides, "stride", counted)
    return lengths


def one_by_one(monkeypatch, *args, **options) -> ldp.IBURun:
    with monkeypatch.context() as here:
        here.setattr(batch, "_WORTH", np.inf)
        return ldp.ibu_run(*args, **options)


def counts_of(m: ldp.Mechanism, n: int = 20_000, runs: int = 3, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return m.sample_counts(rng.multinomial(n, rng.dirichlet(np.full(m.k, 0.6))), runs, rng)


def sum_over(degree: int, first: int, number: int) -> Fraction:
    """Return the sum of j^degree over so many whole numbers from the first."""
    return Fraction(sum(j**degree for j in range(first, first + number)))


@pytest.mark.parametrize("length", [1, 2, 8, 64, 1024])
def test_strides_are_exact_where_growths_are_a_polynomial(length: int) -> None:
    """The truth is the sum over every single iteration, of each power below the order."""
    predicts, corrects = stride_weights(length)
    now = (ORDER - 1) * length
    for degree in range(ORDER):
        growths = [float(Fraction(j * length, now) ** degree) for j in range(ORDER + 1)]
        expected = float(sum_over(degree, now, length) / Fraction(now) ** degree)
        assert float(predicts @ growths[:ORDER]) == pytest.approx(expected, rel=1e-11)
        assert float(corrects @ growths) == pytest.approx(0, abs=1e-9 * length)


@pytest.mark.parametrize("length", [8, 64])
def test_what_is_corrected_uses_the_newest_growth_instead_of_the_oldest(length: int) -> None:
    """Of both weights together the oldest growth has none, and the others solve the equations of moments."""
    predicts, corrects = stride_weights(length)
    corrected = corrects + np.append(predicts, 0)
    assert corrected[0] == pytest.approx(0, abs=1e-9 * length)
    at = np.arange(2.0 - ORDER, 2.0)
    moments = [float(sum_over(degree, 0, length) / Fraction(length) ** degree) for degree in range(ORDER)]
    expected = np.linalg.solve(np.vander(at, increasing=True).T, moments)
    np.testing.assert_allclose(corrected[1:], expected, rtol=1e-8, atol=1e-9 * length)


def test_the_growths_of_a_shorter_stride_lie_on_the_same_polynomial() -> None:
    path = Strides(np.ones((1, 1)), lambda f, out: out.fill(0.0))
    cubic = np.polynomial.Polynomial([1.0, -2.0, 0.5, 0.25])
    path._rows[:ORDER, 0] = cubic(np.arange(ORDER) - (ORDER - 1.0))
    path._last = ORDER - 1
    path.shorten()
    assert path.length == FIRST_STRIDE // 2
    np.testing.assert_allclose(path._rows[:ORDER, 0], cubic((np.arange(ORDER) - (ORDER - 1.0)) / 2), rtol=1e-12)


@pytest.mark.parametrize("name", ALL)
def test_they_are_the_papers_iterations(name: str, plain_ibu, taken: list[int]) -> None:
    m = ldp.mechanism(name, k=9, eps=0.8)
    counts = counts_of(m, runs=1)[0]
    run = ldp.ibu_run(counts, m, max_iter=3_000, record=[2_000, 3_000])
    plain = plain_ibu(counts, m.p, m.q, 3_000)
    assert sum(taken) > 1_500
    at, rests = plain.stops_at("max_abs", TOL, 3_000)
    assert (int(run.iterations), bool(run.converged)) == (at, rests)
    np.testing.assert_allclose(run.estimates, plain.iterates[at], rtol=0, atol=NEAR)
    np.testing.assert_allclose(run.trace.estimates, plain.iterates[[min(at, 2_000), at]], rtol=0, atol=NEAR)
    np.testing.assert_allclose(run.trace.steps[1], plain.steps("max_abs")[at - 1], rtol=1e-3, atol=1e-15)


@pytest.mark.parametrize("k", [2, 100])
@pytest.mark.parametrize("eps", [0.3, 1.0, 2.0, 4.0])
@pytest.mark.parametrize("name", ALL)
def test_they_rest_at_the_same_iteration(name: str, eps: float, k: int, monkeypatch) -> None:
    m = ldp.mechanism(name, k=k, eps=eps)
    counts = counts_of(m)
    plain, run = one_by_one(monkeypatch, counts, m), ldp.ibu_run(counts, m)
    np.testing.assert_array_equal(run.iterations, plain.iterations)
    np.testing.assert_array_equal(run.converged, plain.converged)
    np.testing.assert_allclose(run.estimates, plain.estimates, rtol=0, atol=NEAR)
    assert run.estimates.min() >= 0


@pytest.mark.parametrize("tol", [1e-4, 1e-6, 1e-9, 1e-12])
@pytest.mark.parametrize("stop", list(ldp.STOPS))
def test_every_rule_stops_where_it_would(stop: str, tol: float, monkeypatch) -> None:
    """With squares of the tolerance for the rules of squares, so that each stops after hundreds of iterations."""
    m = ldp.mechanism("OUE", k=12, eps=1.5)
    counts = counts_of(m, runs=8)
    options = {"stop": stop, "tol": tol if stop in ("max_abs", "mae") else tol**2}
    plain, run = one_by_one(monkeypatch, counts, m, **options), ldp.ibu_run(counts, m, **options)
    np.testing.assert_array_equal(run.iterations, plain.iterations)
    np.testing.assert_array_equal(run.converged, plain.converged)
    np.testing.assert_allclose(run.estimates, plain.estimates, rtol=0, atol=NEAR)


def test_bug_a_run_that_rests_while_strides_begin_rests_late(monkeypatch) -> None:
    """The first growths are taken over 56 iterations at which nobody looks."""
    m = ldp.mechanism("L-SOUE", k=3, eps=2.0)
    counts = counts_of(m, n=200, runs=200, seed=315)
    plain, run = one_by_one(monkeypatch, counts, m), ldp.ibu_run(counts, m)
    early = (plain.iterations > LOOK_ALWAYS) & (plain.iterations < LOOK_ALWAYS + (ORDER - 1) * FIRST_STRIDE)
    assert early.any()
    np.testing.assert_array_equal(run.iterations, plain.iterations)


def test_they_are_few(taken: list[int]) -> None:
    """Where IBU is slow: the paper's 10,000 iterations, of which two strides are at most as many as a hundred."""
    m = ldp.mechanism("BLH", k=100, eps=1.0)
    run = ldp.ibu_run(counts_of(m), m)
    assert run.iterations.tolist() == [10_000] * 3
    assert sum(taken) > 9_500
    assert len(taken) < 200
    assert max(taken) >= 64


def test_rows_with_channels_of_their_own_stride_together(monkeypatch, taken: list[int]) -> None:
    ms = [ldp.mechanism(name, k=30, eps=0.9) for name in ("GRR", "BLH", "OUE", "L-GRR")]
    counts = np.concatenate([counts_of(m, runs=1) for m in ms]).astype(float)
    p, q = (np.array([getattr(m, side) for m in ms]) for side in "pq")
    estimates, iterations, _ = ibu_rows(counts, p, q)
    assert len(taken) > 20
    for row, m in enumerate(ms):
        plain = one_by_one(monkeypatch, counts[row], m)
        assert iterations[row] == plain.iterations
        np.testing.assert_allclose(estimates[row], plain.estimates, rtol=0, atol=NEAR)


@pytest.mark.parametrize(
    ("options", "mechanism"),
    [
        ({"start": np.full(20, 1 / 20)}, {"name": "OUE", "eps": 1.0}),
        ({"channel": "published"}, {"name": "L-OLH", "eps": 0.3, "eps_inf": 3.0}),
        ({"record": range(0, 2_000, 200)}, {"name": "OUE", "eps": 1.0}),
        ({"tol": 1e-4}, {"name": "OUE", "eps": 1.0}),
    ],
    ids=["a start of one's own", "q above p", "all is recorded", "a large tolerance"],
)
def test_no_stride_is_taken_where_a_single_iteration_may_matter(options: dict, mechanism: dict, taken) -> None:
    m = ldp.mechanism(k=20, **mechanism)
    ldp.ibu_run(counts_of(m), m, max_iter=2_000, **options)
    assert taken == []


@pytest.mark.parametrize("counts", [[5, 0, 0, 0], [1, 1, 0, 10**9], [10**6, 1, 1, 1]])
@pytest.mark.parametrize("eps", [0.05, 3.0, 12.0])
@pytest.mark.parametrize("name", ["GRR", "OUE", "L-GRR"])
def test_values_that_vanish_leave_numbers(name: str, eps: float, counts: list[int], monkeypatch) -> None:
    """Some θ fall below the smallest number there is; their logarithm is none."""
    m = ldp.mechanism(name, k=4, eps=eps)
    plain, run = one_by_one(monkeypatch, counts, m, tol=0), ldp.ibu_run(counts, m, tol=0)
    np.testing.assert_allclose(run.estimates, plain.estimates, rtol=0, atol=NEAR)
    assert run.iterations == plain.iterations == MAX_ITER


def test_a_stride_that_leads_astray_is_not_taken(monkeypatch) -> None:
    """Growths that jump from one iteration to the next: every stride fails, and what was known before is kept."""
    rng = np.random.default_rng(3)
    path = Strides(np.ones((2, 3)), lambda f, out: np.copyto(out, rng.uniform(0, 1, f.shape)))
    for _ in range(ORDER - 1):
        path.arrive(np.full((2, 3), 2.0))
    assert path.stride() == 0
    assert path.length == FIRST_STRIDE // 2
    np.testing.assert_allclose(path.f, 2.0)
    monkeypatch.setattr(strides, "_APART", np.inf)
    assert path.stride() == FIRST_STRIDE // 2
