"""Runs: the same every time, paired, sound at the extremes, and on data of one's own."""

import dataclasses

import numpy as np
import pytest
from mechanism_cases import DRAWN

import ldpcore as ldp

ALL = ldp.ONE_TIME + ldp.LONGITUDINAL
SMALL = {"n": 2_000, "k": 10, "runs": 5, "max_iter": 200}


@pytest.mark.parametrize("mechanism", ALL)
def test_the_same_setting_gives_the_same_result(mechanism):
    setting = ldp.Setting(data="triangular", mechanism=mechanism, **SMALL)
    one, two = ldp.run(setting), ldp.run(setting)
    for name in ("histogram", "edges", "counts", "mi", "ibu", "iterations", "converged"):
        np.testing.assert_array_equal(getattr(one, name), getattr(two, name))
    other = ldp.run(dataclasses.replace(setting, seed=1))
    assert not np.array_equal(one.counts, other.counts)


def test_comparisons_are_paired():
    base = ldp.Setting(data="exponential", mechanism="OUE", **SMALL)
    same_data = [{"mechanism": "SS"}, {"eps": 3.0}, {"max_iter": 7}, {"start": "mi"}, {"runs": 3}]
    for change in same_data:
        np.testing.assert_array_equal(ldp.run(base).histogram, ldp.run(dataclasses.replace(base, **change)).histogram)
    same_noise = [{"max_iter": 7}, {"start": "mi"}, {"stop": "mae"}, {"tol": 1e-3}]
    for change in same_noise:
        np.testing.assert_array_equal(ldp.run(base).counts, ldp.run(dataclasses.replace(base, **change)).counts)
    published = dataclasses.replace(base, mechanism="L-GRR", channel="published")
    exact = dataclasses.replace(published, channel="exact")
    np.testing.assert_array_equal(ldp.run(published).counts, ldp.run(exact).counts)
    assert not np.array_equal(ldp.run(published).ibu, ldp.run(exact).ibu)


def test_noise_of_different_settings_is_independent():
    base = ldp.Setting(mechanism="SUE", n=5_000, k=2, runs=400, max_iter=1)
    noise = [ldp.run(dataclasses.replace(base, eps=eps)).raw[:, 0] for eps in (1.0, 1.5)]
    # Under independence the correlation of 400 pairs has standard deviation 0.05: 0.25 is 5 of them (false alarm 6e-7).
    assert abs(np.corrcoef(noise)[0, 1]) < 0.25


@pytest.mark.parametrize("mechanism", DRAWN)
@pytest.mark.parametrize(
    "extreme",
    [{"n": 1}, {"n": 10**9}, {"eps": 0.01}, {"eps": 20.0}, {"k": 2}, {"start": "observed"}, {"start": "mi"}],
    ids=str,
)
def test_extremes_give_distributions(mechanism, extreme):
    options = SMALL | {"max_iter": 50} | extreme
    r = ldp.run(ldp.Setting(data="acs-income", mechanism=mechanism, **options))
    for estimate in (r.mi, r.ibu, r.limit):
        assert np.isfinite(estimate).all()
        assert (estimate >= 0).all()
        np.testing.assert_allclose(estimate.sum(axis=1), 1, atol=1e-9)


def test_a_collection_in_which_no_report_supports_anything_is_shown_as_it_is():
    """Of one user with two values OUE says neither with a chance of (1 - p)(1 - q), more than a third."""
    r = ldp.run(ldp.Setting(mechanism="OUE", eps=1.0, n=1, k=2, runs=2_000, max_iter=3))
    nothing = ~r.counts.any(axis=1)
    chance = (1 - r.mechanism.p) * (1 - r.mechanism.q)
    # Five standard errors of 2,000 runs: a false alarm in two million.
    assert abs(nothing.mean() - chance) < 5 * np.sqrt(chance * (1 - chance) / 2_000)
    # Raw MI is right on average, these runs included.
    off = r.raw.mean(axis=0) - r.true
    assert (np.abs(off) < 5 * r.raw.std(axis=0) / np.sqrt(2_000)).all()
    empty = -r.mechanism.q / (r.mechanism.p - r.mechanism.q)
    np.testing.assert_allclose(r.raw[nothing], empty)
    np.testing.assert_array_equal(r.estimate("base-pos")[nothing], 0)
    np.testing.assert_allclose(r.estimate("norm")[nothing], 0.5)
    # What must be a histogram has nothing to go by.
    for key in ("mi", "ibu", "limit", "norm-sub", "power-ns"):
        np.testing.assert_allclose(r.estimate(key)[nothing], 0.5)


