"""How much of the workers' time counts for whom."""

import pytest

from ldpui.computing.shares import HALF, MOST, Shares


def test_what_somebody_had_adds_up_and_fades():
    shares = Shares()
    for now in range(200):  # a second of work in every second
        shares.add("busy", 1.0, float(now))
    # The sum is a geometric series.
    had = sum(0.5 ** (t / HALF) for t in range(200))
    assert shares._seconds("busy", 199.0) == pytest.approx(had)
    assert shares.steps("busy", 199.0) == MOST
    assert shares.steps("busy", 199.0 + 6 * HALF) == int(2 * had / 2**6) == 2
    assert shares.steps("new", 199.0) == 0


def test_who_has_gone_is_forgotten():
    shares = Shares()
    for visitor in range(1_000):
        shares.add(visitor, 1.0, float(visitor))
    assert len(shares._had) < 500
    shares.add("last", 1.0, 10_000.0)
    assert set(shares._had) == {"last"}
