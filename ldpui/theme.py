"""How truth and estimators look, on every page: colour, shape and dash never change. No page has colours of its own."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import plotly.graph_objects as go
import streamlit as st

import ldpcore as ldp


@dataclass(frozen=True)
class Look:
    """One series: name, Okabe-Ito colour on light and on dark ground, and a shape for those who see no colour."""

    name: str
    light: str
    dark: str
    symbol: str
    dash: str

    def color(self, dark: bool) -> str:
        return self.dark if dark else self.light

    @property
    def ground(self) -> str:
        """The colour of a square that bears dark words: the one for dark grounds, which is light."""
        return self.dark

    def band(self, dark: bool) -> str:
        """Return the colour of the band around the line."""
        red, green, blue = (int(self.color(dark)[i : i + 2], 16) for i in (1, 3, 5))
        return f"rgba({red},{green},{blue},{0.25 if dark else 0.18})"


def _estimator(key: str, light: str, dark: str, symbol: str, dash: str) -> Look:
    return Look(ldp.ESTIMATORS[key].name, light, dark, symbol, dash)


TRUTH = Look("Truth", "#AEB6C1", "#6C7A8F", "square", "solid")
MI = _estimator("mi", "#D55E00", "#F08A3C", "circle", "dot")
IBU = _estimator("ibu", "#0072B2", "#56B4E9", "diamond", "solid")
LIMIT = _estimator("limit", "#009E73", "#2FD3A3", "square", "dash")
RAW = _estimator("raw", "#8A5A2B", "#D9A876", "circle-open", "dot")
FULL = _estimator("full", "#B4509A", "#E39BCB", "triangle-up", "dashdot")
AUTO = _estimator("auto", "#A87900", "#F0C84A", "star", "longdash")
# Auto that is told of the order of the bins: no estimator of the list, but a contestant of the tournament.
AUTO_ORDERED = Look("auto, ordered bins", "#5C4B00", "#FFEDB3", "star-open", "dot")
NORM_SUB = _estimator("norm-sub", "#6A51A3", "#B6A1E0", "triangle-down", "dash")
OBSERVED = Look("Observed", "#6B7280", "#A7B0BD", "x", "dot")
OWN = Look("Your own", "#A66F00", "#F0C04A", "star", "longdash")
# Series that are no estimator of the list: what an attacker believes of one person, a mechanism that brings its own
# estimator, and the best that could have been chosen if the truth had been known.
BELIEF = Look("Belief", "#B07A00", "#E69F00", "square", "solid")
SQUARE_WAVE = Look("Square Wave, EMS", "#1F2937", "#E8ECF1", "cross", "longdash")
HINDSIGHT = Look("best in hindsight", "#1F2937", "#E8ECF1", "hexagram-open", "solid")

# For series that are none of these, such as mechanisms or data sets side by side; a longer list begins again.
SERIES = (
    Look("", "#0072B2", "#56B4E9", "diamond", "solid"),
    Look("", "#D55E00", "#F08A3C", "circle", "solid"),
    Look("", "#009E73", "#2FD3A3", "square", "solid"),
    Look("", "#B4509A", "#E39BCB", "triangle-up", "solid"),
    Look("", "#8A5A2B", "#D9A876", "cross", "solid"),
    Look("", "#B58900", "#F0E442", "star", "solid"),
    Look("", "#4B5563", "#C4C9D0", "x", "solid"),
)

_ESTIMATORS = {
    "raw": RAW,
    "mi": MI,
    "base-pos": _estimator("base-pos", "#E0245E", "#FF6F9C", "triangle-left", "dot"),
    "base-cut": _estimator("base-cut", "#7B1F1F", "#C9655A", "triangle-right", "dot"),
    "norm": _estimator("norm", "#3949D6", "#8090FF", "pentagon", "dash"),
    "norm-cut": _estimator("norm-cut", "#006064", "#3FE6E6", "hexagon", "dash"),
    "norm-sub": NORM_SUB,
    "mle-apx": _estimator("mle-apx", "#2F6B1E", "#4E9A4A", "diamond-tall", "longdash"),
    "power": _estimator("power", "#9C4DE0", "#D9B8FF", "bowtie", "dashdot"),
    "power-ns": _estimator("power-ns", "#A3163F", "#FFB8A8", "hourglass", "dashdot"),
    "ibu": IBU,
    "ibu-cv": _estimator("ibu-cv", "#2F93CC", "#A9E1F5", "diamond-open", "longdashdot"),
    "limit": LIMIT,
    "smooth": _estimator("smooth", "#6B8E23", "#8FD14F", "square-open", "solid"),
    "auto": AUTO,
    "auto-ordered": AUTO_ORDERED,
    "full": FULL,
}
# An estimator that was added and has no look yet; shapes that no other has.
_ADDED = Look("", "#374151", "#DDE2E8", "star-square", "solid")
_ADDED_SYMBOLS = ("star-square", "star-diamond", "star-triangle-up", "star-triangle-down", "octagon")


def of_estimator(key: str) -> Look:
    """Return how an estimator, or contestant of the tournament, looks on every page; of those added the shape differs.

    >>> of_estimator("ibu") is IBU, of_estimator("auto-ordered").symbol
    (True, 'star-open')
    """
    if key in _ESTIMATORS:
        return _ESTIMATORS[key]
    added = [e.key for e in ldp.ESTIMATORS.values() if e.key not in _ESTIMATORS]
    symbol = _ADDED_SYMBOLS[added.index(key) % len(_ADDED_SYMBOLS)]
    return replace(_ADDED, name=ldp.ESTIMATORS[key].name, symbol=symbol)


def is_dark() -> bool:
    """Tell whether the reader's theme is dark."""
    return st.context.theme.type == "dark"


