"""Support counts as they come in, apart for each ε."""

from __future__ import annotations

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.collected.fit import DOES_NOT_FIT, FIT_ALARM, Fit
from ldpcore.collected.tally import TOGETHER_ALARM, Tally, worst_fit, worst_verdict
from ldpcore.errors import Refused


def test_counts_add_up_apart_for_each_eps():
    rng = np.random.default_rng(0)
    one, two = (ldp.mechanism("OLH", k=8, eps=eps) for eps in (2.0, 1.0))
    reports = {m.eps: [m.privatize(rng.integers(0, 8, n), rng) for n in (30, 20)] for m in (one, two)}
    tally, other = Tally(), Tally()
    for m in (one, two):
        tally.add(m, reports[m.eps][0])
        other.add(m, reports[m.eps][1])
    tally.merge(other)
    assert tally.n == 100
    assert [(group.m.eps, group.n) for group in tally.groups()] == [(1.0, 50), (2.0, 50)]
    for group in tally.groups():
        np.testing.assert_array_equal(group.counts, sum(group.m.support_counts(r) for r in reports[group.m.eps]))
    as_tuples = [(group.counts, group.n, group.m) for group in tally.groups()]
    np.testing.assert_array_equal(tally.estimate(mixed=True).raw, ldp.estimate_groups(as_tuples).raw)


def test_too_many_eps_are_refused():
    tally = Tally()
    for eps in np.linspace(1, 2, 1_000):
        tally.add(ldp.mechanism("GRR", k=2, eps=float(eps)), [0])
    with pytest.raises(Refused, match="at most 1,000 different ε"):
        tally.add(ldp.mechanism("GRR", k=2, eps=3.0), [0])


@pytest.mark.parametrize(("p_value", "fits"), [(0.0009, True), (0.0006, True), (0.0004, False)])
def test_among_several_eps_the_worst_has_had_several_tries(p_value, fits):
    some = [Fit("total support", 1.0, 1.0, 1.0, p, 2.0, p >= FIT_ALARM, "One.", "fits") for p in (0.5, p_value)]
    sentence, whole = worst_fit(some)
    assert whole == pytest.approx(2 * p_value)
    assert (whole >= FIT_ALARM) == fits
    assert sentence.startswith("The reports of all 2 different ε fit" if fits else "Of 2 different ε 1 do not fit")


def _many_eps(name, factor, seed, n=3_000, k=20):
    """Return the checks of reports of users with 150 different ε, all made at so many times that."""
    rng = np.random.default_rng(seed)
    m, eps = ldp.mechanism(name, k=k, eps=1.0), rng.integers(30, 180, n) / 100
    groups = []
    for one in np.unique(eps):
        stated, users = m.with_eps(float(one)), rng.integers(0, k, int((eps == one).sum()))
        made = stated.with_eps(factor * stated.eps, same_shape=True)
        groups.append((stated.support_counts(made.privatize(users, rng)), users.size, stated))
    return ldp.estimate_groups(groups).fit


@pytest.mark.parametrize(("name", "factor"), [("SUE", 0.8), ("THE", 0.8), ("OUE", 0.85), ("OLH", 2.5)])
def test_what_no_eps_shows_alone_all_show_together(name, factor):
    """Nothing was said to speak against them."""
    fits = _many_eps(name, factor, 71)
    sentence, p_value = worst_fit(fits)
    assert p_value < 1e-10
    assert worst_verdict(fits) == DOES_NOT_FIT
    total, expected = (sum(getattr(fit, which) for fit in fits) for which in ("observed", "expected"))
    assert (
        f"The reports of {len(fits)} different ε do not fit: all together their total support is {total:,.0f}"
        in sentence
    )
    assert f"where their ε imply {expected:,.0f} ± " in sentence


@pytest.mark.parametrize("name", ["SUE", "THE", "OUE", "OLH", "BLH"])
def test_right_reports_of_many_eps_raise_no_alarm_together(name):
    """A right library fails with a chance of 4e-4 for each name at the most; the seeds are fixed, and none does."""
    for seed in range(4):
        fits = _many_eps(name, 1.0, seed, n=2_000)
        sentence, p_value = worst_fit(fits)
        assert p_value >= TOGETHER_ALARM
        assert worst_verdict(fits) != DOES_NOT_FIT
        assert sentence.startswith("Nothing speaks against")


def test_few_reports_of_two_eps_are_not_added_up():
    two = [Fit("total support", 90.0, 40.0, 5.0, 0.5, 2.0, True, "One.", "fits") for _ in range(2)]
    assert worst_verdict(two) == "fits"
    far = [Fit("total support", 9_000.0, 8_800.0, 40.0, 0.5, 2.0, True, "One.", "fits") for _ in range(2)]
    # 400 counts are seven standard deviations of the sum.
    assert worst_fit(far)[1] == pytest.approx(1.6e-12, rel=0.1)
    assert worst_verdict(far) == DOES_NOT_FIT
    values = [Fit("rare values", 1.0, 50.0, 40.0, 0.5, None, True, "One.", "can't be checked") for _ in range(2)]
    assert worst_verdict(values) == "can't be checked"
