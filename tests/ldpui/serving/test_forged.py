"""Messages that no page sends: every control of every page is told what it can't be, and the page stays calm."""

from __future__ import annotations

import itertools
import json
import math
from dataclasses import replace
from types import SimpleNamespace

import pytest
from advisor_page import simulate_little
from app_steps import QUICK, go_to, open_page, session_of
from streamlit.elements import plotly_chart
from streamlit.elements.widgets.text_widgets import TextAreaSerde
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.runtime.state import session_state
from streamlit.runtime.state.session_state import SessionState, WStates
from streamlit.util import calc_hash

from ldpui.address import links
from ldpui.charts import show
from ldpui.serving import forged
from pages.table import PAGES

LONG = "9" * 5_000
# Of a chart that is zoomed by dragging.
DRAGS = [
    f'{{"selection": {{"box": {box}}}}}'
    for box in (
        '[{"x": ["a", "b"]}]', '[{"x": [1, 2, 3]}]', "[7]", '{"x": 1}', "[{}]", '[{"x": [NaN, NaN]}]',
        '[{"x": [1e999, -1e999]}]', '[{"x": [5, 5]}]', '[{"x": [null, 1]}]', f'[{{"x": [0, 1{"0" * 400}]}}]',
    )
]  # fmt: skip
# What each kind of control may be told in its own kind, and never is.
WRONG = {
    "string_value": [
        "", "no such word", f"\x00<script>{LONG}", "-1", "[]", '{"selection": 7}',
        '{"selection": {"points": [{"x": [], "y": {}, "customdata": [-1, "x"]}, 7, null]}}',
        '{"selection": {"rows": ["x", -1, 10000000000]}}', *DRAGS,
    ],
    "string_array_value": [
        {"data": []}, {"data": ["no such word"]}, {"data": ["", LONG, "nan", "-1"] * 50}, {"data": ["9" * 20]},
    ],
    "double_value": [math.nan, math.inf, -math.inf, 1e308, -1e308, 0.5, -1.0, float(2**63)],
    "double_array_value": [{"data": []}, {"data": [math.nan] * 3}],
    "int_value": [-1, 2**63 - 1, -(2**63)],
    "bool_value": [True, False],
    "json_value": [
        "{", "null", "7", "[]", '"word"', "[" * 5_000, '{"drawn": "x"}',
        '{"drawn": [NaN, -1, "x"], "near": [], "stopped": {}}',
        '{"near": 1e999, "drawn": {"at": 7}, "stopped": "x", "report": 7, "place": 7, "key": 7, "answer": {}}',
    ],
    "json_trigger_value": [
        "{", "null", "7", '{"event": "drawn"}', '[{"event": 7}, 7]', '[{"event": "no such", "value": 7}]',
    ],
    "bytes_value": [b"\xff\x00" * 100],
    "trigger_value": [True],
    "string_trigger_value": [{"data": "word"}],
    "file_uploader_state_value": [
        {}, {"uploaded_file_info": [{"file_id": "no such", "name": "a.csv", "size": 1}] * 2},
    ],
    "arrow_value": [{}],
    "chat_input_value": [{"data": "word"}],
}  # fmt: skip
KINDS = list(WRONG)
# What a page says where it could not be drawn; and where Streamlit could not even begin.
BROKEN = ("something went wrong", "Something went wrong")


@pytest.fixture(autouse=True)
def _as_on_a_server(monkeypatch):
    for place, name in ((WStates, "__getitem__"), (SessionState, "set_widgets_from_proto")):
        monkeypatch.setattr(place, name, vars(place)[name])
    forged.ignore()
    forged.ignore()  # once is enough
    # What falls back to a default is computed: quickly here.
    simulate_little(monkeypatch)
    for key, word in QUICK.items():
        monkeypatch.setitem(links.CONTROLS, key, replace(links.CONTROLS[key], default=word))


def controls(at):
    """Return all controls of a page: the kind of each by its id."""
    state = at.session_state
    while not isinstance(state, SessionState):
        state = object.__getattribute__(state, "_state")
    return {key: one.value_type for key, one in state._new_widget_state.widget_metadata.items()}


def states(values):
    return WidgetStates(widgets=[WidgetState(id=key, **{kind: value}) for key, (kind, value) in values.items()])


def of_another_kind(drawn, number):
    """Tell every control something of a kind that is not its own."""
    others = itertools.cycle(KINDS[number:] + KINDS[:number])
    near = {"double_value": "int_value"}  # which a browser says of whole numbers
    kinds = {key: next(kind for kind in others if kind not in (own, near.get(own))) for key, own in drawn.items()}
    return states({key: (kind, WRONG[kind][0]) for key, kind in kinds.items()})


def of_its_own_kind(drawn, number, without=("trigger_value",)):
    """Tell every control something of its own kind that it never says itself."""
    told = {key: kind for key, kind in drawn.items() if kind not in without}
    values = {key: WRONG[kind][(number + place) % len(WRONG[kind])] for place, (key, kind) in enumerate(told.items())}
    return states({key: (kind, values[key]) for key, kind in told.items()})


