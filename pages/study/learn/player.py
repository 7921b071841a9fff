"""Frames that play in the browser: the server draws them all at once, and is asked for nothing while they play."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import streamlit as st

_HERE = Path(__file__).parent
_JS, _CSS = ((_HERE / f"player.{kind}").read_text(encoding="utf-8") for kind in ("js", "css"))
# Milliseconds between two frames.
PACE = 650


@dataclass(frozen=True)
class Frame:
    """What is seen at one moment.

    Attributes
    ----------
    label : str
        Where the player stands, in a few words.
    text : str
        The sentence on it; parts between ** are strong.
    panels : sequence of dict
        What each panel shows, made by `marks`, `at` or `on` of `panels`.
    """

    label: str
    text: str
    panels: Sequence[Mapping[str, Any]]


@dataclass(frozen=True)
class Player:
    """Panels, one above the other, and the frames that play in them.

    Attributes
    ----------
    tells : bool
        Whether the server is told where the player stops.
    autoplay : bool
        Whether new frames play at once.
    """

    panels: Sequence[Mapping[str, Any]]
    frames: Sequence[Frame]
    step: str = "One step"
    slider: str = "Position"
    pace: int = PACE
    start: int = 0
    tells: bool = True
    autoplay: bool = False
    # Two players with equal frames may still mean different things, such as two equal reports: then this differs.
    version: Any = field(default=None)

    def data(self, dark: bool) -> dict[str, Any]:
        """Return what the browser gets; the same frames have the same id."""
        data: dict[str, Any] = {
            "panels": list(self.panels),
            "frames": [{"label": f.label, "text": f.text, "panels": list(f.panels)} for f in self.frames],
            "step": self.step,
            "slider": self.slider,
            "pace": self.pace,
            "start": self.start,
            "tells": self.tells,
            "autoplay": self.autoplay,
            "dark": dark,
        }
        text = json.dumps([data | {"dark": None, "panels": len(self.panels)}, self.version], default=str)
        return data | {"id": hashlib.sha256(text.encode()).hexdigest()[:16]}


def draw(player: Player, key: str, dark: bool) -> int | None:
    """Draw a player; return the number of the frame at which it was stopped last, if it was."""
    data = player.data(dark)
    component = st.components.v2.component("ldp_player", html='<div class="player"></div>', css=_CSS, js=_JS)
    result = component(key=key, data=data, on_stopped_change=lambda: None)
    stopped = result.get("stopped") if result else None
    # The browser's word may be about frames that were replaced meanwhile.
    if not isinstance(stopped, dict) or stopped.get("id") != data["id"]:
        return None
    frame = stopped.get("frame")
    return frame if isinstance(frame, int) and 0 <= frame < len(player.frames) else None
