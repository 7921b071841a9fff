"""The table of all estimators: quick ones at once, those that choose by the counts when they are asked for."""

import numpy as np
import pytest
from app_steps import ESTIMATE, QUICK, assert_calm, open_page, session_of

import ldpcore as ldp
from ldpui import cache

STATE = QUICK | {"closer": "All estimators", "runs": "5"}


def table(at):
    return at.main.dataframe[0].value.set_index("Estimator")


@pytest.mark.slow
def test_slow_estimators_are_in_the_table_if_they_are_asked_for():
    quick, whole = (table(open_page(ESTIMATE, STATE | {"slow": slow})) for slow in (False, True))
    slow = [ldp.ESTIMATORS[key].name for key in cache.slow_estimators()]
    assert "auto" in slow
    assert not set(slow) & set(quick.index)
    assert set(whole.index) == set(quick.index) | set(slow)
    assert whole["Error"].is_monotonic_increasing


@pytest.mark.parametrize(("state", "offered"), [({}, True), ({"full": True, "n": "1k"}, False), ({"n": "1B"}, False)])
def test_full_report_ibu_is_offered_where_it_is_missing_and_possible(state, offered):
    at = open_page(ESTIMATE, STATE | state)
    (said,) = [box.value for box in at.main.caption if box.value.startswith("Best first")]
    assert ("Switch on *full-report IBU*" in said) is offered
    assert ("full-report IBU" in set(table(at).index)) is ("full" in state)


def test_auto_says_what_it_chose_what_it_expected_and_how_sure_it_is():
    at = open_page(ESTIMATE, STATE | {"slow": True, "auto": True})
    assert_calm(at)
    result = cache.run(session_of(at).setting, None)
    kinds = [choice.candidate.kind for choice in result.choices]
    (said,) = [box.value for box in at.main.markdown if box.value.startswith("**auto:** ")]
    for kind in set(kinds):
        assert f"{kind} in {'all 5' if len(set(kinds)) == 1 else kinds.count(kind)}" in said
    middle = np.median([choice.sure for choice in result.choices])
    assert f"{middle:.0%} sure (the median of" in said
    # The same stands under the chart that draws it.
    assert any(said.removeprefix("**auto:** ") in box.value for box in at.main.caption)
    expected = at.main.dataframe[1].value.set_index("name")
    for number, score in enumerate(result.choices[0].scores):
        row = expected.loc[score.candidate.name]
        assert row["error"] == pytest.approx(np.mean([choice.scores[number].error for choice in result.choices]))
    assert expected["chosen"].sum() == 5
    # Of one collection that is shown it says what it chose there.
    one = open_page(ESTIMATE, STATE | {"slow": True, "show": "one", "collection": 2.0})
    assert f"**auto:** {result.choices[1].sentence}" in [box.value for box in one.main.markdown]
    assert "behind" in one.main.dataframe[1].value


def test_what_needs_an_order_is_not_tried_on_categories(monkeypatch):
    slow = ldp.Estimator("late", "late", "Slow.", ldp.ESTIMATORS["smooth"].function, ordered=True, iterated=True)
    monkeypatch.setitem(ldp.ESTIMATORS, "late", slow)
    assert "late" in cache.slow_estimators()
    assert not {"late", "smooth"} & {e.key for e in cache.possible_estimators(ordered=False)}
    assert cache.slow_estimators(ordered=False) == [key for key in cache.slow_estimators() if key != "late"]


def test_bias_and_variance_sum_to_the_squared_error():
    at = open_page(ESTIMATE, STATE)
    rows = table(at)
    np.testing.assert_allclose(rows["Bias²"] + rows["Variance"], rows["Error"], rtol=1e-6)
    spread = cache.run(session_of(at).setting, None).estimate("norm-sub").var(axis=0, ddof=1).mean()
    assert rows.loc["Norm-Sub", "Variance"] == pytest.approx(spread)
    assert "Bias²" not in table(open_page(ESTIMATE, STATE | {"metric": "MAE"}))
    assert "Bias²" not in table(open_page(ESTIMATE, STATE | {"runs": "1"}))


@pytest.mark.parametrize("key", cache.slow_estimators())
def test_run_by_run_is_the_same_as_all_runs_together(key):
    at = open_page(ESTIMATE, STATE | {"slow": True})
    assert_calm(at)
    result = cache.run(session_of(at).setting, None)
    error = result.error(key, "mse")
    row = table(at).loc[ldp.ESTIMATORS[key].name]
    np.testing.assert_allclose((row["Error"], row["Standard error"]), (error.mean, error.se), rtol=1e-9)


def test_what_rounding_leaves_is_no_error():
    """At ε = 50 GRR tells every user right: what was left was written as 6,160,000·10⁻³⁹."""
    at = open_page(ESTIMATE, STATE | {"mechanism": "GRR", "eps": "50", "n": "1M", "k": "2"})
    assert_calm(at)
    assert set(table(at)["Error"]) == {0.0}
    assert np.isnan(table(at)["Against MI"]).all()
    (errors,) = [box.value for box in at.main.markdown if "| IBU limit |" in box.value]
    assert [line.split(" | ")[1:] for line in errors.splitlines()[2:]] == [["0", "0 |"]] * 3