def assert_unmoved(at, what):
    assert not at.exception, (what, [e.value for e in at.exception])
    broken = [box.value for box in at.error if any(words in box.value for words in BROKEN)]
    assert not broken, (what, broken)


@pytest.mark.parametrize("page", [page.address for page in PAGES])
def test_a_page_stays_calm_whatever_its_controls_are_told(page):
    """Only one control of one page was tried; its session answered nothing any more, and was never forgotten."""
    at = open_page(page, QUICK)
    right = at._tree.get_widget_states()
    drawn = controls(at)
    assert len(drawn) >= 3
    for number in (0, 7):
        at._run(of_another_kind(drawn, number))
        assert_unmoved(at, (page, "another kind", number))
    setting = session_of(at).setting
    at._run(right)
    assert session_of(at).setting == setting  # nothing of it was taken
    for number in range(3):
        at._run(of_its_own_kind(controls(at), number))
        assert_unmoved(at, (page, "its own kind", number))
    go_to(at, page)  # a row that is ticked may have led to another one
    at._run(right)
    assert_unmoved(at, (page, "what is right"))
    assert session_of(at).setting == setting


@pytest.mark.parametrize("said", DRAGS)
def test_a_drag_that_no_browser_makes_does_not_zoom(said):
    """The page could not be drawn, and nothing but a reload brought it back."""
    event = plotly_chart.PlotlyChartSelectionSerde().deserialize(said)
    assert show._dragged(event.selection.get("box")) is None


def test_what_a_browser_says_is_heard():
    """It says a whole number as one, though Streamlit has all of them as floats."""
    at = open_page(state=QUICK)
    (box,) = (key for key in controls(at) if key.endswith("-k_typed"))
    at._run(states({box: ("int_value", 20)}))
    assert session_of(at).setting.k == 20
    at._run(states({box: ("double_value", 30.0)}))
    assert session_of(at).setting.k == 30
    at._run(states({box: ("string_value", "40")}))
    assert session_of(at).setting.k == 30


ENDLESS = '{"selection": {"points": [' + "[]," * forged.MOST_PARTS + '[]], "box": [{"x": [1, 2]}]}}'


def test_endless_json_is_not_read(monkeypatch):
    """Six megabytes of empty lists in place of a drag took 150 MB while the page was open, counted by nobody."""
    at, lengths = open_page(state=QUICK), []
    read = plotly_chart.PlotlyChartSelectionSerde.deserialize

    def deserialize(serde, said):
        lengths.append(len(said or ""))
        return read(serde, said)

    monkeypatch.setattr(plotly_chart.PlotlyChartSelectionSerde, "deserialize", deserialize)
    (chart,) = (key for key in controls(at) if key.endswith("-estimate_chart"))
    at._run(states({chart: ("string_value", ENDLESS)}))
    assert_unmoved(at, "endless")
    assert session_of(at).zoom is None
    assert len(ENDLESS) not in lengths
    # A thousand bins of several bars, dragged over, are heard.
    many = ENDLESS.replace("[]," * forged.MOST_PARTS, '{"x": 1, "y": 0.001, "point_index": 7},' * 20_000)
    at._run(states({chart: ("string_value", many)}))
    assert len(many) in lengths
    zoom = session_of(at).zoom
    assert (zoom.low, zoom.high) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("kind", "reader", "said", "heard"),
    [
        ("json_value", json.loads, ENDLESS, False),
        ("json_trigger_value", json.loads, ENDLESS, False),
        ("json_value", json.loads, '{"drawn": [' + "0.125," * 1_000 + "0]}", True),
        ("json_value", json.loads, f'{{"word": "{LONG * 1_000}"}}', True),
        ("string_value", TextAreaSerde("").deserialize, ENDLESS, True),  # somebody may paste it
    ],
)
def test_json_of_components_is_read_within_bounds_and_texts_are(kind, reader, said, heard):
    states = SimpleNamespace(
        states={"key": session_state.Serialized(WidgetState(id="key", **{kind: said}))},
        widget_metadata={"key": SimpleNamespace(value_type=kind, deserializer=reader)},
    )
    assert forged._is_of_another_kind(states, "key") is not heard


def test_a_new_session_that_is_told_what_can_not_be_takes_the_defaults():
    """As a program may that connects for the first time: no control is known before the page is drawn."""
    known = controls(open_page(state=QUICK))
    at = open_page("about")
    at._page_hash = calc_hash("")
    at._run(of_another_kind(known, 0))
    assert_unmoved(at, "the first message")
    at.run()
    assert_unmoved(at, "the next")


def test_controls_that_no_page_has_do_not_pile_up():
    """A program that made up others in each message, and let no page be drawn to its end, filled the memory."""
    state = SessionState()
    for number in range(3):
        state.on_script_will_rerun(states({f"$$ID-{number}-{i}-None": ("bool_value", True) for i in range(10)}))
    assert len(state._new_widget_state.states) == 10
