"""Figures of Estimate: what they draw."""

import numpy as np
import pytest
from small_results import series, small_result

import ldpcore as ldp
from ldpui import theme
from ldpui.bins import bins_of
from pages.explore.estimate import belief, charts, window


@pytest.fixture(scope="module")
def result():
    return small_result()


def test_estimate_draws_bars_bands_and_lines(result):
    figure = charts.estimate(result, series(result), bins_of(result), log=False, dark=False).figure()
    assert [trace.name for trace in figure.data if trace.showlegend is not False] == ["Truth", "MI", "IBU"]
    assert len(figure.data) == 5
    assert figure.data[0].type == "bar"
    np.testing.assert_allclose(figure.data[0].y, 100 * result.true)
    np.testing.assert_allclose(figure.data[2].y, 100 * result.mi.mean(axis=0))
    np.testing.assert_allclose(figure.data[4].y, 100 * result.ibu.mean(axis=0))
    assert figure.layout.xaxis.title.text == "value"
    assert "%" in figure.layout.yaxis.title.text


def test_incomes_are_in_dollars():
    incomes = ldp.run(ldp.Setting(data="acs-income", mechanism="OUE", eps=2.0, n=1000, k=20, runs=2, max_iter=5))
    figure = charts.estimate(incomes, series(incomes), bins_of(incomes), log=False, dark=False).figure()
    assert figure.layout.xaxis.tickprefix == "$"
    assert figure.layout.xaxis.title.text == "income per year"


def test_few_bins_are_points_side_by_side_with_error_bars():
    few = ldp.run(ldp.Setting(data="gaussian", mechanism="OUE", eps=2.0, n=1000, k=6, runs=5, max_iter=50))
    _, mi, ibu = charts.estimate(few, series(few), bins_of(few), log=False, dark=False).figure().data
    assert (mi.mode, ibu.mode) == ("markers", "markers")
    low, high = np.quantile(100 * few.ibu, charts.BAND, axis=0)
    np.testing.assert_allclose(ibu.y + ibu.error_y.array, high)
    np.testing.assert_allclose(ibu.y - ibu.error_y.arrayminus, low)
    # Beside each other, and still within their bin.
    assert (np.asarray(mi.x) < ibu.x).all()
    assert (np.asarray(mi.x) > few.edges[:-1]).all()
    assert (np.asarray(ibu.x) < few.edges[1:]).all()


def test_a_single_run_has_no_band(result):
    one = [(theme.MI, result.mi[:1]), (theme.IBU, result.ibu[:1])]
    assert len(charts.estimate(result, one, bins_of(result), log=False, dark=False).figure().data) == 3


def test_the_log_axis_holds_all_of_the_truth(result):
    axis = charts.estimate(result, series(result), bins_of(result), log=True, dark=False).figure().layout.yaxis
    assert axis.type == "log"
    low, high = axis.range
    drawn = charts.estimate(result, series(result), bins_of(result), log=True, dark=False).figure().data
    assert all(np.min(area.y) > 0 for area in drawn[1:] if area.fill == "toself")
    seen = 100 * result.true[result.true > 0]
    assert low < np.log10(seen.min())
    assert high > np.log10(seen.max())


def test_a_window_is_shown_with_an_axis_that_fits_it(result):
    edges = result.edges
    low, high = float(edges[-3]), float(edges[-1])
    figure = charts.estimate(
        result, series(result), bins_of(result), log=False, window=(low, high), dark=False
    ).figure()
    assert figure.layout.xaxis.range == (low, high)
    top = 100 * max(result.true[-2:].max(), np.quantile(result.mi, 0.95, axis=0)[-2:].max())
    assert top <= figure.layout.yaxis.range[1] < 100 * result.true.max()


def test_a_long_tail_is_left_for_a_double_click():
    long = ldp.run(ldp.Setting(data="acs-income", mechanism="OUE", n=20_000, k=100, runs=2, max_iter=5))
    assert window.has_long_tail(long)
    low, high = charts.estimate(long, series(long), bins_of(long), log=False, dark=False).figure().layout.xaxis.range
    shown = (long.edges[:-1] >= low) & (long.edges[1:] <= high)
    assert long.true[shown].sum() >= 0.99
    even = ldp.run(ldp.Setting(data="uniform", mechanism="OUE", n=20_000, k=100, runs=2, max_iter=5))
    assert not window.has_long_tail(even)


def test_signed_error_draws_estimate_minus_truth(result):
    figure = charts.signed_error(result, series(result), bins_of(result), dark=False).figure()
    assert len(figure.data) == 4
    np.testing.assert_allclose(figure.data[1].y, 100 * (result.mi.mean(axis=0) - result.true), atol=1e-12)
    assert "truth" in figure.layout.yaxis.title.text


def test_posterior_marks_support_by_more_than_colour():
    supported = np.array([True, False, True, False])
    figure = belief.posterior(np.array([0.4, 0.1, 0.4, 0.1]), supported, 2, list("abcd"), dark=False)
    marker = figure.data[0].marker
    assert len(figure.data) == 1
    assert [bool(shape) for shape in marker.pattern.shape] == [not s for s in supported]
    assert len(set(marker.color)) == 2
    assert "the true value" in figure.data[0].text[2]
    assert figure.layout.xaxis.title.text == "bin number"
