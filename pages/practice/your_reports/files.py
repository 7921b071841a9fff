"""The file of collected reports: brought by the reader, or an example.

A file lives in the session of the one who brought it, and nowhere else: not on disk, not in the URL, in no shared
cache. What is kept is the file as it came (50 MB at most), the one before it as long as the new one gives no result,
and the last result; the table that is read from a file lives only as long as it is counted.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpcore.collected.columns import Head
from ldpcore.tables import MAX_BYTES, MAX_ROWS, SUFFIXES
from ldpui import glossary, session, widgets
from ldpui.format import plain
from pages.practice.your_reports import controls, examples
from pages.practice.your_reports.questions import HASHING, Asked, came_by_link


@dataclass(frozen=True, eq=False)
class Source:
    """A file as it came. `number` tells the files of a session apart."""

    number: int
    name: str
    data: bytes


@dataclass(frozen=True, eq=False)
class Seen:
    """What is known of a file that could be read."""

    number: int
    header: bool
    head: Head
    left_out: tuple[str, ...]


@dataclass(eq=False)
class Held:
    """All that the page keeps in a session.

    Attributes
    ----------
    source, pending : Source or None
        The file that the page works with, and a new one that could not be read yet.
    seen : Seen or None
        What is known of `source`.
    refused : tuple or None
        What was tried with `pending`, and what is wrong with it.
    outcome, failures
        The last result; and for each file, by its number, why it has none.
    number, box : int
        How many files there were, and how many upload boxes.
    """

    source: Source | None = None
    pending: Source | None = None
    seen: Seen | None = None
    refused: tuple[tuple[int, bool], str] | None = None
    outcome: Any = None
    failures: dict[int, Any] = field(default_factory=dict)
    number: int = 0
    box: int = 0

    def new_source(self, name: str, data: bytes) -> Source:
        """Give a file its number."""
        self.number += 1
        return Source(self.number, name, data)


def held() -> Held:
    """Return what this session holds."""
    return session.current().part(Held)


def _upload_key() -> str:
    return f"reports_file_{held().box}"


def _brought() -> None:
    """Take what is in the upload box.

    A box that was emptied says nothing: the browser empties it too before a file is replaced by another one, and if
    that is a bad one, the page goes on with the one before. What is to be forgotten has a button of its own.
    """
    upload = st.session_state[_upload_key()]
    held().pending = None if upload is None else held().new_source(upload.name, upload.getvalue())


def forget() -> None:
    """Drop the file and all that was made of it."""
    # Another box, which is empty; Streamlit drops what was in the one before.
    session.current().parts[Held] = Held(number=held().number, box=held().box + 1)


def upload_box(asked: Asked) -> Asked:
    """Offer to bring a file, and ask whether it has a header."""
    st.file_uploader(
        "Your reports, CSV or Parquet",
        type=[suffix[1:] for suffix in SUFFIXES],
        key=_upload_key(),
        on_change=_brought,
        max_upload_size=MAX_BYTES >> 20,
        help=f"At most {MAX_BYTES >> 20} MB and {MAX_ROWS:,} rows. {glossary.REPORTS_PRIVATE}",
    )
    st.caption(glossary.REPORTS_PRIVATE)
    bare = widgets.switch("CSV without a header", "r_bare", help=glossary.BARE)
    if came_by_link() and held().source is None and held().pending is None:
        st.info(
            "The link that you opened holds the settings, not the reports: bring the file, or try an example.",
            icon=":material/link:",
        )
    return replace(asked, header=not bare)


def example_box(asked: Asked) -> None:
    """Offer the example files, to try and to download."""
    name = widgets.choose("No file at hand? Take an example of", "r_example", examples.EXAMPLES)
    example = examples.EXAMPLES[name]
    settings = _settings_of(asked) | example.settings
    try:
        m = example_mechanism(settings)
    except ldp.Refused as problem:
        st.caption(f"There is no example at these settings: {plain(str(problem), 300)}.")
        return
    header = not settings["r_bare"]
    recipe = (name, m.name, tuple(sorted(_options_of(m).items())))
    frame = _example_frame(*recipe)
    humps = f"{m.k / 4:.0f} and {0.7 * m.k:.0f}"
    st.caption(f"{example.what} {len(frame):,} rows. The true values form two humps, around {humps}.")
    head = examples.as_csv(frame.head(3), header).decode().splitlines()
    st.code("\n".join(line if len(line) <= 46 else line[:45] + "…" for line in [*head, "…"]), language=None)
    file = f"example-{'-'.join(name.replace(',', '').replace('ε', 'eps').split())}"
    with st.container(horizontal=True):
        st.button(
            "Try it",
            key="reports_try",
            type="primary",
            icon=":material/play_arrow:",
            on_click=_try_example,
            args=(f"{file}.csv", recipe, settings),
        )
        st.download_button("CSV", lambda: examples.as_csv(frame, header), f"{file}.csv", "text/csv", on_click="ignore")
        st.download_button(
            "Parquet",
            lambda: examples.as_parquet(frame),
            f"{file}.parquet",
            "application/vnd.apache.parquet",
            on_click="ignore",
        )


def _settings_of(asked: Asked) -> dict[str, Any]:
    """Return the words and numbers of the controls; for an example, those that do not concern it at their defaults."""
    hashed = controls.PEERS_HASH if asked.hash_family else controls.OWN_HASH
    return {
        "r_mechanism": asked.mechanism,
        "r_k": float(asked.k),
        "r_eps": float(st.session_state["r_eps"]),
        "r_eps_inf": float(st.session_state["r_eps_inf"]),
        "r_calibration": asked.calibration or "published",
        "r_family": hashed,
        "r_holds": controls.REPORTS,
        "r_each": controls.SAME,
        "r_pair": asked.pair or controls.VALUE_SEED,
        "r_bare": False,
        "r_n": float(st.session_state["r_n"]),
    }


def example_mechanism(settings: dict[str, Any]) -> ldp.Mechanism:
    name = settings["r_mechanism"]
    options: dict[str, Any] = {"k": round(settings["r_k"]), "eps": settings["r_eps"]}
    if name in ldp.LONGITUDINAL:
        options |= {"eps_inf": settings["r_eps_inf"], "calibration": settings["r_calibration"]}
    if name in HASHING:
        options["hash_family"] = "xxh32" if settings["r_family"] == controls.PEERS_HASH else "splitmix64"
    return ldp.mechanism(name, **options)


def _options_of(m: ldp.Mechanism) -> dict[str, Any]:
    return m.parameters


@st.cache_data(max_entries=30, show_spinner=False)
def _example_frame(name: str, mechanism: str, options: tuple[tuple[str, Any], ...]) -> pd.DataFrame:
    """Make an example once: nothing of it comes from a user."""
    return examples.example_frame(name, ldp.mechanism(mechanism, **dict(options)))


def _try_example(file: str, recipe: tuple[Any, ...], settings: dict[str, Any]) -> None:
    data = examples.as_csv(_example_frame(*recipe), not settings["r_bare"])
    st.session_state.update(settings)
    held().pending = None
    held().source = held().new_source(file, data)
