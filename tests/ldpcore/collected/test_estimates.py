"""Estimates from collected reports: intervals, users with different ε.

Every random test has a fixed seed. Unless it says otherwise, a correct library fails one with a chance of 10⁻⁶.
"""

from __future__ import annotations

import math
from html import escape

import numpy as np
import pytest
from collected_counts import ZIPF, collect
from mechanism_cases import MECHANISMS, z_limit

import ldpcore as ldp
from benchmarks.coverage import SETTINGS, coverage
from ldpcore.collected import Counted

# ---- estimates and intervals ------------------------------------------------------


@pytest.mark.parametrize("name", MECHANISMS)
def test_the_estimates_are_those_of_the_estimators(name):
    m, users, counts = collect(name)
    n = int(users.sum())
    found = ldp.estimate(counts, n, m)
    np.testing.assert_allclose(found.raw, ldp.mi(counts, n, m, post="none"), rtol=1e-12)
    np.testing.assert_allclose(found.mi, ldp.mi(counts, n, m), rtol=1e-12)
    np.testing.assert_array_equal(found.ibu, ldp.ibu(counts, m))
    np.testing.assert_array_equal(found.limit, ldp.ibu_limit(counts, m))
    assert found.full is None
    clipped = np.clip(found.raw, 0, 1)
    np.testing.assert_allclose(found.noise_se**2, m.noise_variance(clipped, n), rtol=1e-9)
    np.testing.assert_allclose(found.population_se**2, m.total_variance(clipped, n), rtol=1e-9)
    assert (found.population_se >= found.noise_se * (1 - 1e-9)).all()


@pytest.mark.parametrize("name", ["GRR", "OUE", "OLH", "THE"])
def test_the_ends_of_an_interval_are_z_standard_deviations_from_the_estimate(name):
    m, _users, counts = collect(name, n=5_000)
    found = ldp.estimate(counts, 5_000, m)
    z = 1.959963984540054
    for variance, ends in ((m.noise_variance, found.noise), (m.total_variance, found.population)):
        for end in ends:
            np.testing.assert_allclose((found.raw - end) ** 2, z**2 * variance(end, 5_000), rtol=1e-6)
    assert (found.noise[0] < found.raw).all()
    assert (found.noise[1] > found.raw).all()


def test_the_population_interval_is_wilsons():
    # From a variance of 50 of the count on; this one has 210.
    m = ldp.mechanism("OUE", k=2, eps=1.0)
    found = ldp.estimate([300, 5], 1_000, m)
    z, share = 1.959963984540054, 0.3
    middle = (share + z**2 / 2_000) / (1 + z**2 / 1_000)
    half = z / (1 + z**2 / 1_000) * math.sqrt(share * (1 - share) / 1_000 + z**2 / 4_000_000)
    expected = (np.array([middle - half, middle + half]) - m.q) / (m.p - m.q)
    np.testing.assert_allclose(found.population[:, 0], expected, rtol=1e-12)


@pytest.mark.parametrize("name", ["OUE", "SUE", "BLH", "THE"])
def test_the_intervals_of_extreme_counts_are_real(name):
    m = ldp.mechanism(name, k=3, eps=4.0)
    found = ldp.estimate([0, 7, 1], 7, m)
    assert np.isfinite(found.noise).all()
    assert np.isfinite(found.population).all()
    assert (found.noise[0] <= found.noise[1]).all()


@pytest.mark.slow
@pytest.mark.parametrize("setting", SETTINGS, ids=lambda s: s["mechanism"])
def test_intervals_hold_the_truth_as_often_as_they_promise(setting):
    # 150 collections. Values of one collection are nearly independent (GRR and SS: negatively dependent), so a
    # share of 95 % has a standard deviation of √(0.95·0.05/(150k)); half a point more for discreteness.
    # False-alarm rate of both intervals together 10⁻⁶.
    spread = 100 * math.sqrt(0.95 * 0.05 / (150 * setting["k"]))
    for share in coverage(setting, 150, seed=3).values():
        assert abs(share - 95) < 0.5 + z_limit(2) * spread


