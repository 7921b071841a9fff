"""What a reader of Estimate takes away has the numbers that are on screen."""

import json
import math

import pytest
from unlike_settings import SETTINGS

import ldpcore as ldp
from pages.explore.estimate import takeaway


@pytest.fixture(scope="module", params=SETTINGS, ids=str)
def result(request):
    return ldp.run(SETTINGS[request.param])


def refuse(word):
    raise AssertionError(f"{word} is not JSON")


def test_json_is_the_summary(result):
    content = json.loads(takeaway.as_json(result), parse_constant=refuse)
    expected = result.summary()
    assert content["summary"].keys() == expected.keys()
    for name, value in expected.items():
        assert content["summary"][name] == (value if math.isfinite(value) else None), name
    assert content["bins"]["users"] == result.histogram.tolist()
    assert content["made_by"].endswith(ldp.__version__)
    written = content["setting"]
    assert ldp.Setting(**written | {"params": tuple(written["params"].items())}) == result.setting


def test_json_of_categories():
    table = ldp.read_table(b"city\nBern\nChur\nBern\n", "a.csv")
    people = ldp.categories_from(table, "city").histogram(2)
    result = ldp.run(ldp.Setting(data=ldp.OWN_DATA, mechanism="OUE", n=3, k=2, runs=1), people)
    assert json.loads(takeaway.as_json(result))["bins"]["label"] == ["Bern", "Chur"]


def test_the_summary_has_the_numbers_of_the_page(result):
    summary = result.summary()
    assert summary["gain_mse"] == result.gain("mse")
    assert summary["mae_limit"] == result.error("limit", "mae")
    assert 0 <= summary["converged_runs"] <= result.setting.runs


def test_infinite_numbers_become_null():
    assert [takeaway._plain(x) for x in (1.5, math.inf, math.nan)] == [1.5, None, None]
