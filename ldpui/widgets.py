"""Widgets that are tied to the URL, and small things that several pages draw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

import ldpcore as ldp
from ldpcore.metrics import Metric
from ldpui import glossary, session
from ldpui.address import links, vocabulary
from ldpui.address.scales import Scale
from ldpui.serving import turns


def bound(key: str) -> dict[str, Any]:
    """Return what ties a widget to its key in the URL; from now on it is known to be drawn."""
    session.current().drawn.add(key)
    return {"key": key, "bind": "query-params"}


def choose(label: str, key: str, options: Any, **more: Any) -> Any:
    """Offer a list of words to choose from."""
    words = list(options)
    return st.selectbox(label, words, index=words.index(links.CONTROLS[key].default), **bound(key), **more)


def slide(label: str, key: str, options: Any, **more: Any) -> Any:
    """Offer a scale to move on; the words are spaced evenly, whatever the numbers behind them."""
    return st.select_slider(label, list(options), value=links.CONTROLS[key].default, **bound(key), **more)


def dial(label: str, key: str, **more: Any) -> str:
    """Offer a scale to move on, and beside it a box to type any legal number; return the word for it."""
    scale, default = vocabulary.SCALES[key], links.CONTROLS[key].default
    # The way back through the browser's history may ask for a number that is not where the slider stands.
    options = scale.options(default, *st.query_params.get_all(key), str(links.value(key)))
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small", key=f"dial_{key}"):
        word = str(st.select_slider(label, options, value=default, **bound(key), **more))
        _number_box(f"{label}, as a number", key, scale, word)
    return word


# Wide enough for the numbers that are common; longer ones can be scrolled.
_BOX = {False: 76, True: 104}


def _number_box(label: str, key: str, scale: Scale, word: str) -> None:
    """Offer a box that shows where a slider stands, and moves it."""
    step, form = (1.0, "%.0f") if scale.whole else (0.01, "%g")
    st.session_state[typed(key)] = float(scale.number(word))
    st.number_input(
        label,
        # Whole numbers too are asked for as reals: of 1e9 Streamlit's client would read the first digit.
        float(scale.low),
        float(scale.high),
        # What an emptied box goes back to; without one it is the lowest number.
        float(scale.number(links.CONTROLS[key].default)),
        step=step,
        format=form,
        key=typed(key),
        label_visibility="collapsed",
        width=_BOX[scale.whole and scale.high > 10_000],
        on_change=_take_typed,
        args=(key,),
    )


def typed(key: str) -> str:
    """Return the key of the box in which the number of a scale is typed."""
    return f"{key}_typed"


def _take_typed(key: str) -> None:
    st.session_state[key] = vocabulary.SCALES[key].word(st.session_state[typed(key)])


def switch(label: str, key: str, **more: Any) -> bool:
    """Offer something to switch on."""
    return st.toggle(label, value=links.CONTROLS[key].default, **bound(key), **more)


def pick(label: str, key: str, options: Any, **more: Any) -> Any:
    """Offer a few words side by side, one of which is always chosen."""
    default = links.CONTROLS[key].default
    word = st.segmented_control(label, list(options), default=default, required=True, **bound(key), **more)
    return default if word is None else word  # the browser sees to `required`; other programs can leave it empty


def several(label: str, key: str, options: Any, **more: Any) -> list[str]:
    """Offer a few words, any number of which can be chosen."""
    default = list(links.CONTROLS[key].default)
    return list(st.pills(label, list(options), selection_mode="multi", default=default, **bound(key), **more) or [])


def page_controls(label: str) -> Any:
    """Return the place of a page's own controls; to an audience they are folded away: the chart has the room."""
    return st.expander(label) if links.value("present") else st.container()


def metric(width: int = 220, key: str = "metric") -> Metric:
    """Offer the measures of error."""
    name = choose("Error measured by", key, vocabulary.METRICS, help=glossary.METRIC, width=width)
    return vocabulary.METRICS[name]


# The key of the explanations.
EXPLAINED = "explained"
_MIME = {
    ".bib": "application/x-bibtex",
    ".csv": "text/csv",
    ".html": "text/html",
    ".ipynb": "application/x-ipynb+json",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".py": "text/x-python",
}


def download(label: str, make: str | Callable[[], str | bytes], name: str) -> None:
    """Offer a file; it is made when somebody asks for it, and the page is not drawn again."""
    st.download_button(label, make, name, _MIME[Path(name).suffix], on_click="ignore")


@st.fragment
def explanations() -> None:
    """Offer the story of support, MI, IBU and Γ, one click away; it is drawn when it is opened, without the page."""
    with turns.turn():
        _explain()


def _compared() -> int:
    """Return how many estimators pages know: of those that need reports, full-report IBU alone."""
    return sum(record.needs == "counts" or key == "full" for key, record in ldp.ESTIMATORS.items())


def _explain() -> None:
    with st.popover(
        "What do MI and IBU do?", type="tertiary", icon=":material/help:", key=EXPLAINED, on_change="rerun"
    ) as box:
        if not box.open:
            return
        st.markdown(
            "**MI** subtracts the noise, **IBU** fits it step by step. *All estimators*, on the page Estimate, "
            f"can compare {_compared()} ways to undo it."
        )
        for text in (glossary.SUPPORT, glossary.MI, glossary.IBU, glossary.GAMMA):
            st.markdown(text)


def whole_number(label: str, key: str, low: int, high: int, **more: Any) -> int:
    """Offer whole numbers. Held as a float: Streamlit can't read an infinite one from a link into an int."""
    default = float(links.CONTROLS[key].default)
    value = st.number_input(label, float(low), float(high), default, 1.0, format="%.0f", **bound(key), **more)
    return round(value)


# The largest number of a collection that a link may name. There are as many collections as runs; a larger number counts
# on from the first again.
COLLECTIONS_MAX = 10**4


def collection(key: str, runs: int, **more: Any) -> int:
    """Offer the simulated collections by number, and a button for the next one; return the number, from 1."""
    chosen = links.value(key)
    if chosen > runs:
        st.session_state[key] = float((chosen - 1) % runs + 1)
    number = whole_number("Collection no.", key, 1, runs, width=150, **more)
    st.button("Collect again", icon=":material/casino:", key=f"{key}_again", on_click=_next, args=(key, runs))
    return number


def _next(key: str, runs: int) -> None:
    st.session_state[key] = float(st.session_state[key] % runs + 1)