def test_the_level_is_a_choice():
    m, _, counts = collect("OUE")
    wide, narrow = ldp.estimate(counts, 20_000, m, level=0.99), ldp.estimate(counts, 20_000, m, level=0.5)
    assert (np.diff(wide.noise, axis=0) > 2 * np.diff(narrow.noise, axis=0)).all()
    for level in (0, 1, 1.5, -0.1, math.nan, "0.95"):
        with pytest.raises(ValueError, match=r"^level must be"):
            ldp.estimate(counts, 20_000, m, level=level)


def test_options_reach_ibu():
    m, _, counts = collect("L-OLH")
    found = ldp.estimate(counts, 20_000, m, channel="published", max_iter=7)
    np.testing.assert_array_equal(found.ibu, ldp.ibu(counts, m, channel="published", max_iter=7))
    np.testing.assert_array_equal(found.limit, ldp.ibu_limit(counts, m, channel="published"))


@pytest.mark.parametrize(
    ("counts", "n", "says"),
    [
        ([1, 2], 10, r"counts must have one entry for each of the k = 3 values; got shape \(2,\)"),
        ([[1, 2, 3]], 10, r"counts must have one entry .* got shape \(1, 3\)"),
        ([1, 2, 11], 10, "counts must hold whole numbers from 0 to 10; got 11 at position 2"),
        ([1, 2, -1], 10, "counts must hold whole numbers from 0 to 10; got -1 at position 2"),
        ([1, 2, 0.5], 10, "counts must hold whole numbers .* got 0.5 at position 2"),
        ([1, 2, 3], 0, "n must be a whole number"),
        ([0, 0, 0], 10, "counts must hold at least one"),
    ],
)
def test_wrong_counts_are_refused(counts, n, says):
    with pytest.raises(ValueError, match=says):
        ldp.estimate(counts, n, ldp.mechanism("OUE", k=3, eps=1.0))


@pytest.mark.parametrize("name", MECHANISMS)
def test_reports_give_the_full_estimate_too(name):
    m = ldp.mechanism(name, k=6, eps=1.5)
    rng = np.random.default_rng(5)
    reports = m.privatize(rng.integers(0, 6, 800), rng)
    found = ldp.estimate_reports(reports, m)
    assert found.n == 800
    np.testing.assert_array_equal(found.counts, m.support_counts(reports))
    np.testing.assert_allclose(found.full, ldp.ibu_full(reports, m), atol=1e-12)
    tabled = [e.key for e in ldp.ESTIMATORS.values() if e.tabled]
    assert [key for key in tabled if key in ("raw", "mi", "ibu", "limit")] == ["raw", "mi", "ibu", "limit"]
    names = ["value", "count", *tabled, "full"]
    names += [f"{kind}_{what}" for kind in ("noise", "population") for what in ("se", "low", "high")]
    assert list(found.table().columns) == names
    assert found.table()["noise_high"].tolist() == found.noise[1].tolist()


def test_too_many_reports_for_the_full_estimate(monkeypatch):
    monkeypatch.setattr("ldpcore.collected.estimates.FULL_MAX_ENTRIES", 100)
    m = ldp.mechanism("GRR", k=3, eps=1.0)
    found = ldp.estimate_reports(np.arange(60) % 3, m)
    assert found.full is None
    assert "full" not in found.table()
    assert ldp.estimate_mixed([(np.arange(60) % 3, m)]).full is None


@pytest.mark.parametrize("name", MECHANISMS)
@pytest.mark.parametrize(
    ("k", "eps", "n"), [(2, 1e-3, 5), (2, 50.0, 3), (3, 50.0, 30_000), (300, 6.0, 40), (50, 0.01, 7)]
)
def test_extremes(name, k, eps, n):
    inf = {"eps_inf": 2 * eps} if name in ldp.LONGITUDINAL else {}
    m = ldp.mechanism(name, k=k, eps=eps, **inf)
    users = np.zeros(k, dtype=int)
    users[0] = n
    counts = m.sample_counts(users, 1, np.random.default_rng(13))[0]
    if not counts.any():
        counts[0] = 1
    found = ldp.estimate(counts, n, m, max_iter=10)
    for field in ("raw", "mi", "ibu", "limit", "noise_se", "population_se", "noise", "population"):
        assert np.isfinite(getattr(found, field)).all(), field
    assert 0 <= found.fit[0].p_value <= 1


