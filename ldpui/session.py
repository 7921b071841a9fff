"""Everything that a session holds, in one place. Nothing of it is stored, shared with other sessions, or in the URL."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

import ldpcore as ldp
from ldpui import failures
from ldpui.own import NoDataError, Upload
from ldpui.serving import held_files
from ldpui.serving.held_texts import Texts

T = TypeVar("T")
U = TypeVar("U")
_KEY = "_session"


@dataclass
class Uploads(Generic[U]):
    """What was brought to a page: what was there before stays in use until something new can be used.

    Attributes
    ----------
    upload : object or None
        What the page works with.
    tried : hashable or None
        What was read last, so that it is read once.
    problem : str or None
        What was wrong with it.
    """

    upload: U | None = None
    tried: Hashable = None
    problem: str | None = None

    def take(self, read: Callable[[], U], version: Hashable = None) -> bool:
        """Read something new and work with it from now on; tell whether that is so.

        With a `version`, what was read under it just before is not read again.
        """
        if version is not None:
            if version == self.tried:
                return False
            self.tried = version
        self.problem = None
        try:
            self.upload = read()
        except Exception as error:  # Streamlit's own control flow does not derive from Exception
            self.problem = failures.reason(error, "it was read")
            return False
        return True

    def forget(self) -> None:
        """Drop it; a file that is still in its box is not read again."""
        self.upload = self.problem = None


@dataclass
class OwnData(Uploads[Upload]):
    """The visitor's own data.

    Attributes
    ----------
    choose : bool
        Whether the next run is to choose it on all pages: in this one the control for that is drawn already.
    box : int
        How many upload boxes there were before this one.
    """

    choose: bool = False
    box: int = 0

    def take(self, read: Callable[[], Upload], version: Hashable = None) -> bool:
        """Read something new and work with it from now on, unless the server holds too much already."""
        return super().take(lambda: self._counted(read()), version)

    def use(self, upload: Upload) -> None:
        """Work with this from now on."""
        self.upload = self._counted(upload.checked())

    def forget(self) -> None:
        """Drop it, and take another box, which is empty; who looks at the page drops the file in the one before."""
        if self.upload is not None:
            held_files.drop(self.upload.data, self.upload.table, self.upload.table.file)
        super().forget()
        self.box += 1

    def _counted(self, upload: Upload) -> Upload:
        """Return what is to be used in the place of what is, counted among what the server holds; or refuse it."""
        held_files.hold(upload.table)
        held_files.hold_column(upload.data, None if self.upload is None else self.upload.data)
        return upload


@dataclass(frozen=True)
class Zoom:
    """The part of the horizontal axis that is shown of a chart, as long as the axis means the same."""

    axis: str
    low: float
    high: float


@dataclass(frozen=True)
class Undo:
    """What controls stood at before they were reset, and the link to what they stand at since."""

    values: dict[str, Any]
    query: str


@dataclass(frozen=True)
class Opened:
    """The link that a session began with: the version of its words, and the keys that it says something of."""

    version: int
    keys: frozenset[str]


@dataclass(frozen=True)
class Example:
    """A setting worth seeing: what to look at, the values of its controls, the one to see next, what its data are."""

    name: str
    look: str
    values: Mapping[str, Any]
    next: Example | None = None
    axis: str = ""

    @property
    def key(self) -> str:
        """Return the key of its button."""
        return f"preset_{self.name}"


@dataclass(frozen=True)
class ShownExample:
    """The example that is on the page, and the link to its setting: with any other setting it is over."""

    example: Example
    query: str


@dataclass
class Session:
    """What is known of one visitor until the page is closed; `ldpui.serving.leaving` drops it then."""

    setting: ldp.Setting | None = None
    opened: Opened | None = None
    head: DeltaGenerator | None = None  # where the page on screen has its title
    link_notes: list[str] = field(default_factory=list)
    pages: dict[str, st.Page] = field(default_factory=dict)
    zoom: Zoom | None = None
    address: str | None = None  # that of the page which the last run drew
    go_to: str | None = None  # the address of the page that the next run is to open
    drawn: set[str] = field(default_factory=set)  # the keys of the controls that the last run drew
    undo: Undo | None = None
    example: ShownExample | None = None
    meanings: dict[str, str] = field(default_factory=dict)  # what an example said that values of a distribution are
    own: OwnData = field(default_factory=OwnData)
    texts: Texts = field(default_factory=Texts)  # what the controls say, where it is long
    text_problem: str | None = None  # why the server has not taken it
    parts: dict[type, Any] = field(default_factory=dict)

    def part(self, kind: type[T]) -> T:
        """Return what a single page holds, a record of the page's own type; made when first asked for."""
        if kind not in self.parts:
            self.parts[kind] = kind()
        part: T = self.parts[kind]
        return part

    def count_texts(self) -> None:
        """Count what the controls say among what the server holds; what is too much is not taken, and that is said."""
        noted = [text for part in self.parts.values() for text in getattr(part, "choices", {}).values()]
        self.text_problem = self.texts.count(noted)

    def forget(self) -> None:
        """Drop what the visitor has brought and what single pages hold."""
        self.own.forget()
        held_files.drop(self.texts)
        self.own, self.example, self.undo = OwnData(), None, None
        self.parts.clear()


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
