"""Binning, against numpy.histogram and a loop over the users."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ldpcore as ldp
from ldpcore.datasets import BINNINGS, Histogram, bin_edges, histogram
from ldpcore.datasets.binning import bin_values

BY_NUMBER = [binning for binning in BINNINGS if binning != "values"]  # those of which k can be chosen

values = st.lists(st.floats(-1e6, 1e6).map(lambda v: round(v, 3)), min_size=1, max_size=60)


@settings(max_examples=150, deadline=None)
@given(x=values, k=st.integers(2, 40))
def test_equal_width_is_numpys_histogram(x, k):
    counts, edges = np.histogram(np.array(x), bins=k)
    np.testing.assert_array_equal(histogram(x, k), counts)
    np.testing.assert_array_equal(bin_edges(min(x), max(x), k), edges)


@settings(max_examples=150, deadline=None)
@given(x=values, k=st.integers(2, 40), binning=st.sampled_from(BY_NUMBER))
def test_counts_are_what_lies_between_the_edges(x, k, binning):
    edges = bin_edges(min(x), max(x), k, binning)
    assert edges.shape == (k + 1,)
    by_hand = [0] * k
    for v in x:
        by_hand[max(i for i in range(k) if i == 0 or v >= edges[i])] += 1
    counts = histogram(x, k, binning)
    assert counts.dtype == np.int64
    np.testing.assert_array_equal(counts, by_hand)


def test_paper_merges_the_last_two_of_k_plus_one():
    x = np.arange(0.0, 11.0)  # 0..10, five bins of width 2 of which the last two make one of width 4
    np.testing.assert_allclose(bin_edges(0, 10, 4, "paper"), [0, 2, 4, 6, 10])
    np.testing.assert_array_equal(histogram(x, 4, "paper"), [2, 2, 2, 5])
    np.testing.assert_array_equal(histogram(x, 4), [3, 2, 3, 3])


def test_paper_edges_are_those_of_linspace():
    edges = bin_edges(-3.0, 8.0, 7, "paper")
    np.testing.assert_array_equal(edges[:7], np.linspace(-3.0, 8.0, 9)[:7])
    assert edges[-1] == 8.0


@pytest.mark.parametrize("binning", BY_NUMBER)
def test_constant_data_widen_the_range(binning):
    assert histogram([3.0, 3.0, 3.0], 2, binning).sum() == 3
    edges = bin_edges(3.0, 3.0, 2, binning)
    assert (edges[0], edges[-1]) == (2.5, 3.5)


@pytest.mark.parametrize("binning", BY_NUMBER)
def test_persons_stand_for_users(binning):
    x, persons = np.array([0.0, 1.0, 2.5, 7.0]), np.array([3, 1, 0, 10**12])
    h = bin_values(x, 5, binning, persons)
    assert isinstance(h, Histogram)
    assert h.counts.dtype == np.int64
    assert h.n == 10**12 + 4
    small = np.array([3, 1, 0, 2])
    np.testing.assert_array_equal(bin_values(x, 5, binning, small).counts, histogram(np.repeat(x, small), 5, binning))


@pytest.mark.parametrize("dtype", [np.int8, np.uint16, np.int64, np.float32])
def test_other_number_types(dtype):
    x = np.array([1, 2, 2, 100], dtype=dtype)
    np.testing.assert_array_equal(histogram(x, 10), histogram(x.astype(float), 10))


def test_input_is_left_alone():
    x = np.array([3.0, 1.0, 2.0])
    x.setflags(write=False)
    histogram(x, 3)


@pytest.mark.parametrize(
    ("x", "message"),
    [
        ([], "non-empty"),
        ([[1.0, 2.0]], r"one-dimensional.*shape \(1, 2\)"),
        (3.0, "one-dimensional"),
        (["a", "b"], "array of numbers"),
        ([True, False], "array of numbers; got .*bool"),
        ([1 + 2j], "array of numbers"),
        ([[1], [2, 3]], "array of numbers"),
        (None, "array of numbers"),
        ([1.0, math.nan], "finite numbers; got nan at position 1"),
        ([math.inf, 1.0], "finite numbers; got inf at position 0"),
        ([-1.5e308, 1.5e308], "range of the values"),
    ],
)
@pytest.mark.parametrize("binning", BY_NUMBER)
def test_bad_values(x, message, binning):
    with pytest.raises(ValueError, match=message):
        histogram(x, 5, binning)


@pytest.mark.parametrize("k", [1, 0, -1, 2.5, math.nan, "5", None, 10**6 + 1])
def test_bad_k(k):
    with pytest.raises(ValueError, match="k must be a whole number from 2 to 1,000,000"):
        histogram([1.0, 2.0], k)


def test_bad_binning_and_range():
    with pytest.raises(ValueError, match="binning must be one of equal-width, paper, values; got 'even'"):
        histogram([1.0, 2.0], 5, "even")
    with pytest.raises(ValueError, match=r"x_min must be at most x_max; got x_min = 2.0 and x_max = 1.0"):
        bin_edges(2, 1, 5)
    with pytest.raises(ValueError, match="x_min must be"):
        bin_edges(math.nan, 1, 5)


def test_bins_that_float64_cannot_tell_apart():
    x = [1.0, np.nextafter(1.0, 2.0)]
    with pytest.raises(ValueError, match="k must be small enough"):
        histogram(x, 5)
    with pytest.raises(ValueError, match="k must be small enough"):
        histogram([1e300, 1e300], 5)


# ---- one bin per value ----------------------------------------------------------------


@settings(max_examples=100, deadline=None)
@given(x=st.lists(st.integers(-50, 50), min_size=1, max_size=60))
def test_one_bin_per_value_counts_each_whole_number(x):
    h = bin_values(np.array(x, dtype=float), None, "values")
    low, high = min(x), max(max(x), min(x) + 1)
    np.testing.assert_array_equal(h.counts, [x.count(v) for v in range(low, high + 1)])
    np.testing.assert_array_equal(h.edges, [v - 0.5 for v in range(low, high + 2)])
    np.testing.assert_array_equal(histogram(x, len(h.counts), "values"), h.counts)


def test_persons_of_a_value_are_its_users():
    h = bin_values(np.array([4.0, 2.0, 7.0]), 6, "values", np.array([3, 10**12, 1]))
    np.testing.assert_array_equal(h.counts, [10**12, 0, 3, 0, 0, 1])


@pytest.mark.parametrize(
    ("x", "k", "message"),
    [
        ([1, 2, 3], 4, "k must be 3 where the binning is 'values'.* from 1 to 3; got 4"),
        ([1, 2.5, 3], None, "whole numbers; got 2.5"),
        ([0.5, 1.5], None, "whole numbers; got 0.5"),
        ([0, 10**6], None, "up to 1,000,000 bins"),
        ([2.0**60, 2.0**60 + 1024], None, "up to 1,000,000 bins"),
    ],
)
def test_one_bin_per_value_refuses_in_a_sentence(x, k, message):
    with pytest.raises(ldp.Refused, match=message):
        histogram(x, k, "values")


@pytest.mark.parametrize("binning", BY_NUMBER)
def test_without_one_bin_per_value_k_must_be_given(binning):
    with pytest.raises(ldp.Refused, match="k must be a whole number"):
        histogram([1, 2, 3], None, binning)


@pytest.mark.parametrize("n", [1000, 10**7])
def test_poissons_counts_one_by_one(n):
    h = ldp.sample_histogram("poisson", n, None, "values", seed=3)
    assert h.n == n
    centres = (h.edges[1:] + h.edges[:-1]) / 2
    mass = np.array([math.exp(-5) * 5.0**v / math.factorial(int(v)) for v in centres])
    # Each count is binomial; 6 standard deviations and a few users for 20 bins: below 1 in 10**7.
    assert np.all(np.abs(h.counts - n * mass) < 6 * np.sqrt(n * mass) + 8)
    # As many equal bins hold one value each too, but their edges do not say so.
    same = ldp.sample_histogram("poisson", n, len(h.counts), seed=3)
    np.testing.assert_array_equal(same.counts, h.counts)


@pytest.mark.parametrize("n", [1000, 10**7])
@pytest.mark.parametrize("data", ["gaussian", "acs-income"])
def test_continuous_data_have_no_bin_per_value(data, n):
    with pytest.raises(ldp.Refused, match=f"whole numbers; got {data}"):
        ldp.sample_histogram(data, n, None, "values")


def test_a_setting_runs_with_one_bin_per_value():
    k = len(ldp.sample_histogram("poisson", 2000, None, "values").counts)
    result = ldp.run(ldp.Setting(data="poisson", n=2000, k=k, binning="values", runs=2, max_iter=5))
    assert result.edges[0] == -0.5
    with pytest.raises(ldp.Refused, match=f"k must be {k} "):
        ldp.run(ldp.Setting(data="poisson", n=2000, k=k + 1, binning="values", runs=2, max_iter=5))
