"""IBU from several starts, on one collection."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

import ldpcore as ldp
from ldpui import cache, theme
from ldpui.charts.common import Array
from ldpui.computing import compute
from ldpui.own import Upload
from ldpui.theme import Look
from pages.study.ibu_lab import own_start
from pages.study.ibu_lab.following import following
from pages.study.ibu_lab.paths import collection

LOOKS: dict[str, Look] = {"uniform": theme.IBU, "observed": theme.OBSERVED, "mi": theme.MI, "own": theme.OWN}
NAMES = {"uniform": "all bins alike", "observed": "the counts", "mi": "MI", "own": "your own"}


@dataclass(frozen=True, eq=False)
class Way:
    """IBU from one start: its name, the start (k,), and the estimates (t, k) at the steps of the path."""

    key: str
    start: Array
    estimates: Array

    @property
    def look(self) -> Look:
        return LOOKS[self.key]


@cache.by_setting(20, 5, apart=True)
def ways(s: ldp.Setting, data: Upload | None, number: int) -> list[Way]:
    """Follow IBU on a collection from every start that the library knows."""
    c = collection(s, data, number)
    uniform = np.full((1, s.k), 1 / s.k)
    starts_by_key = {key: replace(s, start=key).ibu_start(c.counts, c.mi) for key in ldp.STARTS}
    starts = np.concatenate([uniform if start is None else start for start in starts_by_key.values()])
    key = ("IBU's ways", s, number) if data is None else None
    trace = compute.run(following(c, starts), key=key)
    return [Way(key, starts[i], trace.estimates[:, i]) for i, key in enumerate(starts_by_key)]


@cache.by_setting(20, 5, apart=True)
def own_way(s: ldp.Setting, data: Upload | None, number: int, text: str) -> Way | None:
    """Follow IBU from the visitor's own start; None if there is none that IBU can start from."""
    own = own_start.read(text, s.k)
    if own is None or own.zeros:
        return None
    c = collection(s, data, number)
    return Way("own", own.shares, compute.run(following(c, own.shares)).estimates)
