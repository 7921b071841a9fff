"""The metrics against loops, and what must hold for any pair of distributions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpcore.metrics import METRICS, RECORDS, gain, kl, mae, max_error, mse, reduction, tv, wasserstein

quick = settings(max_examples=100, deadline=None)


@st.composite
def pairs(draw):
    """Return an estimate and a truth, both distributions over the same k values, zeros included."""
    k = draw(st.integers(1, 12))
    weights = st.lists(st.integers(0, 50), min_size=k, max_size=k).filter(any)
    estimate, true = np.array(draw(weights), dtype=float), np.array(draw(weights), dtype=float)
    return estimate / estimate.sum(), true / true.sum()


def by_loops(estimate, true):
    k, moved, work = len(true), 0.0, 0.0
    for e, t in zip(estimate, true, strict=True):
        moved += e - t
        work += abs(moved)
    divergence = 0.0
    for e, t in zip(estimate, true, strict=True):
        if t > 0:
            divergence += t * math.log(t / e) if e > 0 else math.inf
    gaps = [abs(e - t) for e, t in zip(estimate, true, strict=True)]
    return {
        "mse": sum(g * g for g in gaps) / k,
        "mae": sum(gaps) / k,
        "tv": sum(max(e - t, 0.0) for e, t in zip(estimate, true, strict=True)),  # the other way to say it
        "wasserstein": work,
        "kl": divergence,
        "max": max(gaps),
    }


def test_registry():
    assert list(METRICS) == ["mse", "mae", "tv", "wasserstein", "kl", "max"]
    assert list(METRICS.values()) == [mse, mae, tv, wasserstein, kl, max_error]


@quick
@given(pair=pairs())
def test_against_loops(pair):
    expected = by_loops(*(p.tolist() for p in pair))
    for name, metric in METRICS.items():
        assert float(metric(*pair)) == pytest.approx(expected[name], rel=1e-9, abs=1e-14), name


@quick
@given(pair=pairs())
def test_inequalities(pair):
    errors = {name: float(metric(*pair)) for name, metric in METRICS.items()}
    k, tiny = len(pair[1]), 1e-12
    assert all(e >= -tiny for e in errors.values())
    assert errors["tv"] <= 1 + tiny
    assert errors["tv"] <= errors["wasserstein"] + tiny <= (k - 1) * errors["tv"] + 3 * tiny
    assert errors["kl"] >= 2 * errors["tv"] ** 2 - tiny  # Pinsker
    assert errors["mae"] ** 2 <= errors["mse"] + tiny
    assert errors["mse"] <= errors["max"] ** 2 + tiny
    assert errors["mae"] == pytest.approx(2 * errors["tv"] / k)


@quick
@given(pair=pairs())
def test_no_error_only_for_the_truth(pair):
    estimate, true = pair
    for metric in METRICS.values():
        assert metric(true, true) == pytest.approx(0, abs=1e-15)
        if np.max(np.abs(estimate - true)) > 1e-3:
            assert metric(estimate, true) > 1e-8


@quick
@given(pair=pairs())
def test_symmetry_of_all_but_kl(pair):
    for name, metric in METRICS.items():
        if name != "kl":
            assert float(metric(*pair)) == pytest.approx(float(metric(*pair[::-1])))


@pytest.mark.parametrize("name", METRICS)
def test_batches_are_rows(name):
    rng = np.random.default_rng(0)
    estimates, true = rng.dirichlet(np.ones(7), size=(3, 4)), rng.dirichlet(np.ones(7))
    errors = METRICS[name](estimates, true)
    assert errors.shape == (3, 4)
    for i in range(3):
        for j in range(4):
            assert errors[i, j] == pytest.approx(float(METRICS[name](estimates[i, j], true)), rel=1e-13)
    assert METRICS[name](estimates[:0], true).shape == (0, 4)


def test_known_values():
    true, estimate = [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]
    assert wasserstein(estimate, true) == 2  # all the mass moves by two bins
    assert tv(estimate, true) == 1
    assert mse(estimate, true) == pytest.approx(2 / 3)
    assert max_error([0.5, 0.2, 0.3], [0.1, 0.3, 0.6]) == pytest.approx(0.4)
    assert kl([0.25, 0.75], [0.5, 0.5]) == pytest.approx(0.5 * math.log(2) + 0.5 * math.log(2 / 3))


def test_kl_is_infinite_without_a_warning():
    assert kl([0.0, 1.0], [0.5, 0.5]) == math.inf
    assert kl([-0.1, 1.1], [0.5, 0.5]) == math.inf
    assert kl([0.0, 1.0], [0.0, 1.0]) == 0
    assert kl([-0.1, 1.1], [0.0, 1.0]) == pytest.approx(-math.log(1.1))
    assert kl([5e-324, 1.0], [0.5, 0.5]) == pytest.approx(0.5 * math.log(0.25) - 0.5 * math.log(5e-324))
    np.testing.assert_array_equal(np.isinf(kl([[0.0, 1.0], [0.5, 0.5]], [0.5, 0.5])), [True, False])


@pytest.mark.parametrize("name", METRICS)
def test_nan_stays_nan(name):
    assert math.isnan(METRICS[name]([math.nan, 1.0], [0.5, 0.5]))


@pytest.mark.parametrize("name", METRICS)
@pytest.mark.parametrize(
    ("estimate", "true"),
    [
        (np.ones(3), np.ones(4)),
        (np.ones((4, 3)), np.ones(4)),
        (1.0, [1.0]),
        ([1.0], 1.0),
        ([], []),
        (np.ones(3), np.ones((2, 3))),
    ],
)
def test_shapes_must_match(name, estimate, true):
    with pytest.raises(ValueError, match="got estimate of shape") as caught:
        METRICS[name](estimate, true)
    assert str(np.shape(estimate)) in str(caught.value)
    assert str(np.shape(true)) in str(caught.value)


# ---- gain ------------------------------------------------------------------------------

INF = math.inf


@pytest.mark.parametrize(
    ("mi", "ibu", "clipped", "unclipped"),
    [
        (4.0, 1.0, 75, 75),
        (4.0, 4.0, 0, 0),
        (4.0, 6.0, 0, -50),
        (4.0, 0.0, 100, 100),
        (0.0, 0.0, 0, 0),
        (0.0, 1.0, 0, -INF),
        (INF, INF, 0, 0),
        (INF, 1.0, 100, 100),
        (INF, 0.0, 100, 100),
        (1.0, INF, 0, -INF),
        (0.0, INF, 0, -INF),
        (5e-324, 1.0, 0, -INF),
        (1e-300, 5e-301, 50, 50),
    ],
)
def test_gain(mi, ibu, clipped, unclipped):
    assert gain(mi, ibu) == pytest.approx(clipped)
    assert gain(mi, ibu, clip=False) == pytest.approx(unclipped)


def test_gain_is_taken_run_by_run():
    mi, ibu = np.array([[1.0, 2.0], [4.0, 0.0]]), np.array([[0.5, 4.0], [3.0, 0.0]])
    np.testing.assert_allclose(gain(mi, ibu), [[50, 0], [25, 0]])
    np.testing.assert_allclose(gain(mi, ibu, clip=False), [[50, -100], [25, 0]])


@quick
@given(mi=st.floats(0, INF), ibu=st.floats(0, INF))
def test_gain_has_the_sign_of_the_difference(mi, ibu):
    clipped, unclipped = float(gain(mi, ibu)), float(gain(mi, ibu, clip=False))
    assert 0 <= clipped <= 100
    assert clipped == max(unclipped, 0)
    assert (unclipped > 0) == (mi > ibu)
    assert (unclipped < 0) == (mi < ibu)


@pytest.mark.parametrize("clip", [True, False])
def test_gain_of_nan_is_nan(clip):
    assert np.all(np.isnan(gain([math.nan, 1.0, math.nan], [1.0, math.nan, math.nan], clip=clip)))


def test_gain_shapes_must_match():
    with pytest.raises(ValueError, match=r"got \(2,\) and \(3,\)"):
        gain(np.ones(2), np.ones(3))
    with pytest.raises(ValueError, match=r"got \(2,\) and \(\)"):
        gain(np.ones(2), 1.0)


def test_reduction_is_the_ratio_of_the_means_with_its_error():
    rng = np.random.default_rng(5)
    mi = rng.gamma(4.0, size=(4_000, 30))
    ibu = 0.6 * mi + 0.2 * rng.gamma(4.0, size=mi.shape)
    found = np.array([reduction(a, b) for a, b in zip(mi, ibu, strict=True)])
    # The means of both are known: 4, and 0.6 * 4 + 0.2 * 4.
    assert found[:, 0].mean() == pytest.approx(20, abs=0.5)
    # 4 000 repetitions know a standard deviation to 1.1 %; the delta method is good to a few more at 30 runs.
    assert found[:, 1].mean() == pytest.approx(found[:, 0].std(), rel=0.08)


def test_reduction_at_the_edges():
    assert reduction([2.0], [1.0])[0] == 50
    assert np.isnan(reduction([2.0], [1.0])[1])
    assert reduction([1.0, 1.0], [2.0, 2.0]) == (-100, 0)
    assert reduction([0.0, 0.0], [0.0, 0.0])[0] == 0
    assert reduction([np.inf, 1.0], [1.0, 1.0])[0] == 100
    with pytest.raises(ValueError, match="same shape"):
        reduction([1.0], [1.0, 2.0])


def test_every_metric_is_one_record():
    assert {key: record.function for key, record in RECORDS.items()} == METRICS
    assert list(RECORDS) == [record.key for record in RECORDS.values()]
    assert len({record.name for record in RECORDS.values()}) == len(RECORDS)
    assert all(record.title and record.summary.endswith(".") for record in RECORDS.values())
