"""Held-out reports get the right diagnosis: right ones, those of another ε or of other cells, and a value that leaks.

Every random test has a fixed seed; each says how often a correct library would fail it.
"""

import itertools
import math

import numpy as np
import pytest
from collected_counts import VARYING
from mechanism_cases import HASHING, KNOWN, MECHANISMS, UNARY

import ldpcore as ldp
from benchmarks.guarantees import made as stated
from benchmarks.guarantees import shares
from ldpcore.collected.fit import DOES_NOT_FIT, FIT_ALARM, FITS, UNCHECKED
from ldpcore.collected.hashed_fit import CELLS_ALARM, cells_of, cells_p_value, check_hashed_fit, most_cells
from ldpcore.collected.rare_values import kept_share, simulated_floor, too_few
from ldpcore.collected.single_values import impossible_values
from ldpcore.collected.total_support import total_has_power, total_law, total_p_value
from ldpcore.theory.count_law import binomial_tails

pytestmark = pytest.mark.slow

SHAPES = ("flat", "spike", "ten", "last")
FIXED = ("GRR", "L-GRR", "SS")
# k, ε and n: small and large counts, few and many values. The longitudinal ε∞ is 2ε + 1.
PLACES = [(2, 1.0, 300), (5, 4.0, 60), (20, 0.5, 5_000), (50, 1.0, 50_000), (50, 7.0, 400), (300, 2.0, 2_000)]


def users(shape, n, k, rng):
    return rng.multinomial(n, shares(shape, k))


def collections(name, place, rng, runs, made=0.0):
    """Return the stated mechanism and counts of all shapes of data, made at an ε larger than stated by `made`."""
    k, eps, n = place
    m = stated(name, k, eps)
    maker = m.with_eps(eps + made, same_shape=True) if made else m
    return m, np.concatenate([maker.sample_counts(users(shape, n, k, rng), runs, rng) for shape in SHAPES])


# ---- right reports ------------------------------------------------------------------


# Its loop takes the ways of other tests many times; measured, it would take twice as long.
@pytest.mark.unmeasured
def test_false_alarms_are_one_in_a_thousand_at_the_most():
    rng = np.random.default_rng(20)
    alarms, checked = [], 0
    for name, place in itertools.product(MECHANISMS, PLACES):
        m, drawn = collections(name, place, rng, 2)
        for counts in drawn:
            checked += 1
            if not ldp.check_fit(counts, place[2], m).fits:
                alarms.append((name, place))
    # 672 collections: 0.7 alarms on average if every test used up its 0.001. More than 5 have a chance of 0.0001.
    assert checked == 672
    assert len(alarms) <= 5, alarms


@pytest.mark.parametrize("name", VARYING)
def test_p_values_are_those_of_the_counts(name):
    # At a level of 10 %, where there is more to count: 200 collections, at most 10 % + 4.5 standard deviations.
    rng = np.random.default_rng(21)
    m = stated(name, 10, 1.0)
    drawn = m.sample_counts(users("spike", 400, 10, rng), 200, rng)
    single = np.array([impossible_values(counts, 400, m.p, m.q, 0.1).p_value for counts in drawn])
    assert (single < 0.1).mean() < 0.1 + 4.5 * 0.0213
    # The total alone is two-sided and uniform: neither too small nor too large.
    # Half of the totals come more than once.
    different, which = np.unique(drawn.sum(axis=1), return_inverse=True)
    totals = np.array([total_p_value(int(total), 400, m) for total in different])[which]
    assert abs((totals < 0.5).mean() - 0.5) < 4.5 * 0.0354
    both = ldp.check_fit(drawn[0], 400, m).p_value
    assert both == pytest.approx(min(1, 2 * min(totals[0], single[0])))


@pytest.mark.parametrize("name", FIXED)
@pytest.mark.parametrize("shape", ["flat", "ten"])
def test_counts_are_never_below_the_floor(name, shape):
    # At a level of 5 %, 600 collections: at most 5 % + 4.5 standard deviations.
    rng = np.random.default_rng(22)
    for k, n in ((3, 200), (12, 300), (40, 4_000)):
        m = stated(name, k, 1.0)
        floor = simulated_floor(n, k, m.support_size, m.p)
        drawn = m.sample_counts(users(shape, n, k, rng), 600, rng)
        assert np.mean([too_few(counts, floor).p_value < 0.05 for counts in drawn]) < 0.05 + 4.5 * 0.009


