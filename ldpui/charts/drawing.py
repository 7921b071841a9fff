"""A figure as plain dicts, for what is drawn anew with every step of a control."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import plotly.graph_objects as go

from ldpui import theme
from ldpui.charts.common import small_print


@dataclass(frozen=True, eq=False)
class Drawing:
    """Traces and layout of a figure.

    Plotly's own figure checks every part of them when it is made, which takes twice as long as all the rest that a page
    does to draw a chart. The parts do not change with the numbers, so that it is enough to check them in tests: see
    `figure`.
    """

    traces: Sequence[dict[str, Any]]
    layout: dict[str, Any]

    def sourced(self, lines: Sequence[str]) -> Drawing:
        """Return it with small lines below the horizontal axis that say what is drawn."""
        added = 16 * len(lines)
        changes = {
            "xaxis": {"title": {"text": self.layout["xaxis"]["title"]["text"] + small_print(lines)}},
            "height": self.layout["height"] + added,
            "margin": {"b": self.layout["margin"]["b"] + added},
        }
        return Drawing(self.traces, theme.merged(self.layout, changes))

    def enlarged(self) -> Drawing:
        """Return it with words that an audience can read."""
        return Drawing([theme.with_larger_words(trace) for trace in self.traces], theme.with_larger_words(self.layout))

    def figure(self) -> go.Figure:
        """Return it as Plotly's own figure, checked."""
        return go.Figure(list(self.traces), self.layout)