@pytest.mark.parametrize("mechanism", ["GRR", "OUE", "OLH", "L-OSUE"])
def test_ten_thousand_bins(mechanism):
    r = ldp.run(ldp.Setting(mechanism=mechanism, n=10**6, k=10_000, runs=1, max_iter=20))
    assert r.ibu.shape == (1, 10_000)
    np.testing.assert_allclose(r.ibu.sum(), 1)


def test_full_reports_beat_counts_where_reports_say_more():
    setting = ldp.Setting(data="poisson", mechanism="OUE", eps=4.0, n=4_000, k=30, runs=6)
    full = ldp.run_full(setting, runs=6)
    counts = ldp.run(setting)
    mse_full = ((full - counts.true) ** 2).mean()
    assert mse_full < counts.error("ibu", "mse") < counts.error("mi", "mse")


def paper_gain(mechanism: str, data: str, channel: str, estimator: str) -> float:
    """Γ averaged over the paper's ε, n and k."""
    # The limit is not iterated.
    options = {"binning": "paper", "channel": channel, "runs": 5} | ({"max_iter": 1} if estimator == "limit" else {})
    gains = [
        result.gain("mse", estimator=estimator)
        for n in (20_000, 100_000)
        for k in (2, 50, 100, 200)
        for result in ldp.run_together(
            [ldp.Setting(data=data, mechanism=mechanism, eps=eps, n=n, k=k, **options) for eps in (1, 2, 4)]
        )
    ]
    return float(np.mean(gains))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("mechanism", "data", "channel", "estimator", "expected"),
    [
        ("GRR", "uniform", "exact", "ibu", 0),  # Table 1
        ("OUE", "uniform", "exact", "ibu", 20),
        ("GRR", "poisson", "exact", "ibu", 39),
        ("OLH", "poisson", "exact", "ibu", 46),
        ("L-GRR", "triangular", "published", "ibu", 28),  # Table 2, with the channel that the paper used
        ("L-OLH", "triangular", "published", "ibu", 14),
        ("L-GRR", "triangular", "exact", "limit", 0),  # and what the exact channel makes of it at convergence
        ("L-GRR", "poisson", "exact", "limit", 24),
    ],
)
def test_the_papers_tables_come_out(mechanism, data, channel, estimator, expected):
    # A cell moves by about 1 point with the seed, and with 5 runs in place of 20; a faithful run stays within 5 points.
    assert paper_gain(mechanism, data, channel, estimator) == pytest.approx(expected, abs=5)


# ---- data of one's own -------------------------------------------------------------


def own(**changes):
    return ldp.Setting(**{"data": "own", "mechanism": "OUE", "eps": 2.0, "n": 1_000, "k": 4, "runs": 5} | changes)


MINE = ldp.Histogram(np.array([400, 300, 200, 100]), np.arange(5) - 0.5, labels=("a", "b", "c", "d"))


def test_own_data_is_run_as_it_is_given():
    result = ldp.run(own(), MINE)
    np.testing.assert_array_equal(result.histogram, MINE.counts)
    assert result.labels == ("a", "b", "c", "d")
    assert result.mi.shape == (5, 4)
    together = ldp.run_together([own(), own(mechanism="SS")], MINE)
    np.testing.assert_array_equal(together[0].counts, result.counts)
    np.testing.assert_allclose(together[0].ibu, result.ibu, atol=1e-9)
    assert ldp.run_full(own(), 2, MINE).shape == (2, 4)


def test_own_data_gives_what_the_same_numbers_give_built_in():
    # Given the data, the noise is another draw of the same distribution: means of 400 runs, seven standard errors.
    # MI needs no step of IBU.
    many = {"mechanism": "GRR", "eps": 1.0, "n": 5_000, "k": 5, "runs": 400, "max_iter": 1}
    built_in = ldp.Setting(data="poisson", **many)
    a = ldp.run(built_in).error("mi", "mse")
    b = ldp.run(own(**many), built_in.make_histogram()).error("mi", "mse")
    assert abs(a - b) < 7 * np.hypot(a.se, b.se)


@pytest.mark.parametrize("function", [ldp.run, ldp.run_full, lambda s: ldp.run_together([s])])
def test_own_data_must_be_handed_over(function):
    with pytest.raises(ValueError, match="hand the histogram over"):
        function(own())


@pytest.mark.parametrize("changes", [{"n": 999}, {"k": 5}])
def test_own_data_must_fit_the_setting(changes):
    for function in (ldp.run, lambda s, data: ldp.run_full(s, 1, data)):
        with pytest.raises(ValueError, match="data must have the setting's n"):
            function(own(**changes), data=MINE)


def test_own_data_has_no_parameters():
    with pytest.raises(ValueError, match="params must be empty"):
        own(params=(("mean", 1.0),))
