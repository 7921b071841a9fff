"""How the app tests open a page and look at it: by keys, so that wording can change."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from ldpui import failures
from ldpui.address.link_box import IN_FULL
from ldpui.address.presets import MENU
from ldpui.session import Session
from ldpui.sidebar import ADVANCED
from ldpui.widgets import EXPLAINED

ROOT = Path(__file__).resolve().parents[2]
# The pages by their addresses.
ESTIMATE, COMPARE, TRADEOFF = "", "compare", "tradeoff"
ADVISOR, YOUR_DATA, YOUR_REPORTS = "advisor", "your_data", "your_reports"
IBU_LAB, OVER_TIME, PAPER, FINDINGS, ABOUT = "ibu_lab", "over_time", "paper", "findings", "about"
CLASS = "class"
# Small enough for many pages a second; what a test is about it sets itself.
QUICK = {"data": "Gaussian", "n": "1k", "k": "10", "runs": "2", "iterations": "30"}

# What is drawn only where somebody has opened it, and so would not be found.
OPEN = dict.fromkeys((ADVANCED, MENU, IN_FULL, EXPLAINED), True)


def open_page(
    page: str = ESTIMATE, state: dict[str, Any] | None = None, query: dict[str, str] | None = None
) -> AppTest:
    """Open a page in a new session, with widget values or with the words of a link; all that folds away is open."""
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    for key, value in (OPEN | (state or {})).items():
        at.session_state[key] = value
    for key, word in (query or {}).items():
        at.query_params[key] = word
    return go_to(at, page)


def go_to(at: AppTest, page: str) -> AppTest:
    """Go to a page as the navigation does; `AppTest.switch_page` knows only pages that are files."""
    at._page_hash = calc_hash(page)
    return at.run()


def session_of(at: AppTest) -> Session:
    """Return what the session holds beside the values of its widgets."""
    held = at.session_state["_session"]
    assert isinstance(held, Session)
    return held


def charts(at: AppTest) -> dict[str, dict[str, Any]]:
    """Return the Plotly figures of the main part by their keys."""
    return {element.key: json.loads(element.proto.spec) for element in at.main.get("plotly_chart")}


def numbers(values: Any) -> np.ndarray[Any, Any]:
    """Return the numbers of a figure; Plotly packs those that come from NumPy."""
    if not isinstance(values, dict):
        return np.array(values, dtype=float)
    unpacked = np.frombuffer(base64.b64decode(values["bdata"]), dtype=values["dtype"]).astype(float)
    shape = [int(size) for size in str(values.get("shape", unpacked.size)).split(",")]
    return unpacked.reshape(shape)


def names(figure: dict[str, Any]) -> list[str]:
    """Return what the legend of a figure lists."""
    return [trace["name"] for trace in figure["data"] if trace.get("name") and trace.get("showlegend", True)]


def metrics(at: AppTest) -> list[str]:
    return [metric.value for metric in at.metric]


def sentences(at: AppTest) -> list[str]:
    """Return what errors, warnings and hints say."""
    return [box.value for boxes in (at.error, at.warning, at.info) for box in boxes]


def assert_calm(at: AppTest) -> None:
    """No traceback, no exception box, no error."""
    assert not at.exception, [e.value for e in at.exception]
    assert not at.error, [e.value for e in at.error]


def assert_logged(caplog: Any, words: str) -> None:
    """The log says what nobody foresaw: its kind and its place, not its words."""
    logged = [record.getMessage() for record in caplog.records if record.name == failures.__name__]
    assert any("Error" in text and ", line " in text and ", in " in text for text in logged)
    assert words not in caplog.text
