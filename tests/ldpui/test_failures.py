"""What a reader sees when the core fails: a sentence, never a traceback."""

import pytest
from app_steps import COMPARE, ESTIMATE, QUICK, YOUR_DATA, assert_logged, open_page
from streamlit.testing.v1 import AppTest

import ldpcore as ldp
from ldpui import cache, privacy, sweeps
from ldpui.computing import reading

DETAIL = "zip() argument 2 is shorter than argument 1 (4711)"
UNFORESEEN = [RuntimeError(DETAIL), ZeroDivisionError(DETAIL), KeyError(DETAIL), ValueError(DETAIL), TypeError(DETAIL)]


def failing(error):
    def run(*_args, **_kwargs):
        raise error

    run.known = run
    return run


def everything(at):
    return " ".join(str(getattr(element, "value", "")) for element in (*at.main, *at.sidebar))


def test_a_refusal_of_the_core_is_passed_on(monkeypatch):
    monkeypatch.setattr(cache, "run", failing(ldp.Refused("k must be small")))
    at = open_page(ESTIMATE, QUICK)
    assert not at.exception
    assert len(at.error) == 1
    assert "k must be small" in at.error[0].value
    assert "Traceback" not in everything(at)
    # The way out is still there.
    assert at.main.select_slider(key="k").value == "10"


@pytest.mark.parametrize("page", [ESTIMATE, COMPARE])
@pytest.mark.parametrize("error", UNFORESEEN, ids=repr)
def test_an_unforeseen_error_goes_to_the_log_not_to_the_reader(monkeypatch, caplog, page, error):
    where, name = (cache, "run") if page == ESTIMATE else (sweeps, "simulated")
    monkeypatch.setattr(where, name, failing(error))
    at = open_page(page, QUICK | {"seed": 4711})  # what no other test has computed, and so is not kept
    assert not at.exception
    assert len(at.error) == 1
    assert DETAIL not in everything(at)
    assert "Traceback" not in everything(at)
    assert_logged(caplog, DETAIL)


def refusing(names):
    """Return a stand-in for the comparison's settings that refuses some mechanisms."""
    real = privacy.same_privacy

    def same_privacy(setting, name):
        if name in names:
            raise ldp.InfeasibleError("this one cannot", 1.0)
        return real(setting, name)

    return same_privacy


def test_compare_leaves_out_what_the_core_refuses(monkeypatch):
    monkeypatch.setattr(privacy, "same_privacy", refusing(("SS", "L-GRR")))
    at = open_page(COMPARE, QUICK)
    assert not at.exception
    assert not at.error
    assert ["this one cannot" in warning.value for warning in at.warning] == [True, True]
    assert len(at.dataframe[0].value) == len(ldp.ONE_TIME + ldp.LONGITUDINAL) - 2


def test_compare_says_so_when_the_core_refuses_everything(monkeypatch):
    monkeypatch.setattr(privacy, "same_privacy", refusing(ldp.ONE_TIME + ldp.LONGITUDINAL))
    at = open_page(COMPARE, QUICK)
    assert not at.exception
    assert not at.error
    assert len(at.warning) == len(ldp.ONE_TIME + ldp.LONGITUDINAL)


@pytest.mark.parametrize("error", [ldp.Refused("not this"), ValueError(DETAIL), RuntimeError(DETAIL)], ids=repr)
def test_a_failing_table_of_estimators_is_a_sentence(monkeypatch, error):
    monkeypatch.setattr(cache, "estimator_table", failing(error))
    at = open_page(ESTIMATE, QUICK | {"closer": "All estimators"})
    assert not at.exception
    assert len(at.error) == 1
    assert DETAIL not in everything(at)


def test_a_failing_full_report_ibu_is_a_sentence(monkeypatch):
    monkeypatch.setattr(cache, "run_full", failing(MemoryError("too large")))
    at = open_page(ESTIMATE, QUICK | {"full": True})
    assert not at.exception
    assert len(at.error) == 1
    assert "not enough memory" in at.error[0].value
    assert "too large" not in everything(at)


def test_a_bug_in_the_sidebar_is_a_calm_sentence(monkeypatch, caplog):
    monkeypatch.setattr(ldp, "Setting", failing(ValueError(DETAIL)))
    at = open_page(ESTIMATE, QUICK)
    assert not at.exception
    assert len(at.error) == 1
    assert DETAIL not in everything(at)
    assert_logged(caplog, DETAIL)


def test_a_bug_while_pasted_values_are_read_is_a_calm_sentence(monkeypatch, caplog):
    monkeypatch.setattr(reading, "paste_table", failing(ValueError(DETAIL)))
    at = open_page(YOUR_DATA, {"own_text": "1, 2, 3"})
    next(button for button in at.main.button if button.label == "Use these values").click().run()
    assert not at.exception
    assert len(at.error) == 1
    assert DETAIL not in everything(at)
    assert_logged(caplog, DETAIL)


def test_an_error_goes_away_when_the_setting_is_put_right(monkeypatch):
    real = cache.run

    def run(setting, data):
        if setting.k > 10:
            raise ldp.Refused("k must be small")
        return real(setting, data)

    run.known = run
    monkeypatch.setattr(cache, "run", run)
    at = open_page(ESTIMATE, QUICK | {"k": "50"})
    assert at.error
    at.main.select_slider(key="k").set_value("10").run()
    assert not at.error
    assert at.metric


def test_what_streamlit_catches_itself_is_one_sentence():
    at = AppTest.from_function(_fail_before_the_page).run()
    assert not at.exception
    assert at.error[0].value.startswith("Something went wrong before the page could be drawn")


def _fail_before_the_page():
    from ldpui import failures

    assert failures.say_calmly(ValueError("seven"))