# ---- users with different ε -------------------------------------------------------


# Its loop takes the ways of other tests many times; measured, it would take twice as long.
@pytest.mark.unmeasured
@pytest.mark.slow
def test_inverse_variance_weights_are_unbiased_and_have_the_stated_variance():
    runs, sizes = 400, (3_000, 1_000)
    ms = [ldp.mechanism("OUE", k=10, eps=eps) for eps in (0.5, 2.0)]
    rng = np.random.default_rng(6)
    raws, held, found = np.empty((runs, 10)), 0, None
    for run in range(runs):
        groups = []
        for m, n in zip(ms, sizes, strict=True):
            counts = m.sample_counts(rng.multinomial(n, ZIPF), 1, rng)[0]
            groups.append((counts, n, m))
        found = ldp.estimate_groups(groups)
        raws[run] = found.raw
        low, high = found.population
        held += int(((low <= ZIPF) & (high >= ZIPF)).sum())
    weights = np.array([1 / m.noise_variance(0.0, n) for m, n in zip(ms, sizes, strict=True)])
    weights /= weights.sum()
    parts = zip(weights, ms, sizes, strict=True)
    variance = sum(w**2 * m.total_variance(ZIPF, n) for w, m, n in parts)
    z = (raws.mean(axis=0) - ZIPF) / np.sqrt(variance / runs)
    assert np.abs(z).max() < z_limit(21)
    assert np.abs(raws.var(axis=0) / variance - 1).max() < z_limit(21) * math.sqrt(2 / runs)
    assert abs(held / (10 * runs) - 0.95) < 0.005 + z_limit(21) * math.sqrt(0.95 * 0.05 / (10 * runs))
    # Better than either group alone.
    assert (variance < ms[0].total_variance(ZIPF, sizes[0])).all()
    assert (variance < ms[1].total_variance(ZIPF, sizes[1])).all()


@pytest.mark.parametrize("name", ["GRR", "OUE", "OLH", "THE", "L-OSUE"])
def test_a_column_of_eps(name):
    rng = np.random.default_rng(7)
    inf = {"eps_inf": 4.0} if name in ldp.LONGITUDINAL else {}
    small, large = (ldp.mechanism(name, k=6, eps=eps, **inf) for eps in (1.0, 2.5))
    values = rng.integers(0, 3, 600)
    parts = [small.privatize(values[:400], rng), large.privatize(values[400:], rng)]
    hashed = isinstance(parts[0], tuple)
    joined = tuple(map(np.concatenate, zip(*parts, strict=True))) if hashed else np.concatenate(parts)
    eps = np.repeat([1.0, 2.5], [400, 200])
    found = ldp.estimate_reports(joined, small, eps=eps)
    expected = ldp.estimate_mixed([(parts[0], small), (parts[1], large)])
    for field in ("raw", "mi", "full", "noise", "population", "counts"):
        np.testing.assert_array_equal(getattr(found, field), getattr(expected, field))
    assert found.n == 600
    assert found.ibu is None
    assert "ibu" not in found.table()
    assert [fit.expected for fit in found.fit] == [
        ldp.check_fit(m.support_counts(part), len(part[0]) if hashed else len(part), m).expected
        for part, m in zip(parts, (small, large), strict=True)
    ]
    ratios = np.repeat([small.likelihood_ratio, large.likelihood_ratio], [400, 200])
    bits = np.concatenate([small.supports(parts[0]), large.supports(parts[1])])
    np.testing.assert_array_equal(found.full, ldp.ibu_supports(bits, ratios))


def test_one_group_is_the_plain_estimate():
    m = ldp.mechanism("OUE", k=6, eps=1.0)
    rng = np.random.default_rng(10)
    reports = m.privatize(rng.integers(0, 6, 300), rng)
    plain, mixed = ldp.estimate_reports(reports, m), ldp.estimate_reports(reports, m, eps=np.full(300, 1.0))
    for field in ("raw", "mi", "full", "noise", "population", "noise_se"):
        np.testing.assert_allclose(getattr(plain, field), getattr(mixed, field), rtol=1e-12)


