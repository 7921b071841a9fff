"""Errors with as many digits as they are sure of."""

import ldpcore as ldp
from pages.explore.estimate import digits


def test_with_error_of_one_run_has_no_error():
    assert digits.with_error(ldp.Summary([1.5])) == "1.5"


def test_with_error_of_tiny_numbers_uses_powers_of_ten():
    text = digits.with_error(ldp.Summary([1.0e-6, 1.2e-6, 1.4e-6]))
    assert text.endswith("·10⁻⁶")
    assert "±" in text
