"""Advice: closed forms against simulation, searches against larger simulations at their answers, and sentences."""

import doctest
import math
from dataclasses import replace
from functools import cache
from statistics import NormalDist

import numpy as np
import pytest
from mechanism_cases import z_limit

import ldpcore as ldp
from ldpcore import advisor
from ldpcore.advisor import Accuracy, Candidate, Measured

QUICK = ("mi", "norm-sub", "limit")
EVERY, TV = Accuracy("every bin", 0.02), Accuracy("tv", 0.05)


def setting(name="OUE", **more):
    return ldp.Setting(**{"data": "poisson", "mechanism": name, "eps": 2.0, "n": 5_000, "k": 20} | more)


# ---- what is reached ---------------------------------------------------------------


@cache
def simulated(name, k):
    """Run a setting once for all the accuracies that are asked of it."""
    return ldp.run(setting(name, k=k, runs=2_000, max_iter=1))


@pytest.mark.slow
@pytest.mark.parametrize("name", ldp.ONE_TIME + ldp.LONGITUDINAL)
@pytest.mark.parametrize("accuracy", [EVERY, TV, Accuracy("every bin", 0.02, 0.5)], ids=str)
@pytest.mark.parametrize("k", [2, 20])
def test_raw_mi_in_closed_form_is_that_of_simulated_collections(name, accuracy, k):
    result = simulated(name, k)
    found = advisor.achieved(result, "none", accuracy)
    exact = advisor.raw_error(result.mechanism, result.true, result.setting.n, accuracy)
    # A false alarm in ten thousand for all tests of this kind together, and 1.5 % for noise that is not quite normal.
    assert found.value == pytest.approx(exact, rel=0.015, abs=z_limit(84, 1e-4) * found.se)


@pytest.mark.parametrize("name", ["GRR", "SS"])
def test_taking_bins_for_independent_errs_on_the_safe_side(name):
    s = setting(name, k=3, n=100_000, runs=10_000, max_iter=1)
    result = ldp.run(s)
    found = advisor.achieved(result, "none", EVERY)
    exact = advisor.raw_error(s.make_mechanism(), result.true, s.n, EVERY)
    assert 0.9 * exact < found.value < exact + 4 * found.se


def test_the_product_over_the_bins_is_the_level():
    m, f = ldp.mechanism("OUE", k=6, eps=1.0), np.array([0.5, 0.2, 0.1, 0.1, 0.05, 0.05])
    x = advisor.raw_error(m, f, 30_000, EVERY)
    sigma = np.sqrt(m.noise_variance(f, 30_000))
    assert math.prod(2 * NormalDist().cdf(x / s) - 1 for s in sigma) == pytest.approx(0.95, abs=1e-9)


@pytest.mark.parametrize(("runs", "level"), [(20, 0.95), (200, 0.95), (100, 0.5)])
def test_quantiles_and_their_standard_errors(runs, level):
    rng = np.random.default_rng(2)
    found = [advisor.quantile(rng.normal(5.0, 1.0, runs), level) for _ in range(1_000)]
    values, errors = (np.array([getattr(f, key) for f in found]) for key in ("value", "se"))
    truth = 5 + NormalDist().inv_cdf(level)
    # Extreme quantiles of few runs lean a little; the standard error is right to a quarter.
    assert values.mean() == pytest.approx(truth, abs=0.12 if runs < 50 else 0.03)
    assert np.sqrt((errors**2).mean()) == pytest.approx(values.std(), rel=0.3)


def test_a_quantile_of_few_different_errors_holds_its_level():
    # With few users errors come in steps; a mean of two steps would hold no more than the lower one.
    values = np.repeat([0.10, 0.20, 0.30], [300, 630, 70])
    assert advisor.quantile(values, 0.95).value == pytest.approx(0.3)
    assert [(values <= advisor.quantile(values, level).value).mean() for level in (0.95, 0.9)] == [1, 0.93]


def test_a_single_run_has_no_standard_error():
    assert math.isnan(advisor.quantile(np.array([0.3]), 0.95).se)


