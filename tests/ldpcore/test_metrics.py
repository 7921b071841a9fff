"""The metrics against loops, and what must hold for any pair of distributions."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldpcore as ldp
from ldpcore.metrics import (
    METRICS,
    RECORDS,
    Metric,
    decompose,
    gain,
    kendall,
    kl,
    mae,
    max_error,
    mse,
    reduction,
    top_ten,
    tv,
    wasserstein,
)

# Those that are known in closed form here, whatever was registered since.
OURS = {
    "mse": mse, "mae": mae, "tv": tv, "wasserstein": wasserstein, "kl": kl, "max": max_error,
    "kendall": kendall, "top10": top_ten,
}  # fmt: skip
ERRORS = [key for key, record in RECORDS.items() if not record.higher_is_better]
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
    signs = [
        ((a > b) - (a < b), (x > y) - (x < y))
        for i, (a, x) in enumerate(zip(estimate, true, strict=True))
        for b, y in zip(estimate[:i], true[:i], strict=True)
    ]
    sizes = sum(a * a for a, _ in signs), sum(x * x for _, x in signs)
    return {
        "mse": sum(g * g for g in gaps) / k,
        "mae": sum(gaps) / k,
        "tv": sum(max(e - t, 0.0) for e, t in zip(estimate, true, strict=True)),  # the other way to say it
        "wasserstein": work,
        "kl": divergence,
        "max": max(gaps),
        "kendall": sum(a * x for a, x in signs) / math.sqrt(math.prod(sizes)) if all(sizes) else float(sizes == (0, 0)),
        "top10": top_by_chance(estimate, true),
    }


def top_by_chance(estimate, true):
    """Return the share of the top that is found, averaged over orders in which ties are broken."""
    k = len(true)
    places = max(1, min(10, k // 2))
    least = sorted(true)[-places]
    found = 0.0
    for v in range(k):
        above = sum(e > estimate[v] for e in estimate)
        level = sum(e == estimate[v] for e in estimate)
        # Of those that tie, as many come first as there are places left, each as likely as another.
        found += (true[v] >= least) * min(max(places - above, 0) / level, 1)
    return found / places


def test_registry():
    assert {key: RECORDS[key].function for key in OURS} == OURS
    assert [key for key in METRICS if key in OURS] == list(OURS)


@quick
@given(pair=pairs())
def test_against_loops(pair):
    expected = by_loops(*(p.tolist() for p in pair))
    assert list(expected) == list(OURS)
    for name, value in expected.items():
        assert float(METRICS[name](*pair)) == pytest.approx(value, rel=1e-9, abs=1e-14), name


@quick
@given(pair=pairs())
def test_inequalities(pair):
    errors = {name: float(metric(*pair)) for name, metric in METRICS.items() if name in ERRORS}
    assert -1 - 1e-12 <= float(kendall(*pair)) <= 1 + 1e-12
    assert 0 <= float(top_ten(*pair)) <= 1
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
    for record in RECORDS.values():
        # A root of what is rounded, as in Hellinger's distance, is right to half the digits.
        assert record(true, true) == pytest.approx(record.best, abs=1e-15 if record.key in OURS else 1e-7)
        assert record.loss(record(estimate, true)) >= -1e-15
        if np.max(np.abs(estimate - true)) > 1e-3 and not record.higher_is_better:
            assert record(estimate, true) > 1e-8


@quick
@given(pair=pairs())
def test_symmetry_of_most(pair):
    for name in OURS:
        metric = METRICS[name]
        if name not in ("kl", "top10"):
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


def test_a_function_that_checks_no_shapes_is_only_given_those_that_fit():
    careless = Metric("x", "X", "x", "X.", lambda estimate, true: np.abs(estimate - true).sum(axis=-1))
    assert careless([[1, 0], [0, 1]], [1, 0]).tolist() == [0, 2]
    for estimate, true in ((np.ones((4, 3)), np.ones(4)), (1.0, [1.0]), (np.ones(3), np.ones((2, 3))), (1.0, 1.0)):
        with pytest.raises(ValueError, match="got estimate of shape"):
            careless(estimate, true)


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
    assert METRICS == RECORDS
    assert list(RECORDS) == [record.key for record in RECORDS.values()]
    assert len({record.name for record in RECORDS.values()}) == len(RECORDS)
    assert all(record.title and record.summary.endswith(".") for record in RECORDS.values())


def test_kendall_in_the_long_run():
    # The expectation of τ of two normal samples with correlation ρ is 2/π·asin ρ; its spread here is below 0.01.
    rng = np.random.default_rng(2)
    x = rng.standard_normal(3_000)
    y = 0.6 * x + 0.8 * rng.standard_normal(3_000)
    assert float(kendall(y, x)) == pytest.approx(2 / np.pi * np.arcsin(0.6), abs=0.05)
    assert float(kendall(x**3, x)) == 1
    assert float(kendall(-x, x)) == -1
    assert float(kendall(np.ones(3_000), x)) == 0
    np.testing.assert_allclose(kendall(np.stack([[x, -x], [y, x]]), x)[0], [1, -1])


def test_the_top_ten_of_many():
    true = np.arange(100.0)
    assert float(top_ten(true, true)) == 1
    assert float(top_ten(-true, true)) == 0
    swapped = true.copy()
    swapped[[0, 99]] = swapped[[99, 0]]
    assert float(top_ten(swapped, true)) == pytest.approx(0.9)
    assert float(top_ten(np.ones(100), true)) == pytest.approx(0.1)  # what a guess finds


def test_scores_say_so_and_gain_by_what_is_missing():
    assert [key for key in OURS if RECORDS[key].higher_is_better] == ["kendall", "top10"]
    result = ldp.run(ldp.Setting(data="poisson", mechanism="OUE", n=5_000, k=20, runs=4, max_iter=50))
    for key in ("kendall", "top10"):
        before, after = result.error("mi", key).values, result.error("ibu", key).values
        np.testing.assert_allclose(result.gain(key, clip=False).values, gain(1 - before, 1 - after, clip=False))
        np.testing.assert_allclose(result.loss("mi", key).values, 1 - before)
    assert result.loss("mi", "tv").values.tolist() == result.error("mi", "tv").values.tolist()


def test_bias_and_variance_are_those_of_a_known_estimator():
    # Raw MI has no bias, and its variance is known; half of it has the bias of half the truth, and a quarter of that.
    setting = ldp.Setting(data="poisson", mechanism="OUE", n=2_000, k=10, runs=5_000, max_iter=1)
    result = ldp.run(setting)
    variance = float(result.mechanism.noise_variance(result.true, setting.n).mean())
    parts = result.decomposition("raw")
    # A mean of 50 000 squares of normal numbers: 4.5 standard errors are 3 %.
    assert parts.variance == pytest.approx(variance, rel=0.03)
    assert abs(parts.bias_squared) < 0.01 * variance
    assert parts.mse == pytest.approx(result.error("raw", "mse").mean)
    half = decompose(result.raw / 2, result.true)
    assert half.variance == pytest.approx(variance / 4, rel=0.03)
    assert half.bias_squared == pytest.approx(np.mean(result.true**2) / 4, rel=0.02)
    with pytest.raises(ValueError, match="at least 2 runs"):
        decompose(result.raw[0], result.true)


def test_errors_have_the_unit_that_their_record_says_and_no_other():
    units = {key: record.unit for key, record in RECORDS.items()}
    paper = {"mse": "share²", "mae": "share", "tv": "share", "max": "share", "wasserstein": "bins", "kl": "nats"}
    assert paper.items() <= units.items()
    assert Metric("x", "X", "x", "An x.", tv).unit == ""
