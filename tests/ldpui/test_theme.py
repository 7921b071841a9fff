"""Figures: what they draw, for whom, and that no two series look alike."""

import doctest
import itertools
import json

import numpy as np
import pytest
from app_steps import QUICK, assert_calm, open_page
from app_steps import charts as drawn_charts

import ldpcore as ldp
from ldpui import auto_choices, bins, clock, failures, theme
from ldpui import format as ldpui_format
from ldpui.address import vocabulary
from ldpui.bins import bins_of
from ldpui.charts import finished, maps
from ldpui.charts.common import sourced
from pages.explore.estimate import belief, charts, digits, window

ESTIMATORS = tuple(map(theme.of_estimator, (*ldp.ESTIMATORS, "auto-ordered")))
LOOKS = (theme.TRUTH, *ESTIMATORS, theme.OBSERVED)
OTHERS = (theme.OWN, theme.BELIEF, theme.SQUARE_WAVE, theme.HINDSIGHT, *theme.SERIES)


@pytest.fixture(scope="module")
def result():
    return ldp.run(ldp.Setting(data="poisson", mechanism="OUE", eps=2.0, n=1000, k=20, runs=3, max_iter=50))


def series(result):
    return [(theme.MI, result.mi), (theme.IBU, result.ibu)]


@pytest.mark.parametrize(
    "module", [auto_choices, bins, clock, failures, ldpui_format, maps, theme], ids=lambda m: m.__name__
)
def test_examples_in_the_docstrings(module):
    tested = doctest.testmod(module)
    assert tested.attempted > 0
    assert tested.failed == 0


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


# ---- looks --------------------------------------------------------------------------


def rgb(color):
    return np.array([int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)])


def luminance(color):
    c = rgb(color)
    linear = np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
    return float(linear @ (0.2126, 0.7152, 0.0722))


def contrast(one, other):
    high, low = sorted((luminance(one), luminance(other)), reverse=True)
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("dark", [False, True])
def test_no_two_series_look_alike(dark):
    for one, other in itertools.combinations(LOOKS, 2):
        assert np.linalg.norm(rgb(one.color(dark)) - rgb(other.color(dark))) > 0.15, (one.name, other.name)
        assert (one.symbol, one.dash) != (other.symbol, other.dash), (one.name, other.name)
    assert len({look.name for look in LOOKS}) == len(LOOKS)


@pytest.mark.parametrize("dark", [False, True])
def test_lines_stand_out_from_the_ground(dark):
    ground = theme.layout(dark)["paper_bgcolor"]
    # WCAG asks for 3:1 of graphical objects; the bars of the truth are large and lie behind.
    assert all(contrast(look.color(dark), ground) >= 3 for look in LOOKS + OTHERS if look is not theme.TRUTH)
    assert contrast(theme.layout(dark)["font"]["color"], ground) >= 7


def test_words_can_be_read_in_every_cell_of_a_map():
    for (dark, _), scale in maps.SCALES.items():
        # Between two colours of a scale lie only such that stand out from the words as well: both are on one side.
        assert all(contrast(maps.CELL_WORDS[dark], color) >= 4.5 for _, color in scale)
        assert len({luminance(color) > luminance(maps.CELL_WORDS[dark]) for _, color in scale}) == 1
    grounds = [*maps.GROUNDS, *(look.ground for look in ESTIMATORS)]
    assert all(contrast(maps.CELL_WORDS[False], color) >= 4.5 for color in grounds)


def test_light_and_dark_colours_differ():
    assert all(look.light != look.dark for look in LOOKS)


def test_layout_merges_axes():
    layout = theme.layout(False, xaxis={"title": {"text": "x"}}, height=3)
    assert layout["xaxis"]["automargin"] is True
    assert layout["xaxis"]["title"] == theme.layout(False)["xaxis"]["title"] | {"text": "x"}
    assert layout["height"] == 3


# ---- numbers as people read them ----------------------------------------------------


@pytest.mark.parametrize(
    ("x", "text"),
    [(float("nan"), "–"), (float("-inf"), "−∞"), (0, "0"), (-0.5, "-0.5"), (1e7, "1.00e+07"), (999_999, "1,000,000")],
)
def test_significant(x, text):
    assert ldpui_format.significant(x) == text


def test_with_error_of_one_run_has_no_error():
    assert digits.with_error(ldp.Summary([1.5])) == "1.5"


def test_with_error_of_tiny_numbers_uses_powers_of_ten():
    text = digits.with_error(ldp.Summary([1.0e-6, 1.2e-6, 1.4e-6]))
    assert text.endswith("·10⁻⁶")
    assert "±" in text


@pytest.mark.parametrize("n", [1, 100, 999, 1000, 1500, 20_000, 10**6, 5 * 10**8, 10**9])
def test_a_short_number_of_users_is_one_of_a_link(n):
    assert vocabulary.SCALES["n"].number(ldpui_format.short(n)) == n


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


def test_an_audience_has_large_words_in_the_charts(result):
    figure = sourced(
        charts.estimate(result, series(result), bins_of(result), log=False, dark=False).figure(), ["a source"]
    )
    figure.add_annotation(text="a note", font={"size": 10})
    large = theme.enlarged(figure)
    assert large.layout.font.size == pytest.approx(1.35 * figure.layout.font.size)
    assert large.layout.yaxis.title.font.size == pytest.approx(1.35 * figure.layout.yaxis.title.font.size)
    assert large.layout.annotations[-1].font.size == 13.5
    assert "font-size:15px" in large.layout.xaxis.title.text
    # The data and the marks stay as they are.
    np.testing.assert_array_equal(large.data[0].y, figure.data[0].y)
    assert [trace.marker.size for trace in large.data[1:]] == [trace.marker.size for trace in figure.data[1:]]


@pytest.mark.parametrize("log", [False, True])
def test_a_drawing_is_sent_as_plotly_would_send_it(result, log):
    """Nothing of it is of a kind that Plotly would refuse or change, and lines and sizes are added in the same way."""
    drawing = charts.estimate(result, series(result), bins_of(result), log=log, dark=True)
    checked = sourced(drawing.figure(), ["a", "b"])
    for sent, expected in (
        (drawing.sourced(["a", "b"]), checked),
        (drawing.sourced(["a", "b"]).enlarged(), theme.enlarged(checked)),
    ):
        parts = json.loads(finished.as_text(sent))
        assert parts == json.loads(json.dumps(plain_parts(expected)))


def plain_parts(figure):
    """Return a figure as plain lists; Plotly adds a template of its own, which nothing here hangs on."""
    layout = {key: part for key, part in figure.layout.to_plotly_json().items() if key != "template"}
    return {"data": plain([trace.to_plotly_json() for trace in figure.data]), "layout": plain(layout)}


def plain(part):
    if isinstance(part, dict):
        return {key: plain(inner) for key, inner in part.items()}
    if isinstance(part, list | tuple):
        return [plain(inner) for inner in part]
    return part.tolist() if isinstance(part, np.ndarray) else part


@pytest.mark.parametrize("present", [False, True])
def test_a_presentation_enlarges_what_is_drawn(present):
    at = open_page(state=QUICK | {"present": present})
    assert_calm(at)
    size = drawn_charts(at)["estimate_chart"]["layout"]["font"]["size"]
    assert size == pytest.approx(theme.layout(False)["font"]["size"] * (theme.LARGE if present else 1))
