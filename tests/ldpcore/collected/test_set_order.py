"""Sets whose order gives users away raise the alarm; in a random order, or one that is the same for all, they do not.

Right reports raise it once in ten thousand at the most; the seeds here are fixed, and none does.
"""

import math
from itertools import product

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.collected import set_order
from ldpcore.collected.counted import Counted
from ldpcore.collected.fit import DOES_NOT_FIT
from ldpcore.collected.set_order import ORDER_ALARM, Ends, order_p_value
from ldpcore.collected.tally import Tally

K, EPS = 60, 1.0


def users(n, k=K, seed=0):
    return np.minimum(np.random.default_rng(seed).geometric(0.2, n) - 1, k - 1)


def leaking(values, m, rng, end=0):
    """Make reports as multi-freq-ldpy 0.2.5 does: the true value stands first wherever it is in the set."""
    sets = m.privatize(values, rng)
    shuffled = rng.permuted(sets, axis=1)
    for row, value in zip(shuffled, values, strict=True):
        (at,) = np.nonzero(row == value) or ([],)
        if at.size:
            row[[end, at[0]]] = row[[at[0], end]]
    return shuffled


def fit_of(sets, m):
    return ldp.estimate_reports(sets, m).fit[0]


@pytest.mark.parametrize(("end", "where"), [(0, "first"), (-1, "last")])
@pytest.mark.parametrize(("n", "k", "eps"), [(2_000, 60, 1.0), (20_000, 200, 1.0), (2_000, 12, 1.0), (2_000, 60, 3.0)])
def test_sets_with_the_true_value_at_an_end_give_it_away(n, k, eps, end, where):
    m, rng = ldp.mechanism("SS", k=k, eps=eps), np.random.default_rng(1)
    values = users(n, k)
    sets = leaking(values, m, rng, end)
    # By hand: in about half of the sets, and so much oftener than a random order has it there.
    assert (sets[:, end] == values).mean() > 0.4
    fit = fit_of(sets, m)
    assert (fit.verdict, fit.statistic, fit.eps) == (DOES_NOT_FIT, "order", None)
    held = np.bincount(sets.ravel(), minlength=k)
    assert fit.observed == pytest.approx(held[sets[:, end]].mean())
    assert fit.expected == pytest.approx(held[sets].mean())
    assert f"the true value {where} sends it" in fit.sentence


def test_one_value_that_all_users_have_is_no_order_that_is_the_same_for_all():
    m, rng = ldp.mechanism("SS", k=K, eps=EPS), np.random.default_rng(2)
    assert fit_of(leaking(np.full(500, 7), m, rng), m).statistic == "order"


ORDERS = {
    "ascending": lambda sets, rng: np.sort(sets, axis=1),
    "descending": lambda sets, rng: np.sort(sets, axis=1)[:, ::-1],
    "random": lambda sets, rng: rng.permuted(sets, axis=1),
    "as Python's sets have them": lambda sets, rng: np.array([list(set(row)) for row in sets.tolist()]),
    "by the commonest": lambda sets, rng: np.take_along_axis(
        sets, np.argsort(-np.bincount(sets.ravel())[sets], axis=1, kind="stable"), axis=1
    ),
}


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize(("k", "eps"), [(6, 0.5), (60, 1.0), (100, 2.9), (200, 1.0)])
def test_other_orders_give_nothing_away(order, k, eps):
    """Fifteen collections each: a random order raises an alarm once in ten thousand, the others follow from the set."""
    m, rng = ldp.mechanism("SS", k=k, eps=eps), np.random.default_rng(3)
    for n in (1, 2, 20, 300, 3_000) * 3:
        sets = ORDERS[order](m.privatize(users(n, k, n), rng), rng)
        assert fit_of(sets, m).statistic != "order"


def sorted_by_the_dice(sets, rng):
    """Sort as clients do that shuffle by a comparison that throws dice: small values come early."""
    rows = []
    for row in sets.tolist():
        shuffled = []
        for value in sorted(row):
            at = len(shuffled)
            while at and rng.random() < 0.5:
                at -= 1
            shuffled.insert(at, value)
        rows.append(shuffled)
    return np.array(rows)


def in_parts(*orders):
    """Return the order of a file that is put together of as many parts, each in an order of its own."""

    def order(sets, rng):
        parts = np.array_split(rng.permuted(sets, axis=1), len(orders))
        return np.concatenate([ORDERS[name](part, rng) for name, part in zip(orders, parts, strict=True)])

    return order


MIXED = {
    "random, then ascending": in_parts("random", "ascending"),
    "ascending, then random": in_parts("ascending", "random"),
    "as Python's sets have random ones": in_parts("as Python's sets have them"),
    "sorted by the dice": sorted_by_the_dice,
}


@pytest.mark.parametrize("order", MIXED)
@pytest.mark.parametrize(("k", "eps"), [(20, 1.0), (60, 1.0), (100, 2.9), (200, 4.0)])
def test_orders_that_are_mixed_for_other_reasons_give_nothing_away(order, k, eps):
    m, rng = ldp.mechanism("SS", k=k, eps=eps), np.random.default_rng(8)
    for n in (1_000, 5_000):
        assert fit_of(MIXED[order](m.privatize(users(n, k, n), rng), rng), m).statistic != "order"


