"""The short ways through Streamlit send and read what the long ones do."""

from types import SimpleNamespace

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig, NewSession
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.session_manager import SessionClientDisconnectedError
from streamlit.runtime.state import SafeSessionState, SessionState
from streamlit.runtime.state.session_state_proxy import SessionStateProxy
from streamlit.testing.v1 import AppTest

from ldpui.serving import shortcuts


@pytest.fixture
def taken(monkeypatch):
    """Take the short ways, and have the long ones back afterwards."""
    for place, name in (
        (AppSession, "flush_browser_queue"),
        (app_session, "_populate_theme_msg"),
        (SessionStateProxy, "to_dict"),
        (SafeSessionState, "filtered_state"),
    ):
        monkeypatch.setattr(place, name, vars(place)[name])
    shortcuts.take()


def delta(number):
    message = ForwardMsg()
    message.delta.new_element.markdown.body = str(number)
    return message


def finished():
    message = ForwardMsg()
    message.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
    return message


class Browser:
    """A browser that leaves after so many messages."""

    def __init__(self, most=10**6):
        self.seen, self.most = [], most

    def write_forward_msg(self, message):
        if len(self.seen) == self.most:
            raise SessionClientDisconnectedError
        self.seen.append(message)


@pytest.fixture
def flush(monkeypatch):
    """Let a session flush messages for a browser; return what is left for Streamlit to send."""

    def flush(messages, browser, exists=True):
        runtime = SimpleNamespace(
            exists=lambda: exists, instance=lambda: SimpleNamespace(get_client={"me": browser}.get)
        )
        monkeypatch.setattr(shortcuts, "Runtime", runtime)
        session = SimpleNamespace(id="me", messages=list(messages))
        return shortcuts._sent_at_once(lambda session: session.messages)(session)

    return flush


@pytest.mark.parametrize("number", [0, 1, 2, 90, shortcuts.AT_ONCE, shortcuts.AT_ONCE + 1, 3 * shortcuts.AT_ONCE])
def test_all_messages_go_out_once_and_in_order(flush, number):
    messages, browser = [delta(n) for n in range(number)], Browser()
    left = flush(messages, browser)
    assert browser.seen + left == messages
    # The last is Streamlit's to send, which then lets others at the loop; and so is what a slow browser can't hold.
    assert len(left) == max(min(number, 1), number - shortcuts.AT_ONCE)


def test_the_end_of_a_script_is_left_to_streamlit_which_counts_them(flush):
    messages, browser = [delta(0), finished(), delta(1), delta(2)], Browser()
    assert flush(messages, browser) == messages[1:]
    assert browser.seen == messages[:1]


def test_a_browser_that_has_left_is_left_to_streamlit(flush):
    messages, browser = [delta(n) for n in range(9)], Browser(most=4)
    left = flush(messages, browser)
    assert browser.seen + left == messages
    assert len(browser.seen) == 4
    assert flush(messages, None) == messages
    assert flush(messages, Browser(), exists=False) == messages


SECTIONS = ("theme", "theme.light", "theme.dark", "theme.sidebar", "theme.dark.sidebar")


@pytest.mark.parametrize("section", SECTIONS)
def test_colours_are_those_of_the_configuration_and_are_read_once(monkeypatch, section):
    asked = []
    monkeypatch.setattr(app_session.config, "get_options_for_section", lambda name: asked.append(name) or options[name])
    options = {name: {"primaryColor": f"#00{i}", "base": None, "paddingTop": "1rem"} for i, name in enumerate(SECTIONS)}
    long, short = app_session._populate_theme_msg, shortcuts._theme_read_once(app_session._populate_theme_msg)
    expected, first, second = CustomThemeConfig(), CustomThemeConfig(), CustomThemeConfig()
    second.link_color = "kept"
    long(expected, section)
    assert expected.primary_color
    short(first, section)
    short(second, section)
    assert first == expected
    assert (second.primary_color, second.link_color) == (expected.primary_color, "kept")
    assert asked == [section] * 2  # once by the long way, once by the short one


def test_a_section_that_says_nothing_is_not_mentioned():
    """All six as the server asks for them, with the real configuration."""

    def filled(populate):
        message = NewSession()
        populate(message.custom_theme)
        for name in ("light", "dark", "sidebar"):
            populate(getattr(message.custom_theme, name), f"theme.{name}")
        for name in ("light", "dark"):
            populate(getattr(message.custom_theme, name).sidebar, f"theme.{name}.sidebar")
        return message

    long = app_session._populate_theme_msg
    expected = filled(long)
    assert expected.custom_theme.light.primary_color
    assert not expected.custom_theme.HasField("sidebar")
    assert filled(shortcuts._theme_read_once(long)) == expected


def test_values_are_looked_up_one_by_one(taken):
    state = SessionState()
    state["a"], state["none"] = 1, None
    safe = SafeSessionState(state, lambda: None)
    view = safe.filtered_state
    assert (view["a"], "a" in view, view["none"], "none" in view) == (1, True, None, True)
    assert "b" not in view
    with pytest.raises(KeyError):
        view["b"]
    assert (dict(view), len(view), repr(view)) == (state.filtered_state, 2, repr(state.filtered_state))
    state["b"] = 2
    assert view["b"] == 2


def _controls():
    import streamlit as st

    st.session_state.setdefault("mine", [1])
    st.number_input("whole", 0, 10, 3, key="whole")
    st.selectbox("word", ["a", "b"], key="word")
    st.selectbox("none", ["a", "b"], index=None, key="none")
    st.slider("both", 0, 9, (2, 4), key="both")
    everything = st.session_state.to_dict()
    assert type(everything) is dict
    everything["mine"] = "a copy"
    st.code(f"{sorted(st.session_state)} {len(st.session_state)} {sorted(everything.items(), key=str)}")
    st.code(f"{st.session_state['mine']} {'whole' in st.session_state} {'nothing' in st.session_state}")


def _said(app):
    assert not app.exception
    return [code.value for code in app.code]


def test_a_page_reads_the_same_by_both_ways(request):
    long = AppTest.from_function(_controls).run()
    assert "('whole', 3)" in _said(long)[0]
    long.number_input("whole").set_value(7)
    long.selectbox("none").set_value("b")
    before = _said(long.run())
    request.getfixturevalue("taken")
    short = AppTest.from_function(_controls).run()
    short.number_input("whole").set_value(7)
    short.selectbox("none").set_value("b")
    assert _said(short.run()) == before
    assert "('none', 'b')" in before[0]


def test_a_second_time_changes_nothing(taken):
    before = (AppSession.flush_browser_queue, app_session._populate_theme_msg, SafeSessionState.filtered_state)
    shortcuts.take()
    assert (AppSession.flush_browser_queue, app_session._populate_theme_msg, SafeSessionState.filtered_state) == before


def test_a_way_that_streamlit_does_not_have_any_more_is_left_alone(monkeypatch, taken):
    monkeypatch.delattr(app_session, "_populate_theme_msg")
    shortcuts.take()
    assert not hasattr(app_session, "_populate_theme_msg")
