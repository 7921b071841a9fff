"""The figures of the starts as they are kept: each by the setting, the collection and what the controls say."""

from __future__ import annotations

from dataclasses import dataclass, replace

import plotly.graph_objects as go

import ldpcore as ldp
from ldpui import export, theme
from ldpui.bins import bins_of
from ldpui.charts import finished
from ldpui.own import Upload
from pages.study.ibu_lab import own_start, start_charts
from pages.study.ibu_lab.paths import path, points
from pages.study.ibu_lab.start_charts import Curve
from pages.study.ibu_lab.ways import NAMES, Way, own_way, ways


@dataclass(frozen=True)
class View:
    """What of the starts is drawn, and how: of which collection, with which own start, after how many steps."""

    number: int
    own: str
    at: int
    meaning: str | None
    dark: bool
    large: bool


@finished.by_setting(200, 20)
def side(s: ldp.Setting, data: Upload | None, view: View, key: str) -> go.Figure:
    """Return one start and what IBU has made of it."""
    followed = path(s, data, view.number)
    way = next(way for way in all_ways(s, data, view.number, view.own) if way.key == key)
    bins = bins_of(followed, view.meaning)
    drawn = start_charts.side(followed, way.start, way.estimates[view.at], way.look, bins, dark=view.dark)
    return theme.enlarged(drawn) if view.large else drawn


@finished.by_setting(60, 10)
def errors(s: ldp.Setting, data: Upload | None, view: View) -> go.Figure:
    """Return the errors from all starts."""
    followed = path(s, data, view.number)
    followed_ways = all_ways(s, data, view.number, view.own)
    curves = [Curve(NAMES[way.key], way.look, points(way.estimates, followed.truth)) for way in followed_ways]
    drawn = start_charts.errors(followed, curves, view.at, dark=view.dark, source=export.described(s))
    return theme.enlarged(drawn) if view.large else drawn


def all_ways(s: ldp.Setting, data: Upload | None, number: int, text: str) -> list[Way]:
    """Return IBU's ways from all starts, as long as its path."""
    own = legal(text, s.k)
    way = None if own is None or own.problem else own_way(s, data, number, text)
    # The path ends where it is at rest; from another start it may take longer.
    end = len(path(s, data, number).steps)
    return [replace(way, estimates=way.estimates[:end]) for way in (*ways(s, data, number), *([way] if way else []))]


def legal(text: str, k: int) -> own_start.OwnStart | None:
    """Return a start of the visitor's own; None if there is none that can be read."""
    try:
        return own_start.read(text, k)
    except ldp.Refused:
        return None
