"""Scales: numbers as words and back, within bounds, in order."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ldpui.address import scales
from ldpui.address.scales import Scale

USERS = Scale(("100", "1k", "20k", "1M", "1B"), 1, 10**9, whole=True)
EPS = Scale(("0.5", "1", "2"), 1e-4, 50)
SHARE = Scale(("10%", "50%"), 1, 99, sign="%")


@pytest.mark.parametrize(
    ("scale", "word", "number"),
    [
        (USERS, "20k", 20_000), (USERS, "1.5k", 1_500), (USERS, "1e6", 10**6), (USERS, "1B", 10**9), (EPS, "0.7", 0.7),
        (EPS, "1e-3", 0.001), (SHARE, "12.5%", 12.5), (SHARE, "12.5", 12.5),
    ],
)  # fmt: skip
def test_a_word_stands_for_its_number(scale, word, number):
    assert scale.number(word) == number
    assert scale.allows(word)


@pytest.mark.parametrize(
    ("scale", "word"),
    [
        (USERS, "0"), (USERS, "2B"), (USERS, "1.5"), (USERS, "0.0001k"), (USERS, "k"), (USERS, ""), (USERS, "-1"),
        (USERS, "1K"), (EPS, "2k"), (EPS, "nan"), (EPS, "inf"), (EPS, "51"), (EPS, "0"), (EPS, "٣"), (EPS, "1_0"),
        (SHARE, "100%"), (SHARE, "5%%"), (EPS, "5%"),
    ],
)  # fmt: skip
def test_what_is_no_legal_number_is_not_allowed(scale, word):
    assert not scale.allows(word)


@given(st.integers(1, 10**9))
def test_every_number_of_users_comes_back(n):
    assert USERS.number(USERS.word(n)) == n


@given(st.floats(1e-4, 50).map(lambda x: round(x, 9)))
def test_every_eps_comes_back_to_nine_places(eps):
    assert math.isclose(EPS.number(EPS.word(eps)), eps, abs_tol=1e-9)


def test_a_number_with_a_stop_is_written_as_the_stop():
    assert USERS.word(20_000.0) == "20k"
    assert SHARE.word(50) == "50%"
    assert USERS.word(20_001) == "20001"


def test_other_words_stand_in_their_places_and_other_spellings_in_those_of_their_stops():
    assert EPS.options("0.73", "7777", "1.0") == ["0.5", "0.73", "1.0", "2"]
    assert USERS.options("5k") == ["100", "1k", "5k", "20k", "1M", "1B"]


def test_another_spelling_of_the_default_is_the_default():
    assert USERS.read("20000", "20k") == "20k"
    assert USERS.read("20001", "20k") == "20001"


def test_the_bounds_in_words():
    assert USERS.bounds == "from 1 to 1,000,000,000"
    assert EPS.bounds == "from 0.0001 to 50"
    assert SHARE.bounds == "from 1 to 99%"


def test_what_is_no_number_is_kept_nowhere():
    """What links say is shared by all visitors where it is kept, and may be half a megabyte long."""
    scale = Scale(("1", "2"), 1, 100)
    before = scales._in_order.cache_info().currsize, scales._number.cache_info().currsize
    for number in range(20):
        assert scale.options("1", f"word {number}", "9" * 10_000 + str(number)) == ["1", "2"]
    after = scales._in_order.cache_info().currsize, scales._number.cache_info().currsize
    assert after[0] - before[0] <= 1
    assert after[1] - before[1] <= 2
