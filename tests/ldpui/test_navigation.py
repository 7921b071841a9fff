"""The shell around a page."""

import pytest
from app_steps import QUICK, open_page

import ldpcore as ldp
from ldpui import glossary
from ldpui.navigation import Page


def test_a_presentation_without_data_has_a_way_out():
    at = open_page(query=QUICK | {"data": "Your data", "present": "true"})
    assert not at.exception
    assert [box.value for box in at.info] == [glossary.NO_DATA]
    assert "on the left" not in glossary.NO_DATA
    at.button(key="leave").click().run()
    assert not at.session_state["present"]


def _draws() -> None: ...


def _draws_a_setting(s: ldp.Setting) -> None: ...


@pytest.mark.parametrize("needs", ["setting", "nothing", "asks"])
def test_a_function_that_does_not_take_what_its_page_needs_is_noticed(needs):
    right, wrong = (_draws_a_setting, _draws) if needs == "setting" else (_draws, _draws_a_setting)
    Page(right, "Study", "New", "new", "add", needs=needs)
    with pytest.raises(TypeError, match=f"the page New needs '{needs}', and its function is another"):
        Page(wrong, "Study", "New", "new", "add", needs=needs)