def test_the_floor_is_that_of_random_sets():
    # Users without the value: a share 1 - κ sends any set, the others one with their own value and ω - 1 others.
    m = ldp.mechanism("SS", k=10, eps=1.0)
    kept = kept_share(m.k, m.support_size, m.p)
    assert kept + (1 - kept) * m.support_size / m.k == pytest.approx(m.p)
    assert (1 - kept) * m.support_size / m.k + kept * (m.support_size - 1) / (m.k - 1) == pytest.approx(m.q)
    grr = ldp.mechanism("GRR", k=10, eps=1.0)
    assert kept_share(10, 1, grr.p) == pytest.approx(grr.p - grr.q)


def test_many_values_are_looked_at_in_part():
    n, k = 3_000, 25_000
    m = ldp.mechanism("GRR", k=k, eps=8.0)
    floor = simulated_floor(n, k, 1, m.p, budget=10_000)
    assert floor.step == 3
    having = np.zeros(k, dtype=int)
    having[0] = n
    counts = m.sample_counts(having, 1, np.random.default_rng(1))[0]
    assert too_few(counts, floor).p_value > 1e-4


# ---- another ε ----------------------------------------------------------------------


# Its loop takes the ways of other tests many times; measured, it would take twice as long.
@pytest.mark.unmeasured
def test_reports_made_with_less_privacy_never_get_a_tick():
    rng = np.random.default_rng(23)
    ticks, checked, alarms = [], 0, 0
    for name, place in itertools.product(MECHANISMS, PLACES):
        k, eps, n = place
        if eps + 1 >= stated(name, k, eps).max_eps(2 * eps + 1):
            continue
        m, drawn = collections(name, place, rng, 1, made=1.0)
        for counts in drawn:
            fit = ldp.check_fit(counts, n, m, budget=5_000)
            checked += 1
            alarms += fit.verdict == DOES_NOT_FIT
            if fit.verdict == FITS:
                ticks.append((name, place))
    # Where the verdict could be "fits", one in 1,000 at the most is missed: less than 0.3 on average. More than 4
    # have a chance below 10⁻⁴.
    assert checked > 265
    assert len(ticks) <= 4, ticks
    # And an alarm is no rarity: the test sees something.
    assert alarms > checked / 3


