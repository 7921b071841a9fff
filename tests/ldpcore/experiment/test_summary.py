"""A summary: a number to read, write and compute with, and the runs to NumPy's statistics."""

import json
import math
import pickle
import statistics
from fractions import Fraction

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


def test_whatever_numpy_calls_them_they_are_those_of_the_runs():
    # `np.max` and `np.amax` are two functions in NumPy 2.
    assert (np.amax(S), np.amin(S), np.sum(S), np.prod(S), np.count_nonzero(S)) == (6.0, 1.0, 12.0, 36.0, 4)
    np.testing.assert_array_equal(np.cumsum(S), [1, 3, 6, 12])
    backwards = ldp.Summary(RUNS[::-1])
    np.testing.assert_array_equal(np.sort(backwards), RUNS)
    np.testing.assert_array_equal(np.argsort(backwards), [3, 2, 1, 0])
    assert np.corrcoef(S, ldp.Summary([2 * x for x in RUNS]))[0, 1] == pytest.approx(1)


# By the arguments that they need beside the summary, which is the first.
_OF_SEVERAL = ("block", "concatenate", "stack", "hstack", "vstack", "dstack", "column_stack", "where")
_MORE = {"quantile": (0.5,), "percentile": (50,), "nanquantile": (0.5,), "nanpercentile": (50,)}


def test_every_function_of_numpys_speaks_of_the_runs_or_of_the_mean_or_refuses():
    runs, other = np.array(RUNS), ldp.Summary([3.0])  # the same mean, other runs
    refused = {}
    for name, function in list(vars(np).items()):
        if not hasattr(function, "_implementation") or name.startswith("_"):
            continue
        more = _MORE.get(name, ())
        try:
            answer = function(S, *more)
        except TypeError as problem:
            refused[name] = str(problem)
            continue
        except (ValueError, DeprecationWarning):  # one number is no array for them; NumPy 2.0 only warns of np.where
            assert name in _OF_SEVERAL, name
            continue
        if repr(answer) != repr(function(runs, *more)):  # then it speaks of the mean, whatever the runs are
            assert repr(answer) == repr(function(other, *more)) == repr(function(3.0, *more)), name
    # The others lack an argument, or are not for numbers.
    own = {name for name, said in refused.items() if "could be that of its runs or of their mean" in said}
    assert {"size", "copy", "flip", "bincount", "nonzero"} <= own
    with pytest.raises(TypeError, match=r"np.flip of a Summary could be .*: ask for s.values or for s.mean instead"):
        np.flip(S)


def test_arithmetic_with_any_real_number():
    assert (S + Fraction(1, 2), Fraction(1, 2) * S, S - np.float32(1), np.int64(2) + S, True + S) == (3.5, 1.5, 2, 5, 4)
    assert statistics.mean([S, S]) == statistics.fmean([S, S]) == statistics.median([S, S]) == 3.0
    assert statistics.mean([S, 5]) == 4.0
    assert statistics.stdev([S, S + 2]) == pytest.approx(math.sqrt(2))
    assert sum([S, S], Fraction(1, 2)) == 6.5
    assert ldp.Summary(Fraction(7, 2)) == 3.5
    np.testing.assert_array_equal(ldp.Summary(2.5).values, [2.5])


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
