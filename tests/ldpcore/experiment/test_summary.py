"""A summary: a number to read, write and compute with, and the runs to NumPy's statistics."""

import json
import math
import pickle

import numpy as np
import pandas as pd
import pytest

import ldpcore as ldp

RUNS = [1.0, 2.0, 3.0, 6.0]
S = ldp.Summary(RUNS)


def test_summary_is_a_number_with_its_spread():
    assert S == 3.0
    assert S.se == pytest.approx(np.std([1, 2, 3, 6], ddof=1) / 2)
    assert (S.quantile(0.05), S.quantile(0.5), S.quantile(0.95)) == (1.0, 2.0, 6.0)
    assert math.isnan(ldp.Summary([1.0]).se)
    assert math.isnan(ldp.Summary([1.0, math.inf]).se)
    assert ldp.Summary([1.0, math.inf]) == math.inf


def test_numpys_statistics_are_those_of_the_runs():
    assert np.mean(S) == S.mean == 3.0
    assert np.std(S) == np.std(RUNS)
    assert np.std(S, ddof=1) / 2 == pytest.approx(S.se)
    assert np.var(a=S) == np.var(RUNS)
    assert np.quantile(S, 0.9) == np.quantile(RUNS, 0.9)
    assert np.quantile(S, 0.5, method="inverted_cdf") == S.quantile(0.5)
    np.testing.assert_array_equal(np.percentile(S, [10, 50]), np.percentile(RUNS, [10, 50]))
    assert (np.median(S), np.min(S), np.max(S), np.ptp(S)) == (2.5, 1.0, 6.0, 5.0)
    np.testing.assert_array_equal(np.histogram(S, bins=2)[0], [3, 1])


def test_to_everything_else_it_is_a_number():
    assert f"{S:.1f}" == "3.0"
    assert str(S) == "3.0"
    assert (S > 2, S + 1, 2 * S, S / 2, S - 1, round(S), abs(-S), float(S)) == (True, 4.0, 6.0, 1.5, 2.0, 3, 3.0, 3.0)
    assert json.dumps({"gain": S}) == '{"gain": 3.0}'
    assert (np.sqrt(S), np.round(S), np.isclose(S, 3.0), np.where(True, S, 0)) == (np.sqrt(3.0), 3.0, True, 3.0)
    np.testing.assert_array_equal(np.array([S, S]), [3.0, 3.0])
    np.testing.assert_array_equal(np.stack([S, S]), [3.0, 3.0])
    assert np.mean([S, ldp.Summary([5.0])]) == 4.0  # of several summaries, whatever their numbers of runs
    frame = pd.DataFrame([{"gain": S}, {"gain": ldp.Summary([5.0])}])
    assert frame["gain"].dtype == np.float64
    assert frame["gain"].mean() == 4.0


def test_a_summary_survives_a_pickle():
    again = pickle.loads(pickle.dumps(S))  # noqa: S301 - our own
    assert again == S
    np.testing.assert_array_equal(again.values, S.values)
    assert np.std(again) == np.std(RUNS)
