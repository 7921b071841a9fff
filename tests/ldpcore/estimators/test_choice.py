"""How auto judges and chooses: expected errors and their differences against simulation, and what it may not choose."""

import sys

import numpy as np
import pytest
from mechanism_cases import MECHANISMS

import ldpcore as ldp
from ldpcore.estimators.auto import choose_both
from ldpcore.estimators.choice import Judged, _most_ahead
from ldpcore.estimators.groups import Group, combined, refuted
from ldpcore.estimators.postprocess import norm_sub

PEOPLE = {2: [700, 300], 3: [500, 300, 200], 6: [300, 250, 200, 150, 60, 40]}
# Five standard errors of a mean: one false alarm in 1.7 million such tests.
FAR = 5


# ---- expected errors --------------------------------------------------------------


@pytest.mark.slow
@pytest.mark.parametrize("k", PEOPLE)
@pytest.mark.parametrize("name", ["GRR", "L-GRR", "SS", "OUE"])
def test_expected_errors_are_those_of_half_as_many_reports(name, k):
    """Also where reports have a fixed size and few bins: raw MI was said to have 1.5 times its error at k = 2.

    The truth is simulated: the same shares among half as many users, which is twice the noise.
    """
    people, draws, truths = np.array(PEOPLE[k]), 250, 5_000
    n, m, rng = 1_000, ldp.mechanism(name, k=k, eps=1.0), np.random.default_rng(6)
    # Of two bins many collections are the same: few share a seed, or those would all be split alike. Of five that do,
    # a pair is the same once in five times at k = 2, which leaves the standard error of the mean as it is to 4 %.
    fives = enumerate(np.split(m.sample_counts(people, draws, rng), draws // 5))
    chosen = [choice for seed, five in fives for choice in ldp.choices(five, n, m, only=["raw", "norm-sub"], seed=seed)]
    half = Group(m.sample_counts(people // 2, truths, rng).astype(float), n // 2, m).raw
    for number, fits in enumerate((half, norm_sub(half, n // 2, m))):
        said = np.array([choice.scores[number].error for choice in chosen])
        real = np.mean((fits - people / n) ** 2, axis=-1)
        assert abs(said.mean() - real.mean()) < FAR * np.hypot(said.std() / draws**0.5, real.std() / truths**0.5)


def two_fits(name, k, seed):
    """Judge two fits that stay the same, the truth and a uniform one, by raw MI of 4 000 collections."""
    people, draws = np.array(PEOPLE[k]), 4_000
    n, m = people.sum(), ldp.mechanism(name, k=k, eps=1.0)
    judge = combined([Group(m.sample_counts(people, draws, np.random.default_rng(seed)).astype(float), n, m)])
    fits = np.stack([people / n, np.full(k, 1 / k)])[:, None].repeat(draws, axis=1)
    return Judged(fits, judge.raw, judge.free, judge.fixed)


@pytest.mark.parametrize("k", PEOPLE)
@pytest.mark.parametrize("name", ["GRR", "L-GRR", "SS", "OUE"])
def test_the_standard_error_of_a_difference_is_its_spread(name, k):
    """It was too small by √((k-1)/k)."""
    judged = two_fits(name, k, seed=7)
    squares = judged.squares.mean(axis=-1)
    # 4 000 draws know a standard deviation to 1.1 %: five of that, and two hundredths for the bins' variances, which
    # are estimated, and for a covariance that is known but for its sum.
    assert judged.difference_se(0)[1] == pytest.approx((squares[1] - squares[0]).std(), rel=FAR * 0.0112 + 0.02)


@pytest.mark.parametrize("k", PEOPLE)
@pytest.mark.parametrize("name", ["GRR", "SS", "OUE"])
def test_the_standard_error_of_an_error_is_its_spread(name, k):
    """Of two bins it was said to be 0."""
    judged = two_fits(name, k, seed=9)
    spread = judged.squares.mean(axis=-1).std(axis=-1)
    # The squares of 4 000 draws of noise alone know a standard deviation to 3 % (their kurtosis is 12 + 3 at most), and
    # so does what is said: five of both. A tenth is left for variances that are estimated, in a bin of few users.
    assert judged.error_variance**0.5 == pytest.approx(spread, rel=0.25)


def test_reports_of_both_kinds_are_judged_together_without_bias():
    """GRR, whose raw MI sums to 1 whatever the noise, beside OUE, whose does not."""
    people, draws, rng = np.array(PEOPLE[3]), 20_000, np.random.default_rng(8)
    one, two = (ldp.mechanism(name, k=3, eps=1.0) for name in ("GRR", "OUE"))
    judge = combined([Group(m.sample_counts(people, draws, rng).astype(float), 1_000, m) for m in (one, two)])
    truth = people / 1_000
    squares = Judged(np.tile(truth, (1, draws, 1)), judge.raw, judge.free, judge.fixed).squares.mean(axis=-1)[0]
    # The fit is the truth, so that its expected error is 0.
    assert abs(squares.mean()) < FAR * squares.std() / draws**0.5
    assert judge.free.min() > 0 < judge.fixed.min()


# ---- what may be chosen -----------------------------------------------------------


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize("k", [2, 5])
def test_every_estimate_is_a_histogram(name, k):
    m, rng = ldp.mechanism(name, k=k, eps=1.0), np.random.default_rng(1)
    for n in (1, 2, 3, 30):
        people = np.eye(k, dtype=int)[-1] * n
        # The same counts are split alike and give the same estimate: once is enough.
        counts = np.unique(m.sample_counts(people, 8, rng), axis=0)
        counts = counts[counts.any(axis=1)]
        if len(counts):
            made = ldp.auto(counts, n, m, ordered=True, splits=2)
            assert made.min() >= 0
            np.testing.assert_allclose(made.sum(axis=1), 1, atol=1e-12)


def test_raw_mi_is_chosen_only_where_there_is_nothing_else():
    m = ldp.mechanism("GRR", k=2, eps=1.0)
    np.testing.assert_array_equal(ldp.auto([3, 0], 3, m), [1, 0])
    raw, alone = (ldp.choices([3, 0], 3, m, only=only)[0] for only in (["raw", "mi"], ["raw"]))
    assert raw.candidate.key == "mi"
    assert raw.rival is None
    assert alone.candidate.key == "raw"
    # A single user: there is nothing to judge by.
    assert ldp.choices([1, 0], 1, m, only=["raw", "mi"])[0].candidate.key == "mi"


def test_no_histogram_lets_a_candidate_be_farther_ahead():
    """The lead is linear in the truth, so it is largest where one value has everybody: go through all of those."""
    rng, k = np.random.default_rng(2), 4
    fits = rng.dirichlet(np.ones(k), size=(3, 1))
    judged = Judged(fits, *np.zeros((3, 1, k)))
    most = _most_ahead((judged, judged), 0)

    def lead(truth):
        errors = np.mean((fits[:, 0] - truth) ** 2, axis=-1)
        return errors[0] - errors

    np.testing.assert_allclose(most, np.max([lead(truth) for truth in np.eye(k)], axis=0), atol=1e-12)
    assert all((lead(truth) <= most + 1e-12).all() for truth in rng.dirichlet(np.ones(k), size=200))


@pytest.mark.parametrize(
    ("name", "k", "n", "eps"), [("GRR", 200, 1_000, 0.5), ("OUE", 50, 1_000, 8.0), ("GRR", 2, 50, 1.0)]
)
def test_a_true_histogram_is_refuted_in_one_of_a_hundred_collections_at_most(name, k, n, eps):
    """Also where a bin that nobody has gets few reports, five and less than one: the normal law has 3 % and 20 %."""
    m, people = ldp.mechanism(name, k=k, eps=eps), np.zeros(k, dtype=int)
    people[0] = n
    counts = m.sample_counts(people, 2_000, np.random.default_rng(3)).astype(float)
    alarms = sum(refuted([Group(row, n, m)], people / n) for row in counts)
    # One in a hundred is 20 of 2 000; more than 45 has a chance of 4 in ten million.
    assert alarms <= 45


def test_a_false_histogram_is_refuted():
    """Two bins that are off by six standard deviations."""
    m, people = ldp.mechanism("OUE", k=20, eps=1.0), np.array([1_000, *np.full(18, 500), 0])
    off = 6 * float(m.noise_variance(0.05, 10_000)) ** 0.5
    other = people / 10_000 + off * np.array([-1, *np.zeros(18), 1])
    counts = m.sample_counts(people, 200, np.random.default_rng(3)).astype(float)
    # Each has 6 ± 1 where 3.5 are needed, so that both miss it in 4 of 100 000 collections: three of 200 never.
    assert sum(refuted([Group(row, 10_000, m)], other) for row in counts) >= 197


def test_where_the_counts_refute_the_steadiest_a_narrow_lead_is_enough():
    """Half of 10 000 users at one of 50 values, ε = 0.25: staying flat had 4.9 times the error of the best."""
    m = ldp.mechanism("OUE", k=50, eps=0.25)
    people = [ldp.tournament.users("spike", 10_000, 50, 1_000 + seed) for seed in range(20)]
    counts = np.concatenate([m.sample_counts(of, 1, np.random.default_rng(seed)) for seed, of in enumerate(people)])
    away = {
        key: ldp.ESTIMATORS[key](counts, 10_000, m) - np.array(people) / 10_000
        for key in ("auto", "norm-sub", "power-ns", "limit")
    }
    errors = {key: float(np.mean(differences**2)) for key, differences in away.items()}
    assert errors["auto"] < 3 * min(errors.values())


@pytest.mark.slow
def test_a_lead_that_no_histogram_allows_is_noise(monkeypatch):
    """Of 10 000 users, and noise as of 74 000 in each bin: nothing can be learned, and yet something is ahead.

    One of these 16 collections refutes the steadiest, falsely, and one has a kernel ahead by two standard errors; its
    error is a hundred times that of the others, and the mean of all was 9 times that of PowerNS, and with kernels 17.
    """
    r = ldp.run(ldp.Setting(data="gaussian", mechanism="L-GRR", eps=0.5, n=10_000, k=200, runs=40, seed=0))

    def over_power(which):
        """Without and with the order of the bins, for some of the collections."""
        both = choose_both(r.counts[which], 10_000, r.mechanism)
        errors = [ldp.metrics.mse([choice.estimate for choice in chosen], r.true) for chosen in both]
        return np.array(errors) / r.error("power-ns").mean

    assert (over_power(slice(16)).mean(axis=1) < 1.1).all()
    everything = np.full(1, np.inf)
    monkeypatch.setattr(sys.modules["ldpcore.estimators.choice"], "_most_ahead", lambda halves, index: everything)
    # These two alone bring the mean of all 16 so high.
    assert (over_power([3, 14]).sum(axis=1) / 16 > 8).all()


# ---- what it says, and what it refuses --------------------------------------------


def test_candidates_of_one_kind_are_not_too_few_reports():
    m = ldp.mechanism("OUE", k=5, eps=1.0)
    one = ldp.choices([1, 2, 3, 4, 0], 10, m, only=["ibu"])[0]
    assert one.sentence == f"{one.candidate.name}."
    assert np.isnan(one.sure)
    few = ldp.choices([1, 0, 0, 0, 0], 1, m, only=["ibu"])[0]
    assert few.sentence.endswith("too few reports to choose by.")


@pytest.mark.parametrize(
    ("only", "words"),
    [
        (["nope"], "only must be one of raw, mi, norm-sub, power-ns, limit, ibu; got 'nope'"),
        (["smooth"], "got 'smooth', which is one where bins have an order"),
        ("ibu", "only must be a sequence of keys; got 'ibu'"),
        ([3], "only must be a sequence of keys; got 3 in it"),
    ],
)
def test_candidates_that_are_none_are_refused(only, words):
    with pytest.raises(ldp.Refused, match=words):
        ldp.choices([1, 2, 3, 4, 0], 10, ldp.mechanism("OUE", k=5, eps=1.0), only=only)


def test_seeds_and_splits_are_checked():
    m = ldp.mechanism("GRR", k=3, eps=1.0)
    with pytest.raises(ldp.Refused, match=r"seed must be a whole number from 0 to .*; got -1"):
        ldp.choose_groups([([5, 3, 2], 10, m)], seed=-1)
    with pytest.raises(ldp.Refused, match="splits must be a whole number from 1 to 1,000; got 100000"):
        ldp.auto([5, 3, 2], 10, m, splits=100_000)