def test_what_is_achieved_is_what_run_measured():
    result = ldp.run(setting(runs=100, max_iter=1))
    assert advisor.achieved(result, "limit", TV) == Measured(
        result.error("limit", "tv").mean, result.error("limit", "tv").se, 100
    )
    found = advisor.achieved(result, "limit", EVERY)
    inside = np.abs(result.limit - result.true).max(axis=1) <= found.value
    assert 0.9 <= inside.mean() <= 0.99
    assert found.runs == 100


# ---- what is needed ----------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [EVERY, TV], ids=str)
@pytest.mark.parametrize("sought", advisor.SOUGHT)
@pytest.mark.parametrize("name", ["GRR", "OUE", "SS", "L-OLH"])
def test_at_the_answer_a_larger_simulation_meets_the_bound(name, sought, accuracy):
    s = setting(name)
    answers = advisor.needed(s, accuracy, sought, ("none", *QUICK))
    for estimator, answer in answers.items():
        assert answer.method == ("closed form" if estimator == "none" else "simulation")
        assert answer.low <= answer.value <= answer.high
        assert answer.high / answer.low < 1.3
        there = replace(advisor.at(s, sought, answer.value), seed=77, runs=600, max_iter=1)
        found = advisor.achieved(ldp.run(there, advisor.scaled(s.make_histogram(), there.n)), estimator, accuracy)
        # Error falls like n^-1/2 and about like 1/ε; five standard errors of both sides, and 1 % for the line.
        slope = 0.5 if sought == "n" else 1.2
        spread = math.hypot(slope * math.log(answer.high / answer.low) / 4, found.se / found.value)
        assert math.log(found.value / accuracy.bound) == pytest.approx(0, abs=5 * spread + 0.01)


@pytest.mark.slow
@pytest.mark.parametrize(("sought", "accuracy"), [("n", EVERY), ("eps", TV)])
def test_the_ends_enclose_the_answer_of_a_larger_search(sought, accuracy):
    s = setting(k=10, n=2_000)
    data = s.make_histogram()
    best = advisor.needed(replace(s, seed=999), accuracy, sought, ("limit",), data, runs=5_000)["limit"].value
    found = [
        advisor.needed(replace(s, seed=i), accuracy, sought, ("limit",), data, runs=100)["limit"] for i in range(40)
    ]
    # 95 % by construction; if it were 90 %, fewer than 30 of 40 would still be a thing of one in a thousand.
    assert sum(a.low <= best <= a.high for a in found) >= 30
    assert np.mean([a.value for a in found]) == pytest.approx(best, rel=0.03)


def test_ibu_as_iterated_is_searched_too():
    s = setting(max_iter=200)
    answer = advisor.smallest_eps(s, "ibu", TV, runs=50)
    there = replace(advisor.at(s, "eps", answer.value), seed=5, runs=200)
    assert advisor.achieved(ldp.run(there, s.make_histogram()), "ibu", TV).value == pytest.approx(0.05, rel=0.08)


@pytest.mark.parametrize("estimator", ["none", "limit"])
def test_more_accuracy_needs_more_of_everything(estimator):
    s = setting()
    bounds = (0.005, 0.01, 0.03, 0.1)
    for ask in (advisor.smallest_eps, advisor.needed_users):
        answers = [ask(s, estimator, Accuracy("every bin", bound)).value for bound in bounds]
        assert answers == sorted(answers, reverse=True)
    levels = [advisor.needed_users(s, estimator, Accuracy("every bin", 0.01, level)).value for level in (0.5, 0.95)]
    assert levels[0] < levels[1]


def test_users_in_closed_form_are_explicit():
    # Normal noise: the error goes with 1/√n, so the number of users is explicit.
    s, fine = setting(n=10**6), Accuracy("every bin", 0.001)
    f = s.make_histogram().counts / s.n
    error = advisor.raw_error(s.make_mechanism(), f, s.n, fine)
    assert advisor.needed_users(s, "none", fine).value == math.ceil(s.n * (error / 0.001) ** 2)


