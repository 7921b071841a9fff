"""The verdict of Estimate, in each of its cases, against the numbers that it speaks of."""

import doctest
import re

import numpy as np
import pytest

import ldpcore as ldp
from pages.explore.estimate import digits
from pages.explore.estimate.sentences import ALTERNATIVES, verdict
from pages.explore.estimate.why import points

OFF = r"off by \*\*([\d.]+) percentage points with MI\*\* and \*\*([\d.]+) with IBU\*\*: (.*)"


def result_of(**setting):
    return ldp.run(ldp.Setting(**setting))


@pytest.fixture(scope="module")
def incomes():
    return result_of(data="acs-income", mechanism="OUE", eps=2.0)


@pytest.fixture(scope="module")
def flat():
    # IBU has hardly left its uniform start, which happens to be the truth.
    return result_of(data="uniform", mechanism="OUE", eps=0.5, k=100, n=20_000)


def mean_squares(result):
    """Return the squared errors by estimator, computed here: over all bins and runs."""
    estimates = {key: result.estimate(key) for key in ("mi", "ibu", "limit", *ALTERNATIVES)}
    return {key: float(np.mean((e - result.true) ** 2)) for key, e in estimates.items()}


def test_examples_in_the_docstrings():
    assert doctest.testmod(digits).attempted > 0
    assert doctest.testmod(digits).failed == 0


def test_the_verdict_is_in_points_first_and_says_what_its_error_is(incomes):
    said = re.search(OFF, verdict(incomes).comparison)
    squares = mean_squares(incomes)
    assert float(said[1]) == pytest.approx(100 * squares["mi"] ** 0.5, rel=0.02)
    assert float(said[2]) == pytest.approx(100 * squares["ibu"] ** 0.5, rel=0.02)
    less = re.fullmatch(r"\*\*(\d+)% less squared error\*\* \(± (\d+): standard error over 20 runs\)\.", said[3])
    assert float(less[1]) == pytest.approx(100 * (1 - squares["ibu"] / squares["mi"]), abs=0.51)


@pytest.mark.parametrize(
    ("setting", "says"),
    [
        ({"data": "gaussian", "mechanism": "GRR", "eps": 1.0, "k": 100}, r"\*\*([\d.]+)% more squared"),
        ({"data": "triangular", "mechanism": "BLH", "eps": 1.0, "n": 10**9}, r"\*\*([\d,.]+) times the squared error"),
    ],
)
def test_a_loss_is_called_one(setting, says):
    result = result_of(**setting)
    words = verdict(result).comparison
    squares = mean_squares(result)
    # At its limit IBU is as good as MI on a billion users, so it is the cap that loses; with GRR the limit loses too.
    assert words.endswith("Here IBU loses, because it stopped early." if "times" in says else "Here IBU loses.")
    said = float(re.search(says, words)[1].replace(",", ""))
    ratio = squares["ibu"] / squares["mi"]
    assert said == pytest.approx(ratio if "times" in says else 100 * (ratio - 1), rel=0.03)


@pytest.mark.parametrize(
    ("setting", "noise"),
    [
        ({"data": "triangular", "mechanism": "SUE", "eps": 1.0, "k": 2, "runs": 100}, True),
        ({"data": "gaussian", "mechanism": "OUE", "n": 1, "k": 5, "runs": 1}, False),
        ({"data": "uniform", "mechanism": "GRR", "k": 10, "n": 10**6, "eps": 4.0}, False),
    ],
)
def test_equals_are_called_so_and_need_no_reason(setting, noise):
    words = verdict(result_of(**setting))
    assert "equally good here" in words.comparison
    assert ("noise of the runs" in words.comparison) is noise
    assert not words.why
    # With one user, PowerNS is pulled away from a bin that is as likely empty.
    assert ("better" if setting.get("n") == 1 else "about as good as") + " both" in words.alternative.replace(
        "than ", ""
    )


def test_one_run_has_no_standard_error():
    words = str(verdict(result_of(data="acs-income", mechanism="OUE", eps=2.0, runs=1)))
    assert "±" not in words
    assert "runs" not in words
    assert words.startswith("In this one collection a bin is off by")


def test_several_runs_are_not_one_collection(incomes):
    assert str(verdict(incomes)).startswith("A bin is off by")


def test_mi_without_any_error():
    truth = ldp.Histogram(np.array([500, 300, 200]), np.arange(4.0))
    m = ldp.mechanism("GRR", k=3, eps=1.0)
    # The counts that MI turns into exactly the truth, and an IBU that is stopped after one step.
    s = ldp.Setting(data="own", mechanism="GRR", n=1000, k=3, runs=2, max_iter=1)
    drawn = ldp.run(s, truth)
    exact = np.tile(truth.frequencies, (2, 1))
    result = ldp.Result(
        s, m, truth.counts, truth.edges, drawn.counts, exact, drawn.ibu, drawn.iterations, drawn.converged
    )
    assert re.match(r"MI hits the truth; a bin is off by \*\*[\d.]+ percentage", verdict(result).comparison)


def test_the_simple_alternative_is_named_with_what_it_gives(incomes, flat):
    for result, standing in ((incomes, "better than both"), (flat, "better than MI, worse than IBU")):
        name, off, words = re.match(
            r"(.+), a simple .* is off by \*\*([\d.]+)\*\*: (.*)\.", verdict(result).alternative
        ).groups()
        squares = mean_squares(result)
        best = min(ALTERNATIVES, key=squares.get)
        assert name == ldp.ESTIMATORS[best].name
        assert float(off) == pytest.approx(100 * squares[best] ** 0.5, rel=0.05)
        assert words == standing


