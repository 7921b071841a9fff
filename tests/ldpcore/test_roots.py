"""The one bisection: against roots that are known."""

import math

import pytest

from ldpcore.roots import bisect, bracket


@pytest.mark.parametrize(("power", "low", "high"), [(2, 0.0, 2.0), (3, -1.0, 1e6), (1, 1.9999999, 2.0000001)])
def test_a_root_is_met_to_twelve_digits_and_never_from_below(power, low, high):
    root = 2 ** (1 / power)

    def too_low(x):
        return x**power < 2

    place = bisect(too_low, low, high)
    assert place == pytest.approx(root, rel=2e-12)
    assert not too_low(place)


@pytest.mark.parametrize("accuracy", [0.3, 0.005, 1e-9])
def test_a_bracket_holds_the_root_and_is_as_narrow_as_asked_for(accuracy):
    low, high = bracket(lambda x: math.exp(x) < 5, 0.0, 10.0, accuracy=accuracy)
    assert low < math.log(5) <= high
    assert high - low <= accuracy * high
    # No narrower than needed: every step may be a simulation.
    assert high - low > accuracy * high / 4


def test_a_condition_that_never_changes_gives_an_end():
    assert bisect(lambda x: True, 1.0, 3.0) == 3.0
    assert bisect(lambda x: False, 1.0, 3.0) == pytest.approx(1.0)
    assert bracket(lambda x: True, 1.0, 3.0)[1] == 3.0


def test_negative_places_are_found_too():
    assert bisect(lambda x: x < -2.5, -10.0, -1.0) == pytest.approx(-2.5)
