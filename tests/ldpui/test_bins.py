"""Bins on an axis: where they stand, and what they are called."""

import numpy as np
import pytest

from ldpui import bins


def test_bin_labels_of_narrow_bins_differ():
    labels = bins.bin_labels(np.linspace(0, 1e-3, 6))
    assert len(set(labels)) == 5
    assert len({word for label in labels for word in label.split(" to ")}) == 6


@pytest.mark.parametrize("start", [0.0, -1e9, 1e9])
def test_bin_labels_take_any_edges(start):
    assert len(set(bins.bin_labels(start + np.arange(4.0) * 3))) == 3


def test_categories_stand_at_whole_numbers_with_their_names_as_they_are():
    found = bins.bins_for(np.arange(4) - 0.5, ("<b>bold</b>", "a & b", "x" * 99), "colour")
    np.testing.assert_array_equal(found.centres, [0, 1, 2])
    assert found.axis["ticktext"][:2] == ["&lt;b&gt;bold&lt;/b&gt;", "a &amp; b"]
    assert len(found.axis["ticktext"][2]) <= 22 < len(found.labels[2])


def test_many_categories_have_numbers_below_and_names_when_pointed_at():
    found = bins.bins_for(np.arange(101) - 0.5, tuple(f"c{i}" for i in range(100)), "colour")
    assert "ticktext" not in found.axis
    assert found.labels[99] == "c99"


@pytest.mark.parametrize(("low", "high", "k"), [(1.0, 1e6, 30), (3.0, 9.0, 2), (1e-9, 1e9, 100)])
def test_bins_of_equal_width_in_the_logarithm_are_equally_wide_on_the_chart(low, high, k):
    found = bins.bins_for(np.geomspace(low, high, k + 1), (), "income")
    np.testing.assert_allclose(np.diff(found.edges), np.diff(found.edges)[0])
    assert len(found.axis["tickvals"]) == len(found.axis["ticktext"]) >= 2
    assert all(found.ends[0] <= tick <= found.ends[1] for tick in found.axis["tickvals"])
    assert len(set(found.labels)) == k


@pytest.mark.parametrize("edges", [np.linspace(1, 2, 11), np.linspace(-5, 5, 11), np.delete(np.linspace(1, 2, 12), 10)])
def test_other_bins_stay_where_they_are(edges):
    np.testing.assert_array_equal(bins.bins_for(edges, (), "value").edges, edges)


@pytest.mark.parametrize(("low", "width", "long"), [(188486.4, 0.1, True), (0.0, 1500.0, False), (1990.0, 2.0, False)])
def test_bins_far_from_0_have_a_few_ticks_in_full(low, width, long):
    """Plotly would write "$188.4866k" for one user's income; in dollars by the thousand it stays with "$100k"."""
    axis = bins.bins_for(low + width * np.arange(11), (), "income", "$").axis
    assert (axis.get("exponentformat"), axis.get("nticks")) == (("none", 3) if long else (None, None))
