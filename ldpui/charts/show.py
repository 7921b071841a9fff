"""Put a figure on the page."""

from __future__ import annotations

import sys
from typing import Any, Literal

import streamlit as st
from plotly.basedatatypes import BaseFigure

from ldpui import session, theme
from ldpui.address import links
from ldpui.charts.finished import Finished

# What a saved picture is called, where a page does not say more.
NAME = "ldp-explorer"
# The tool bar of every chart: zoom and the picture, nothing that leads elsewhere.
_REMOVED = ["select2d", "lasso2d", "autoScale2d"]


def chart(
    figure: BaseFigure, key: str, alt: str, width: Literal["stretch"] | int = "stretch", name: str = NAME, **more: Any
) -> Any:
    """Draw a figure, as wide as the page if not told otherwise; `name` is that of the picture that it is saved as."""
    config = _config("png", name=name)
    return st.plotly_chart(sized(figure), width=width, theme=None, key=key, alt=alt, config=config, **more)


def zoomable(figure: BaseFigure, key: str, alt: str, image: str, zoom_key: str, name: str = NAME) -> None:
    """Draw a figure in which dragging (`dragmode="select"`) zooms along the horizontal axis, whatever the data become.

    To Streamlit a figure with other data is another chart, which forgets what the browser zoomed to. So a drag is
    taken as a selection, and the next figure is drawn in its range: see `zoom`.
    """
    config = _config(image, ["zoom2d", "pan2d", "zoomIn2d", "zoomOut2d", "resetScale2d"], name)
    event = st.plotly_chart(
        sized(figure),
        width="stretch",
        theme=None,
        key=key,
        alt=alt,
        config=config,
        on_select="rerun",
        selection_mode="box",
    )
    dragged = _dragged(event.selection.get("box"))
    if dragged is not None:
        zoom_to(zoom_key, *dragged)
        st.rerun()


def _dragged(boxes: Any) -> tuple[float, float] | None:
    """Return the range of a drag; None without one, and for what no browser says of one.

    >>> _dragged([{"x": [3, 1.5], "y": [0, 1]}]), _dragged([{"x": ["a", "b"]}])
    ((1.5, 3.0), None)
    """
    box = boxes[0] if isinstance(boxes, list) and boxes else None
    ends = box.get("x") if isinstance(box, dict) else None
    if not isinstance(ends, list) or len(ends) != 2:
        return None
    # A whole number of Python's may be too large for a float.
    if not all(isinstance(end, int | float) and abs(end) < sys.float_info.max for end in ends):
        return None
    low, high = sorted(map(float, ends))
    return (low, high) if low < high else None


def zoom(zoom_key: str) -> tuple[float, float] | None:
    """Return the range that the reader zoomed to, if it was on the same kind of chart."""
    zoomed = session.current().zoom
    return (zoomed.low, zoomed.high) if zoomed and zoomed.axis == zoom_key else None


def zoom_to(zoom_key: str, low: float, high: float) -> None:
    """Show this range from now on."""
    session.current().zoom = session.Zoom(zoom_key, low, high)


def zoom_out() -> None:
    """Show again what was shown first."""
    session.current().zoom = None


def sized(figure: BaseFigure) -> BaseFigure:
    """Return a figure with words that an audience can read, if there is one; a finished figure is drawn as it is."""
    return theme.enlarged(figure) if links.value("present") and not isinstance(figure, Finished) else figure


def _config(image: str, removed: list[str] | None = None, name: str = NAME) -> dict[str, Any]:
    return {
        "displaylogo": False,
        "modeBarButtonsToRemove": _REMOVED + (removed or []),
        "toImageButtonOptions": {"format": image, "scale": 2, "filename": name},
    }
