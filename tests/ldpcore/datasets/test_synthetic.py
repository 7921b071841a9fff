"""The distributions and the sampling of their histograms, against closed forms and user-by-user simulation.

Statistical tests compare z-scores with Z_MAX = 6.5: a normal z-score exceeds it with
probability 8e-11, so even 10 000 comparisons raise a false alarm once in a million seeds. The
seeds are fixed anyway; the threshold says how far from chance a failure is.
"""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from distribution_cases import VARIANTS, Z_MAX, over_whole_numbers, variant_ids

import ldpcore as ldp
from ldpcore import _validate as check
from ldpcore.datasets import (
    DATASETS,
    DISTRIBUTIONS,
    data_rng,
    distribution,
    sample,
    sample_histogram,
    sample_records,
)
from ldpcore.datasets.base import parameter

CONTINUOUS = [name for name in DATASETS if not over_whole_numbers(name)]


every_variant = pytest.mark.parametrize("variant", VARIANTS, ids=variant_ids)


# ---- the distributions themselves ---------------------------------------------------


def test_names_and_order():
    papers = ("gaussian", "exponential", "uniform", "poisson", "triangular", "acs-income")
    assert tuple(name for name in DATASETS if name in papers) == papers
    assert [name for name in papers if over_whole_numbers(name)] == ["poisson"]
    for name, family in DISTRIBUTIONS.items():
        assert family.name == name
        assert family.label
        assert family.description
        assert isinstance(family.unit, str)
    assert {name: DISTRIBUTIONS[name].unit for name in papers} == dict.fromkeys(papers, "") | {"acs-income": "$"}


def test_defaults_are_the_papers():
    defaults = {name: {p.name: p.default for p in family.parameters()} for name, family in DISTRIBUTIONS.items()}
    papers = {
        "gaussian": {"mean": 1000, "sd": 100},
        "exponential": {"rate": 1},
        "uniform": {"low": 100, "high": 10000},
        "poisson": {"rate": 5},
        "triangular": {"left": 100, "mode": 4500, "right": 10000},
        "acs-income": {},
    }
    assert {name: defaults[name] for name in papers} == papers
    for family in DISTRIBUTIONS.values():
        assert all(p.low <= p.default <= p.high for p in family.parameters())


@pytest.mark.parametrize(
    ("data", "x", "expected"),
    [
        ("gaussian", 1000, 0.5),
        ("gaussian", 1100, 0.841344746068542948585),
        ("gaussian", 500, 2.86651571879193911674e-7),
        ("exponential", math.log(4), 0.75),
        ("exponential", -1, 0),
        ("uniform", 1090, 0.1),
        ("uniform", 99, 0),
        ("uniform", 10001, 1),
        ("poisson", 0, math.exp(-5)),
        ("poisson", 2.9, math.exp(-5) * (1 + 5 + 12.5)),
        ("poisson", -1, 0),
        ("triangular", 4500, 4400 / 9900),
        ("triangular", 2300, 4400 / 9900 / 4),
        ("triangular", 7250, 1 - 5500 / 9900 / 4),
    ],
)
def test_cdf_known_values(data, x, expected):
    dist = distribution(data)
    assert float(dist.cdf(x)) == pytest.approx(expected, rel=1e-13, abs=1e-300)
    assert float(dist.survival(x)) == pytest.approx(1 - expected, rel=1e-9)


@pytest.mark.parametrize(
    ("data", "x", "expected"),
    [
        ("gaussian", 2000, 7.61985302416052606597e-24),  # Pr[Z > 10]
        ("exponential", 60, math.exp(-60)),
        ("uniform", 10000 - 9900e-12, 1e-12),
        ("poisson", 40, math.exp(-5) * sum(5**j / math.factorial(j) for j in range(41, 100))),
        ("triangular", 10000 - 1e-3, 1e-6 / (9900 * 5500)),
    ],
)
def test_survival_keeps_its_digits_in_the_upper_tail(data, x, expected):
    rel = {"uniform": 1e-3, "triangular": 1e-8}.get(data, 1e-12)  # x itself is rounded
    assert float(distribution(data).survival(x)) == pytest.approx(expected, rel=rel, abs=0)


@pytest.mark.parametrize("rate", [1e-9, 0.3, 5.0, 17.0, 900.5, 1e6])
def test_poisson_atoms(rate):
    values, p = distribution("poisson", {"rate": rate}).atoms()
    assert np.all(np.diff(values) == 1)
    assert values[0] >= 0
    assert p.sum() == pytest.approx(1, abs=1e-13)
    # Independent: the formula by logarithms (whose own error grows with the terms it subtracts).
    exact = [math.exp(v * math.log(rate) - rate - math.lgamma(v + 1)) for v in values.tolist()]
    np.testing.assert_allclose(p, exact, rtol=1e-13 * max(100.0, rate * 20), atol=1e-40)
    assert p[-1] < 1e-18
    assert values[0] == 0 or p[0] < 1e-18


