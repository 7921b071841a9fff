"""Messages that list more than any page has: a session does not hear them."""

from types import SimpleNamespace

import pytest
from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.app_session import AppSession

from ldpui.serving import endless
from ldpui.serving.endless import MOST, MOST_FILES


@pytest.fixture
def heard(monkeypatch):
    messages = []
    monkeypatch.setattr(AppSession, "handle_backmsg", lambda session, message: messages.append(message))
    endless.ignore()
    endless.ignore()  # once is enough
    return messages


def listing(what, number):
    """A message that lists so many of something."""
    message = BackMsg()
    said = message.rerun_script
    if what == "files to come":
        message.file_urls_request.file_names.extend([""] * number)
    elif what == "controls":
        said.widget_states.widgets.extend(WidgetState(id=f"{i}", bool_value=True) for i in range(number))
    elif what == "words":
        said.widget_states.widgets.add(id="one").string_array_value.data.extend([""] * number)
    elif what == "files":
        files = said.widget_states.widgets.add(id="one").file_uploader_state_value.uploaded_file_info
        for _ in range(number):
            files.add()
    else:
        said.cached_message_hashes.extend([""] * number)
    return message


@pytest.mark.parametrize(
    ("what", "most"),
    [("files to come", MOST_FILES), ("controls", MOST), ("words", MOST), ("files", MOST), ("messages", MOST)],
)
def test_endless_lists_are_not_heard(heard, what, most):
    """A million files that no page asks for kept the server from everybody for eleven seconds, and took 800 MB."""
    AppSession.handle_backmsg(None, listing(what, most + 1))
    assert heard == []
    AppSession.handle_backmsg(None, listing(what, most))
    assert len(heard) == 1


@pytest.mark.parametrize("word", ["stop_script", "app_heartbeat"])
def test_messages_without_lists_are_heard(heard, word):
    AppSession.handle_backmsg(None, BackMsg(**{word: True}))
    assert len(heard) == 1


@pytest.mark.parametrize(("menu", "is_heard"), [("minimal", False), ("viewer", False), ("developer", True)])
def test_caches_are_emptied_only_by_those_who_have_the_menu_for_it(heard, monkeypatch, menu, is_heard):
    """Told thirty times a second, it made all others' pages three times as slow."""
    assert config.get_option("client.toolbarMode") == "minimal"  # as shipped
    monkeypatch.setattr(config, "get_option", {"client.toolbarMode": menu}.__getitem__)
    AppSession.handle_backmsg(None, BackMsg(clear_cache=True))
    assert len(heard) == is_heard


def asking(what):
    """A message that asks the server for something besides a page."""
    message = BackMsg()
    getattr(message.backend_operation_request, what).SetInParent()
    return message


@pytest.mark.parametrize("what", ["install_skills", "dismiss_skills_nudge"])
def test_what_no_page_asks_for_is_not_heard(heard, what):
    """On a machine with a screen, whoever came through a proxy there had the server write files beside the app."""
    AppSession.handle_backmsg(None, asking(what))
    AppSession.handle_backmsg(None, BackMsg(load_git_info=True))
    assert heard == []


def test_files_that_are_made_are_asked_for_in_turn(heard):
    """A program that asked for two hundred kept the client's code from others for five seconds."""
    session = SimpleNamespace(_background_tasks=set(range(MOST_FILES)))
    AppSession.handle_backmsg(session, asking("deferred_file"))
    assert heard == []
    session._background_tasks.pop()
    AppSession.handle_backmsg(session, asking("deferred_file"))
    AppSession.handle_backmsg(session, asking("dataframe_chunk"))
    assert len(heard) == 2
