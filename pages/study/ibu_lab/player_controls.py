"""Buttons and slider of the player, which Plotly draws and the browser obeys."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ldpui import theme

_FRAME_MS = 150


def buttons(dark: bool) -> dict[str, Any]:
    """Return the buttons that play from the start, and stop."""
    ways = {"frame": {"duration": _FRAME_MS, "redraw": False}, "transition": {"duration": 0}, "mode": "immediate"}
    stop = {"frame": {"duration": 0, "redraw": False}, "transition": {"duration": 0}, "mode": "immediate"}
    return {
        "type": "buttons",
        "direction": "left",
        "showactive": False,
        "x": 0,
        "xanchor": "left",
        "y": 1,
        "yanchor": "bottom",
        "pad": {"b": 62},
        "bgcolor": theme.layout(dark)["plot_bgcolor"],
        "bordercolor": theme.OBSERVED.color(dark),
        "font": {"color": theme.ink(dark), "size": 14},
        "buttons": [
            {"label": "▶ Play", "method": "animate", "args": [None, ways]},
            {"label": "❚❚ Stop", "method": "animate", "args": [[None], stop]},
        ],
    }


def slider(labels: Sequence[str], frames: Sequence[int], dark: bool) -> dict[str, Any]:
    """Return the slider that goes to any of the frames."""
    jump = {"frame": {"duration": 0, "redraw": False}, "transition": {"duration": 0}, "mode": "immediate"}
    return {
        "active": 0,
        "x": 0,
        "len": 1,
        "y": 1,
        "yanchor": "bottom",
        "ticklen": 4,
        "minorticklen": 0,
        "pad": {"b": 12},
        "currentvalue": {"prefix": "after ", "suffix": " steps", "xanchor": "right", "font": {"size": 15}},
        "font": {"color": theme.ink(dark), "size": 11},
        "bgcolor": theme.TRUTH.color(dark),
        "bordercolor": theme.IBU.color(dark),
        "activebgcolor": theme.IBU.color(dark),
        "steps": [
            {"label": label, "method": "animate", "args": [[str(i)], jump]}
            for label, i in zip(labels, frames, strict=True)
        ],
    }
