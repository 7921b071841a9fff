"""What a session knows of the class: which room it is in, and whether as its teacher."""

from __future__ import annotations

import secrets
import time
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpui import session
from ldpui.serving import host
from pages.study.live_class import parts
from pages.study.live_class.codes import Tries, read_code
from pages.study.live_class.limits import LIMITS, Bucket
from pages.study.live_class.store import rooms

# What a host sets to "off" if there are to be no rooms.
SWITCH = "LDP_EXPLORER_CLASS"
# The keys in the address: of a room, and of a teacher who comes by the link that only teachers see.
ROOM, KEY = "room", "key"
# So many seconds after a message no other of its kind is read.
PAUSE = 0.5
NO_ROOM = "There is no room with this code: it may be mistyped, or the room has ended."
WAIT = "Too many wrong codes. Wait a minute, then try again."
ENDED = "The room has ended: its teacher closed it, or its time was over. Nothing of it is kept."


def _openings() -> Bucket:
    return Bucket(LIMITS.own_openings_per_second, LIMITS.own_openings_burst, time.monotonic())


@dataclass
class Visitor:
    """A session in the class.

    Attributes
    ----------
    name : str
        A random name, by which a room knows the session, and a phone that comes back after a while.
    code : str or None
        The room that it is in.
    keys : dict
        The keys of the rooms whose teacher it is.
    received : set of (str, int)
        The rooms and rounds in which its report was counted.
    problem, note : str
        What was wrong with the last report; what is said once, on the next page.
    """

    name: str = field(default_factory=lambda: secrets.token_hex(16))
    code: str | None = None
    keys: dict[str, str] = field(default_factory=dict)
    received: set[tuple[str, int]] = field(default_factory=set)
    problem: str = ""
    note: str = ""
    tries: Tries = field(default_factory=Tries)
    openings: Bucket = field(default_factory=_openings)
    deaf_until: dict[tuple[str, str], float] = field(default_factory=dict)

    @property
    def key(self) -> str | None:
        """The teacher's key of the room that the visitor is in."""
        return self.keys.get(self.code or "")

    def arrive(self) -> None:
        """Go where the address says; without a word there, stay in the room."""
        word = st.query_params.get(ROOM)
        if word is not None and (read_code(word) is None or read_code(word) != self.code):
            self.enter(word)
        if self.code is None:
            st.query_params.pop(ROOM, None)
        elif read_code(word or "") != self.code:
            st.query_params[ROOM] = self.code
        # The key is taken out of the address, which may be on a projector, and held in the session.
        key = st.query_params.pop(KEY, None)
        if key is not None:
            self.teach(key)

    def enter(self, word: str) -> None:
        """Go to a room by its code; wrong ones are counted."""
        self.code = None
        if not self.tries.may_try(time.monotonic()):
            self.note = WAIT
            return
        code = read_code(word)
        if code is None or not rooms().exists(code):
            self.tries.wrong(time.monotonic())
            self.note = NO_ROOM
            return
        self.code = code

    def teach(self, key: object) -> None:
        """Become the teacher of the room, if the key is right."""
        if self.code is None or not isinstance(key, str) or not self.tries.may_try(time.monotonic()):
            return
        if rooms().is_teacher(self.code, key):
            self.keys[self.code] = key
            rooms().leave(self.code, self.name)
        else:
            self.tries.wrong(time.monotonic())

    def sit_down(self, seat: object) -> None:
        """Take the place that this phone had in the room, if it has one there: a phone that slept is not a new one.

        Nor is one whose page was loaded again: what it got then it leaves.
        """
        if self.code is None or seat in (None, self.name) or not self.tries.may_try(time.monotonic()):
            return
        if isinstance(seat, str) and rooms().has_seat(self.code, seat):
            rooms().leave(self.code, self.name)
            self.name = seat
        else:
            self.tries.wrong(time.monotonic())

    def listen(self, key: str, event: str) -> Any:
        """Return what a program in the browser sent; None if something was read of it only just now.

        One message can hold ten thousand events. Streamlit calls for each of them, and reading one reads them all.
        """
        if time.monotonic() < self.deaf_until.get((key, event), 0.0):
            return None
        message = parts.sent(key, event)
        self.deaf_until[key, event] = time.monotonic() + PAUSE
        return message

    def leave(self, note: str = "") -> None:
        """Be in no room any more."""
        self.keys.pop(self.code or "", None)
        self.code, self.note, self.problem = None, note, ""
        st.query_params.pop(ROOM, None)


def is_on() -> bool:
    """Tell whether the host allows live classes."""
    return host.allows(SWITCH)


def check() -> None:
    """Refuse whatever comes where classes are off."""
    if not is_on():
        raise ldp.Refused("live classes are switched off on this server")


def current() -> Visitor:
    """Return what this session knows of the class."""
    return session.current().part(Visitor)
