"""The table of all estimators: quick ones at once, those that choose by the counts when they are asked for."""

import numpy as np
import pytest
from app_steps import ESTIMATE, QUICK, assert_calm, open_page, session_of

import ldpcore as ldp
from ldpui import cache

STATE = QUICK | {"closer": "All estimators", "runs": "5"}


def table(at):
    return at.main.dataframe[0].value.set_index("Estimator")


def test_slow_estimators_are_in_the_table_if_they_are_asked_for():
    quick, whole = (table(open_page(ESTIMATE, STATE | {"slow": slow})) for slow in (False, True))
    slow = [ldp.ESTIMATORS[key].name for key in cache.slow_estimators()]
    assert "auto" in slow
    assert not set(slow) & set(quick.index)
    assert set(whole.index) == set(quick.index) | set(slow)
    assert whole["Error"].is_monotonic_increasing


@pytest.mark.parametrize("key", cache.slow_estimators())
def test_run_by_run_is_the_same_as_all_runs_together(key):
    at = open_page(ESTIMATE, STATE | {"slow": True})
    assert_calm(at)
    result = cache.run(session_of(at).setting, None)
    error = result.error(key, "mse")
    row = table(at).loc[ldp.ESTIMATORS[key].name]
    np.testing.assert_allclose((row["Error"], row["Standard error"]), (error.mean, error.se), rtol=1e-9)
