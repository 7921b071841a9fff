"""What a page sends: in order, and in bundles."""

import threading
from types import SimpleNamespace

import pytest
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.scriptrunner import ScriptRunnerEvent

from ldpui.serving import bundles


class Loop:
    """A loop that calls nothing before it is let."""

    def __init__(self):
        self.calls, self.later, self.problems = [], [], []

    def call_soon_threadsafe(self, call):
        self.calls.append(call)

    def call_later(self, seconds, call):
        assert seconds == bundles.PATIENCE
        self.later.append(call)

    def call_exception_handler(self, context):
        self.problems.append(context["exception"])

    def is_closed(self):
        return False


@pytest.fixture
def gathered(monkeypatch):
    for name in ("_call_soon_on_event_loop", "_on_scriptrunner_event"):
        monkeypatch.setattr(AppSession, name, getattr(AppSession, name))
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


@pytest.fixture
def script(gathered):
    """Return a loop, what was handled there, and what a script calls with its events."""
    loop, call_soon = gathered
    handled = []
    session = SimpleNamespace(
        _call_soon_on_event_loop=call_soon,
        _handle_scriptrunner_event_on_event_loop=lambda sender, event, message, *_: handled.append((event, message)),
    )
    return (
        loop,
        handled,
        lambda event, message=None: AppSession._on_scriptrunner_event(session, None, event=event, forward_msg=message),
    )


ELEMENT, END = ScriptRunnerEvent.ENQUEUE_FORWARD_MSG, ScriptRunnerEvent.SCRIPT_STOPPED_WITH_SUCCESS


def test_elements_wait_for_each_other(script):
    loop, handled, send = script
    for number in range(90):
        send(ELEMENT, number)
    assert len(loop.calls) == 1
    loop.calls.pop()()
    assert handled == []  # the loop was only asked to look later
    for number in range(90, 100):
        send(ELEMENT, number)
    assert loop.calls == []
    loop.later.pop()()
    assert [message for _, message in handled] == list(range(100))
    send(ELEMENT, 100)  # and what comes after that is waited for again
    loop.calls.pop()()
    loop.later.pop()()
    assert handled[-1] == (ELEMENT, 100)


def test_nothing_waits_behind_the_end_of_a_page(script):
    loop, handled, send = script
    send(ELEMENT, "chart")
    send(END)
    for call in loop.calls:
        call()
    assert handled == [(ELEMENT, "chart"), (END, None)]
    loop.later.pop()()  # finds nothing more, and breaks nothing
    assert len(handled) == 2
