"""All bins at once: exact shares against simulated collections, and rounding up."""

import doctest
import math

import numpy as np
import pytest
from mechanism_cases import MECHANISMS

import ldpcore as ldp
from ldpcore import advisor
from ldpcore.advisor import Accuracy, every_bin
from ldpcore.advisor.accuracy import normal_error
from ldpcore.advisor.every_bin import BinErrors, round_down, round_up, users_in_bins

RUNS = 3_000


def zipf(k):
    weights = 1 / np.arange(1, k + 1)
    return weights / weights.sum()


def share_within(m, users, x, seed=0):
    """Return the share of simulated collections whose bins are all within ±x."""
    n = int(users.sum())
    counts = m.sample_counts(users, RUNS, np.random.default_rng(seed))
    errors = np.abs((counts / n - m.q) / (m.p - m.q) - users / n).max(axis=1)
    return float((errors <= x).mean())


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(("n", "k", "eps"), [(100, 20, 2.0), (100, 100, 4.0), (400, 10, 1.0)])
def test_95_percent_is_95_percent_from_a_hundred_users_on(name, n, k, eps):
    m, f = ldp.mechanism(name, k=k, eps=eps), zipf(k)
    accuracy = Accuracy("every bin", 0.1)
    x = advisor.raw_error(m, f, n, accuracy)
    users = users_in_bins(f, n)
    exact = BinErrors.of(users, m.p, m.q).share_within(x)
    # What whole counts allow; of so many bins some are always near.
    assert 0.94 <= exact <= 0.965
    # 3,000 collections, five standard deviations are 2 points; half a point for GRR's and SS's dependence.
    assert share_within(m, users, x) == pytest.approx(exact, abs=0.02 + (0.005 if m.support_size else 0))


@pytest.mark.slow
def test_the_normal_form_promises_too_much_at_small_counts():
    m, users = ldp.mechanism("OUE", k=1_000, eps=4.0), users_in_bins(zipf(1_000), 200)
    accuracy, f = Accuracy("every bin", 0.1), users / 200
    promised = normal_error(m, f, 200, accuracy)
    errors = BinErrors.of(users, m.p, m.q)
    assert errors.share_within(promised) < 0.8
    assert share_within(m, users, promised) == pytest.approx(errors.share_within(promised), abs=0.04)
    # Nearly all bins are empty, so that their counts jump at the same x: 97.4 % is as near as it gets.
    x = errors.bound(0.95)
    assert errors.share_within(x) == pytest.approx(0.974, abs=0.001)
    assert errors.share_within(x - 1e-6) < 0.94
    assert share_within(m, users, x) == pytest.approx(errors.share_within(x), abs=0.02)


@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "BLH"])
def test_the_exact_form_becomes_the_normal_one(name):
    m, f = ldp.mechanism(name, k=12, eps=1.0), zipf(12)
    n = 4_000_000
    for accuracy in (Accuracy("every bin", 0.1), Accuracy("every bin", 0.1, 0.5), Accuracy("tv", 0.1)):
        errors = BinErrors.of(users_in_bins(f, n), m.p, m.q)
        exact = errors.total_variation() if accuracy.kind == "tv" else errors.bound(accuracy.level)
        assert exact == pytest.approx(normal_error(m, f, n, accuracy), rel=2e-3)


@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "THE"])
def test_the_total_variation_of_small_counts(name):
    m, users = ldp.mechanism(name, k=200, eps=5.0), users_in_bins(zipf(200), 150)
    counts = m.sample_counts(users, 1_000, np.random.default_rng(4))
    errors = np.abs((counts / 150 - m.q) / (m.p - m.q) - users / 150).sum(axis=1) / 2
    exact = BinErrors.of(users, m.p, m.q).total_variation()
    assert exact == pytest.approx(errors.mean(), abs=5 * errors.std() / math.sqrt(1_000))
    assert advisor.raw_error(m, users / 150, 150, Accuracy("tv", 0.1)) == exact


def test_the_product_is_over_the_bins():
    errors = BinErrors.of(np.array([2, 1]), 0.5, 0.0)
    # Counts are Bin(2, ½) and Bin(1, ½) around 1 and ½; an error of 1/3 is half a count.
    assert errors.share_within(1 / 3) == pytest.approx(0.5 * 1.0)
    assert errors.share_within(1 / 3 - 1e-3) == 0
    assert errors.share_within(2 / 3) == pytest.approx(1)


@pytest.mark.parametrize("sought", ["n", "eps"])
@pytest.mark.parametrize("name", ["OUE", "GRR"])
def test_what_is_needed_is_enough(name, sought):
    s = ldp.Setting(data="poisson", mechanism=name, eps=3.0, n=400, k=30)
    accuracy = Accuracy("every bin", 0.12)
    value = advisor.needed(s, accuracy, sought, ("none",))["none"].value
    there = advisor.at(s, sought, value)
    users = advisor.scaled(s.make_histogram(), there.n).counts
    m = there.make_mechanism()
    share = share_within(m, users, accuracy.bound + 1e-9)
    # 3,000 collections: four standard deviations are 1.6 points.
    assert 0.95 - 0.016 <= share <= 0.965 + 0.016
    rounded = advisor.at(s, sought, advisor.round_up(value))
    assert rounded.n >= there.n
    assert rounded.eps >= there.eps
    # A tenth less is not enough.
    less = advisor.at(s, sought, 0.9 * value)
    fewer = advisor.scaled(s.make_histogram(), less.n).counts
    assert share_within(less.make_mechanism(), fewer, accuracy.bound + 1e-9) < 0.95


def test_users_in_bins_add_up():
    f = zipf(7)
    for n in (1, 10, 101, 12_345):
        users = users_in_bins(f, n)
        assert users.sum() == n
        assert np.abs(users - n * f).max() < 1
    np.testing.assert_array_equal(users_in_bins(np.array([30, 20, 50]) / 100, 100), [30, 20, 50])


@pytest.mark.parametrize(
    ("x", "digits", "expected"),
    [
        (1.0001, 3, 1.01),
        (1.0, 3, 1.0),
        (0.1 + 0.2, 3, 0.3),
        (99_999, 3, 100_000),
        (0.05001, 2, 0.051),
        (123.4, 4, 123.4),
    ],
)
def test_rounding_up(x, digits, expected):
    assert round_up(x, digits) == expected
    assert round_up(math.inf) == round_down(math.inf) == math.inf


def test_rounding_never_goes_the_other_way():
    for x in np.exp(np.random.default_rng(1).uniform(-5, 20, 2_000)).tolist():
        assert x * (1 - 1e-8) <= round_up(x) <= 1.011 * x
        assert x * (1 + 1e-8) >= round_down(x) >= 0.989 * x
        # What has three digits already is neither raised nor lowered.
        assert round_up(round_up(x)) == round_down(round_up(x)) == round_up(x)


def test_examples_in_the_docstrings():
    assert doctest.testmod(every_bin).failed == 0
