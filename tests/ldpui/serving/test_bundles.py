"""What a page sends: in order, and in bundles."""

import threading
from types import SimpleNamespace

import pytest
from streamlit.runtime.app_session import AppSession

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
