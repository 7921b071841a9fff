"""The curves of Trade-off, drawn from numbers that are written here."""

import dataclasses

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.metrics import RECORDS
from ldpui import theme
from ldpui.sweeps import Measure
from pages.explore.tradeoff import captions, chart
from pages.explore.tradeoff.sweep import Reference

BASE = ldp.Setting(data="gaussian", mechanism="OUE", n=1000, k=10, runs=2)


def rows(*points, mechanism="OUE", quantity="mi"):
    """Return what was measured at some ε."""
    settings = (dataclasses.replace(BASE, mechanism=mechanism, eps=eps) for eps, _, _ in points)
    return [Measure(s, quantity, mean, se) for s, (_, mean, se) in zip(settings, points, strict=True)]


def drawn(measures, **options):
    given = {"against": "eps", "gain": False, "title": "error", "references": [], "here": 2.0, "dark": False}
    return chart.lines(measures, **(given | options))


def line(figure, name):
    (trace,) = [trace for trace in figure.data if trace.name == name and trace.mode == "lines+markers"]
    return trace


def test_points_stand_in_order_whatever_order_they_came_in():
    trace = line(drawn(rows((4.0, 0.1, 0.0), (1.0, 0.4, 0.0), (2.0, 0.2, 0.0))), "MI")
    np.testing.assert_array_equal(trace.x, [1, 2, 4])
    np.testing.assert_array_equal(trace.y, [0.4, 0.2, 0.1])


def test_the_band_is_95_percent_of_the_mean_and_a_log_axis_has_no_0():
    figure = drawn(rows((1.0, 1.0, 0.1), (2.0, 1.0, 10.0)))
    (band,) = [trace for trace in figure.data if trace.fill == "toself"]
    ys = np.asarray(band.y, dtype=float)
    assert ys.max() == pytest.approx(1 + 19.6)
    assert sorted(ys)[:2] == pytest.approx([1 / 50, 1 - 0.196])
    assert figure.layout.yaxis.type == "log"


def test_a_gain_has_an_axis_that_may_go_below_0():
    figure = drawn(rows((1.0, 10.0, 0.0), (2.0, -5.0, 3.0), quantity="gain_ibu"), gain=True)
    assert figure.layout.yaxis.type != "log"
    np.testing.assert_array_equal(line(figure, "IBU").y, [10, -5])


def test_a_point_that_is_infinite_is_left_out():
    np.testing.assert_array_equal(line(drawn(rows((1.0, np.inf, 0.0), (2.0, 0.3, np.nan))), "MI").x, [2.0])


def test_a_point_at_0_is_left_out_of_a_log_axis_and_said():
    measures = rows((1.0, 0.4, 0.0), (2.0, 0.0, 0.0))
    np.testing.assert_array_equal(line(drawn(measures), "MI").x, [1.0])
    said = captions.sentences(measures, RECORDS["top10"], "eps", gain=False)
    start = "1 − Top ten is 0, the best there is, somewhere along the axis for OUE with MI: a log axis"
    assert len(said) == 1
    assert said[0].startswith(start)
    assert captions.sentences(measures[:1], RECORDS["top10"], "eps", gain=False) == []


def test_a_gain_of_0_is_drawn_and_that_losses_are_in_it_is_said():
    measures = rows((1.0, 10.0, 0.0), (2.0, 0.0, 0.0), quantity="gain_ibu")
    np.testing.assert_array_equal(line(drawn(measures, gain=True), "IBU").y, [10, 0])
    assert captions.sentences(measures, RECORDS["mse"], "k", gain=True) == [captions.LOSS]
    assert captions.LOSS in captions.about_map(BASE, "MSE", best=False)


def test_of_users_who_report_repeatedly_the_axis_is_of_the_first_report():
    setting = ldp.Setting(mechanism="L-SUE", eps=1.0, eps_inf=2.0, n=1000, k=10, runs=2)
    figure = drawn([Measure(setting, "mi", 0.1, 0.0)])
    assert figure.layout.xaxis.title.text == "budget of the first report ε₁ (log scale)"
    assert drawn(rows((1.0, 0.1, 0.0))).layout.xaxis.title.text == "privacy budget ε (log scale)"


def test_mechanisms_side_by_side_differ_in_shape_and_estimators_in_colour():
    both = rows((1.0, 0.1, 0.0)) + rows((1.0, 0.2, 0.0), mechanism="GRR") + rows((1.0, 0.3, 0.0), quantity="ibu")
    figure = drawn(both)
    oue, grr, ibu = (line(figure, name) for name in ("OUE, MI", "GRR, MI", "OUE, IBU"))
    assert oue.line.color == grr.line.color == theme.MI.color(False)
    assert ibu.line.color == theme.IBU.color(False)
    assert oue.marker.symbol != grr.marker.symbol
    # What a click opens.
    assert [list(point) for point in grr.customdata] == [["GRR"]]


def test_references_and_the_readers_own_setting_are_drawn():
    reference = Reference("Cramér–Rao", "No better.", [1.0, 2.0], [0.5, 0.25])
    figure = drawn(rows((1.0, 0.1, 0.0)), references=[reference], here=3.0)
    (theory,) = [trace for trace in figure.data if trace.name == "Cramér–Rao"]
    np.testing.assert_array_equal(theory.y, [0.5, 0.25])
    assert figure.layout.shapes[0].x0 == figure.layout.shapes[0].x1 == 3.0
    assert figure.layout.annotations[0].x == pytest.approx(np.log10(3.0))
