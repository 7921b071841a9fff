"""What is estimated of a round: once, as long as the room is there."""

import gc
import math
import weakref

import numpy as np
import pytest

import ldpcore as ldp
from pages.study.live_class import numbers
from pages.study.live_class.rooms import Round


def test_estimates_are_computed_once_and_end_with_their_room(monkeypatch):
    """A cache that all visitors share had those of five hundred rounds, long after their rooms had ended."""
    calls, compute = [], numbers._estimates
    monkeypatch.setattr(numbers, "_estimates", lambda *a: calls.append(a) or compute(*a))
    held = Round(1, "GRR", 1.0, 3)
    held.add((1,))
    known = weakref.ref(numbers.estimates(held.view()))
    assert numbers.estimates(held.view()) is known()
    held.close()
    assert numbers.estimates(held.view()) is known()
    assert len(calls) == 1
    del held
    gc.collect()
    assert known() is None


def test_estimates_follow_the_counts():
    held = Round(1, "GRR", 1.0, 3)
    assert numbers.estimates(held.view()) is None
    for value in (1, 2):
        held.add((value,))
        expected = ldp.mi(held.counts, held.n, held.view().make_mechanism())
        np.testing.assert_array_equal(numbers.estimates(held.view()).mi, expected)


def law(n, p):
    """The binomial law, by hand."""
    return [math.comb(n, i) * p**i * (1 - p) ** (n - i) for i in range(n + 1)]


@pytest.mark.parametrize(("k", "n", "eps", "count"), [(8, 2, 0.1, 2), (8, 2, 0.5, 2), (3, 5, 0.1, 5), (8, 30, 0.1, 10)])
def test_a_count_that_no_share_explains_leaves_more_than_one_share(k, n, eps, count):
    """Two reports for the same of eight answers: the wall said "the 95% interval is 100% to 100%"."""
    counts = [count, n - count, *[0] * (k - 2)]
    m = ldp.mechanism("GRR", k=k, eps=eps)
    assert ldp.intervals(counts, n, m)[:, 0].tolist() == [1, 1]
    # By hand: such a count, or a higher one, is rare even if all n have that answer.
    assert sum(law(n, m.p)[count:]) < 0.05
    known = numbers._estimates("GRR", eps, tuple(counts), n)
    for ends in (known.interval, known.joint):
        assert ends[1, 0] == 1
        assert ends[0, 0] < 0.5
        assert (ends >= 0).all()
        assert (ends <= 1).all()


def test_every_truth_is_held_as_often_as_promised_also_by_what_is_widened():
    """All collections of four users with three answers, and how likely each is; what is widened can hold no less."""
    k, n, eps = 3, 4, 0.3
    m = ldp.mechanism("GRR", k=k, eps=eps)
    for have in range(n + 1):
        both = np.convolve(law(have, m.p), law(n - have, m.q))
        held = 0.0
        for count, chance in enumerate(both):
            low, high = numbers._estimates("GRR", eps, (count, n - count, 0), n).interval[:, 0]
            held += chance * (low - 1e-9 <= have / n <= high + 1e-9)
            narrow = ldp.intervals([count, n - count, 0], n, m)[:, 0]
            assert low <= narrow[0]
            assert narrow[1] <= high
        assert held >= 0.94
