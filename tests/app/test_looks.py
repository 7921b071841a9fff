"""Looks: colours stand in one module, an estimator looks the same in every chart, no two series of one look alike."""

import re
from pathlib import Path

import pytest

import ldpcore as ldp
from ldpcore import tournament
from ldpui import theme
from pages.study.learn import undoing
from pages.study.paper import figures
from pages.study.which_estimator import maps, questions, regret
from pages.study.which_estimator.maps import Choice

ROOT = Path(__file__).parents[2]
# What the series of the open questions are estimates of: "limit / MI" is the limit's, "OUE, auto" is told of the order.
ESTIMATORS = {
    "several": {
        "MI, weighted": "mi",
        "Norm-Sub, weighted": "norm-sub",
        "full-report IBU": "full",
        "auto": "auto",
    },
    "many_bins": {"IBU / MI": "ibu", "limit / MI": "limit", "auto / MI": "auto"},
    "stopping": {
        "10,000 steps": "ibu",
        "stopped by cross-validation": "ibu-cv",
        "limit (at the right edge)": "limit",
    },
    "ordered": {
        "OUE, IBU": "ibu",
        "OUE, Norm-Sub": "norm-sub",
        "OUE, smoothed": "smooth",
        "OUE, auto": "auto-ordered",
    },
}
QUESTIONS = {question.key: question for question in questions.QUESTIONS}
EVERYTHING = Choice("all nine", "all fourteen", True, "n", None)


def look_of(trace):
    """Return colour, dash and shape of a trace, as far as it has them."""
    lines, marks = "lines" in trace.mode, "markers" in trace.mode
    color = trace.line.color if lines else trace.marker.color
    return color, trace.line.dash or "solid" if lines else None, trace.marker.symbol if marks else None


def looks_in(figure):
    """Return the looks of the series of a figure by name; one that is in several panels must look the same in all."""
    found = {}
    for trace in figure.data:
        found.setdefault(trace.name, set()).add(look_of(trace))
    assert all(len(looks) == 1 for looks in found.values()), found
    return {name: looks.pop() for name, looks in found.items()}


def expected(key, look, dark):
    """Return how an estimator should look where a chart has its line, its marks, or both."""
    wanted = theme.of_estimator(key)
    return wanted.color(dark), wanted.dash if look[1] else None, wanted.symbol if look[2] else None


def test_colours_stand_in_no_page():
    colours = {
        f"{path.relative_to(ROOT)}:{number}": line.strip()
        for path in sorted((ROOT / "pages").rglob("*.py"))
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"#[0-9a-fA-F]{6}\b", line)
    }
    assert not colours


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("key", QUESTIONS)
def test_estimators_of_an_open_question_look_as_everywhere(key, dark):
    looks = looks_in(QUESTIONS[key].figure(dark))
    for name, estimator in ESTIMATORS[key].items():
        assert looks[name] == expected(estimator, looks[name], dark), name


@pytest.mark.parametrize("dark", [False, True])
@pytest.mark.parametrize("key", QUESTIONS)
def test_no_two_series_of_an_open_question_look_alike(key, dark):
    looks = looks_in(QUESTIONS[key].figure(dark))
    assert len(looks) == len(set(looks.values())) >= 4, looks
    # Nor by shape and dash alone, for those who see no colour.
    shapes = [look[1:] for look in looks.values()]
    assert len(set(shapes)) == len(shapes), looks


@pytest.mark.parametrize("dark", [False, True])
def test_distances_from_the_best_have_the_colours_of_the_estimators(dark):
    figure = regret.figure(EVERYTHING, dark)
    key_of = {name: key for key, name in tournament.NAMES.items()}
    marks = [trace for trace in figure.data if trace.mode == "markers" and trace.text]
    assert len(marks) == 3
    for trace in marks:
        names = list(trace.y)
        assert list(trace.marker.color) == [theme.of_estimator(key_of[name]).color(dark) for name in names]
        assert len(set(trace.marker.color)) == len(names) == len(tournament.CONTESTANTS)
    assert len({trace.marker.symbol for trace in marks}) == 3
    # The legend is of shapes, so it has no estimator's colour.
    assert {trace.marker.color for trace in figure.data if trace.showlegend is not False} == {theme.ink(dark)}


def test_squares_of_the_map_have_the_colours_of_the_estimators():
    squares = maps.figure(EVERYTHING, dark=False).data[0]
    colors = [color for _, color in squares.colorscale[::2]]
    key_of = {name.removesuffix(" bins"): key for key, name in tournament.NAMES.items()}
    seen = set()
    for numbers, words in zip(squares.z, squares.text, strict=True):
        for number, word in zip(numbers, words, strict=True):
            if word:
                key = key_of[word.removeprefix("≈ ").replace("<br>", " ")]
                assert colors[number] == theme.of_estimator(key).ground
                seen.add(key)
    assert len(seen) > 1


@pytest.mark.parametrize("dark", [False, True])
def test_the_steps_of_undoing_look_as_everywhere(dark):
    (panel,) = undoing.frames(undoing.steps(0), 0, dark).panels
    looks = [(series["color"], series["symbol"]) for series in panel["series"]]
    wanted = [theme.OBSERVED, *map(theme.of_estimator, ("raw", "base-pos", "mi", "norm-sub", "ibu"))]
    assert looks == [(look.color(dark), look.symbol) for look in wanted]
    assert len(set(looks)) == len({symbol for _, symbol in looks}) == len(looks)
    script = (ROOT / "pages" / "study" / "learn" / "player.js").read_text(encoding="utf-8")
    assert all(f'symbol === "{symbol}"' in script for _, symbol in looks)  # others would be squares


@pytest.mark.parametrize("dark", [False, True])
def test_data_sets_of_the_paper_s_figures_look_unlike_and_have_a_colour_for_each_ground(dark):
    looks = looks_in(figures.lines_figure(1, "mse", "as published", 0, dark))
    assert len(set(looks.values())) == len(ldp.paper.DATA)
    assert {color for color, *_ in looks.values()} <= {look.color(dark) for look in theme.SERIES}
