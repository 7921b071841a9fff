"""The frames of a player that lets the reports of one user's life come one by one."""

from __future__ import annotations

from typing import Any

from ldpui import theme


def frames(number: int, *, dark: bool) -> list[dict[str, Any]]:
    """Return the frames of the player: so many reports have come, and the others are hidden."""
    ground = theme.layout(dark)["paper_bgcolor"]
    return [{"layout": {"shapes": [_curtain(reports, ground)]}, "name": str(reports)} for reports in range(number + 1)]


def _curtain(reports: int, ground: str) -> dict[str, Any]:
    """Return what hides the reports that are still to come."""
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": reports + 0.5,
        "x1": 1_000,
        "y0": 0,
        "y1": 1,
        "fillcolor": ground,
        "line": {"width": 0},
        "layer": "above",
    }
