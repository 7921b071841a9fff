"""Everything that a session holds, in one place. Nothing of it is stored, shared with other sessions, or in the URL."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, TypeVar

import streamlit as st

import ldpcore as ldp
from ldpui.own import NoDataError, Upload

T = TypeVar("T")
_KEY = "_session"


@dataclass
class OwnData:
    """The visitor's own data, and what happens to it between two runs of the script.

    Attributes
    ----------
    upload : Upload or None
        What the pages work with when own data is chosen.
    choose : bool
        Whether the next run is to choose it on all pages: in this one the control for that is drawn already.
    file : tuple or None
        The file that was read last, with or without a header, so that it is read once.
    problem : str or None
        What was wrong with what was brought last.
    """

    upload: Upload | None = None
    choose: bool = False
    file: tuple[str, bool] | None = None
    problem: str | None = None

    def use(self, upload: Upload) -> None:
        """Work with this from now on."""
        upload.histogram(upload.bins(2))  # a refusal now, before anything is lost
        self.upload = upload


@dataclass(frozen=True)
class Zoom:
    """The part of the horizontal axis that is shown of a chart, as long as the axis means the same."""

    axis: str
    low: float
    high: float


@dataclass
class Session:
    """What is known of one visitor until the page is closed."""

    setting: ldp.Setting | None = None
    link_notes: list[str] = field(default_factory=list)
    pages: dict[str, st.Page] = field(default_factory=dict)
    zoom: Zoom | None = None
    own: OwnData = field(default_factory=OwnData)
    parts: dict[type, Any] = field(default_factory=dict)

    def part(self, kind: type[T]) -> T:
        """Return what a single page holds, a record of the page's own type; made when first asked for."""
        if kind not in self.parts:
            self.parts[kind] = kind()
        part: T = self.parts[kind]
        return part


def current() -> Session:
    """Return the session of whoever is looking at the page."""
    session = st.session_state.get(_KEY)
    if not isinstance(session, Session):
        session = st.session_state[_KEY] = Session()
    return session


def data_of(setting: ldp.Setting) -> Upload | None:
    """Return the own data that a setting needs; None for the settings that have data of their own."""
    if setting.data != ldp.OWN_DATA:
        return None
    upload = current().own.upload
    if upload is None:
        raise NoDataError
    return upload
