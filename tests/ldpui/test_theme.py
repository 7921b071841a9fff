"""Looks: no two series look alike, all stand out from the ground, and an audience has large words."""

import itertools

import numpy as np
import pytest
from app_steps import QUICK, assert_calm, open_page
from app_steps import charts as drawn_charts
from small_results import series, small_result

import ldpcore as ldp
from ldpcore import tournament
from ldpui import theme
from ldpui.bins import bins_of
from ldpui.charts import maps
from ldpui.charts.common import sourced
from pages.explore.estimate import charts

ESTIMATORS = tuple(map(theme.of_estimator, (*ldp.ESTIMATORS, "auto-ordered")))
LOOKS = (theme.TRUTH, *ESTIMATORS, theme.OBSERVED)
OTHERS = (theme.OWN, theme.BELIEF, theme.SQUARE_WAVE, theme.HINDSIGHT, *theme.SERIES)


@pytest.fixture(scope="module")
def result():
    return small_result()


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


@pytest.mark.parametrize("present", [False, True])
def test_a_presentation_enlarges_what_is_drawn(present):
    at = open_page(state=QUICK | {"present": present})
    assert_calm(at)
    size = drawn_charts(at)["estimate_chart"]["layout"]["font"]["size"]
    assert size == pytest.approx(theme.layout(False)["font"]["size"] * (theme.LARGE if present else 1))


def test_every_estimator_and_contestant_has_a_look_of_its_own():
    looks = {key: theme.of_estimator(key) for key in (*ldp.ESTIMATORS, *tournament.CONTESTANTS)}
    for (one, a), (other, b) in itertools.combinations(looks.items(), 2):
        assert (a.light, a.dark) != (b.light, b.dark), (one, other)
        assert a.symbol != b.symbol, (one, other)
    assert all(look.name == tournament.NAMES.get(key, look.name) for key, look in looks.items())


def test_added_estimators_look_unlike_each_other(monkeypatch):
    record = ldp.ESTIMATORS["mi"]
    for key in ("one", "other"):
        monkeypatch.setitem(ldp.ESTIMATORS, key, type(record)(key, key, "", record.function))
    one, other = theme.of_estimator("one"), theme.of_estimator("other")
    assert (one.name, one.symbol) != (other.name, other.symbol)
    assert not {one.symbol, other.symbol} & {theme.of_estimator(key).symbol for key in tournament.CONTESTANTS}
