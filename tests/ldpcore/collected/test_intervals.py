"""Intervals: what they hold is added up from the laws of the counts, not simulated."""

import math

import numpy as np
import pytest
from mechanism_cases import MECHANISMS

import ldpcore as ldp
from ldpcore.collected.intervals import EXACT_BELOW, INTERVALS, Support, Variance, count_interval, cut, mixed_interval
from ldpcore.theory.count_law import sum_window

pytestmark = pytest.mark.slow


def held(kind, support, truths, level=0.95, cut_off=False):
    """Return the chance that the interval of a count holds each truth, a frequency; exact."""
    n, p, q = support.n, support.p, support.q
    ends = count_interval(kind, np.arange(n + 1), support, level)
    low, high = cut(ends) if cut_off else ends
    chances = []
    for f in truths:
        users = round(f * n)
        law = sum_window(users, p, n - users, q) if kind == "noise" else sum_window(n, q + (p - q) * f, 0, q)
        counts = law[0][0] + np.arange(law[1].shape[1])
        inside = counts <= n
        counts = np.minimum(counts, n)
        # The ends are numbers of users over n: equal ones must not differ in the last digit.
        holds = inside & (low[counts] <= f + 1e-12) & (high[counts] >= f - 1e-12)
        chances.append(float(law[1][0] @ holds))
    return np.array(chances)


def forced(support):
    """Return the least chance of at least 94 % that an interval can have for a value that nobody has."""
    _, pmf = sum_window(0, support.p, support.n, support.q)
    total = np.cumsum(np.sort(pmf[0])[::-1])
    return float(total[np.argmax(total >= 0.94)])


def few_users(n, p):
    """Return frequencies from nobody to where counts are no longer small, and some up to everybody."""
    some = np.unique(np.concatenate([np.linspace(0, min(n, 60 / p), 40), np.linspace(0, n, 15)]).astype(int))
    return some / n


@pytest.mark.parametrize("kind", INTERVALS)
@pytest.mark.parametrize("small", [0.1, 0.17, 0.5, 1.0, 3.0, 10.0, 40.0])
@pytest.mark.parametrize("p", [0.5, 0.95])
def test_no_truth_is_held_less_often_than_94_percent(kind, small, p):
    support = Support(400, p, small / 400)
    chances = held(kind, support, few_users(400, p))
    assert chances.min() >= 0.94
    # For a value that nobody has 94 to 97 %, or what whole counts leave no choice about.
    assert chances[0] <= max(0.97, forced(support)) + 1e-9
    # Over the values with users in them it is what was asked for.
    assert 0.945 <= chances[1:].mean() <= 0.97


@pytest.mark.parametrize("kind", INTERVALS)
@pytest.mark.parametrize("name", MECHANISMS)
def test_every_mechanism_holds_94_to_97_percent(name, kind):
    for k, eps, n in ((20, 1.0, 150), (20, 4.0, 300), (60, 6.0, 100)):
        m = ldp.mechanism(name, k=k, eps=eps)
        chances = held(kind, Support(n, m.p, m.q), np.unique(np.linspace(0, n, 25).astype(int)) / n)
        assert chances.min() >= 0.94
        # Whole counts force more where p is nearly 1: noise that is nearly never there can't miss 5 % of the time.
        noisy = n * m.p * (1 - m.p) > 1
        assert chances.mean() <= (0.97 if noisy else 1.0)


@pytest.mark.parametrize("kind", INTERVALS)
@pytest.mark.parametrize("level", [0.5, 0.9, 0.99, 0.999])
def test_other_levels_are_held_too(kind, level):
    support = Support(300, 0.5, 0.02)
    chances = held(kind, support, few_users(300, 0.5), level)
    assert chances.min() >= level - (1 - level) / 5 - 1e-9
    assert abs(chances[5:].mean() - level) < 0.35 * (1 - level)


@pytest.mark.parametrize("kind", INTERVALS)
def test_where_the_switch_is_both_ways_hold(kind):
    # The variance at a frequency of 0 is just below and just above the switch.
    for small in (0.8, 0.97, 1.03, 1.3):
        q = small * EXACT_BELOW / 2_000
        chances = held(kind, Support(2_000, 0.5, q), few_users(2_000, 0.5))
        assert chances.min() >= 0.94
        assert abs(chances.mean() - 0.95) < 0.005


@pytest.mark.parametrize("kind", INTERVALS)
def test_exact_and_score_intervals_meet(kind):
    support = Support(5_000, 0.5, 0.012)
    counts = np.arange(30, 90)
    low, high = count_interval(kind, counts, support, 0.95)
    assert (np.diff(low) >= 0).all()
    assert (np.diff(high) >= 0).all()
    raw = (counts / 5_000 - support.q) / (support.p - support.q)
    score = Variance.of(kind, [support], np.ones(1)).interval(raw, 1.959964)
    spread = math.sqrt(EXACT_BELOW) / 5_000 / (support.p - support.q)
    assert np.abs(np.stack([low, high]) - score).max() < 0.25 * spread