def test_a_group_may_be_a_single_report_of_zeros():
    m = ldp.mechanism("OUE", k=4, eps=1.0)
    bits = np.zeros((5, 4), dtype=bool)
    bits[1:, 2] = True
    found = ldp.estimate_reports(bits, m, eps=[3.0, 1.0, 1.0, 1.0, 1.0])
    assert found.counts.tolist() == [0, 0, 4, 0]
    assert np.isfinite(found.raw).all()


def test_a_threshold_of_ones_own_is_kept():
    m = ldp.mechanism("THE", k=4, eps=1.0, theta=0.6)
    bits = np.eye(4, dtype=bool)
    assert {other.theta for _, other in ldp.split_by_eps(bits, [1.0, 2.0, 2.0, 1.0], m)} == {0.6}


def test_wrong_eps_and_collections_are_refused():
    m = ldp.mechanism("GRR", k=3, eps=1.0)
    with pytest.raises(ValueError, match="eps must be one number for each of the n = 3 reports"):
        ldp.estimate_reports([0, 1, 2], m, eps=[1.0])
    with pytest.raises(ValueError, match="eps must be a number from"):
        ldp.estimate_reports([0, 1, 2], m, eps=[1.0, 1.0, 0.0])
    with pytest.raises(ValueError, match="collections must hold at least one"):
        ldp.estimate_mixed([])
    with pytest.raises(ValueError, match="collections must all be over the same k values; got k = 3 and k = 4"):
        ldp.estimate_mixed([([0, 1], m), ([0, 1], ldp.mechanism("GRR", k=4, eps=1.0))])


# ---- how a result shows itself ----------------------------------------------------


def test_a_result_prints_itself():
    m, users, counts = collect("GRR", n=1_000, k=30)
    result = ldp.estimate(counts, int(users.sum()), m, level=0.9)
    lines = repr(result).splitlines()
    assert lines[0] == "Collected: 1,000 reports over k = 30 values, 90% intervals"
    assert lines[1].split()[:3] == ["value", "count", "raw"]
    assert lines[2].split()[:2] == ["0", str(counts[0])]
    assert lines[-1] == "… and 20 more values: see table()"
    assert len(lines) == 13
    html = result._repr_html_()
    assert html.count("<tr") == 11
    assert f"<td>{counts[0]}</td>" in html
    assert escape(result.fit[0].sentence) in html
    small = ldp.estimate([3, 1], 4, ldp.mechanism("GRR", k=2, eps=1.0))
    assert "more values" not in repr(small) + small._repr_html_()


def test_groups_are_records_or_tuples():
    m, users, counts = collect("OUE")
    n = int(users.sum())
    record = ldp.estimate_groups([Counted(counts, n, m)])
    np.testing.assert_array_equal(record.raw, ldp.estimate_groups([(counts, n, m)]).raw)
    with pytest.raises(ldp.Refused, match="counts must have one entry for each of the k = 10 values"):
        ldp.estimate_groups([Counted(counts[1:], n, m)])


@pytest.mark.parametrize("option", [{"max_iter": 5}, {"channel": "published"}, {"tol": 0.5}])
def test_options_of_ibu_are_for_one_eps(option):
    m, reports = ldp.mechanism("GRR", k=3, eps=1.0), [0, 1, 2]
    (name,) = option
    with pytest.raises(ldp.Refused, match=f"^{name} is for IBU on counts, .* got it beside eps"):
        ldp.estimate_reports(reports, m, eps=[1, 1, 2], **option)
    np.testing.assert_array_equal(
        ldp.estimate_reports(reports, m, **option).ibu, ldp.estimate([1, 1, 1], 3, m, **option).ibu
    )


@pytest.mark.parametrize("eps", [None, [1, 1]])
def test_an_unknown_option_is_said(eps):
    with pytest.raises(ldp.Refused, match=r"has the options level, channel, max_iter, tol; got 'steps'"):
        ldp.estimate_reports([0, 1], ldp.mechanism("GRR", k=2, eps=1.0), eps=eps, steps=5)
