"""Widgets that are tied to the URL, and small things that several pages draw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import streamlit as st

from ldpcore.metrics import Metric
from ldpui import glossary, links, vocabulary


def bound(key: str) -> dict[str, Any]:
    """Return what ties a widget to its key in the URL."""
    return {"key": key, "bind": "query-params"}


def choose(label: str, key: str, options: Any, **more: Any) -> Any:
    """Offer a list of words to choose from."""
    words = list(options)
    return st.selectbox(label, words, index=words.index(links.CONTROLS[key].default), **bound(key), **more)


def slide(label: str, key: str, options: Any, **more: Any) -> Any:
    """Offer a scale to move on; the words are spaced evenly, whatever the numbers behind them."""
    return st.select_slider(label, list(options), value=links.CONTROLS[key].default, **bound(key), **more)


def switch(label: str, key: str, **more: Any) -> bool:
    """Offer something to switch on."""
    return st.toggle(label, value=links.CONTROLS[key].default, **bound(key), **more)


def pick(label: str, key: str, options: Any, **more: Any) -> Any:
    """Offer a few words side by side, one of which is always chosen."""
    default = links.CONTROLS[key].default
    return st.segmented_control(label, list(options), default=default, required=True, **bound(key), **more)


def several(label: str, key: str, options: Any, **more: Any) -> list[str]:
    """Offer a few words, any number of which can be chosen."""
    default = list(links.CONTROLS[key].default)
    return list(st.pills(label, list(options), selection_mode="multi", default=default, **bound(key), **more) or [])


def metric(width: int = 220) -> Metric:
    """Offer the measures of error."""
    name = choose("Error measured by", "metric", vocabulary.METRICS, help=glossary.METRIC, width=width)
    return vocabulary.METRICS[name]


_MIME = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".parquet": "application/vnd.apache.parquet",
    ".py": "text/x-python",
}


def download(label: str, make: str | Callable[[], str | bytes], name: str) -> None:
    """Offer a file; it is made when somebody asks for it, and the page is not drawn again."""
    st.download_button(label, make, name, _MIME[Path(name).suffix], on_click="ignore")


def explanations() -> None:
    """Offer the story of support, MI, IBU and Γ, one click away."""
    with st.popover("What do MI and IBU do?", type="tertiary", icon=":material/help:"):
        for text in (glossary.SUPPORT, glossary.MI, glossary.IBU, glossary.GAMMA):
            st.markdown(text)


def whole_number(label: str, key: str, low: int, high: int, **more: Any) -> int:
    """Offer whole numbers. Held as a float: Streamlit can't read an infinite one from a link into an int."""
    default = float(links.CONTROLS[key].default)
    value = st.number_input(label, float(low), float(high), default, 1.0, format="%.0f", **bound(key), **more)
    return round(value)
