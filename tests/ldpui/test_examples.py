"""The examples in docstrings of what pages share."""

import doctest

import pytest

from ldpui import auto_choices, bins, clock, export, failures, theme
from ldpui import format as ldpui_format
from ldpui.charts import maps


@pytest.mark.parametrize(
    "module", [auto_choices, bins, clock, export, failures, ldpui_format, maps, theme], ids=lambda m: m.__name__
)
def test_examples_in_the_docstrings(module):
    tested = doctest.testmod(module)
    assert tested.attempted > 0
    assert tested.failed == 0
