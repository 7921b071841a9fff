"""Figures that are finished: made once for what decides them, and then only sent."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec

import plotly.graph_objects as go
from plotly.basedatatypes import BaseFigure

from ldpui import cache

P = ParamSpec("P")


class Finished(BaseFigure):  # type: ignore[misc] # plotly has no types
    """A figure as the browser is sent it.

    One of Plotly's own checks its parts when it is made, and packs all its numbers whenever it is drawn. This one is
    drawn, or written as HTML, like any other, and can't be changed.
    """

    def __init__(self, spec: dict[str, Any]) -> None:
        self._spec = spec

    def to_dict(self) -> dict[str, Any]:
        return self._spec


def by_setting(entries: int, own_entries: int) -> Callable[[Callable[P, go.Figure]], Callable[P, Finished]]:
    """Cache the figures of a function as `cache.by_setting` does; its arguments must say all that is seen of it."""

    def decorate(draw: Callable[P, go.Figure]) -> Callable[P, Finished]:
        @cache.by_setting(entries, own_entries, apart=True)
        @wraps(draw)
        def spec(*arguments: P.args, **options: P.kwargs) -> dict[str, Any]:
            packed: dict[str, Any] = draw(*arguments, **options).to_dict()
            return packed

        @wraps(draw)
        def answer(*arguments: P.args, **options: P.kwargs) -> Finished:
            return Finished(spec(*arguments, **options))

        return answer

    return decorate
