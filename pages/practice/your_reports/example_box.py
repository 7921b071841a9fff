"""The box with example files, to try and to download."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

import ldpcore as ldp
from ldpui import cache, widgets
from ldpui.format import plain
from pages.practice.your_reports import controls, examples, questions
from pages.practice.your_reports.description import Description
from pages.practice.your_reports.examples import Example
from pages.practice.your_reports.state import reports

# So much of a line is shown.
_LETTERS = 46
# What does not concern an example is at its default.
_PLAIN = {"r_holds": controls.REPORTS, "r_each": controls.SAME, "r_bare": False}


def draw() -> None:
    """Offer the examples."""
    example = examples.EXAMPLES[widgets.choose("No file at hand? Take an example of", "r_example", examples.EXAMPLES)]
    settings = settings_of(example)
    try:
        m = Description.of(settings).make_mechanism()
        frame = _frame(example.name, m.name, tuple(m.parameters.items()))
    except ldp.Refused as refused:
        st.caption(f"There is no example at these settings: {plain(str(refused), 300)}.")
        return
    header = not settings["r_bare"]
    humps = f"{m.k / 4:.0f} and {0.7 * m.k:.0f}"
    st.caption(f"{example.what} {len(frame):,} rows. The true values form two humps, around {humps}.")
    st.code(_head(frame, header), language=None)
    _buttons(example, settings, frame, header)


def settings_of(example: Example) -> dict[str, Any]:
    """Return what the controls must stand at for an example."""
    chosen = questions.values()
    return (
        {key: value for key, value in chosen.items() if key not in ("r_lines", "r_example")}
        | _PLAIN
        | (example.settings)
    )


def _head(frame: pd.DataFrame, header: bool) -> str:
    """Return the first lines of the file."""
    lines = examples.as_csv(frame.head(3), header).decode().splitlines()
    return "\n".join(line if len(line) <= _LETTERS else line[: _LETTERS - 1] + "…" for line in [*lines, "…"])


def _buttons(example: Example, settings: dict[str, Any], frame: pd.DataFrame, header: bool) -> None:
    name = f"example-{'-'.join(example.name.replace(',', '').replace('ε', 'eps').split())}"

    def csv() -> bytes:
        return examples.as_csv(frame, header)

    def use() -> None:
        st.session_state.update(settings)
        reports().bring(f"{name}.csv", csv())

    with st.container(horizontal=True):
        st.button("Try it", key="reports_try", type="primary", icon=":material/play_arrow:", on_click=use)
        widgets.download("CSV", csv, f"{name}.csv")
        widgets.download("Parquet", lambda: examples.as_parquet(frame), f"{name}.parquet")


@st.cache_data(max_entries=30, max_size=cache.MAX_BYTES, ttl=cache.TTL, show_spinner=False)
def _frame(name: str, mechanism: str, parameters: tuple[tuple[str, Any], ...]) -> pd.DataFrame:
    """Make an example once: nothing of it comes from a user."""
    return examples.example_frame(name, ldp.mechanism(mechanism, **dict(parameters)))
