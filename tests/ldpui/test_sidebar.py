"""The shared controls: reset, new seed, and what has no effect says so."""

import pytest
from app_steps import PAPER, QUICK, assert_calm, charts, metrics, open_page, session_of

import ldpcore as ldp
from ldpui import sidebar
from ldpui.address import links, vocabulary


def press(at, words):
    next(button for button in at.sidebar.button if words in (button.key or "") or words in button.label).click().run()
    assert_calm(at)


def shared(at):
    return {k: at.session_state[k] for k in links.CONTROLS if k in at.session_state and not links.CONTROLS[k].page}


def test_reset_goes_back_to_the_defaults_on_this_page_and_can_be_undone():
    state = QUICK | {"reports": "repeatedly", "chain": "L-SUE", "eps_inf": "10", "axis": "log", "sort": "gain Γ"}
    at = open_page(state=state)
    before = session_of(at).setting, charts(at)
    press(at, "Reset")
    for key, value in shared(at).items():
        assert value == links.CONTROLS[key].default, key
    assert at.session_state["axis"] == "linear"
    # What another page shows is not touched.
    assert at.session_state["sort"] == "gain Γ"
    press(at, "Undo")
    assert {key: at.session_state[key] for key in state} == state
    assert (session_of(at).setting, charts(at)) == before


def test_a_reset_can_be_undone_until_something_else_changes():
    at = open_page(state=QUICK)
    press(at, "Reset")
    at.main.select_slider(key="eps").set_value("1").run()
    assert not [button for button in at.sidebar.button if "Undo" in button.label]


@pytest.mark.slow
def test_reset_on_a_page_without_shared_controls_leaves_them_alone():
    at = open_page(PAPER, state={"eps": "1", "table": "Table 2"})
    press(at, "Reset")
    assert at.session_state["eps"] == "1"
    assert at.session_state["table"] == links.CONTROLS["table"].default


def test_new_seed_gives_new_numbers_and_the_old_one_the_old_numbers():
    at = open_page(state=QUICK)
    before = metrics(at), charts(at)["estimate_chart"]["data"]
    press(at, "New seed")
    assert at.session_state["seed"] == 1
    assert (metrics(at), charts(at)["estimate_chart"]["data"]) != before
    assert metrics(at) != before[0]
    at.sidebar.number_input(key="seed").set_value(0).run()
    assert (metrics(at), charts(at)["estimate_chart"]["data"]) == before


def test_new_seed_works_at_the_largest_seed():
    at = open_page(state=QUICK | {"seed": vocabulary.SEED_MAX})
    press(at, "New seed")
    assert 0 <= at.session_state["seed"] < vocabulary.SEED_MAX


@pytest.mark.parametrize(("kind", "mechanism", "silent"), [("once", "OUE", True), ("repeatedly", "L-GRR", False)])
def test_channel_and_calibration_say_where_they_have_no_effect(kind, mechanism, silent):
    key = "chain" if kind == "repeatedly" else "mechanism"
    at = open_page(state=QUICK | {"reports": kind, key: mechanism, "channel": "published"})
    assert_calm(at)
    for control in ("channel", "calibration"):
        assert (f"no effect for {mechanism}" in at.sidebar.selectbox(key=control).help) == silent
    # The word stays when the help changes.
    at.sidebar.segmented_control(key="reports").set_value("once" if kind == "repeatedly" else "repeatedly").run()
    assert at.session_state["channel"] == "published"


@pytest.mark.parametrize(
    "state",
    [
        {},
        {"eps": "0.3", "seed": 7.0, "n": "12345"},
        {"reports": "repeatedly", "chain": "L-OUE", "eps_inf": "10", "share": "90%"},
        {"data": "Gaussian", "gaussian_mean": 5.0, "binning": "paper", "stop": "mse", "tol": "1e-6", "start": "mi"},
        {"reports": "repeatedly", "chain": "L-GRR", "calibration": "tight", "channel": "published"},
    ],
)
def test_the_setting_is_known_before_the_controls_are_drawn(state, monkeypatch):
    foreseen, settings = sidebar.foreseen, []
    monkeypatch.setattr(sidebar, "foreseen", lambda: settings.append(foreseen()))
    at = open_page(state=QUICK | state)
    assert settings == [session_of(at).setting]
    at.main.select_slider(key="k").set_value("20").run()
    assert settings[1:] == [session_of(at).setting]
    assert settings[0] != settings[1]


@pytest.mark.parametrize("state", [{"data": vocabulary.OWN}, {"data": "Poisson", "binning": "values"}])
def test_where_it_is_not_known_nothing_is_foreseen(state, monkeypatch):
    foreseen, settings = sidebar.foreseen, []
    monkeypatch.setattr(sidebar, "foreseen", lambda: settings.append(foreseen()))
    open_page(state=QUICK | state)
    assert settings == [None]


@pytest.mark.parametrize("name", ldp.LONGITUDINAL)
def test_the_reason_why_a_share_is_not_possible_is_that_of_the_mechanism(name):
    eps, note = sidebar.first_report(name, 2.0, 0.95)
    m = ldp.mechanism(name, k=10, eps=eps, eps_inf=2.0)
    assert ("half of all cases" in note) == (m.p2 == 0.5)
    assert ("can't come nearer" in note) == (eps < 1.9)


def test_a_small_first_report_is_written_in_plain_digits():
    """1% of ε∞ = 0.01: "ε₁ = 1.00e-04"."""
    assert sidebar.first_report("L-SUE", 0.01, 0.01)[1] == "ε₁ = 0.0001"


def test_a_mechanism_with_a_bound_of_its_own_is_given_no_reason_of_another(monkeypatch):
    """It was told that its second round drops half of all answers, as that of L-OUE does."""
    monkeypatch.setattr(ldp.mechanism_class("L-SUE"), "max_eps", classmethod(lambda cls, eps_inf=None: eps_inf / 2))
    eps, note = sidebar.first_report("L-SUE", 2.0, 0.95)
    assert (eps, note) == (0.999, "ε₁ = 0.999, not 1.9: L-SUE can't come nearer to ε∞.")
