"""Hashed reports whose hash functions are shared, or of another family, get that diagnosis; the seeds are fixed."""

import math

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.collected.fit import DOES_NOT_FIT, FITS
from ldpcore.collected.hashed_fit import CELLS_ALARM, check_hashed_fit, seeds_p_value
from ldpcore.mechanisms.hashing import hash_cells


def _with_seeds(name, seeds, values, rng, k=24):
    """Return the reports of users who have these hash functions, by the definition: hash, then randomized response."""
    m = ldp.mechanism(name, k=k, eps=1.0, hash_family="xxh32")
    cells = hash_cells(seeds, values, m.g, family="xxh32")
    other = (cells + rng.integers(1, m.g, cells.size)) % m.g
    return m, ldp.HashedReports(seeds, np.where(rng.random(cells.size) < m.p, cells, other))


SHARED = {
    "one": lambda n, values, rng: np.full(n, 12_345),
    "the value": lambda n, values, rng: values,
    "two hundred": lambda n, values, rng: rng.integers(0, 200, n) * 10**15,
    "one cohort in a hundred thousand": lambda n, values, rng: rng.integers(0, 10**5, n),
    # As 63 bits they differ, but of the seeds of xxh32 only 32 count.
    "the high bits": lambda n, values, rng: (np.arange(n) << 32) + 7,
}


@pytest.mark.parametrize("how", SHARED)
@pytest.mark.parametrize("name", ["BLH", "OLH"])
def test_users_who_share_hash_functions_do_not_fit(name, how):
    rng, n = np.random.default_rng(33), 6_000
    values = np.minimum(rng.geometric(0.3, n) - 1, 23)
    m, reports = _with_seeds(name, SHARED[how](n, values, rng), values, rng)
    fit = ldp.estimate_reports(reports, m).fit[0]
    assert (fit.verdict, fit.statistic, fit.eps) == (DOES_NOT_FIT, "seeds", None)
    assert fit.observed == np.unique(reports.seed % 2**32).size
    seeds = f"{fit.observed:,.0f} different seeds" if fit.observed > 1 else "the same seed"
    assert f"these 6,000 reports have {seeds}, where" in fit.sentence


@pytest.mark.parametrize("name", ["OLH", "L-OLH"])
def test_the_wrong_family_of_hash_functions_is_named(name):
    # With 40,000 reports the total support of the wrong family is off by more than ten standard deviations.
    rng = np.random.default_rng(35)
    right, wrong = (ldp.mechanism(name, k=24, eps=2.0, hash_family=f) for f in ("xxh32", "splitmix64"))
    reports = right.privatize(rng.integers(0, 24, 40_000), rng)
    fit = ldp.estimate_reports(reports, wrong).fit[0]
    assert (fit.verdict, fit.eps) == (DOES_NOT_FIT, None)
    assert fit.sentence.endswith("With the hash functions of xxh32 in place of splitmix64 they would fit.")
    # Another ε is no matter of the family.
    more = right.with_eps(3.0, same_shape=True).privatize(rng.integers(0, 24, 40_000), rng)
    assert "hash functions of" not in ldp.estimate_reports(more, right).fit[0].sentence


def test_reports_that_are_there_twice_do_not_fit():
    # All together look as they should: the total support of the copies is that of the originals, times two.
    m, rng = ldp.mechanism("OLH", k=24, eps=1.0), np.random.default_rng(34)
    once = m.privatize(np.where(rng.random(12_000) < 0.4, 23, rng.integers(0, 24, 12_000)), rng)
    twice = ldp.HashedReports(*(np.concatenate([part, part]) for part in once))
    assert ldp.check_fit(m.support_counts(twice), 24_000, m).verdict == FITS
    assert ldp.estimate_reports(once, m).fit[0].verdict == FITS
    assert ldp.estimate_reports(twice, m).fit[0].statistic == "seeds"


