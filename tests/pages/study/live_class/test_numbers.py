"""What is estimated of a round: once, as long as the room is there."""

import gc
import weakref

import numpy as np

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
