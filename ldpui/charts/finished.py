"""Figures that are finished: made once for what decides them, and then only sent."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import lru_cache, wraps
from typing import Any, ParamSpec

import plotly.graph_objects as go
import plotly.io
from plotly.basedatatypes import BaseFigure

from ldpui import cache, theme
from ldpui.address import links
from ldpui.charts.drawing import Drawing

P = ParamSpec("P")
_to_json = plotly.io.to_json
# Figures that are kept as dicts besides, and the longest of them, in letters: some 25 MB at most. A longer one, of a
# thousand bins or a map, is read whenever it is sent.
_KEPT, _LONGEST = 128, 100_000


class _Spec(dict[str, Any]):
    """A figure as a dict, which knows how it is written."""

    def __init__(self, text: str, own: bool) -> None:
        super().__init__(json.loads(text) if own or len(text) > _LONGEST else _read(text))
        self.text = text


@lru_cache(maxsize=_KEPT)
def _read(text: str) -> dict[str, Any]:
    """Return a figure as a dict that nobody may change: Streamlit asks it for its size alone.

    All visitors share what is kept here, so that figures of somebody's own data are read elsewhere.
    """
    read: dict[str, Any] = json.loads(text)
    return read


class Finished(BaseFigure):  # type: ignore[misc] # plotly has no types
    """A figure as the browser is sent it.

    One of Plotly's own checks its parts when it is made, and packs and writes all its numbers whenever it is drawn.
    This one is drawn, or written as HTML, like any other, and can't be changed. What shows somebody's `own` data is
    not kept.
    """

    def __init__(self, text: str, own: bool = True) -> None:
        self._text, self._own = text, own

    def to_dict(self) -> dict[str, Any]:
        return _Spec(self._text, self._own)


def finish(figure: go.Figure, frames: Sequence[dict[str, Any]] = ()) -> Finished:
    """Return a figure as the browser is sent it, with frames for a player, which Plotly would check one by one."""
    return Finished(str(_to_json({**figure.to_dict(), "frames": list(frames)}, validate=False)))


def as_text(drawn: go.Figure | Drawing) -> str:
    """Write a figure as the browser is sent it."""
    figure = {"data": drawn.traces, "layout": drawn.layout} if isinstance(drawn, Drawing) else drawn
    return str(_to_json(figure, validate=False))


def write_once() -> None:
    """Have Streamlit send finished figures as they are written; without this it writes them again for each visitor."""

    @wraps(_to_json)
    def to_json(figure: Any, *arguments: Any, **options: Any) -> Any:
        return figure.text if isinstance(figure, _Spec) else _to_json(figure, *arguments, **options)

    plotly.io.to_json = to_json


def by_setting(entries: int, own_entries: int) -> Callable[[Callable[P, go.Figure | Drawing]], Callable[P, Finished]]:
    """Cache the figures of a function as `cache.by_setting` does; its arguments must say all that is seen of it."""

    def decorate(draw: Callable[P, go.Figure | Drawing]) -> Callable[P, Finished]:
        @cache.by_setting(entries, own_entries, apart=True)
        @wraps(draw)
        def text(*arguments: P.args, **options: P.kwargs) -> str:
            return as_text(draw(*arguments, **options))

        @wraps(draw)
        def answer(*arguments: P.args, **options: P.kwargs) -> Finished:
            return Finished(text(*arguments, **options), own=arguments[1] is not None)

        return answer

    return decorate


def by_words(entries: int) -> Callable[[Callable[P, go.Figure]], Callable[P, Finished]]:
    """Cache the figures of a function for all visitors, by its arguments, which are scalars or frozen records of them.

    Where there is an audience, with words that it can read.
    """

    def decorate(draw: Callable[P, go.Figure]) -> Callable[P, Finished]:
        @wraps(draw)
        def write(arguments: tuple[Any, ...], _: None, large: bool) -> str:
            figure = draw(*arguments)  # type: ignore[call-arg] # all of them, in their order
            return as_text(theme.enlarged(figure) if large else figure)

        text = cache.by_setting(entries, 1, apart=True)(write)

        @wraps(draw)
        def answer(*arguments: P.args, **options: P.kwargs) -> Finished:
            return Finished(text((*arguments, *options.values()), None, bool(links.value("present"))), own=False)

        return answer

    return decorate
