"""Settings along an axis or over a map, and what the errors there say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpui import session
from ldpui.computing import work
from ldpui.format import significant
from ldpui.privacy import eps_inf
from ldpui.sweeps import Measure

# How a sentence begins where noise decides which mechanism is named.
TOO_CLOSE = "too close to call"
# Where users are simulated, a map of 8 ε goes over ten times as many again and again, and those with the most take
# nearly all of the time: so many share the bound of a page.
_PLACES = 10
_GRIDS: dict[str, tuple[float, ...]] = {
    "eps": (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 4, 5, 7, 10),
    "n": (*(d * 10**p for p in range(2, 9) for d in (1, 3)), 10**9),
    "k": (2, 3, 5, 10, 20, 50, 100, 200, 500, 1000),
}
_MAP_GRIDS: dict[str, tuple[float, ...]] = {
    "eps": (0.25, 0.5, 1, 2, 3, 4, 6, 8),
    "n": (10**3, 10**4, 10**5, 10**6, 10**7, 10**8),
    "k": (2, 5, 10, 20, 50, 100, 200),
}


def at(s: ldp.Setting, name: str, **changes: Any) -> ldp.Setting:
    """Return the setting with another mechanism and other values; ε∞ keeps its proportion to ε₁."""
    eps, wide = changes.get("eps", s.eps), eps_inf(s)
    if eps != s.eps:  # else dividing and multiplying could change its last digit, and with it all the noise
        wide = min(wide / s.eps * eps, 100.0)
    # With other users or bins there is not one bin per value any more; as many bins of equal width are the same.
    if s.binning == "values" and changes.keys() & {"n", "k"}:
        changes["binning"] = "equal-width"
    return replace(s, mechanism=name, eps_inf=ldp.mechanism_class(name).own_eps_inf(wide), **changes)


def _feasible(points: Sequence[tuple[str, dict[str, Any]]], s: ldp.Setting) -> tuple[list[ldp.Setting], list[str]]:
    """Return the settings that are possible, and a sentence for each mechanism with points that are not."""
    settings: list[ldp.Setting] = []
    missing: dict[str, list[dict[str, Any]]] = {}
    reasons: dict[str, str] = {}
    for name, changes in points:
        try:
            setting = at(s, name, **changes)
            work.check_users(setting, _PLACES)
            settings.append(setting)
        except ldp.Refused as refused:
            missing.setdefault(name, []).append(changes)
            reasons.setdefault(name, str(refused))
    asked = {name: [changes for other, changes in points if other == name] for name in missing}
    notes = [f"{name} is left out {_where(asked[name], missing[name], s)}: {reasons[name]}." for name in missing]
    return settings, notes


def _where(asked: Sequence[dict[str, Any]], missing: Sequence[dict[str, Any]], s: ldp.Setting) -> str:
    """Say which points are missing: by the values of ε alone, or of the other axis, where one of them decides."""
    for axis, symbol in (("eps", "ε"), ("k", "k"), ("n", "n")):
        values = {changes.get(axis, getattr(s, axis)) for changes in missing}
        if sum(changes.get(axis, getattr(s, axis)) in values for changes in asked) == len(missing):
            return f"at {symbol} = {', '.join(f'{v:.4g}' if axis == 'eps' else f'{v:,}' for v in sorted(values))}"
    return f"at {len(missing)} of {len(asked)} places"


def along(s: ldp.Setting, against: str, mechanisms: Sequence[str]) -> tuple[list[ldp.Setting], list[str]]:
    """Return the settings of the curves, coarse ones first, and sentences on those that are not possible."""
    values = _points(s, against)
    coarse_first = values[::3] + values[1::3] + values[2::3]
    return _feasible([(name, {against: v}) for v in coarse_first for name in mechanisms], s)


def _points(s: ldp.Setting, against: str, grids: dict[str, tuple[float, ...]] | None = None) -> list[float]:
    """Return the values along an axis: those of the grid that the data allow and, on curves, the setting's own."""
    values = set(_GRIDS[against]) | {float(getattr(s, against))} if grids is None else set(grids[against])
    if against == "k" and (upload := session.data_of(s)) is not None:
        values = {float(upload.bins(int(k))) for k in values}
    return sorted(values if against == "eps" else map(int, values))


