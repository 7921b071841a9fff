"""The verdict of Estimate, in each of its cases, against the numbers that it speaks of."""

import doctest
import re

import pytest

import ldpcore as ldp
from ldpcore.metrics import reduction
from pages.explore.estimate import sentences
from pages.explore.estimate.sentences import verdict


def test_examples_in_the_docstrings():
    assert doctest.testmod(sentences).failed == 0


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"data": "acs-income", "mechanism": "OUE", "eps": 2.0}, r"\*\*(\d+)% lower\*\* than MI's, ±"),
        ({"data": "triangular", "mechanism": "BLH", "eps": 1.0, "n": 10**9}, r"\*\*([\d,.]+) times\*\* MI's, ±"),
        (
            {"data": "triangular", "mechanism": "SUE", "eps": 1.0, "k": 2, "runs": 100},
            "equally good here.*counts every",
        ),
    ],
)
def test_the_verdict_says_what_the_errors_say(setting, says):
    result = ldp.run(ldp.Setting(**setting))
    found = re.search(says, verdict(result))
    assert found, verdict(result)
    less, _ = reduction(result.error("mi").values, result.error("ibu").values)
    if "lower" in says:
        assert float(found[1]) == pytest.approx(less, abs=0.51)
    elif "times" in says:
        assert float(found[1].replace(",", "")) == pytest.approx(1 - less / 100, rel=0.06)


def test_stopping_early_is_not_left_to_flatter():
    # OUE at ε = 0.5 on flat data: IBU has hardly left its uniform start, which happens to be the truth.
    result = ldp.run(ldp.Setting(data="uniform", mechanism="OUE", eps=0.5, k=100, n=20_000))
    said = r"about ([\d.]+)% of the way to its limit, and at its limit the error would be (\d+)% above"
    way = re.search(said, verdict(result))
    p, q = result.mechanism.p, result.mechanism.q
    clock = ((p + 99 * q) / (p - q)) ** 2
    assert float(way[1]) == pytest.approx(100 * (1 - (1 - 1 / clock) ** 10_000), rel=0.05)
    assert float(way[2]) > 50


def test_the_limit_is_measured_against_mi():
    result = ldp.run(ldp.Setting(data="triangular", mechanism="BLH", eps=1.0, n=10**6, k=200))
    said = re.search(r"at its limit the error would be (\d+)% (below|above) MI's", verdict(result))
    less, _ = reduction(result.error("mi").values, result.error("limit").values)
    assert float(said[1]) == pytest.approx(abs(less), abs=0.51)
    assert (said[2] == "below") == (less >= 0)