def test_a_client_that_sorts_all_but_the_true_value_gives_it_away():
    m, rng = ldp.mechanism("SS", k=K, eps=EPS), np.random.default_rng(9)
    values = users(5_000)
    sets = np.sort(m.privatize(values, rng), axis=1)
    own_first = np.take_along_axis(sets, np.argsort(sets != values[:, None], axis=1, kind="stable"), axis=1)
    assert "nor is the order the same for all" in fit_of(own_first, m).sentence


def test_of_two_values_nothing_tells_that_several_orders_are_mixed():
    m, rng = ldp.mechanism("SS", k=5, eps=0.5), np.random.default_rng(10)
    assert m.support_size == 2
    fit = fit_of(MIXED["random, then ascending"](m.privatize(users(5_000, 5), rng), rng), m)
    assert "may give users away, or the file holds sets in several orders:" in fit.sentence


def test_random_rests_are_hardly_ever_taken_for_mixed_ones():
    """Of 200 collections with the true value first at most three: four standard deviations are one in 10,000."""
    m, rng = ldp.mechanism("SS", k=20, eps=EPS), np.random.default_rng(11)
    missed = 0
    for seed in range(200):
        values = users(1_000, 20, seed)
        sets = leaking(values, m, rng)
        ends, counts = Ends.of(sets, m), m.support_counts(sets)
        missed += not set_order.is_random(counts - ends.first, ends.second, m.support_size - 1, counts)
    assert missed <= 3


def test_the_bound_holds_for_all_orders_of_a_few_sets():
    """All 2⁸ orders of eight pairs: as many of them as the bound says, or fewer, are as far off."""
    pairs = np.array([[0, v] for v in (1, 2, 3, 1, 2)] + [[1, 2], [2, 3], [1, 3]])
    counts = np.bincount(pairs.ravel(), minlength=4)
    firsts = [pairs[np.arange(8), list(which)] for which in product((0, 1), repeat=8)]
    totals = np.array([counts[first].sum() for first in firsts])
    bounds = np.array([order_p_value(counts, np.bincount(first, minlength=4), 2) for first in firsts])
    for total, bound in zip(totals, bounds, strict=True):
        assert (totals >= total).mean() <= bound
    assert bounds.min() < 0.5


def test_the_standard_deviation_is_that_of_random_orders_at_most():
    """Of 200 random orders it is known to 5 %; four of these errors are allowed, a false alarm in thirty thousand."""
    m, rng = ldp.mechanism("SS", k=K, eps=EPS), np.random.default_rng(4)
    sets = m.privatize(users(5_000), rng)
    counts = np.bincount(sets.ravel(), minlength=K)
    totals = [counts[rng.permuted(sets, axis=1)[:, 0]].sum() for _ in range(200)]
    sd = math.sqrt(set_order._variance(counts, sets.shape[1]))
    assert 0.7 * sd < np.std(totals, ddof=1) < 1.2 * sd
    assert np.mean(totals) == pytest.approx(counts @ counts / sets.shape[1], abs=5 * sd / math.sqrt(200))


def test_values_that_are_all_in_as_many_sets_tell_nothing():
    """What rounding leaves of a sum of 0 was divided by 0, in small files."""
    m = ldp.mechanism("SS", k=12, eps=1.0)
    assert m.support_size == 3
    assert fit_of(np.arange(12).reshape(4, 3), m).statistic != "order"
    for size, copies in ((3, 1), (7, 2), (39, 5)):
        held = np.full(4 * size, copies)
        ends = np.bincount(np.arange(0, 4 * size, size), minlength=4 * size) * copies
        assert order_p_value(held, ends, size) == 1


def test_parts_of_a_file_tell_what_the_whole_tells():
    m, rng = ldp.mechanism("SS", k=K, eps=EPS), np.random.default_rng(5)
    sets = leaking(users(3_000), m, rng)
    whole, tally = Counted.of_reports(sets, m), Tally()
    for rows in np.split(np.arange(3_000), [1, 700, 2_500]):
        tally.add(m, sets[rows])
    (parts,) = tally.groups()
    np.testing.assert_array_equal(parts.ends.first, whole.ends.first)
    np.testing.assert_array_equal(parts.ends.some, whole.ends.some)
    assert parts.fit(1_000) == whole.fit(1_000)
    assert whole.fit(1_000).p_value < ORDER_ALARM


def test_it_is_told_beside_another_fault():
    m, rng = ldp.mechanism("SS", k=K, eps=EPS), np.random.default_rng(6)
    sets = leaking(users(3_000), m, rng)
    fit = fit_of(np.concatenate([sets, sets]), m)
    assert fit.statistic == "copies"
    assert "sends it, whatever ε is" in fit.sentence


@pytest.mark.parametrize(("name", "eps"), [("GRR", 1.0), ("OUE", 1.0), ("OLH", 1.0), ("SS", 5.0)])
def test_what_has_no_order_is_not_looked_at(name, eps):
    m, rng = ldp.mechanism(name, k=20, eps=eps), np.random.default_rng(7)
    assert Ends.of(m.privatize(users(50, 20), rng), m) is None
