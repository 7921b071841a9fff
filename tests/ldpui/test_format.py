"""Numbers as people read them."""

import pytest

from ldpui import format as ldpui_format
from ldpui.address import vocabulary


@pytest.mark.parametrize(
    ("x", "text"),
    [(float("nan"), "–"), (float("-inf"), "−∞"), (0, "0"), (-0.5, "-0.5"), (1e7, "1.00e+07"), (999_999, "1,000,000")],
)
def test_significant(x, text):
    assert ldpui_format.significant(x) == text


@pytest.mark.parametrize("n", [1, 100, 999, 1000, 1500, 20_000, 10**6, 5 * 10**8, 10**9])
def test_a_short_number_of_users_is_one_of_a_link(n):
    assert vocabulary.SCALES["n"].number(ldpui_format.short(n)) == n
