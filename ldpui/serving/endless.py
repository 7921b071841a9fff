"""Messages that list more things than any page of ours has, or ask for what none asks for: they are not heard.

Streamlit bounds a message in bytes, and two bytes are enough for a file without a name. For each file it makes three
addresses, in the loop that serves everybody: a million of them took eleven seconds and 800 MB. It goes through all
controls some ten times, those that no page has too: a hundred thousand of them took two seconds.

And its own client can have skills installed for programs that write code: Streamlit then writes beside the app, and
into the home folder, for whoever asks from the machine itself, as all visitors do where a proxy runs there. It also
tells whoever asks what files of the app's folder its repository does not know, and empties the caches of all visitors.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any

from streamlit import config
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.app_session import AppSession

# A page of ours has some thirty controls, and chooses among a few dozen words. So many controls that no page has cost
# as much as a page does. It asks for one file; a thousand of them would keep the loop for ten milliseconds.
MOST, MOST_FILES = 1_000, 20
# What pages ask the server for besides a new page: a file that is made for them, and more rows of a long table.
_ASKED = ("deferred_file", "dataframe_chunk")
# The menus in which nothing is offered to whoever writes the pages.
_NO_MENU = ("minimal", "viewer")
_METHOD = "handle_backmsg"


def ignore() -> None:
    """Let no session hear a message that is endless or unasked; a second time changes nothing."""
    hear = vars(AppSession).get(_METHOD)
    if hear is not None and not hasattr(hear, "__wrapped__"):
        setattr(AppSession, _METHOD, _within_bounds(hear))


def _within_bounds(hear: Callable[[Any, BackMsg], None]) -> Callable[[Any, BackMsg], None]:
    @wraps(hear)
    def handle_backmsg(session: Any, message: BackMsg) -> None:
        if not is_endless(message) and not is_unasked(message) and not _waits_already(session, message):
            hear(session, message)

    return handle_backmsg


def is_endless(message: BackMsg) -> bool:
    """Tell whether a message lists more of anything than a page of ours has."""
    if message.WhichOneof("type") == "file_urls_request":
        return len(message.file_urls_request.file_names) > MOST_FILES
    said = message.rerun_script
    controls = said.widget_states.widgets
    return max(len(said.cached_message_hashes), len(controls)) > MOST or any(map(_lists_more, controls))


def is_unasked(message: BackMsg) -> bool:
    """Tell whether a message asks for something that has nothing to do with our pages."""
    kind = message.WhichOneof("type")
    if kind == "backend_operation_request":
        return message.backend_operation_request.WhichOneof("payload") not in (*_ASKED, None)
    # To have the caches of all visitors emptied is in the menu of those who write the pages, and in no other.
    return kind == "load_git_info" or (kind == "clear_cache" and config.get_option("client.toolbarMode") in _NO_MENU)


def _waits_already(session: Any, message: BackMsg) -> bool:
    """Tell whether a session has asked for so many files that are not made yet that it has to wait."""
    waiting = getattr(session, "_background_tasks", ())
    return message.WhichOneof("type") == "backend_operation_request" and len(waiting) >= MOST_FILES


def _lists_more(control: WidgetState) -> bool:
    words, files = control.string_array_value.data, control.file_uploader_state_value.uploaded_file_info
    return max(len(words), len(files)) > MOST
