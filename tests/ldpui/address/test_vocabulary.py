"""Controls and words: every default is legal, and everything that there is has words."""

import pytest
from app_steps import QUICK, assert_calm, open_page

import ldpcore as ldp
from ldpui import glossary, privacy
from ldpui.address import links, vocabulary

NAMES = ldp.ONE_TIME + ldp.LONGITUDINAL


@pytest.mark.parametrize("key", links.CONTROLS)
def test_every_default_is_allowed(key):
    default = links.CONTROLS[key].default
    for part in default if isinstance(default, tuple) else [default]:
        if part is None:
            continue  # nothing is said, and nothing is what is meant
        word = str(part).lower() if isinstance(part, bool) else str(part)
        assert links.CONTROLS[key].allows(word)
    # What a teacher may write freely is only bounded.
    assert not links.CONTROLS[key].allows("x" * 10_000 if key in ("c_question", "c_answers") else "no such word")


@pytest.mark.parametrize("name", NAMES)
def test_the_sliders_can_show_the_privacy_of_a_comparison(name):
    found = privacy.privacy_words(1.0, 2.0, name)
    expected = {"eps": "1"} if name in ldp.ONE_TIME else {"eps_inf": "2", "share": "50%"}
    assert found == expected
    assert all(links.CONTROLS[key].allows(word) for key, word in found.items())


def test_every_mechanism_metric_and_estimator_has_words():
    for name in NAMES:
        assert ldp.mechanism_class(name).summary.endswith(".")
    assert {record.key for record in vocabulary.METRICS.values()} == set(ldp.METRICS)
    assert all(record.name and record.summary.endswith(".") for record in ldp.ESTIMATORS.values())


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


def test_a_presentation_without_data_has_a_way_out():
    at = open_page(query=QUICK | {"data": "Your data", "present": "true"})
    assert not at.exception
    assert [box.value for box in at.info] == [glossary.NO_DATA]
    assert "on the left" not in glossary.NO_DATA
    at.button(key="leave").click().run()
    assert not at.session_state["present"]


def test_the_glossary_is_true_of_all_bins_and_of_one_collection():
    assert "equal width" not in glossary.K
    assert "everything" not in glossary.RUNS