def test_an_early_stop_by_the_tolerance_does_not_flatter_either():
    words = verdict(result_of(data="uniform", mechanism="OUE", eps=0.5, k=100, n=20_000, tol=1e-3))
    assert words.early
    assert words.comparison.endswith("It owes that to stopping early.")
    assert re.match(
        r"IBU's tolerance stopped it after 1 iteration, by its clock less than 0.1% of the way", words.convergence
    )
    assert re.search(r"at its limit a bin is off by \*\*1.5\*\*, 77% more", words.convergence)


@pytest.mark.parametrize(
    "setting",
    [
        {"data": "uniform", "mechanism": "GRR", "eps": 20.0, "n": 1, "k": 2},
        {"data": "acs-income", "mechanism": "OUE", "eps": 2.0, "n": 1, "k": 2, "runs": 1},
        {"mechanism": "L-GRR", "eps": 49.5, "eps_inf": 50.0, "n": 100, "k": 2, "runs": 1},
    ],
)
def test_what_rounding_leaves_is_no_error(setting):
    words = str(verdict(result_of(**setting)))
    assert "0.00000" not in words
    assert "squared error" not in words


def test_stopping_early_is_not_left_to_flatter(flat):
    words = verdict(flat)
    assert re.search(r"9[34][.\d]*% less squared error", words.comparison)
    assert words.comparison.endswith("It owes that to stopping early.")
    said = (
        r"by its clock about ([\d.]+)% of the way to its limit; "
        r"at its limit a bin is off by \*\*([\d.]+)\*\*, (\d+)% more squared"
    )
    way = re.search(said, words.convergence)
    p, q = flat.mechanism.p, flat.mechanism.q
    clock = ((p + 99 * q) / (p - q)) ** 2
    assert float(way[1]) == pytest.approx(100 * (1 - (1 - 1 / clock) ** 10_000), rel=0.05)
    squares = mean_squares(flat)
    assert float(way[2]) == pytest.approx(100 * squares["limit"] ** 0.5, rel=0.04)
    assert float(way[3]) == pytest.approx(100 * (squares["limit"] / squares["mi"] - 1), abs=0.51)
    assert words.early


def test_where_the_limit_gives_the_same_nothing_is_offered(incomes):
    words = verdict(incomes)
    assert not incomes.converged.all()
    assert words.convergence.endswith("; its limit gives nearly the same.")
    assert not words.early
    assert "stopping early" not in str(words)


def test_a_gain_that_the_limit_has_too_is_not_owed_to_stopping():
    words = verdict(result_of(data="poisson", mechanism="OUE", eps=1.0, k=100, start="mi"))
    assert words.early
    assert re.search(r"limit a bin is off by \*\*[\d.]+\*\*, \d+% less squared error", words.convergence)
    assert "less squared error" in words.comparison
    assert "stopping early" not in words.comparison


def test_points_are_roots_of_mean_squares_in_percent(incomes):
    assert points(incomes, "mi") == pytest.approx(100 * np.sqrt(np.mean((incomes.mi - incomes.true) ** 2)))
    assert points(incomes, "ibu", 3) == pytest.approx(100 * np.sqrt(np.mean((incomes.ibu[2] - incomes.true) ** 2)))


def test_convergence_is_said_with_its_iterations():
    result = result_of(data="poisson", mechanism="GRR", eps=2.0, n=1000, k=10)
    assert result.converged.all()
    assert f"converged after {round(result.iterations.mean()):,} iterations" in verdict(result).convergence
    assert not verdict(result).early


def test_why_is_what_clipping_and_rescaling_takes_from_the_largest_bin(incomes):
    said = re.search(r"takes \*\*([\d.]+) points\*\* from the largest bin; IBU takes ([\d.]+)\.", verdict(incomes).why)
    largest = int(np.argmax(incomes.true))
    raw = (incomes.counts / incomes.setting.n - incomes.mechanism.q) / (incomes.mechanism.p - incomes.mechanism.q)
    for number, estimate in zip(said.groups(), (incomes.mi, incomes.ibu), strict=True):
        assert float(number) == pytest.approx(100 * (raw - estimate)[:, largest].mean(), rel=0.04)


def test_why_ibu_lost_is_that_it_stopped_on_its_way():
    result = result_of(data="gaussian", mechanism="SS", eps=0.3, n=100_000, k=50)
    said = re.search(
        r"stopped on its way, with the largest bin still \*\*([\d.]+) points\*\* too low", verdict(result).why
    )
    largest = int(np.argmax(result.true))
    assert float(said[1]) == pytest.approx(100 * (result.true - result.ibu.mean(axis=0))[largest], rel=0.04)


@pytest.mark.parametrize("data", ["uniform", "poisson"])
def test_no_reason_is_made_up(data):
    # Flat data has no large bin to take from; with 20 bins of Poisson MI takes less than a usual error.
    result = result_of(data=data, mechanism="OUE", eps=1.0, k=20)
    largest = int(np.argmax(result.true))
    taken = 100 * (result.raw - result.mi)[:, largest].mean()
    assert taken < points(result, "mi")
    assert not verdict(result).why


def test_stopping_is_no_reason_where_the_limit_is_as_far_off():
    """With a channel that has q above p IBU goes away from the truth: the longer, the farther."""
    options = {"eps": 0.3, "eps_inf": 3.0, "channel": "published", "n": 20_000, "k": 20}
    result = result_of(data="acs-income", mechanism="L-OLH", **options)
    largest = int(np.argmax(result.true))
    assert not result.converged.any()
    for key in ("ibu", "limit"):
        assert (result.true - result.estimate(key).mean(axis=0))[largest] > 0.5
    assert not verdict(result).why
