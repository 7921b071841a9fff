"""What is changed in a part of a page draws that part again, and not the page around it.

A browser says with every change in which part the control stands, as the server told it, and the server runs that part
alone. Here is no browser, so the tests say it.
"""

from __future__ import annotations

from dataclasses import replace

import pytest
from app_steps import ABOUT, ESTIMATE, FINDINGS, IBU_LAB, OVER_TIME, PAPER, QUICK, open_page, session_of
from streamlit.testing.v1 import local_script_runner
from streamlit.testing.v1.local_script_runner import LocalScriptRunner

from ldpui import navigation
from ldpui.address import links
from ldpui.address.link_box import IN_FULL
from ldpui.widgets import EXPLAINED
from pages.study import results

WHICH = "which_estimator"
LIFE = {"aspect": "one user's life"}


class Watched:
    """What pages sent: in which part each control stands, the figures, what came last, and the number of runs."""

    def __init__(self) -> None:
        self.parts: dict[str, str] = {}
        self.figures: dict[str, str] = {}
        self.sent: list[str] = []
        self.pages = 0
        self.asked = ""

    def note(self, messages) -> None:
        self.sent = []
        for message in messages:
            if message.WhichOneof("type") != "delta":
                continue
            for identity in _identities(message.delta):
                key = identity.split("-", 2)[-1]
                self.parts[key] = message.delta.fragment_id
                self.sent.append(key)
                if message.delta.new_element.WhichOneof("type") == "plotly_chart":
                    self.figures[key] = message.delta.new_element.plotly_chart.spec


def _identities(delta):
    """Return the id of an element, or of a block that opens."""
    kind = delta.WhichOneof("type")
    if kind == "new_element":
        part = getattr(delta.new_element, delta.new_element.WhichOneof("type"))
        found = [getattr(part, "id", "")]
    elif kind == "add_block":
        block = delta.add_block
        found = [block.id, *(getattr(getattr(block, name), "id", "") for name in ("popover", "expandable"))]
    else:
        found = []
    return [identity for identity in found if isinstance(identity, str) and identity.startswith("$$")]


@pytest.fixture
def watched(monkeypatch):
    seen = Watched()
    parse, ask, draw = local_script_runner.parse_tree_from_messages, LocalScriptRunner.request_rerun, navigation._draw

    def noted(messages):
        seen.note(messages)
        return parse(messages)

    def asked(runner, rerun):
        answer = ask(runner, rerun)
        if seen.asked:
            # A runner of these tests begins with a run of the whole page, and a part that is asked for would be in it.
            runner._requests._rerun_data = replace(rerun, fragment_id_queue=[seen.asked])
        return answer

    def drawn(page):
        seen.pages += 1
        draw(page)

    monkeypatch.setattr(local_script_runner, "parse_tree_from_messages", noted)
    monkeypatch.setattr(LocalScriptRunner, "request_rerun", asked)
    monkeypatch.setattr(navigation, "_draw", drawn)
    return seen


BUTTONS = ("lab_shape_hill", "another_life")
BOXES = (EXPLAINED, IN_FULL, "arena_numbers")
CHANGES = [
    (WHICH, {}, "arena_data", "Poisson", "winners"),
    (WHICH, {}, "arena_mechanism", "OUE", "regret"),
    (WHICH, {}, "arena_bins", "categories", "winners"),
    (WHICH, {}, "arena_rows", "bins k", "winners"),
    (WHICH, {}, "arena_k", "200", "regret"),
    (WHICH, {}, "arena_numbers", True, "regret"),
    (WHICH, {}, "arena_table", results.TABLES[1], "gains"),
    (WHICH, {}, "arena_gain", "MAE", "gains"),
    (PAPER, {}, "figure", "Figure 3", "paper_figure_1"),
    (IBU_LAB, QUICK, "clock_against", "k", "lab_clocks"),
    (IBU_LAB, QUICK, "clock_steps", "100", "lab_clocks"),
    (IBU_LAB, QUICK, "lab_axis", "log", "lab_clocks"),
    (IBU_LAB, QUICK, "lab_after", "100", "lab_starts"),
    (IBU_LAB, QUICK, "lab_own", "1 2 3", "lab_start_own"),
    (IBU_LAB, QUICK, "lab_shape_hill", True, "lab_start_own"),
    (OVER_TIME, QUICK | LIFE, "another_life", True, "over_time_life_memo"),
    (ESTIMATE, QUICK, "closer", "One user's report", "posterior_chart"),
    (ESTIMATE, QUICK | {"closer": "One user's report"}, "report", 2.0, "posterior_chart"),
    (FINDINGS, {}, EXPLAINED, False, EXPLAINED),
    (FINDINGS, {}, IN_FULL, False, IN_FULL),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("page", "state", "key", "value", "drawn"), CHANGES, ids=[f"{case[0]} {case[2]}" for case in CHANGES]
)
def test_a_control_of_a_part_draws_no_page(watched, page, state, key, value, drawn):
    at = open_page(page, state)
    assert watched.pages == 1
    assert watched.parts[key], f"{key} stands in no part"
    before = watched.figures.get(drawn)
    watched.pages, watched.asked = 0, watched.parts[key]
    if key in BUTTONS:
        at.button(key=key).click()
    else:
        at.session_state[key] = value
    at.run()
    assert watched.pages == 0
    assert drawn in watched.sent
    assert "head" not in watched.sent
    assert {watched.parts[sent] for sent in watched.sent} == {watched.asked}
    # What opens and closes leaves the figures as they are.
    assert (watched.figures.get(drawn) != before) == (key not in BOXES)


@pytest.mark.parametrize(("page", "state"), [(WHICH, {}), (PAPER, {}), (IBU_LAB, QUICK), (ESTIMATE, QUICK)])
def test_a_link_says_where_the_controls_of_parts_stand(watched, page, state):
    """What moves without the page is read from the address when the link is copied."""
    open_page(page, state)
    moving = {key for key, part in watched.parts.items() if part and key in links.CONTROLS}
    assert moving
    assert {key for key in moving if not links.CONTROLS[key].live} == set()


def test_a_click_in_a_part_leads_to_another_page(watched):
    """A square of the map opens in Estimate: the page is left, though the part alone was asked for."""
    at = open_page(WHICH)
    watched.pages, watched.asked = 0, watched.parts["winners"]
    session_of(at).go_to = ABOUT
    at.run()
    assert watched.pages == 1
    assert [title.value for title in at.title] == ["About"]