@pytest.mark.parametrize("name", VARYING)
def test_a_tick_means_that_another_eps_would_have_been_seen(name):
    m, n, k = stated(name, 20, 1.0), 1_000_000, 20
    rng = np.random.default_rng(24)
    counts = m.sample_counts(np.full(k, n // k), 1, rng)[0]
    assert total_has_power(m, n, FIT_ALARM / 2)
    fit = ldp.check_fit(counts, n, m)
    assert fit.verdict == FITS
    assert fit.sentence.startswith("These reports fit: the total support is ")
    # Four reports say nothing.
    few = ldp.check_fit(m.sample_counts(np.eye(k, dtype=int)[0] * 4, 1, rng)[0], 4, m)
    assert few.verdict == UNCHECKED
    assert few.fits
    assert "can't be checked" in few.sentence


def test_two_values_of_sue_can_not_be_checked():
    # One of two values is supported on average, whatever ε is.
    fit = ldp.check_fit([50_700, 49_300], 100_000, ldp.mechanism("SUE", k=2, eps=1.0))
    assert (fit.verdict, fit.eps) == (UNCHECKED, None)


@pytest.mark.parametrize("name", FIXED)
def test_where_reports_support_equally_many_values_a_tick_is_never_given(name):
    # Made at 1 and stated as 3: only the data look flatter.
    m = stated(name, 20, 1.0)
    counts = m.sample_counts(users("spike", 50_000, 20, np.random.default_rng(2)), 1, np.random.default_rng(3))[0]
    fit = ldp.check_fit(counts, 50_000, m.with_eps(3.0, same_shape=True) if name == "SS" else stated(name, 20, 3.0))
    assert (fit.verdict, fit.fits, fit.eps) == (UNCHECKED, True, None)
    assert fit.statistic == "rare values"


@pytest.mark.parametrize(("name", "k", "n"), [("GRR", 50, 5_000), ("L-GRR", 50, 50_000), ("SS", 50, 20_000)])
def test_the_smallest_eps_that_is_not_rejected_is_a_bound(name, k, n):
    rng = np.random.default_rng(25)
    m = ldp.mechanism(name, k=k, eps=2.0, **({"eps_inf": 5.0, "calibration": "tight"} if name == "L-GRR" else {}))
    m = m.with_eps(2.0, same_shape=True)
    said = m.with_eps(1.0, same_shape=True)
    drawn = m.sample_counts(users("ten", n, k, rng), 10, rng)
    fits = [ldp.check_fit(counts, n, said, budget=50_000) for counts in drawn]
    # The bound is above 2 once in 1,000 at the most: one in ten has a chance of 1 %, two of 0.005 %.
    assert sum(fit.eps is not None and fit.eps > 2 for fit in fits) <= 1
    assert all(fit.verdict == DOES_NOT_FIT for fit in fits)
    assert all(fit.eps > 1 for fit in fits)
    assert fits[0].sentence.startswith(f"These reports look like ε ≥ {fits[0].eps:.2f}, not 1")
    assert fits[0].observed < fits[0].expected - 3 * fits[0].sd


# ---- cells of hashed reports ----------------------------------------------------------


@pytest.mark.parametrize("said", [0.3, 1.5, 2.0, 3.0])
@pytest.mark.parametrize("name", ["OLH", "L-OLH"])
def test_the_cells_of_hashed_reports_tell_eps(name, said):
    inf = {"eps_inf": 4.0} if name == "L-OLH" else {}
    rng = np.random.default_rng(26)
    m = ldp.mechanism(name, k=50, eps=1.0, **inf)
    reports = m.privatize(rng.choice(50, 40_000, p=np.arange(50, 0, -1) / 1_275), rng)
    assert check_hashed_fit(reports, m) is None
    fit = check_hashed_fit(reports, ldp.mechanism(name, k=50, eps=said, **inf))
    assert fit.verdict == DOES_NOT_FIT
    assert fit.eps == pytest.approx(1, abs=0.2)
    assert fit.sentence.startswith(f"These reports look like ε ≈ {fit.eps:.2f}, not {said:g}")
    assert f"so they were made with {m.g} cells" in fit.sentence
    # What is suggested is no mistake: the mechanism has these cells there.
    suggested = ldp.mechanism(name, k=50, eps=fit.eps, **inf)
    assert suggested.g == m.g
    assert ldp.check_fit(suggested.support_counts(reports), 40_000, suggested).fits


def test_many_cells_are_not_all_seen():
    # 500 reports of 1,098 cells: the largest value seen is somewhat below, and that fits.
    m = ldp.mechanism("OLH", k=30, eps=7.0)
    rng = np.random.default_rng(27)
    reports = m.privatize(rng.integers(0, 30, 500), rng)
    assert cells_of(reports.value[:300]) < m.g
    assert check_hashed_fit(ldp.HashedReports(*(part[:300] for part in reports)), m) is None
    assert check_hashed_fit(reports, m) is None
    fit = check_hashed_fit(reports, ldp.mechanism("OLH", k=30, eps=8.0))
    assert fit.eps == pytest.approx(7, abs=0.1)
    # Few reports do not tell the number of cells.
    assert check_hashed_fit(ldp.HashedReports([1, 2], [0, 1]), ldp.mechanism("OLH", k=30, eps=1.0)) is None


def test_right_cells_raise_hardly_an_alarm_of_their_own():
    # 300 reports of 1,098 cells: the largest value seen is anywhere near the end, and small by chance alone.
    m, rng, n = ldp.mechanism("OLH", k=30, eps=7.0), np.random.default_rng(32), 300
    # The largest of n uniform numbers has the law of one to the power of 1/n.
    seen, times = np.unique((m.g * rng.random(100_000) ** (1 / n)).astype(int) + 1, return_counts=True)
    alarms = sum(int(many) for s, many in zip(seen, times, strict=True) if cells_p_value(int(s), n, m.g) < CELLS_ALARM)
    # 10 on average; more than 27 have a chance of 10⁻⁵, and at the level of the counts there would be 100.
    assert alarms <= 27
    few = int(m.g * CELLS_ALARM ** (1 / n))
    for largest, alarm in ((few - 1, True), (few, False)):
        reports = ldp.HashedReports(np.arange(n), np.where(np.arange(n) == 0, largest, 0))
        assert (check_hashed_fit(reports, m) is not None) == alarm


def test_the_chance_of_the_cells_seen():
    assert cells_p_value(3, 2, 4) == pytest.approx((3 / 4) ** 2)
    assert cells_p_value(5, 2, 4) == 0
    assert most_cells(4, 1_000) == 4
    for seen, n in ((4, 10), (100, 50)):
        most = most_cells(seen, n)
        assert cells_p_value(seen, n, most) >= FIT_ALARM > cells_p_value(seen, n, most + 1)


@pytest.mark.parametrize("name", HASHING)
def test_too_many_values_of_hashed_reports_can_not_be_seen(name):
    rng = np.random.default_rng(28)
    n = 500_000
    m, more = stated(name, 20, 1.0), stated(name, 40, 1.0)
    right = ldp.check_fit(m.sample_counts(np.full(20, n // 20), 1, rng)[0], n, m)
    assert right.verdict == FITS
    wrong = ldp.check_fit(more.sample_counts(np.repeat([n // 20, 0], 20), 1, rng)[0], n, more)
    assert (wrong.verdict, wrong.fits) == (UNCHECKED, True)
    assert "Whether there are k = 40 values can't be checked" in wrong.sentence


# ---- a value that leaks ---------------------------------------------------------------


@pytest.mark.parametrize("name", [name for name in UNARY if name in KNOWN])
@pytest.mark.parametrize("what", ["as it is", "never", "always"])
def test_a_bit_that_is_not_randomized_is_named(name, what):
    rng, n, k, value = np.random.default_rng(29), 28_000, 16, 15
    m = stated(name, k, 1.0)
    having = users("spike", n, k, rng)
    counts = m.sample_counts(having, 1, rng)[0]
    counts[value] = {"as it is": having[value], "never": 0, "always": n}[what]
    fit = ldp.check_fit(counts, n, m)
    assert fit.verdict == DOES_NOT_FIT
    assert (fit.statistic, fit.values, fit.eps) == ("single value", (value,), None)
    side = "most" if what == "always" else "least"
    assert fit.sentence.startswith(
        f"Value 15 has {counts[value]:,} reports where {name} at ε = 1 gives every value at {side}"
    )
    chance = m.p if what == "always" else m.q
    assert fit.expected == pytest.approx(n * chance)
    assert fit.sd == pytest.approx(math.sqrt(n * chance * (1 - chance)))


def test_a_value_of_grr_that_is_never_reported_is_named():
    rng, n = np.random.default_rng(30), 20_000
    m = ldp.mechanism("GRR", k=20, eps=1.0)
    counts = m.sample_counts(users("flat", n, 20, rng), 1, rng)[0]
    counts[0] += counts[7]
    counts[7] = 0
    fit = ldp.check_fit(counts, n, m)
    assert (fit.verdict, fit.values) == (DOES_NOT_FIT, (7,))
    assert fit.eps > 3
    assert "Or only this is wrong: value 7 has 0 reports" in fit.sentence


@pytest.mark.parametrize("name", ["SUE", "OUE"])
def test_where_no_value_is_left_none_is_said_to_fit(name):
    # A generator with a fixed seed: everybody has the same noise, so each bit is 1 for all others, or 0. The total
    # support is what it should be, where as many bits are 1 as are expected.
    n, k = 20_000, 24
    m = ldp.mechanism(name, k=k, eps=1.0)
    ones = round(((k - 1) * m.q + m.p) * n)
    counts = np.zeros(k, dtype=np.int64)
    counts[: ones // n] = n
    counts[ones // n] = ones % n
    fit = ldp.check_fit(counts, n, m)
    assert abs(fit.p_value) < FIT_ALARM
    assert (fit.verdict, fit.statistic) == (DOES_NOT_FIT, "single value")
    assert len(fit.values) >= k - 1
    assert "other values fit" not in fit.sentence
    assert fit.sentence.endswith("No ε explains so many: users may share their noise.")


def test_counts_that_no_eps_explains_are_said_to_fit_none():
    m = ldp.mechanism("OUE", k=10, eps=1.0)
    fit = ldp.check_fit([1_000] * 10, 1_000, m)
    assert fit.sentence.startswith("These reports do not fit OUE at any ε")
    assert "9 more values" in fit.sentence


def test_impossible_values_are_found_with_the_stated_error():
    n, p, q = 1_000, 0.5, 0.1
    counts = np.array([100, 62, 100, 562, 480])
    below, above = binomial_tails(n, q, 62)[0], binomial_tails(n, p, 562)[1]
    found = impossible_values(counts, n, p, q, 0.01)
    assert found.values == ((1, 3) if below < above else (3, 1))
    assert found.p_value == pytest.approx(10 * min(below, above))
    assert impossible_values(counts, n, p, q, 1e-6).values == ()


# ---- the total ------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["OUE", "THE"])
def test_a_total_with_hardly_any_noise_is_no_alarm(name):
    # ε = 12: a handful of bits in 5,000 are wrong, which is Poisson and far from normal.
    m, n, k = ldp.mechanism(name, k=50, eps=12.0), 100, 50
    law = total_law(m, n)
    rng = np.random.default_rng(31)
    totals = m.sample_counts(users("flat", n, k, rng), 5_000, rng).sum(axis=1)
    different, times = np.unique(totals, return_counts=True)
    alarms = sum(int(many) for t, many in zip(different, times, strict=True) if total_p_value(int(t), n, m) < 0.001)
    # 5,000 collections, 5 on average: more than 16 have a chance of 10⁻⁵.
    assert alarms <= 16
    assert abs(totals.mean() - law.expected) < 5 * law.sd / math.sqrt(5_000)
