"""What a page sends: in order, in bundles, and written once."""

import json
import threading
from types import SimpleNamespace

import plotly.graph_objects as go
import plotly.io
import pytest
from streamlit.runtime.app_session import AppSession

from ldpui.charts import finished
from ldpui.serving import bundles


class Loop:
    """A loop that calls nothing before it is let."""

    def __init__(self):
        self.calls, self.problems = [], []

    def call_soon_threadsafe(self, call):
        self.calls.append(call)

    def call_exception_handler(self, context):
        self.problems.append(context["exception"])

    def is_closed(self):
        return False


@pytest.fixture
def gathered(monkeypatch):
    monkeypatch.setattr(AppSession, "_call_soon_on_event_loop", AppSession._call_soon_on_event_loop)
    bundles.gather()
    bundles.gather()  # a second time changes nothing
    loop = Loop()
    session = SimpleNamespace(_event_loop=loop)
    return loop, lambda call: AppSession._call_soon_on_event_loop(session, call)


def test_many_messages_wake_the_loop_once_and_keep_their_order(gathered):
    loop, call_soon = gathered
    seen = []
    for number in range(90):
        call_soon(lambda number=number: seen.append(number))
    assert len(loop.calls) == 1  # ninety, as Streamlit does it
    loop.calls.pop()()
    assert seen == list(range(90))
    call_soon(lambda: seen.append("later"))
    loop.calls.pop()()
    assert seen[-1] == "later"


def test_a_message_that_fails_stops_no_other(gathered):
    loop, call_soon = gathered
    seen = []
    call_soon(lambda: 1 / 0)
    call_soon(lambda: seen.append("second"))
    loop.calls.pop()()
    assert seen == ["second"]
    assert [type(problem) for problem in loop.problems] == [ZeroDivisionError]


def test_nothing_is_lost_between_threads(gathered):
    loop, call_soon = gathered
    seen, done = [], threading.Event()

    def draw():
        for number in range(2_000):
            call_soon(lambda number=number: seen.append(number))
        done.set()

    thread = threading.Thread(target=draw)
    thread.start()
    while not done.is_set() or loop.calls:
        if loop.calls:
            loop.calls.pop(0)()
    thread.join()
    assert seen == list(range(2_000))


def test_a_finished_figure_is_written_once_and_the_same(monkeypatch):
    drawn = go.Figure(go.Scatter(x=[1.0, 2.0], y=[0.1, float("nan")]), go.Layout(title="<b>x</b>"))
    text = plotly.io.to_json(drawn, validate=False)
    figure = finished.Finished(text)
    assert json.loads(plotly.io.to_json(figure.to_dict(), validate=False)) == json.loads(text)
    monkeypatch.setattr(plotly.io, "to_json", plotly.io.to_json)
    finished.write_once()
    assert plotly.io.to_json(figure.to_dict(), validate=False) is text
    assert plotly.io.to_json(drawn, validate=False) == text
    assert "Plotly.newPlot" in figure.to_html(include_plotlyjs=False)


def test_a_figure_is_drawn_once_for_each_of_its_arguments_and_for_an_audience(monkeypatch):
    drawn, audience = [], []

    @finished.by_words(8)
    def figure(number: int, dark: bool) -> go.Figure:
        drawn.append((number, dark))
        return go.Figure([{"type": "bar", "y": [number]}], {"font": {"size": 10}, "title": {"text": str(dark)}})

    monkeypatch.setattr(finished.links, "value", lambda key: bool(audience))
    for _ in range(2):
        for number, dark in ((1, False), (2, False), (1, True)):
            shown = figure(number, dark).to_dict()
            assert (shown["data"][0]["y"], shown["layout"]["title"]["text"]) == ([number], str(dark))
            assert shown["layout"]["font"]["size"] == 10
    assert drawn == [(1, False), (2, False), (1, True)]
    audience.append("here")
    assert figure(1, dark=False).to_dict()["layout"]["font"]["size"] == 13.5
    assert len(drawn) == 4
