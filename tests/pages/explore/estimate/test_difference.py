"""Whether runs tell two estimators apart, and what is said where they do not."""

import doctest
import re

import numpy as np
import pytest

import ldpcore as ldp
from pages.explore.estimate import difference as module
from pages.explore.estimate.difference import _are_apart, against_mi, difference
from pages.explore.estimate.sentences import verdict
from pages.explore.estimate.why import points


def result_of(**setting):
    return ldp.run(ldp.Setting(**setting))


def test_examples_in_the_docstrings():
    assert doctest.testmod(module).attempted > 0
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize(("mechanism", "runs"), [("GRR", 3), ("OUE", 2)])
def test_an_error_a_hundred_times_as_large_in_every_run_is_not_within_the_noise(mechanism, runs):
    # MI's error is tiny, so that it varies much for its size.
    result = result_of(
        data="acs-income",
        mechanism=mechanism,
        eps=0.05,
        k=2,
        n=10**9,
        runs=runs,
        max_iter=1000 if runs == 3 else 10_000,
    )
    assert (result.error("ibu").values > 1e4 * result.error("mi").values).all()
    words = verdict(result).comparison
    assert "equally good" not in words
    assert words.endswith("Here IBU loses, because it stopped early.")


def test_within_the_noise_does_not_mean_as_good():
    result = result_of(data="uniform", mechanism="GRR", eps=0.05, k=1000, n=100, runs=3, max_iter=1000)
    errors = {key: result.error(key).values for key in ("mi", "limit")}
    apart = errors["limit"] - errors["mi"]
    assert apart.mean() < 2 * apart.std(ddof=1) / np.sqrt(3)
    assert points(result, "limit") > 4 * points(result, "mi")
    words = str(verdict(result))
    assert "about as much as with MI" not in words
    assert re.search(r"limit a bin is off by \*\*2.1\*\*, which the noise of the runs can't tell from MI's", words)
    assert words.count("about as good as") == 0


def test_runs_that_vary_too_much_leave_open_who_wins():
    result = result_of(data="acs-income", mechanism="OUE", eps=0.05, k=2, n=100, runs=2)
    words = verdict(result)
    assert words.comparison.endswith("with IBU**; the noise of the runs leaves open which is better.")
    assert not words.why


def test_nearly_all_is_not_all():
    result = result_of(data="uniform", mechanism="GRR", eps=0.05, k=1000, n=10**9, runs=3, max_iter=1000)
    assert result.error("ibu").mean > 0
    words = verdict(result).comparison
    assert "100" not in words
    assert "over 99.99% less squared error" in words


def test_sure_is_what_the_differences_of_the_runs_say():
    result = result_of(data="poisson", mechanism="OUE", eps=1.0, n=2000, k=20, runs=5)
    apart = ((result.mi - result.true) ** 2 - (result.ibu - result.true) ** 2).mean(axis=1)
    gap = difference(result, "mi", "ibu")
    assert gap.sure is bool(abs(apart.mean()) >= 2 * np.sqrt(apart.var(ddof=1) / 5))
    ratio = ((result.ibu - result.true) ** 2).mean() / ((result.mi - result.true) ** 2).mean()
    assert gap.less == pytest.approx(100 * (1 - ratio))


def test_what_a_limit_is_beside_mi():
    assert against_mi(module.Difference(-250.0, 10.0, True)) == "3.5 times MI's squared error"
    assert against_mi(module.Difference(-250.0, 200.0, False)) == "which the noise of the runs can't tell from MI's"
    assert against_mi(module.Difference(-9.0, 20.0, False)) == "about as much as with MI"
    assert against_mi(module.Difference(99.7, 0.1, True)) == "99.7% less squared error than MI"


@pytest.mark.parametrize("runs", [2, 3, 5, 10, 20])
def test_noise_alone_is_called_a_difference_once_in_twenty(runs):
    """Of 4,000 pairs of runs without a difference 5 % on average, ± 0.4: with two runs it was 30 %."""
    rng = np.random.default_rng(runs)
    called = [_are_apart(*rng.normal(1, 0.1, (2, runs))) for _ in range(4_000)]
    assert 0.03 < np.mean(called) < 0.08
