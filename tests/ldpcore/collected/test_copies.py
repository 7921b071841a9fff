"""Reports that are there more than once, or that users share, get that diagnosis; every seed is fixed.

Right reports raise the alarm once in ten thousand at the most; the seeds here are fixed, and none does.
"""

import math
from itertools import combinations, product

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.collected import copies
from ldpcore.collected.copies import Prints, check_copies, fewest_ones, largest_chance, repeats_p_value
from ldpcore.collected.counted import Counted
from ldpcore.collected.fit import DOES_NOT_FIT, FITS
from ldpcore.collected.tally import Tally

N = 6_000
WIDE = [("OUE", 60, {}), ("SUE", 40, {}), ("THE", 60, {}), ("L-OSUE", 60, {"eps_inf": 2.0}), ("SS", 60, {})]


def _reports(name, k, more, n=N, eps=1.0, seed=41):
    m, rng = ldp.mechanism(name, k=k, eps=eps, **more), np.random.default_rng(seed)
    return m, np.asarray(m.privatize(np.minimum(rng.geometric(0.2, n) - 1, k - 1), rng)), rng


@pytest.mark.parametrize(("name", "k", "more"), WIDE)
def test_reports_that_are_there_twice_do_not_fit(name, k, more):
    m, once, rng = _reports(name, k, more)
    assert ldp.estimate_reports(once, m).fit[0].verdict != DOES_NOT_FIT
    for again in (once, once[: N // 50]):
        every = rng.permutation(np.concatenate([once, again]))
        fit = ldp.estimate_reports(every, m).fit[0]
        assert (fit.verdict, fit.statistic, fit.eps) == (DOES_NOT_FIT, "copies", None)
        # Of the copies those with many ones count: half of them, give or take.
        assert 0.3 * len(again) < fit.observed <= len(again)
        assert f"{fit.observed:,.0f} are equal to others, where {name} at ε = 1 with k = {k}" in fit.sentence
        assert ("several collections of the same users" in fit.sentence) == (name in ldp.LONGITUDINAL)


@pytest.mark.parametrize(("name", "k", "more"), WIDE)
def test_users_who_share_their_noise_do_not_fit(name, k, more):
    """As with a generator that every client seeds alike: users with the same value send the same report."""
    m, _, rng = _reports(name, k, more)
    values = rng.integers(0, k, N)
    fit = ldp.estimate_reports(np.asarray(m.privatize(np.arange(k), rng))[values], m).fit[0]
    assert (fit.verdict, fit.statistic) == (DOES_NOT_FIT, "copies")


@pytest.mark.parametrize(("name", "eps"), [("OUE", 3.0), ("SUE", 5.0), ("THE", 4.0)])
def test_a_larger_eps_is_not_taken_for_copies(name, eps):
    m, reports, _ = _reports(name, 20, {}, eps=eps)
    fit = ldp.estimate_reports(reports, m.with_eps(0.5)).fit[0]
    assert fit.statistic == "total support"
    assert fit.sentence.startswith("These reports look like ε ≈ ")
    # With as little noise chance makes many alike.
    assert ldp.estimate_reports(np.concatenate([reports, reports]), m).fit[0].verdict == FITS


@pytest.mark.parametrize("name", ["OUE", "OLH"])
def test_copies_are_found_anywhere_in_a_long_file(monkeypatch, name):
    """A few fingerprints are kept of many, but with all their copies; and the same ones whatever the batches are."""
    monkeypatch.setattr(copies, "MOST", 2_000)
    m, rng = ldp.mechanism(name, k=60, eps=1.0), np.random.default_rng(42)
    kind = m.report_kind
    once = m.privatize(rng.integers(0, 60, 20_000), rng)
    whole, tally = Counted.of_reports(once, m), Tally()
    for rows in np.split(rng.permutation(20_000), [10, 3_000, 11_000]):
        tally.add(m, kind.take(once, rows))
    (parts,) = tally.groups()
    assert whole.fit(1_000).fits
    assert parts.fit(1_000).fits
    kept, same = parts.prints.settled(), whole.prints.settled()
    assert kept.values.size == kept.n <= 2_000
    np.testing.assert_array_equal(kept.values, same.values)
    # The other copies come behind all of the first.
    tally.add(m, once)
    (twice,) = tally.groups()
    assert twice.prints.settled().repeats == kept.n > 500
    fit = twice.fit(1_000)
    assert (fit.statistic, fit.verdict) == ("seeds" if name == "OLH" else "copies", DOES_NOT_FIT)
    assert "of these 40,000 reports" in fit.sentence


def test_a_long_file_of_hashed_reports_that_is_there_twice_does_not_fit():
    m, rng = ldp.mechanism("OLH", k=4, eps=1.0), np.random.default_rng(43)
    once = m.privatize(rng.integers(0, 4, 60_000), rng)
    assert ldp.estimate_reports(once, m).fit[0].verdict == FITS
    assert ldp.estimate_reports(m.report_kind.join([once, once]), m).fit[0].statistic == "seeds"


def test_several_collections_of_users_who_keep_their_hash_functions_are_named():
    m, rng = ldp.mechanism("L-OLH", k=20, eps=1.0, eps_inf=2.0), np.random.default_rng(44)
    memos = m.memoize(rng.integers(0, 20, 2_000), rng)
    days = [m.report(memos, rng) for _ in range(2)]
    assert ldp.estimate_reports(days[0], m).fit[0].statistic == "total support"
    assert "several collections of the same users: count each alone" in (
        ldp.estimate_reports(m.report_kind.join(days), m).fit[0].sentence
    )


# ---- the bound ----------------------------------------------------------------------


def _chances(m, value):
    """Return the chance of every report of a user with this value, by definition."""
    if m.support_size is not None:
        sets = [set(some) for some in combinations(range(m.k), m.support_size)]
        own = sum(value in some for some in sets)
        return {tuple(sorted(some)): m.p / own if value in some else (1 - m.p) / (len(sets) - own) for some in sets}
    rates = [m.p if v == value else m.q for v in range(m.k)]
    return {
        bits: math.prod(rate if bit else 1 - rate for bit, rate in zip(bits, rates, strict=True))
        for bits in product((0, 1), repeat=m.k)
    }


@pytest.mark.parametrize("eps", [0.001, 0.5, 1.0, 3.0, 20.0])
@pytest.mark.parametrize("name", ["SUE", "OUE", "THE", "L-OUE", "SS"])
@pytest.mark.parametrize("k", [2, 3, 7])
def test_no_report_that_counts_is_likelier_than_the_bound(name, k, eps):
    m = ldp.mechanism(name, k=k, eps=eps, **({"eps_inf": 2 * eps} if name in ldp.LONGITUDINAL else {}))
    fewest = fewest_ones(m)
    every = [_chances(m, value) for value in range(k)]
    assert sum(every[0].values()) == pytest.approx(1)
    likeliest = max(chance for each in every for report, chance in each.items() if sum(report) >= fewest)
    if m.support_size is None:
        assert largest_chance(m, fewest) == pytest.approx(likeliest)
        counted = sum(chance for report, chance in every[0].items() if sum(report) >= fewest)
        assert counted > 0.45
    else:
        assert largest_chance(m, 0) == pytest.approx(max(max(each.values()) for each in every))


@pytest.mark.parametrize("name", ["SS", "OUE", "SUE"])
def test_there_can_be_any_number_of_values(name):
    m, rng = ldp.mechanism(name, k=20_000, eps=1.0), np.random.default_rng(49)
    once = np.asarray(m.privatize(rng.integers(0, 20_000, 8), rng))
    assert 0 <= largest_chance(m, fewest_ones(m)) < 1e-250
    assert Counted.of_reports(once, m).fit(1_000).fits
    assert Counted.of_reports(np.concatenate([once, once]), m).fit(1_000).statistic == "copies"


def test_the_chance_of_repeats_is_bounded_for_any_users():
    # All that five users can send with three bits each: how many of the reports that count repeat an earlier one.
    m = ldp.mechanism("SUE", k=3, eps=1.0)
    fewest = fewest_ones(m)
    for values in ((0, 0, 0, 0, 0), (0, 1, 2, 0, 1), (2, 2, 2, 1, 0)):
        laws = [[(r, c) for r, c in _chances(m, v).items()] for v in values]
        at_least = np.zeros(6)
        for sent in product(*laws):
            counting = [report for report, _ in sent if sum(report) >= fewest]
            at_least[: len(counting) - len(set(counting)) + 1] += math.prod(chance for _, chance in sent)
        mean = 5 * 4 / 2 * largest_chance(m, fewest)
        for repeats in range(6):
            assert at_least[repeats] <= mean**repeats / math.factorial(repeats) + 1e-12
            assert repeats_p_value(repeats, mean) == pytest.approx(min(1, mean**repeats / math.factorial(repeats)))


def test_right_reports_seldom_alarm():
    # The bound is far from tight: of 400 collections with some equal reports each, none comes near the alarm.
    m, rng, repeats = ldp.mechanism("SUE", k=16, eps=1.0), np.random.default_rng(45), []
    for _ in range(400):
        prints = Prints.of(m.privatize(np.zeros(2_000, dtype=np.int64), rng), m).settled()
        repeats.append(prints.repeats)
        assert check_copies(prints, 2_000, m) is None
    assert min(repeats) > 0


def test_the_sentence_says_what_chance_makes_equal():
    m, once, _ = _reports("OUE", 20, {}, n=4_000, eps=0.5)
    fit = ldp.estimate_reports(np.concatenate([once, once]), m).fit[0]
    assert 1 < fit.expected == pytest.approx(8_000 * 7_999 / 2 * largest_chance(m, fewest_ones(m)))
    assert f" makes at most {fit.expected:,.3g} on average." in fit.sentence
    m, two, _ = _reports("SS", 60, {}, n=2)
    fit = ldp.estimate_reports(np.concatenate([two, two[:1]]), m).fit[0]
    assert "of these 3 reports one is equal to another, where SS at ε = 1 with k = 60 values makes hardly any." in (
        fit.sentence
    )


def test_what_chance_makes_alike_is_not_looked_at():
    for name, k, eps in (("OUE", 2, 1.0), ("OUE", 20, 20.0), ("GRR", 100, 1.0), ("SS", 3, 3.0)):
        m = ldp.mechanism(name, k=k, eps=eps)
        assert Prints.of(m.privatize(np.zeros(50, dtype=np.int64), np.random.default_rng(46)), m) is None
