"""Support counts as they come in, apart for each ε."""

from __future__ import annotations

import numpy as np
import pytest

import ldpcore as ldp
from ldpcore.collected.fit import FIT_ALARM, Fit
from ldpcore.collected.tally import Tally, worst_fit
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