def grid(s: ldp.Setting, other: str, mechanisms: Sequence[str]) -> tuple[list[ldp.Setting], list[str]]:
    """Return the settings of a map over ε and one other setting."""
    points = [
        (name, {"eps": e, other: v})
        for v in _points(s, other, _MAP_GRIDS)
        for e in _MAP_GRIDS["eps"]
        for name in mechanisms
    ]
    return _feasible(points, s)


@dataclass(frozen=True)
class Gains:
    """A map of gains: its axes, and a row of numbers and of words for each place on the vertical one."""

    x: list[float]
    y: list[float]
    gains: list[list[float | None]]
    words: list[list[str]]

    def named(self, row: int, column: int) -> str | None:
        """Return None: a gain is that of the mechanism that the map is drawn for."""
        return None


@dataclass(frozen=True)
class Best:
    """A map of the best mechanism: its axes, and a row of names and of what to say of each cell."""

    x: list[float]
    y: list[float]
    names: list[list[str]]
    words: list[list[str]]

    def named(self, row: int, column: int) -> str | None:
        """Return the mechanism that a cell names, if any."""
        return self.names[row][column] or None


def at_cell(s: ldp.Setting, other: str, cells: Gains | Best, row: int, column: int) -> ldp.Setting:
    """Return the setting of a cell: on a map of the best mechanism, that of the one that is named."""
    return at(s, cells.named(row, column) or s.mechanism, **{"eps": cells.x[column], other: cells.y[row]})


def _cells(rows: Sequence[Measure], other: str, quantity: str) -> dict[tuple[float, float], list[Measure]]:
    """Return the measures of one quantity by their place on the map."""
    cells: dict[tuple[float, float], list[Measure]] = {}
    for row in rows:
        if row.quantity == quantity:
            cells.setdefault((row.setting.eps, getattr(row.setting, other)), []).append(row)
    return cells


def gain_cells(rows: Sequence[Measure], s: ldp.Setting, other: str) -> Gains:
    """Return the map of the gain of one mechanism."""
    cells = _cells([row for row in rows if row.setting.mechanism == s.mechanism], other, "gain_ibu")
    x, y = list(_MAP_GRIDS["eps"]), _points(s, other, _MAP_GRIDS)
    gains = [[next((row.mean for row in cells.get((e, v), []) if np.isfinite(row.mean)), None) for e in x] for v in y]
    return Gains(x, y, gains, [["" if gain is None else f"{gain:.0f}" for gain in line] for line in gains])


def best_cells(rows: Sequence[Measure], s: ldp.Setting, other: str) -> Best:
    """Return the map of the best mechanism."""
    cells = _cells(rows, other, "limit")
    x, y = list(_MAP_GRIDS["eps"]), _points(s, other, _MAP_GRIDS)
    best = [[_best(cells.get((e, v), [])) for e in x] for v in y]
    return Best(x, y, [[name for name, _ in line] for line in best], [[words for _, words in line] for line in best])


def _best(cell: Sequence[Measure]) -> tuple[str, str]:
    """Return the best mechanism, and a sentence with the runner-up; nobody wins by less than two standard errors."""
    ranked = sorted((row for row in cell if np.isfinite(row.mean)), key=lambda row: (row.mean, row.setting.mechanism))
    if not ranked:
        return "", ""
    text = "; ".join(f"{r.setting.mechanism} {significant(r.mean)} ± {significant(r.se, 1)}" for r in ranked[:3])
    if len(ranked) > 1:
        first, second = ranked[:2]
        if second.mean - first.mean <= 2 * float(np.hypot(np.nan_to_num(first.se), np.nan_to_num(second.se))):
            text = f"{TOO_CLOSE}: {text}"
    return ranked[0].setting.mechanism, text