@pytest.mark.parametrize("estimator", ["none", "limit"])
def test_what_can_not_be_reached_is_said(estimator):
    # BLH's cells of one bit keep q = 1/2 whatever ε is.
    s = setting("BLH", n=100, k=50)
    assert not advisor.smallest_eps(s, estimator, Accuracy("every bin", 0.001)).reached
    assert not advisor.needed_users(setting("GRR", eps=0.05, k=1000), estimator, Accuracy("tv", 0.001)).reached


@pytest.mark.parametrize("estimator", ["none", *QUICK])
@pytest.mark.parametrize("name", ["GRR", "SS", "L-OSUE"])
def test_what_is_easy_needs_the_least_of_the_range(name, estimator):
    s = setting(name, k=2, n=10**8)
    assert advisor.smallest_eps(s, estimator, Accuracy("tv", 0.3), runs=20).value == 0.05
    s = setting(name, k=2, n=100, eps=10.0)
    answer = advisor.needed_users(s, estimator, Accuracy("every bin", 0.5), runs=20)
    assert (answer.value, answer.low, answer.high) == (100, 100, 100)


@pytest.mark.parametrize(
    ("name", "eps", "share", "ends"), [("L-OUE", 7.2, 0.9, (3.6, 10)), ("L-SOUE", 1.2, 0.6, (0.05, 3.8))]
)
def test_privacy_that_a_chain_can_not_have_is_no_answer(name, eps, share, ends):
    s = setting(name, eps=eps, eps_inf=eps / share)
    easy, hard = Accuracy("every bin", 9.0), Accuracy("every bin", 1e-6)
    for estimator in ("none", "limit"):
        least = advisor.smallest_eps(s, estimator, easy, runs=20)
        assert least.value == pytest.approx(ends[0], rel=0.1)
        assert advisor.at(s, "eps", least.value).eps_inf == pytest.approx(least.value / share)
        assert not advisor.smallest_eps(s, estimator, hard, runs=20).reached
    low, high = advisor.possible_eps(s)
    assert (low, high) == (pytest.approx(ends[0], rel=0.1), pytest.approx(ends[1], rel=0.1))
    threshold, beyond = (low, 0.99 * low) if name == "L-OUE" else (high, 1.01 * high)
    assert ldp.max_eps(name, threshold / share) == pytest.approx(threshold, rel=1e-6)
    with pytest.raises(ldp.InfeasibleError):
        advisor.at(s, "eps", beyond)


def test_answers_are_the_same_every_time():
    s = setting("OLH", seed=4)
    assert advisor.needed(s, EVERY, "eps", QUICK, runs=30) == advisor.needed(s, EVERY, "eps", QUICK, runs=30)


def test_a_scaled_histogram_keeps_its_shape():
    data = setting(k=7).make_histogram()
    for n in (100, 101, 12_345, 10**9):
        found = advisor.scaled(data, n)
        assert found.counts.sum() == n
        assert np.abs(found.counts / n - data.counts / data.n).max() <= 1 / n
    assert advisor.scaled(data, data.n) is data


def test_own_data_is_used_where_it_is_given():
    s = setting(data="own", k=4, n=1_000)
    data = ldp.sample_histogram("uniform", 1_000, 4)
    assert advisor.needed_users(s, "limit", TV, data, runs=20).reached


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"kind": "some bins"}, "kind must be one of every bin, tv"),
        ({"bound": 0}, "bound must be a number above 0"),
        ({"level": 1}, "level must be a number from"),
    ],
)
def test_a_bad_accuracy_is_named(change, says):
    with pytest.raises(ValueError, match=says):
        Accuracy(**change)


def test_bad_questions_are_named():
    with pytest.raises(ValueError, match="sought must be one of eps, n"):
        advisor.needed(setting(), EVERY, "k")
    with pytest.raises(ValueError, match=r"estimators must be one of raw, mi, .*norm-sub, .*auto; got 'full'"):
        advisor.needed(setting(), EVERY, "n", ("full",))


