"""Columns of many different values: no bin looks at all of them, and what is drawn has the right distribution."""

from __future__ import annotations

import numpy as np
import pytest

from ldpcore.datasets import OwnBinning, OwnDates, OwnNumbers
from ldpcore.datasets.own_base import SHARED_VALUES, STEP

SIZE = 3 * SHARED_VALUES + 7


class Watched(np.ndarray):
    """An array that counts how many of its numbers are looked at; parts of it are of its kind."""

    looked_at = 0

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        Watched.looked_at += sum(each.size for each in inputs if isinstance(each, Watched))
        plain = (each.view(np.ndarray) if isinstance(each, Watched) else each for each in inputs)
        return getattr(ufunc, method)(*plain, **options)

    def __array_function__(self, function, types, arguments, options):
        Watched.looked_at += self.size
        return function(*(a.view(np.ndarray) if isinstance(a, Watched) else a for a in arguments), **options)


def numbers(size=SIZE, seed=0):
    """Return numbers of which some are whole and some negative, and how many rows have each."""
    rng = np.random.default_rng(seed)
    return np.unique(rng.normal(scale=100, size=size).round(9)), rng.integers(1, 5, size)


def column(watched=False):
    values, persons = numbers()
    persons = persons[: values.size]
    return OwnNumbers(values, persons.view(Watched) if watched else persons, int(persons.sum()), {})


BINNINGS = [
    OwnBinning(),
    OwnBinning(clip=0.01),
    OwnBinning(low=-50.0, clip=0.2),
    OwnBinning(high=50.0),
    OwnBinning(log=True),
    OwnBinning(log=True, low=1.0, high=80.0),
]


@pytest.mark.parametrize("binning", BINNINGS, ids=str)
@pytest.mark.parametrize("k", [2, 50, 3_000])
def test_bins_hold_the_rows_that_lie_in_them(binning, k):
    data = column()
    made = data.histogram(k, binning=binning)
    rows = np.repeat(data.values, data.persons)
    used = rows[rows > 0] if binning.log else rows
    used = used[(used >= (binning.low or -np.inf)) & (used <= (binning.high or np.inf))]
    in_order = np.sort(used)
    cut = int(binning.clip * used.size)
    assert made.edges[0] == (in_order[cut] if binning.low is None else binning.low)
    assert made.edges[-1] == (in_order[-1 - cut] if binning.high is None else binning.high)
    inside = np.clip(used, made.edges[0], made.edges[-1])
    assert made.counts.tolist() == np.histogram(inside, made.edges)[0].tolist()
    dropped = {
        reason: n for reason, n in (("not above 0, as a logarithm needs", int((rows <= 0).sum())),) if binning.log
    }
    outside = rows.size - used.size - sum(dropped.values())
    assert data.usable(binning) == (used.size, dropped | ({"outside the range": outside} if outside else {}))


@pytest.mark.parametrize("n", [None, 1_000])
@pytest.mark.parametrize("binning", BINNINGS, ids=str)
def test_no_bin_looks_at_all_values(n, binning):
    """It took a second of a server's own thread with ten million different numbers, for each n, k and seed."""
    data = column(watched=True)
    k = 10
    Watched.looked_at = 0
    data.histogram(k, n, 1, binning)
    data.usable(binning)
    assert 0 < Watched.looked_at < (k + 12) * STEP < SIZE


def test_drawn_users_of_many_values_have_the_distribution_of_the_rows():
    """Each of 400 draws of 50 users into 4 bins is a multinomial one: mean and variance of every count."""
    data, n, draws = column(), 50, 400
    shares = data.histogram(4).frequencies
    counts = np.array([data.histogram(4, n, seed).counts for seed in range(draws)])
    assert (counts.sum(axis=1) == n).all()
    mean, variance = n * shares, n * shares * (1 - shares)
    fourth = variance * (1 + 3 * (n - 2) * shares * (1 - shares))
    # Seven standard errors: normal sums would pass with 1 - 10⁻¹¹, these skewed ones of 400 draws with 1 - 10⁻⁶.
    assert np.all(np.abs(counts.mean(axis=0) - mean) < 7 * np.sqrt(variance / draws))
    spread = ((counts - mean) ** 2).mean(axis=0)
    assert np.all(np.abs(spread - variance) < 7 * np.sqrt((fourth - variance**2) / draws))
    assert (data.histogram(4, n, 3).counts == counts[3]).all()


def test_whole_numbers_are_known_whichever_of_them_is_not():
    values = np.arange(200 * STEP, dtype=np.float64)
    persons = np.ones(values.size, dtype=np.int64)
    assert OwnNumbers(values, persons, values.size, {}).whole
    for place in (0, 64 * STEP - 1, 64 * STEP, values.size - 1):
        other = values.copy()
        other[place] += 0.5
        assert not OwnNumbers(other, persons, values.size, {}).whole


def test_many_dates_are_counted_and_drawn():
    days = np.arange(-SIZE // 2, SIZE // 2, dtype=np.int64)
    data = OwnDates(days, np.ones(days.size, dtype=np.int64), days.size, {})
    how = OwnBinning(unit="month")
    k = data.bins(30, how)
    made, drawn = data.histogram(k, binning=how), data.histogram(k, 10**6, 2, how)
    assert made.counts.tolist() == np.histogram(days, made.edges)[0].tolist()
    assert drawn.n == 10**6
    shares = made.frequencies
    # Six standard deviations in each of some thirty bins: a chance of 10⁻⁷.
    assert np.all(np.abs(drawn.frequencies - shares) < 6 * np.sqrt(shares / 10**6))
    assert data.usable() == (days.size, {})
