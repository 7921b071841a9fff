"""Hashed reports whose hash functions are shared, or of another family, get that diagnosis; the seeds are fixed."""

import math

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.collected.fit import DOES_NOT_FIT, FITS
from ldpcore.collected.hashed_fit import CELLS_ALARM, seeds_p_value
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