def test_the_chance_of_repeated_seeds_is_bounded():
    # Of 50 seeds of a thousand, and not of 2³², the law is enumerated: how many differ, draw by draw.
    n, size = 50, 1_000
    law = np.zeros(n + 1)
    law[0] = 1
    for _ in range(n):
        stays = law * np.arange(n + 1) / size
        law = stays + np.concatenate([[0], (law * (1 - np.arange(n + 1) / size))[:-1]])
    at_most = np.cumsum(law)
    mean = n * (n - 1) / (2 * size)
    for different in range(n - 10, n + 1):
        repeats = n - different
        assert at_most[different] <= mean**repeats / math.factorial(repeats)
    for n, repeats in ((50_000, 3), (2, 1), (10_000, 1)):
        mean = n * (n - 1) / 2**33
        assert seeds_p_value(n - repeats, n) == pytest.approx(mean**repeats / math.factorial(repeats), rel=1e-9)
    # Seeds of 32 bits: among 50,000 one repeats now and then, and that is no alarm; five are 2 in 100,000.
    assert [seeds_p_value(50_000 - r, 50_000) < CELLS_ALARM for r in range(7)] == [False] * 5 + [True] * 2


def _as_table(reports):
    lines = [f"{seed},{value}" for seed, value in zip(*reports, strict=True)]
    return ldp.read_table("\n".join(["seed,value", *lines]).encode(), "a.csv")


@pytest.mark.parametrize("families", [("xxh32", "splitmix64"), ("splitmix64", "xxh32")])
@pytest.mark.parametrize("stated", [0.3, 2.0])
@pytest.mark.parametrize("name", ["OLH", "L-OLH"])
def test_the_wrong_family_is_named_at_another_eps_too(name, stated, families):
    """Where the cells were others too, an ε of 0.03 was named, at which nothing has so many cells."""
    inf = {"eps_inf": 4.0} if name == "L-OLH" else {}
    rng = np.random.default_rng(61)
    made, wrong = (
        ldp.mechanism(name, k=24, eps=eps, hash_family=family, **inf)
        for eps, family in zip((1.0, stated), families, strict=True)
    )
    reports = made.privatize(rng.integers(0, 24, 40_000), rng)
    fit = check_hashed_fit(reports, wrong)
    assert abs(fit.eps - 1) < 0.2
    family = f"the hash functions of {families[0]} in place of {families[1]}"
    assert f"with {made.g} cells and {family} the total support is" in fit.sentence
    suggested = ldp.mechanism(name, k=24, eps=fit.eps, hash_family=families[0], **inf)
    assert ldp.estimate_table(_as_table(reports), suggested, full_entries=0).fit[0].fits
    if stated < 1:  # a cell is too large
        with pytest.raises(ValueError, match=f"look like ε ≈ [01]\\.[0-9]+ with {family}; got"):
            ldp.estimate_table(_as_table(reports), wrong)


@pytest.mark.parametrize("name", ["BLH", "OLH", "L-BLH", "L-OLH"])
def test_cells_that_count_from_one_are_named(name):
    """They were said to look like an ε of 0.08, at which nothing has so many cells."""
    m, rng = ldp.mechanism(name, k=24, eps=1.0), np.random.default_rng(62)
    seeds, cells = m.privatize(rng.integers(0, 24, 500), rng)
    shifted = ldp.HashedReports(seeds, cells + 1)
    with pytest.raises(ValueError, match="none of their values is 0, though all cells are as likely"):
        ldp.estimate_reports(shifted, m)
    match = rf"a whole number from 0 to {m.g - 1} .*; none of the values is 0, so they may count from 1; got"
    with pytest.raises(ValueError, match=match):
        ldp.estimate_table(_as_table(shifted), m)
    # A cell that is never sent, and one that few reports do not show.
    kept = cells > 0
    fit = ldp.estimate_reports(ldp.HashedReports(seeds[kept], cells[kept]), m).fit[0]
    assert (fit.verdict, fit.statistic, fit.eps) == (DOES_NOT_FIT, "cells", None)
    few = ldp.HashedReports(seeds[kept][:10], cells[kept][:10])
    assert "count from 1" not in ldp.estimate_reports(few, m).fit[0].sentence