# For a component's program. Streamlit paints its own elements anew at once when a reader takes another theme, or when
# the machine goes dark in the evening; charts have the colours that they were drawn with, until the page runs again.
FOLLOW_JS = """
const follow = (dark, redraw) => {
  const app = document.querySelector('[data-testid="stApp"]');
  let drawn = dark;
  const look = () => {
    const [r, g, b] = getComputedStyle(app).backgroundColor.match(/[0-9.]+/g).map(Number);
    const now = r + g + b < 384;
    if (now !== drawn) redraw(drawn = now);
  };
  const watch = new MutationObserver(look);
  watch.observe(app, { attributes: true, attributeFilter: ["class"] });
  return () => watch.disconnect();
};
"""


def ink(dark: bool) -> str:
    """Return the colour of words; that of a look stands out enough for a line, not for small letters."""
    return "#E8ECF1" if dark else "#0F1722"


# Room for the usual axes and a line of legend. Where Plotly has to make room it draws everything a second time, and a
# chart whose numbers grow moves to the right.
ROOM = {"l": 62, "r": 20, "t": 50, "b": 56}


def layout(dark: bool, **changes: Any) -> dict[str, Any]:
    """Return the layout that all charts share."""
    grid = "#2C3746" if dark else "#E4E8EE"
    ground = "#12171F" if dark else "#FFFFFF"
    axis = {
        "gridcolor": grid,
        "zerolinecolor": grid,
        "linecolor": grid,
        "automargin": True,
        "title": {"standoff": 8, "font": {"size": 14}},
    }
    base: dict[str, Any] = {
        "font": {"color": ink(dark), "size": 14, "family": "Source Sans, Source Sans Pro, sans-serif"},
        "paper_bgcolor": ground,
        "plot_bgcolor": ground,
        "margin": {"l": 10, "r": 10, "t": 40, "b": 10},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0, "bgcolor": "rgba(0,0,0,0)"},
        "hoverlabel": {"bgcolor": "#1C2430" if dark else "#FFFFFF", "font": {"color": ink(dark), "size": 13}},
        "xaxis": dict(axis),
        "yaxis": dict(axis),
    }
    return merged(base, changes)


# To an audience the words of a chart are larger, as those around it are.
LARGE = 1.35
_PIXELS = re.compile(r"font-size:\s*(\d+)px")


def enlarged(figure: go.Figure, times: float = LARGE) -> go.Figure:
    """Return a figure with all its words so many times as large: axes, legend, notes and what a pointer shows."""
    # Trace by trace, because `to_plotly_json` of a whole figure packs its numbers into text.
    traces = [with_larger_words(trace.to_plotly_json(), times) for trace in figure.data]
    return go.Figure(traces, with_larger_words(figure.layout.to_plotly_json(), times), frames=figure.frames)


def with_larger_words(part: Any, times: float = LARGE, font: bool = False) -> Any:
    """Return a part of a figure with the sizes of its fonts multiplied."""
    if isinstance(part, dict):
        return {
            key: value * times if font and key == "size" else with_larger_words(value, times, key.endswith("font"))
            for key, value in part.items()
        }
    if isinstance(part, list | tuple):
        return [with_larger_words(item, times) for item in part]
    return _PIXELS.sub(lambda size: f"font-size:{int(size[1]) * times:.0f}px", part) if isinstance(part, str) else part


def merged(base: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """Return a dict with some of its values changed, in dicts that it holds, too."""
    changed = dict(base)
    for key, value in changes.items():
        both = isinstance(base.get(key), dict) and isinstance(value, dict)
        changed[key] = merged(base[key], value) if both else value
    return changed