def test_an_interval_cut_to_what_is_possible_holds_as_much():
    support = Support(400, 0.5, 0.03)
    truths = few_users(400, 0.5)
    assert (held("noise", support, truths, cut_off=True) >= held("noise", support, truths) - 1e-12).all()
    ends = cut(count_interval("noise", np.arange(401), support, 0.95))
    assert ends.min() == 0
    assert ends.max() == 1


@pytest.mark.parametrize("kind", INTERVALS)
def test_every_count_has_an_interval_around_its_estimate(kind):
    for n, p, q in ((1, 0.5, 0.3), (3, 0.9, 0.1), (50, 0.5, 1e-9), (50, 1.0, 0.0), (80, 0.55, 0.5), (30, 0.011, 0.01)):
        counts = np.arange(n + 1)
        low, high = count_interval(kind, counts, Support(n, p, q), 0.95)
        raw = (counts / n - q) / (p - q)
        assert (low <= raw + 1e-9).all()
        assert (high >= raw - 1e-9).all()
        assert (low >= -q / (p - q) - 1e-9).all()
        assert (high <= (1 - q) / (p - q) + 1e-9).all()


def test_equal_counts_have_equal_intervals_in_any_order():
    support = Support(300, 0.5, 0.01)
    counts = np.array([7, 0, 120, 7, 2])
    ends = count_interval("population", counts, support, 0.95)
    for place, count in enumerate(counts):
        alone = count_interval("population", counts[place : place + 1], support, 0.95)
        # Truths are tried in other steps, a 25th of a spread apart.
        np.testing.assert_allclose(ends[:, place], alone[:, 0], atol=0.1 * math.sqrt(max(count, 1)) / 300 / 0.49)
    np.testing.assert_array_equal(ends[:, 0], ends[:, 3])


def test_several_eps_hold_the_frequencies_of_all_users():
    # Two groups drawn at random from the same users: a large one with little privacy, a small one with much.
    rng, runs, sizes = np.random.default_rng(5), 3_000, (3_000, 1_000)
    ms = [ldp.mechanism("OUE", k=5, eps=eps) for eps in (0.5, 3.0)]
    users = np.array([2_000, 1_200, 500, 300, 0])
    supports = [Support(n, m.p, m.q) for m, n in zip(ms, sizes, strict=True)]
    weights = np.array([1 / float(m.noise_variance(0.0, n)) for m, n in zip(ms, sizes, strict=True)])
    weights /= weights.sum()
    first = rng.multivariate_hypergeometric(users, sizes[0], size=runs)
    raw, weighted = 0.0, 0.0
    for m, n, weight, group in zip(ms, sizes, weights, (first, users - first), strict=True):
        counts = rng.binomial(group, m.p) + rng.binomial(n - group, m.q)
        raw = raw + weight * (counts / n - m.q) / (m.p - m.q)
        weighted = weighted + weight * group / n
    low, high = mixed_interval("noise", raw.ravel(), supports, weights, 0.95)
    shares = {}
    for name, truth in (("own", np.broadcast_to(users / 4_000, raw.shape)), ("weighted", weighted)):
        holds = (low <= truth.ravel()) & (truth.ravel() <= high)
        shares[name] = holds.reshape(raw.shape).mean(axis=0)
    # 3,000 collections: four standard deviations are 1.6 points. A false alarm in 3,000.
    assert np.abs(shares["own"] - 0.95).max() < 0.016 + 0.005
    assert (shares["weighted"] >= shares["own"] - 0.005).all()
    # What the interval would be without the draw of who is in which group holds too little.
    plain = sum(
        w**2 * np.asarray(m.noise_variance(users / 4_000, n)) for w, m, n in zip(weights, ms, sizes, strict=True)
    )
    assert (np.abs(raw - users / 4_000) <= 1.96 * np.sqrt(plain)).mean(axis=0)[0] < 0.93


def test_intervals_around_any_estimate_are_those_of_the_counts():
    r = ldp.run(ldp.Setting(data="poisson", mechanism="OUE", n=5_000, k=12, runs=3, max_iter=10))
    for kind in ("noise", "population"):
        both = ldp.intervals(r.counts, 5_000, r.mechanism, kind=kind, level=0.9)
        assert both.shape == (3, 2, 12)
        for counts, ends in zip(r.counts, both, strict=True):
            alone = ldp.estimate(counts, 5_000, r.mechanism, level=0.9)
            np.testing.assert_allclose(ends, alone.within(kind))
    with pytest.raises(ldp.Refused, match="level must be above 0"):
        ldp.intervals(r.counts, 5_000, r.mechanism, level=1.0)
    with pytest.raises(ldp.Refused, match="kind must be one of"):
        ldp.intervals(r.counts, 5_000, r.mechanism, kind="bootstrap")


@pytest.mark.slow
def test_they_hold_the_truth():
    """Among the users: 95 % of all bins, in 200 collections of 50 bins."""
    r = ldp.run(ldp.Setting(data="acs-income", mechanism="OUE", n=20_000, k=50, runs=200, max_iter=1))
    low, high = np.moveaxis(ldp.intervals(r.counts, 20_000, r.mechanism), -2, 0)
    held = ((low <= r.true) & (r.true <= high)).mean()
    # 10 000 intervals, of which 95 % hold: five standard errors are 1.1 points.
    assert 0.939 < held < 0.975
