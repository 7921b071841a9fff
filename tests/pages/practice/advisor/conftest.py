"""What tests of these pages share."""

import pytest
from advisor_page import simulate_little


@pytest.fixture(scope="module")
def few_simulations():
    """Patch how often the Advisor simulates, within a block."""
    return simulate_little


@pytest.fixture
def few_runs(monkeypatch):
    """Simulate a few times only; return how often."""
    return simulate_little(monkeypatch)