@every_variant
def test_cdf_undoes_quantile(variant):
    dist = distribution(*variant)
    u = np.concatenate((np.geomspace(1e-13, 0.5, 40), 1 - np.geomspace(1e-9, 0.5, 40)))
    if over_whole_numbers(variant[0]):
        x = dist.quantile(u)
        assert np.all(dist.cdf(x) >= u)
        assert np.all(dist.cdf(x - 1) < u)
        x = dist.upper_quantile(u)
        assert np.all(dist.survival(x) <= u)
        assert np.all((dist.survival(x - 1) > u) | (x == 0))
        return
    # The value is rounded to float64, so a probability is only as good as density * ulp(value).
    np.testing.assert_allclose(dist.cdf(dist.quantile(u)), u, rtol=1e-9, atol=2e-13)
    np.testing.assert_allclose(dist.survival(dist.upper_quantile(u)), u, rtol=1e-9, atol=2e-13)
    u = u[u > 1e-9]  # below, 1 - u has too few digits
    np.testing.assert_allclose(dist.upper_quantile(u), dist.quantile(1 - u), rtol=1e-6, atol=1e-9)


@every_variant
def test_cdf_and_survival_sum_to_one_and_are_monotone(variant):
    dist = distribution(*variant)
    x = np.linspace(float(dist.quantile(1e-6)) - 1, float(dist.upper_quantile(1e-6)) + 1, 2001)
    np.testing.assert_allclose(dist.cdf(x) + dist.survival(x), 1, atol=1e-13)
    assert np.all(np.diff(dist.cdf(x)) >= -1e-15)
    assert np.all(np.diff(dist.survival(x)) <= 1e-15)


@pytest.mark.parametrize("data", CONTINUOUS)
def test_quantiles_at_the_ends(data):
    dist = distribution(data)
    assert dist.quantile(0.0) == dist.upper_quantile(1.0)
    assert dist.quantile(1.0) == dist.upper_quantile(0.0)
    assert float(dist.cdf(dist.quantile(0.0))) == 0
    assert float(dist.survival(dist.upper_quantile(0.0))) == 0


@pytest.mark.parametrize("u", [-0.1, 1.1, math.nan, [0.5, 2.0]])
@pytest.mark.parametrize("data", DATASETS)
def test_quantile_refuses_what_is_no_probability(data, u):
    with pytest.raises(ValueError, match="u must hold numbers from 0 to 1"):
        distribution(data).quantile(u)


MOMENTS = [
    (("gaussian", {}), 1000, 100),
    (("exponential", {"rate": 4.0}), 0.25, 0.25),
    (("uniform", {}), 5050, 9900 / math.sqrt(12)),
    (("poisson", {}), 5, math.sqrt(5)),
    (
        ("triangular", {}),
        14600 / 3,
        math.sqrt((100**2 + 4500**2 + 10000**2 - 100 * 4500 - 100 * 10000 - 4500 * 10000) / 18),
    ),
]


@pytest.mark.parametrize(("variant", "mean", "sd"), MOMENTS)
def test_sample_has_the_moments_of_its_distribution(variant, mean, sd):
    n = 200_000
    x = sample(variant[0], n, seed=3, params=variant[1])
    assert abs(x.mean() - mean) < Z_MAX * sd / math.sqrt(n)
    kurtosis = np.mean((x - mean) ** 4) / sd**4
    assert abs(x.var() - sd**2) < Z_MAX * sd**2 * math.sqrt((kurtosis - 1) / n)


@every_variant
def test_sample_follows_its_cdf(variant):
    """Kolmogorov's statistic: by Massart's inequality above 4/sqrt(n) with probability 2 exp(-32) < 3e-14."""
    n = 50_000
    x = np.sort(sample(variant[0], n, seed=5, params=variant[1]))
    dist = distribution(*variant)
    at, first, repeats = np.unique(x, return_index=True, return_counts=True)
    below = dist.cdf(at - 1) if over_whole_numbers(variant[0]) else dist.cdf(at)
    assert np.max(np.abs(dist.cdf(at) - (first + repeats) / n)) < 4 / math.sqrt(n)
    assert np.max(np.abs(below - first / n)) < 4 / math.sqrt(n)


# ---- sampling: seeds, limits, bad arguments -----------------------------------------


@pytest.mark.parametrize("data", DATASETS)
def test_sample_shape_type_and_determinism(data):
    x = sample(data, 1000, seed=7)
    assert x.shape == (1000,)
    assert x.dtype == (np.int64 if over_whole_numbers(data) else np.float64)
    np.testing.assert_array_equal(x, sample(data, n=1000, seed=7, params={}))
    assert not np.array_equal(x, sample(data, 1000, seed=8))


def test_data_have_a_stream_of_their_own():
    u = data_rng(11).random(4)
    np.testing.assert_array_equal(u, np.random.default_rng(np.random.SeedSequence(11, spawn_key=(0,))).random(4))
    assert not np.array_equal(u, np.random.default_rng(11).random(4))
    rng = np.random.default_rng(0)
    assert data_rng(rng) is rng


