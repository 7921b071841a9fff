"""What tests of these pages share."""

import pytest

from pages.practice.advisor import errors, runs

FEW = 20


@pytest.fixture(scope="module")
def few_simulations():
    """Patch how often the Advisor simulates, within a block.

    For tests that ask what is on the page, and not how often: that is asked in `test_advisor.py`.
    """

    def patch(context):
        for name in ("steady", "search", "fine"):
            context.setattr(runs, name, lambda t: FEW)
        # The lines of equal error lie between few places then.
        context.setattr(runs, "grid", lambda s, first: 2)
        context.setattr(runs, "N_GRID", runs.N_GRID[::7])
        context.setattr(errors, "EPS_GRID", errors.EPS_GRID[::9])
        return FEW

    return patch


@pytest.fixture
def few_runs(monkeypatch, few_simulations):
    """Simulate a few times only; return how often."""
    return few_simulations(monkeypatch)
