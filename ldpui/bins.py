"""Where the bins stand on a chart's horizontal axis, and what they are called."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape
from itertools import pairwise
from typing import Any, Protocol

import numpy as np

import ldpcore as ldp
from ldpcore.arrays import FloatArray
from ldpui.format import significant

# So many names of categories can be read below a chart, each cut to so many letters.
_NAMES, _LETTERS = 40, 22
# So many names of ranges, such as dates, stand below a chart.
_DATES = 8


@dataclass(frozen=True, eq=False)
class Bins:
    """The k bins of a chart: the k + 1 edges where it draws them, their names, and the horizontal axis."""

    edges: FloatArray
    labels: list[str]
    axis: dict[str, Any]
    gap: float = 0.0  # between neighbours, as a share of a bin: numbers go on where a bin ends, categories don't

    @property
    def categories(self) -> bool:
        """Whether the bins have no order, so that nothing lies between two of them and no line joins them."""
        return self.gap > 0

    @property
    def centres(self) -> FloatArray:
        return (self.edges[1:] + self.edges[:-1]) / 2

    @property
    def ends(self) -> tuple[float, float]:
        return float(self.edges[0]), float(self.edges[-1])


def long_tail(truth: FloatArray) -> int | None:
    """Return after how many bins 99 % of the users are seen, if that is less than half of the bins."""
    last = int(np.searchsorted(np.cumsum(truth), 0.99)) + 1
    return last if 2 * last < len(truth) else None


class Binned(Protocol):
    """What has bins: a result, or a part of one."""

    @property
    def setting(self) -> ldp.Setting: ...
    @property
    def edges(self) -> FloatArray: ...
    @property
    def labels(self) -> tuple[str, ...]: ...


def bins_of(result: Binned, column: str | None = None) -> Bins:
    """Return the bins of a result as its charts show them; `column` is what the values are called."""
    if column is None:
        values = ldp.distribution(result.setting.data)
        title, unit = values.axis, values.unit
    else:
        title, unit = shown(column), ""
    bins = bins_for(result.edges, result.labels, title, unit)
    return by_value(bins, unit) if result.setting.binning == "values" else bins


def _long_ticks(edges: FloatArray) -> dict[str, Any]:
    """Return how an axis far from 0 has its numbers: a few, in full.

    Plotly would write "$188.4866k" below bins of a tenth of a dollar, slanted as they are long, over the title.
    """
    spread, size = float(edges[-1] - edges[0]), float(np.abs(edges).max())
    far = size >= 1000 and spread < size / 1000
    return {"nticks": 3, "exponentformat": "none"} if far else {}


def by_value(bins: Bins, unit: str = "") -> Bins:
    """Call bins that are one whole number each by it."""
    names = [f"{unit}{number:,.0f}" for number in bins.centres]
    return Bins(bins.edges, names, bins.axis | {"tickformat": ",d"})


def bins_for(edges: FloatArray, labels: tuple[str, ...], title: str, unit: str = "") -> Bins:
    """Return bins by their edges, or by their names where they have some."""
    if labels:
        # Categories are numbered from 0; what has other edges is a range with a name, such as a month.
        numbered = np.array_equal(edges, np.arange(len(labels) + 1) - 0.5)
        return _categories(labels, title) if numbered else _named_ranges(labels, title)
    if _log_spaced(edges):
        return _log_bins(edges, title)
    axis = {"title": {"text": title}, "tickprefix": unit, "separatethousands": True, "showgrid": False}
    axis |= _long_ticks(edges)
    return Bins(edges, bin_labels(edges, unit), axis)


def shown(text: str, longest: int = 60) -> str:
    """Write somebody's text for Plotly, which would take some of it for HTML.

    >>> shown("<b>a</b>"), shown("abcdef", 4)
    ('&lt;b&gt;a&lt;/b&gt;', 'abc…')
    """
    return escape(text if len(text) <= longest else text[: longest - 1] + "…", quote=False)


def bin_labels(edges: FloatArray, unit: str = "") -> list[str]:
    """Write the bins as ranges in the data's unit.

    >>> bin_labels(np.array([0.0, 1500.0, 3000.0]), "$")
    ['$0 to $1,500', '$1,500 to $3,000']
    """
    width = float(edges[1] - edges[0])
    places = max(0, int(np.ceil(-np.log10(width))) + 1) if width < 10 else 0
    return [f"{low} to {high}" for low, high in pairwise(f"{unit}{edge:,.{places}f}" for edge in edges)]


def _categories(labels: tuple[str, ...], title: str) -> Bins:
    axis: dict[str, Any] = {"title": {"text": title}, "showgrid": False, "zeroline": False}
    if len(labels) <= _NAMES:
        axis |= {"tickvals": list(range(len(labels))), "ticktext": [shown(label, _LETTERS) for label in labels]}
    else:
        axis["title"] = {"text": f"{title} (categories by number, the most frequent first)"}
    edges = np.arange(len(labels) + 1, dtype=np.float64) - 0.5
    return Bins(edges, [shown(label) for label in labels], axis, gap=0.15)


def _named_ranges(labels: tuple[str, ...], title: str) -> Bins:
    """Draw ranges with names side by side, equally wide; a few of them have the name of their beginning below."""
    step = math.ceil(len(labels) / _DATES)
    names = [shown(label.removeprefix("week of ").split(" to ")[0], _LETTERS) for label in labels[::step]]
    axis = {"title": {"text": title}, "tickvals": list(range(0, len(labels), step)), "ticktext": names}
    edges = np.arange(len(labels) + 1, dtype=np.float64) - 0.5
    return Bins(edges, [shown(label) for label in labels], axis | {"showgrid": False, "zeroline": False})


def _log_spaced(edges: FloatArray) -> bool:
    if edges[0] <= 0 or np.allclose(np.diff(edges), edges[1] - edges[0], rtol=1e-3):
        return False
    steps = np.diff(np.log(edges))
    return bool(np.allclose(steps, steps[0], rtol=1e-6))


def _log_bins(edges: FloatArray, title: str) -> Bins:
    """Draw bins that are equally wide in the logarithm on an axis of logarithms, with ticks in the data's unit.

    Not on Plotly's log axis: its bars have no edges there.
    """
    logs = np.log10(edges)
    powers = np.arange(np.ceil(logs[0]), np.floor(logs[-1]) + 1)
    if powers.size >= 2:
        ticks = powers[:: max(1, powers.size // 8)]
        words = [significant(10.0**p, 1) for p in ticks]
    else:
        ticks = np.linspace(logs[0], logs[-1], 5)
        words = [significant(10.0**t, 2) for t in ticks]
    labels = [f"{low} to {high}" for low, high in pairwise(significant(edge, 4) for edge in edges)]
    axis = {
        "title": {"text": f"{title} (log scale)"},
        "tickvals": ticks.tolist(),
        "ticktext": words,
        "showgrid": False,
    }
    return Bins(logs, labels, axis)