def test_a_generator_goes_on_where_it_is():
    rng = np.random.default_rng(2)
    assert not np.array_equal(sample("gaussian", 5, seed=rng), sample("gaussian", 5, seed=rng))


def test_params_as_mapping_and_as_pairs():
    a = sample("gaussian", 10, params={"mean": 5.0})
    np.testing.assert_array_equal(a, sample("gaussian", 10, params=(("mean", 5.0),)))
    assert distribution("gaussian", [("sd", np.float32(2))]) == distribution("gaussian", {"sd": 2})


@pytest.mark.parametrize(
    ("data", "params", "message"),
    [
        ("gaussian", {"sd": 0}, "sd must be a number from .* got 0"),
        ("gaussian", {"sd": -1.5}, "sd must .* got -1.5"),
        ("gaussian", {"mean": math.nan}, "mean must .* got nan"),
        ("gaussian", {"mean": math.inf}, "mean must .* got inf"),
        ("gaussian", {"mean": "5"}, "mean must .* got '5'"),
        ("gaussian", {"rate": 1}, "only mean, sd for gaussian; got 'rate'"),
        ("exponential", {"rate": 0}, "rate must"),
        ("exponential", {"rate": True}, "rate must"),
        ("uniform", {"low": 5, "high": 5}, "low must be below high; got low = 5.0 and high = 5.0"),
        ("uniform", {"low": 20000}, "low must be below high"),
        ("poisson", {"rate": 0}, "rate must"),
        ("poisson", {"rate": 1.1e6}, "rate must .* 1e\\+06; got 1100000.0"),
        ("triangular", {"mode": 50}, "mode must lie from left to right"),
        ("triangular", {"mode": 20000}, "mode must lie"),
        ("triangular", {"left": 1, "mode": 1, "right": 1}, "left below right"),
        ("acs-income", {"mean": 1}, "nothing for acs-income; got 'mean'"),
        ("gaussian", 5, "params must be a mapping or pairs"),
        ("gaussian", ("mean",), "params must be a mapping or pairs"),
        ("normal", (), "data must be one of gaussian, .*; got 'normal'"),
        (None, (), "data must be one of"),
    ],
)
def test_bad_data_and_params(data, params, message):
    for call in (
        lambda: sample(data, 10, params=params),
        lambda: sample_histogram(data, 10, 5, params=params),
    ):
        with pytest.raises(ValueError, match=message):
            call()


@pytest.mark.parametrize("n", [0, -1, 1.5, math.nan, math.inf, "10", None, True])
def test_bad_n(n):
    with pytest.raises(ValueError, match="n must be a whole number"):
        sample("gaussian", n)
    with pytest.raises(ValueError, match="n must be a whole number"):
        sample_histogram("gaussian", n, 5)


def test_too_many_users_point_to_the_histogram():
    with pytest.raises(ValueError, match=r"got 100,000,001 \(sample_histogram takes more\)"):
        sample("gaussian", 10**8 + 1)
    with pytest.raises(ValueError, match="n must be"):
        sample_histogram("gaussian", check.N_MAX + 1, 5)


@pytest.mark.parametrize("seed", [-1, 0.5, None, "0", True])
def test_bad_seed(seed):
    with pytest.raises(ValueError, match="seed must be"):
        sample("gaussian", 5, seed=seed)


@pytest.mark.parametrize("k", [1, 0, -3, 2.5, math.nan, None, check.K_MAX + 1])
@pytest.mark.parametrize("n", [100, 10**9])
def test_bad_k(k, n):
    with pytest.raises(ValueError, match="k must be a whole number"):
        sample_histogram("gaussian", n, k)


@pytest.mark.parametrize("n", [100, 10**9])
def test_bad_binning(n):
    with pytest.raises(ValueError, match="binning must be one of equal-width, paper, values; got 'quantile'"):
        sample_histogram("gaussian", n, 5, binning="quantile")


def test_sample_records():
    records = np.array([1.0, 5.0, 9.0])
    x = sample_records(records, 3000, seed=1)
    np.testing.assert_array_equal(x, sample_records(records, 3000, seed=1))
    counts = np.array([np.sum(x == r) for r in records])
    assert counts.sum() == 3000
    assert np.all(np.abs(counts - 1000) < Z_MAX * math.sqrt(3000 * 2 / 9))
    with pytest.raises(ValueError, match="values must be a one-dimensional, non-empty"):
        sample_records([], 3)


def test_parameters_that_are_written_as_whole_numbers_are_reals():
    @dataclass(frozen=True)
    class Shifted(DISTRIBUTIONS["gaussian"]):
        mean: float = parameter(0, -5, 5)

    mean = Shifted.parameters()[0]
    # The page's box for a number takes only one type.
    assert [type(v) for v in (mean.default, mean.low, mean.high)] == [float, float, float]
    with pytest.raises(ldp.Refused, match="default of a parameter must be from low to high; got 7 for 1 to 5"):
        parameter(7, 1, 5)
    with pytest.raises(ldp.Refused, match="high must be a finite number; got 'much'"):
        parameter(7, 1, "much")