# ---- why ---------------------------------------------------------------------------


def candidate(name, estimator, value, se=0.0, eps=2.0):
    return Candidate(ldp.mechanism(name, k=100, eps=eps), estimator, Measured(value, se, 100))


def test_the_sentence_speaks_of_less_noise_and_of_the_estimator():
    given = [
        candidate("GRR", "limit", 0.030, 0.001),
        candidate("OUE", "limit", 0.010, 0.0001),
        candidate("OUE", "mi", 0.020, 0.0001),
    ]
    text = advisor.why(given, EVERY, np.full(100, 0.01), 20_000)
    f = np.full(100, 0.01)
    less = 1 - advisor.raw_error(given[1].mechanism, f, 20_000, EVERY) / advisor.raw_error(
        given[0].mechanism, f, 20_000, EVERY
    )
    assert text.startswith("OUE with IBU limit is 67% ahead of GRR with IBU limit")
    assert f"{100 * less:.0f}% less before estimation" in text
    assert text.endswith("IBU limit takes 50% off MI's error with the same reports.")


@pytest.mark.parametrize(("measured", "gap", "word"), [("error", 0.05, ""), ("error", 0.5, "partly "), ("n", 0.09, "")])
def test_the_sentence_gives_noise_no_more_than_its_part(measured, gap, word):
    # With 100 equal values and ε = 4 SS has a few percent less noise than GRR.
    given = [candidate("GRR", "mi", 1.0, eps=4.0), candidate("SS", "mi", 1 - gap, eps=4.0)]
    text = advisor.why(given, EVERY, np.full(100, 0.01), 20_000, measured)
    assert f", {word}because its reports carry less noise: 5% less" in text


def test_the_sentence_says_where_noise_decides():
    given = [candidate("SS", "mi", 0.0100, 0.0004), candidate("OUE", "mi", 0.0105, 0.0004), candidate("GRR", "mi", 1.0)]
    assert advisor.why(given, EVERY, np.full(100, 0.01), 20_000).startswith("Too close to call: SS and OUE differ")


def test_the_sentence_says_where_it_is_not_the_noise():
    f = np.full(100, 0.01)
    given = [candidate("BLH", "limit", 0.010), candidate("OUE", "mi", 0.020)]
    assert "more noise before estimation: IBU limit makes more of them" in advisor.why(given, EVERY, f, 20_000)
    # OUE and OLH carry the same noise, but for the rounding of g.
    given = [candidate("OLH", "mi", 0.010), candidate("OUE", "mi", 0.020)]
    assert advisor.why(given, EVERY, f, 20_000).endswith("about the same noise before estimation.")


@pytest.mark.parametrize(("measured", "says"), [("eps", "needs 67% less ε than"), ("n", "needs 67% fewer users than")])
def test_the_sentence_on_what_is_needed(measured, says):
    given = [
        candidate("GRR", "limit", 3.0, 0.1),
        candidate("OUE", "limit", 1.0, 0.01),
        candidate("OUE", "mi", 2.0, 0.01),
    ]
    text = advisor.why(given, EVERY, np.full(100, 0.01), 20_000, measured)
    assert says in text
    assert text.endswith("with MI it would need 100% more.")


def test_the_sentence_on_equals():
    given = [candidate("GRR", "none", 0.05), candidate("OUE", "none", 0.05), candidate("OUE", "mi", 0.05)]
    text = advisor.why(given, EVERY, np.full(100, 0.01), 20_000, "eps")
    assert text.startswith("GRR and OUE do equally well, so let")
    assert "0%" not in text


