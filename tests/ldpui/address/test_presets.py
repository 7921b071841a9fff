"""The examples: their buttons, and that what they tell people to look at is there to be seen."""

from functools import cache

import numpy as np
import pytest
from app_steps import COMPARE, QUICK, assert_calm, charts, go_to, open_page, session_of

import ldpcore as ldp
from ldpui.address import links, presets

FIRST = {example.name: example for example in presets.EXAMPLES}
ALL = [example for first in presets.EXAMPLES for example in (first, first.next)]


def look(at):
    return [m.value for m in at.main.markdown if "What to look at" in m.value]


@cache
def opened(name):
    """Open an example and, if it has one, its counterpart; return the settings, and what was said of them."""
    at = open_page(state=QUICK | {"start": "mi", "limit": True, "seed": 7})
    at.session_state[presets.MENU] = True
    at.sidebar.button(key=FIRST[name].key).click().run()
    assert_calm(at)
    # The menu is closed, and what is shared is that of the example.
    assert at.session_state[presets.MENU] is False
    for key, control in links.CONTROLS.items():
        if not control.page:
            assert at.session_state[key] == FIRST[name].values.get(key, control.default), key
    # What belongs to the page stays.
    assert at.session_state["limit"] is True
    assert charts(at)["estimate_chart"]["data"]
    first = session_of(at).setting, look(at)
    at.main.button(key="next_example").click().run()
    assert_calm(at)
    return first, (session_of(at).setting, look(at))


@pytest.mark.parametrize("name", FIRST)
def test_an_example_sets_its_values_says_what_to_look_at_and_offers_the_next(name):
    (first, said), (following, then) = opened(name)
    assert first != following
    assert FIRST[name].look in said[0]
    assert FIRST[name].next.look in then[0]


@pytest.mark.parametrize("name", [name for name, example in FIRST.items() if example.axis])
def test_the_axis_says_what_the_values_are_and_goes_on_saying_so(name):
    at = open_page(state=QUICK)
    at.sidebar.button(key=FIRST[name].key).click().run()
    assert look(at)
    at.session_state["seed"] = 1.0
    at.run()
    assert not look(at)
    assert charts(at)["estimate_chart"]["layout"]["xaxis"]["title"]["text"].startswith(FIRST[name].axis + "<br>")


@pytest.mark.parametrize("example", ALL, ids=lambda example: example.name)
def test_examples_use_words_that_the_controls_take(example):
    for key, value in example.values.items():
        assert links.CONTROLS[key].allows(str(value))


@pytest.mark.slow
def test_what_to_look_at_goes_with_any_other_change():
    at = open_page(state=QUICK)
    at.sidebar.button(key=FIRST["High privacy"].key).click().run()
    go_to(at, COMPARE)
    assert look(at)
    at.main.select_slider(key="k").set_value("10").run()
    assert not look(at)
    at.main.select_slider(key="k").set_value("20").run()
    assert not look(at)


# ---- the claims -----------------------------------------------------------------------


@cache
def result(name, following=False):
    return ldp.run(opened(name)[following][0])


def points(r, estimator="mi"):
    """Return by how many percentage points a bin is off."""
    return 100 * r.error(estimator, "mse").mean ** 0.5


def squared(r, estimator):
    return r.error(estimator, "mse").mean


def test_the_papers_example():
    r, grr = result("The paper's example"), result("The paper's example", True)
    tall = np.argsort(r.true)[-4:]
    low = {name: (r.true - r.estimate(name).mean(axis=0))[tall] for name in ("mi", "ibu")}
    assert np.all(low["mi"] > 0.01)
    assert np.all(np.abs(low["ibu"]) < low["mi"] / 1.5)
    assert squared(r, "ibu") < squared(r, "mi") / 2
    assert grr.mechanism.p < 0.5
    assert points(grr) > 1.5 * points(r)


@pytest.mark.slow
def test_high_privacy():
    r, more = result("High privacy"), result("High privacy", True)
    assert points(r) > 2
    assert squared(r, "ibu") < squared(r, "mi") / 2
    assert squared(r, "limit") < squared(r, "mi") / 2
    assert points(more) < points(r) / 5


@pytest.mark.slow
def test_small_survey():
    r, oue = result("Small survey"), result("Small survey", True)
    assert r.setting.binning == "values"
    assert squared(r, "ibu") == pytest.approx(squared(r, "mi"), rel=0.1)
    assert 1.5 < points(r) < 2.5
    assert points(r) < points(oue) < 1.2 * points(r)


@pytest.mark.slow
def test_browser_telemetry():
    r, sue = result("Browser telemetry"), result("Browser telemetry", True)
    assert r.setting.eps_inf == 4
    assert not r.converged.any()
    assert squared(r, "limit") < squared(r, "ibu") < squared(r, "mi")
    assert not sue.converged.any()
    assert sue.setting.max_iter == 10_000
    assert squared(sue, "limit") < squared(sue, "mi") < squared(sue, "ibu")


@pytest.mark.slow
def test_a_poor_choice():
    r, olh = result("A poor choice worth seeing"), result("A poor choice worth seeing", True)
    assert r.mechanism.p < 0.01
    assert r.error("mi", "tv").mean == pytest.approx(2 / 3, abs=0.05)
    assert olh.error("mi", "tv").mean == pytest.approx(1 / 4, abs=0.05)
    assert squared(olh, "ibu") > 5 * squared(olh, "mi")
    assert squared(olh, "limit") < squared(olh, "mi")
