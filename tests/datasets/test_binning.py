"""Binning, against numpy.histogram and a loop over the users."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ldpcore.datasets import BINNINGS, Histogram, bin_edges, histogram
from ldpcore.datasets.binning import bin_values

values = st.lists(st.floats(-1e6, 1e6).map(lambda v: round(v, 3)), min_size=1, max_size=60)


@settings(max_examples=150, deadline=None)
@given(x=values, k=st.integers(2, 40))
def test_equal_width_is_numpys_histogram(x, k):
    counts, edges = np.histogram(np.array(x), bins=k)
    np.testing.assert_array_equal(histogram(x, k), counts)
    np.testing.assert_array_equal(bin_edges(min(x), max(x), k), edges)


@settings(max_examples=150, deadline=None)
@given(x=values, k=st.integers(2, 40), binning=st.sampled_from(BINNINGS))
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


@pytest.mark.parametrize("binning", BINNINGS)
def test_constant_data_widen_the_range(binning):
    assert histogram([3.0, 3.0, 3.0], 2, binning).sum() == 3
    edges = bin_edges(3.0, 3.0, 2, binning)
    assert (edges[0], edges[-1]) == (2.5, 3.5)


@pytest.mark.parametrize("binning", BINNINGS)
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
@pytest.mark.parametrize("binning", BINNINGS)
def test_bad_values(x, message, binning):
    with pytest.raises(ValueError, match=message):
        histogram(x, 5, binning)


@pytest.mark.parametrize("k", [1, 0, -1, 2.5, math.nan, "5", None, 10**6 + 1])
def test_bad_k(k):
    with pytest.raises(ValueError, match="k must be a whole number from 2 to 1,000,000"):
        histogram([1.0, 2.0], k)


def test_bad_binning_and_range():
    with pytest.raises(ValueError, match="binning must be one of equal-width, paper; got 'even'"):
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
