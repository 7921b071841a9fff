"""The table of all estimators is computed by workers: the same numbers, by every metric at once, in slices."""

from dataclasses import replace
from threading import local

import numpy as np
import pytest
from app_steps import ESTIMATE, QUICK, assert_calm, go_to, open_page, session_of
from own_uploads import uploaded

import ldpcore as ldp
from ldpui import cache
from ldpui.computing import compute, measuring, work

STATE = QUICK | {"closer": "All estimators", "runs": "5"}
TRIED = (measuring.measure, measuring.measure_estimates)


@pytest.fixture
def asked(monkeypatch):
    """The calls of workers, as (function, key); whoever tries an estimator outside of one fails."""
    calls, here, power = [], local(), ldp.ESTIMATORS["power"].function

    def work_on(function, arguments, key):
        calls.append((function, key))
        here.worker = True
        try:
            return function(*arguments)
        finally:
            here.worker = False

    def stream(function, tasks, keys, **_):
        for number, (task, key) in enumerate(zip(tasks, keys, strict=True)):
            yield None
            yield number, work_on(function, task, key)

    def only_there(*arguments):
        assert getattr(here, "worker", False), "the server tries an estimator itself"
        return power(*arguments)

    monkeypatch.setattr(compute, "run", lambda function, *arguments, key=None, **_: work_on(function, arguments, key))
    monkeypatch.setattr(compute, "stream", stream)
    monkeypatch.setitem(ldp.ESTIMATORS, "power", replace(ldp.ESTIMATORS["power"], function=only_there))
    return calls


def tried(calls):
    return [(function, key) for function, key in calls if function in TRIED]


def table(at):
    return at.main.dataframe[0].value.set_index("Estimator")


def assert_as_the_library_says(rows, result, metric):
    for e in cache.possible_estimators(result.ordered):
        if e.key not in cache.slow_estimators(result.ordered):
            error, row = result.error(e.key, metric), rows.loc[e.name]
            assert (row["Error"], row["Standard error"]) == (error.mean, error.se)
            if metric == "mse":
                two = result.decomposition(e.key)
                assert (row["Bias²"], row["Variance"]) == (two.bias_squared, two.variance)


@pytest.mark.slow
@pytest.mark.parametrize(("cost", "parts"), [(measuring._RUN, 1), (10**9, 2)])
def test_workers_try_all_estimators_and_another_metric_asks_for_nothing(monkeypatch, asked, cost, parts):
    monkeypatch.setattr(measuring, "_RUN", cost)
    at = open_page(ESTIMATE, STATE | {"seed": 4_100 + parts})
    assert_calm(at)
    calls = tried(asked)
    assert len({key for _, key in calls}) == len(calls) == parts
    assert None not in {key for _, key in calls}
    for name in ("MAE", "TV"):
        at.session_state["metric"] = name
        at.run()
        assert_calm(at)
    assert tried(asked) == calls
    setting = session_of(at).setting
    shown = table(at)
    monkeypatch.undo()
    assert_as_the_library_says(shown, ldp.run(setting), "tv")
    assert_as_the_library_says(
        cache.estimator_table(setting, None, "mse", False).set_index("Estimator"), ldp.run(setting), "mse"
    )


def test_what_takes_seconds_is_measured_by_workers_too(asked):
    at = open_page(ESTIMATE, STATE | {"slow": True, "seed": 4_200, "runs": "2"})
    assert_calm(at)
    assert [function for function, _ in tried(asked)].count(measuring.measure_estimates) == len(cache.slow_estimators())


def test_own_data_is_shared_with_nobody(asked):
    at = open_page(ESTIMATE, STATE)
    ages = "\n".join(str(18 + i % 40) for i in range(820))
    session_of(at).own.use(uploaded(f"age\n{ages}".encode(), "ages.csv"))
    asked.clear()
    at.session_state["data"] = "Your data"
    go_to(at, ESTIMATE)
    assert_calm(at)
    assert session_of(at).setting.data == ldp.OWN_DATA
    assert tried(asked) == [(measuring.measure, None)]


@pytest.mark.parametrize("mechanism", ["GRR", "OUE", "SS", "L-OSUE"])
def test_slices_joined_are_the_whole(mechanism):
    result = ldp.run(ldp.Setting(mechanism=mechanism, n=2_000, k=12, runs=7, max_iter=20, start="mi"))
    keys = tuple(e.key for e in cache.possible_estimators() if e.key not in cache.slow_estimators())
    cuts = ((0, 3), (3, 2), (5, 2))
    whole = measuring.joined([measuring.measure(result, keys)])
    pieces = measuring.joined([measuring.measure(measuring.some_runs(result, *cut), keys) for cut in cuts])
    assert whole.parts == pieces.parts == {key: result.decomposition(key) for key in keys}
    assert not whole.offsets
    assert not pieces.offsets
    for metric in ldp.METRICS:
        for key in keys:
            np.testing.assert_array_equal(pieces.of(key, metric), whole.of(key, metric))
            np.testing.assert_array_equal(result.error(key, metric).values, whole.of(key, metric))


def test_small_settings_are_one_slice_and_the_largest_of_a_page_ends_within_a_second():
    assert measuring.slices(ldp.Setting(k=20, runs=20)) == [(0, 20)]
    largest = ldp.Setting(k=1000, runs=100)
    measuring.check(largest)
    parts = measuring.slices(largest)
    assert [run for first, number in parts for run in range(first, first + number)] == list(range(100))
    assert all(1 < number * measuring.amount(largest) / 100 <= 1.1 * work.PART_WORK for _, number in parts)
    # Never a single run of several, whose last digit could differ.
    assert measuring.slices(ldp.Setting(k=20_000, runs=3)) == [(0, 3)]
    assert measuring.slices(ldp.Setting(k=20_000, runs=5)) == [(0, 2), (2, 3)]


def test_what_would_take_minutes_is_refused():
    with pytest.raises(ldp.Refused, match="every estimator on 10,000 runs would take more than a minute") as refused:
        measuring.check(ldp.Setting(data="poisson", k=1000, runs=10_000))
    assert "`python -m ldpcore run --data poisson" in str(refused.value)
