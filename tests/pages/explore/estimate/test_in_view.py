"""Parts of a page that are drawn when the reader comes near."""

from types import SimpleNamespace

import pytest
from app_steps import QUICK, assert_calm, charts, open_page

from ldpui import session
from pages.explore.estimate import in_view


@pytest.mark.parametrize("near", [False, True])
def test_the_error_of_each_bin_is_drawn_near_the_reader(monkeypatch, near):
    monkeypatch.setattr(in_view, "ASSUMED", near)
    at = open_page(state=QUICK)
    assert_calm(at)
    assert ("error_chart" in charts(at)) == near
    assert "estimate_chart" in charts(at)


@pytest.mark.parametrize("said", [None, "yes", 1, [True], {"near": True}])
def test_only_a_browsers_word_is_taken(monkeypatch, said):
    here = session.Session()
    here.part(in_view.Near).parts["part"] = False
    monkeypatch.setattr(session, "current", lambda: here)
    state = {"part_view": SimpleNamespace(near=said)}
    monkeypatch.setattr(in_view, "st", SimpleNamespace(session_state=state))
    in_view._take("part")
    assert here.part(in_view.Near).parts == {"part": False}
    state["part_view"] = SimpleNamespace(near=True)
    in_view._take("part")
    assert here.part(in_view.Near).parts == {"part": True}
