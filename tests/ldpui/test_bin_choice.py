"""Bins of whole numbers: one for each, or a sentence where bins of equal width show what is not in the data."""

import numpy as np
import pytest
from app_steps import ADVISOR, COMPARE, ESTIMATE, TRADEOFF, assert_calm, charts, go_to, numbers, open_page, session_of
from own_uploads import uploaded

import ldpcore as ldp
from ldpui import bin_choice

SMALL = {"n": "1k", "runs": "2", "iterations": "30"}


def captions(at):
    return " ".join(caption.value for caption in at.main.caption)


def press(at, key):
    at.main.button(key=key).click().run()
    assert_calm(at)


def test_poisson_in_twenty_equal_bins_says_that_the_holes_are_not_in_the_data():
    at = open_page(query=SMALL | {"data": "Poisson", "k": "20"})
    assert_calm(at)
    # An old link opens what it opened.
    assert (session_of(at).setting.k, session_of(at).setting.binning) == (20, "equal-width")
    assert "holes are between the bins, not in the data" in captions(at)
    assert 0 in numbers(charts(at)["estimate_chart"]["data"][0]["y"])[:-4]
    press(at, "bin_by_value")
    setting = session_of(at).setting
    values = ldp.sample("poisson", 1000)
    assert (setting.k, setting.binning) == (np.ptp(values) + 1, "values")
    drawn = charts(at)["estimate_chart"]["data"][0]
    np.testing.assert_allclose(numbers(drawn["y"]), np.bincount(values - values.min()) / 10)
    assert "holes" not in captions(at)
    press(at, "choose_k")
    assert session_of(at).setting.k == 20


def test_poisson_has_a_bin_for_each_value_when_it_is_chosen():
    at = open_page(state=SMALL | {"data": "Gaussian", "k": "10"})
    at.sidebar.selectbox(key="data").set_value("Poisson").run()
    assert_calm(at)
    assert session_of(at).setting.binning == "values"
    at.sidebar.selectbox(key="data").set_value("Gaussian").run()
    assert (session_of(at).setting.k, session_of(at).setting.binning) == (10, "equal-width")


@pytest.mark.parametrize("page", [COMPARE, TRADEOFF, ADVISOR])
def test_the_other_pages_take_one_bin_per_value(page):
    at = open_page(page, SMALL | {"data": "Poisson", "binning": "values", "against": "n", "n": "500"})
    assert_calm(at)
    assert charts(at) or page == ADVISOR


def test_continuous_data_have_bins_of_equal_width_and_a_reason():
    at = open_page(query=SMALL | {"data": "Uniform", "k": "10", "binning": "values"})
    assert_calm(at)
    assert session_of(at).setting.binning == "equal-width"
    assert "for whole numbers" in captions(at)


def test_too_many_whole_numbers_have_no_bin_each():
    at = open_page(query=SMALL | {"data": "Poisson", "poisson_rate": "900000", "binning": "values", "k": "10"})
    assert_calm(at)
    assert session_of(at).setting.binning == "equal-width"
    assert "would be" in captions(at)


@pytest.mark.parametrize(
    ("low", "bins", "k", "said"),
    [
        (0, 15, 20, "15 whole numbers: the holes"),
        (0, 15, 10, "hold 2 whole numbers and some 1"),
        (0, 15, 15, None),
        (3, 30, 15, None),
        (0, 1000, 30, None),
    ],
)
def test_what_is_said_of_bins_is_counted(low, bins, k, said):
    sentence = bin_choice.uneven(bin_choice.WholeNumbers(low, bins), k)
    # By hand: a bin of equal width from the first to the last value.
    inside = [0] * k
    for value in range(bins):
        inside[min(k - 1, value * k // (bins - 1))] += 1
    assert (max(inside) > 1.5 * min(inside)) == (said is not None)
    assert (said or "None") in str(sentence)


def test_ages_of_ones_own_have_a_bin_each():
    at = open_page(ESTIMATE, SMALL | {"k": "20"})
    ages = "\n".join(str(18 + i % 82) for i in range(820))
    session_of(at).own.use(uploaded(f"age\n{ages}".encode(), "ages.csv"))
    at.session_state["data"] = "Your data"
    at.session_state["binning"] = "values"
    go_to(at, ESTIMATE)
    assert_calm(at)
    setting = session_of(at).setting
    assert (setting.data, setting.k, setting.n) == ("own", 82, 820)
    assert set(numbers(charts(at)["estimate_chart"]["data"][0]["y"])) == {100 / 82}
    at.sidebar.selectbox(key="binning").set_value("paper").run()
    assert_calm(at)
    assert session_of(at).setting.binning == "equal-width"
    assert "The paper's way to make bins is for its own data" in captions(at)


def test_categories_are_not_said_to_be_bins_of_equal_width():
    at = open_page(ESTIMATE, SMALL | {"k": "20"})
    assert not at.sidebar.selectbox(key="binning").disabled
    colours = b"colour\n" + b"red\ngreen\nblue\n" * 20
    session_of(at).own.use(uploaded(colours, "colours.csv", ldp.categories_from))
    at.session_state["data"] = "Your data"
    at.session_state["binning"] = "values"
    go_to(at, ESTIMATE)
    assert_calm(at)
    assert session_of(at).setting.k == 3
    assert "k = 3: your data has no more categories" in captions(at)
    assert "equal width" not in captions(at)
    control = at.sidebar.selectbox(key="binning")
    assert control.disabled
    assert "no effect" in control.help