def test_estimators_that_come_to_the_same_are_all_named():
    # Where no bin is near 0, all estimators of SS are one number; the last digits differ by how it was computed.
    given = [candidate("SS", key, 0.01 * (1 + 1e-9 * i), 1e-4) for i, key in enumerate(("ibu", "limit", "raw", "mi"))]
    given.append(candidate("OUE", "limit", 0.02, 1e-4))
    first = advisor.ranked(given)[0]
    assert advisor.name_with_ties(first, given) == "SS with any estimator of the table"
    assert advisor.as_good_estimators(given) == []
    text = advisor.why(given, EVERY, np.full(100, 0.01), 20_000)
    assert text.startswith("SS with any estimator of the table is 50% ahead of OUE with IBU limit")
    assert "makes more of them" not in text
    given.append(candidate("SS", "norm-sub", 0.0101, 1e-4))
    assert advisor.name_with_ties(first, given) == "SS with IBU, IBU limit, raw MI or MI"
    assert advisor.as_good_estimators(given) == ["Norm-Sub"]
    given[-1] = candidate("SS", "norm-sub", 0.0110, 1e-4)
    assert advisor.as_good_estimators(given) == []


def test_equal_candidates_stay_as_they_come():
    given = [candidate("SS", key, 0.01 * (1 + tiny)) for key, tiny in (("mi", 0), ("limit", -1e-10), ("ibu", 1e-10))]
    assert [c.estimator for c in advisor.ranked(given)] == ["mi", "limit", "ibu"]


def test_only_equals_are_said_to_do_equally_well():
    given = [candidate("GRR", "mi", 0.05, 0.01), candidate("OUE", "mi", 0.05, 0.01), candidate("SS", "mi", 0.051, 0.01)]
    assert advisor.why(given, EVERY, np.full(100, 0.01), 20_000).startswith("Too close to call: GRR, OUE and SS differ")


def test_one_mechanism_alone_has_no_rival():
    assert "no other mechanism" in advisor.why([candidate("SS", "mi", 0.01)], EVERY, np.full(100, 0.01), 20_000)


def test_who_alone_can_meet_a_need_is_not_the_only_one_asked():
    alone, flat = [candidate("GRR", "raw", 9.1)], np.full(2, 0.5)
    for sought in ("eps", "n"):
        assert advisor.why(alone, EVERY, flat, 100, sought) == "GRR with raw MI: no other mechanism gets there."
    assert advisor.why(alone, EVERY, flat, 100) == "GRR with raw MI: no other mechanism was asked."


def test_float_noise_is_no_difference():
    dust = [candidate("GRR", "ibu", 9e-13, 1e-14), candidate("GRR", "mi", 2e-12), candidate("OUE", "mi", 3e-12, 1e-14)]
    assert advisor.name_with_ties(dust[0], dust) == "GRR with any estimator of the table"
    assert (advisor.as_good_estimators(dust), advisor.as_good(dust)) == ([], ["OUE"])
    assert advisor.why(dust, EVERY, np.full(100, 0.01), 20_000).startswith("GRR and OUE do equally well, so")
    # A hundredth of a thousandth of a percentage point is more than that.
    assert not advisor.equal(advisor.Measured(1e-7, 0.0), advisor.Measured(2e-7, 0.0))
    # What is out of reach is no equal of anything that is not.
    assert not advisor.equal(advisor.Measured(1.0, 0.0), advisor.Measured(np.inf, 0.0))


def test_who_may_be_as_good():
    given = [candidate("GRR", "mi", 1.0, 0.1), candidate("OUE", "mi", 1.2, 0.1), candidate("SS", "mi", 2.0, 0.1)]
    assert advisor.as_good(given) == ["OUE"]
    # A noisy second estimator does not bring its mechanism back.
    assert advisor.as_good([*given, candidate("SS", "ibu", 2.1, 1.0)]) == ["OUE"]
    assert doctest.testmod(advisor).failed == 0


def test_nothing_is_all_of_it_ahead():
    measured = [("GRR", Measured(1e-6, 1e-9)), ("OUE", Measured(0.02, 1e-5))]
    candidates = [Candidate(ldp.mechanism(name, k=4, eps=1.0), "ibu", error) for name, error in measured]
    assert "is over 99% ahead of OUE" in advisor.why(candidates, Accuracy(), [0.25] * 4, 1000)
