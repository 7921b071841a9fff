"""A note that goes with a reader from a lesson, or from a finding, to the page that it opens.

A link carries the key of a note and never its words: `note=learn-3` is looked up in one table, so nobody's link can put
words on a page. The note stays while controls change, and until it is closed or its reader goes back.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import session
from ldpui.address import links, opening

KEY = "note"


@dataclass(frozen=True)
class Way:
    """A way to a page: what its button says, the page's address, and what a link to it would say of its controls."""

    label: str
    address: str
    words: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Note:
    """What to do, or to look at, on a page that was opened from another one.

    Attributes
    ----------
    key : str
        What links call it, such as "learn-3".
    text : str
        What it says, in Markdown.
    back, next : Way
        Where it was opened, and what follows. On the page that `back` leads to the note is over.
    page : str
        The address of the page that it stands on.
    done : callable, optional
        Tells whether a setting is what the note asks for; then it is ticked off.
    answer : str
        What is said then, after the text; folded, where nothing is asked for.
    """

    key: str
    text: str
    back: Way
    next: Way | None = None
    page: str = ""
    done: Callable[[ldp.Setting], bool] | None = None
    answer: str = ""


# By key; pages add theirs with `declare` when they are imported.
NOTES: dict[str, Note] = {}
links.declare(links.Control(KEY, None, lambda word: word in NOTES, page=True, stays=True))


@dataclass
class _Done:
    """The keys of the notes whose task was done in this session."""

    keys: set[str] = field(default_factory=set)


def declare(*notes: Note) -> None:
    """Add notes to those that a link can name."""
    NOTES.update({note.key: note for note in notes})


def open_with(key: str, words: Mapping[str, str]) -> None:
    """Open the note's page as a link with these words would, and the note on top of it."""
    st.session_state[KEY] = key
    opening.link_in(NOTES[key].page, dict(words))


def open_page_with(key: str, words: Mapping[str, str]) -> None:
    """Open the note's page with these of its controls, and the note on top; the visitor's setting stays as it is."""
    st.session_state[KEY] = key
    opening.page(NOTES[key].page, dict(words))


def take_up(address: str) -> Note | None:
    """Return the note of the page at this address, if there is one, and let the URL say so."""
    word = st.query_params.get(KEY)
    if word in NOTES:
        st.session_state[KEY] = word
    note = NOTES.get(st.session_state.get(KEY, ""))
    if note is not None and address == note.back.address != note.page:
        forget()
        return None
    if note is None or note.page != address:
        _leave_url()
        return None
    st.query_params[KEY] = note.key
    return note


def draw(note: Note, setting: ldp.Setting | None) -> None:
    """Draw a note, with its ways on and back."""
    finished = session.current().part(_Done).keys
    if note.done is not None and setting is not None and note.done(setting):
        finished.add(note.key)
    answer = f" {note.answer}" if note.key in finished else ""
    with st.container(border=True, gap="small", key=KEY):
        with st.container(horizontal=True, vertical_alignment="center", gap="small", key="note_line"):
            st.markdown(f"{_tick(note, note.key in finished)}{note.text}{answer}", width="stretch")
            with st.container(horizontal=True, vertical_alignment="center", gap="small", width="content"):
                _way(f":material/arrow_back: {note.back.label}", "note_back", note.back)
                if note.next is not None:
                    _way(f"{note.next.label} :material/arrow_forward:", "note_next", note.next)
                st.button("Close", icon=":material/close:", key="note_close", type="tertiary", on_click=forget)
        if note.answer and note.done is None:
            st.expander("Answer").markdown(note.answer)


def forget() -> None:
    """Let the note be over."""
    st.session_state.pop(KEY, None)
    _leave_url()


def _leave_url() -> None:
    if KEY in st.query_params:
        del st.query_params[KEY]


def _tick(note: Note, finished: bool) -> str:
    """Return the box of a task, ticked or not; a note that asks for nothing has none."""
    if note.done is None:
        return ""
    return ":green[:material/check_box:] " if finished else ":material/check_box_outline_blank: "


def _way(label: str, key: str, way: Way) -> Any:
    st.button(label, key=key, type="tertiary", on_click=_go, args=(way,))


def _go(way: Way) -> None:
    forget()
    opening.page(way.address, dict(way.words))
