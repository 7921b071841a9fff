"""Settings along an axis or over a map, and what the errors there say."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

import ldpcore as ldp
from ldpui import session
from ldpui.format import significant
from ldpui.privacy import eps_inf

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


def _at(s: ldp.Setting, name: str, **changes: Any) -> ldp.Setting:
    """Return the setting with another mechanism and other values; ε∞ keeps its proportion to ε₁."""
    eps, wide = changes.get("eps", s.eps), eps_inf(s)
    if eps != s.eps:  # else dividing and multiplying could change its last digit, and with it all the noise
        wide = min(wide / s.eps * eps, 100.0)
    return replace(s, mechanism=name, eps_inf=None if name in ldp.ONE_TIME else wide, **changes)


def _feasible(points: Sequence[tuple[str, dict[str, Any]]], s: ldp.Setting) -> tuple[list[ldp.Setting], list[str]]:
    """Return the settings that are possible, and a sentence for each mechanism with points that are not."""
    settings: list[ldp.Setting] = []
    missing: dict[str, set[float]] = {}
    reasons: dict[str, str] = {}
    for name, changes in points:
        try:
            settings.append(_at(s, name, **changes))
        except ldp.Refused as refused:
            # What is possible hangs on ε alone, so on a map too its values are all that need be named.
            missing.setdefault(name, set()).add(changes.get("eps", s.eps))
            reasons.setdefault(name, str(refused))
    notes = [
        f"{name} is left out at ε = {', '.join(f'{eps:.4g}' for eps in sorted(values))}: {reasons[name]}."
        for name, values in missing.items()
    ]
    return settings, notes


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


def _cells(
    rows: Sequence[dict[str, Any]], other: str, wanted: str, *, with_error: bool = False
) -> dict[tuple[float, float], dict[str, Any]]:
    found: dict[tuple[float, float], dict[str, Any]] = {}
    for row in rows:
        if row["estimator"] == wanted:
            t = row["setting"]
            found.setdefault((t.eps, getattr(t, other)), {})[t.mechanism] = (
                (row["mean"], row["se"]) if with_error else row["mean"]
            )
    return found


def gain_cells(
    rows: Sequence[dict[str, Any]], s: ldp.Setting, other: str
) -> tuple[list[float], list[float], list[list[float | None]], list[list[str]]]:
    """Return the map of the gain as axes, numbers and words."""
    found = _cells(rows, other, "gain_ibu")
    x, y = list(_MAP_GRIDS["eps"]), _points(s, other, _MAP_GRIDS)
    z = [[found.get((e, v), {}).get(s.mechanism) for e in x] for v in y]
    words = [["" if value is None else f"{value:.0f}" for value in line] for line in z]
    return x, y, z, words


def best_cells(
    rows: Sequence[dict[str, Any]], s: ldp.Setting, other: str
) -> tuple[list[float], list[float], list[list[str]], list[list[str]]]:
    """Return the map of the best mechanism as axes, names, and what to say of each cell."""
    found = _cells(rows, other, "limit", with_error=True)
    x, y = list(_MAP_GRIDS["eps"]), _points(s, other, _MAP_GRIDS)
    told = [[_best(found.get((e, v), {})) for e in x] for v in y]
    return x, y, [[name for name, _ in line] for line in told], [[text for _, text in line] for line in told]


def _best(cell: dict[str, tuple[float, float]]) -> tuple[str, str]:
    """Return the best mechanism, and a sentence with the runner-up; nobody wins by less than two standard errors."""
    finite = sorted((error, se, name) for name, (error, se) in cell.items() if np.isfinite(error))
    if not finite:
        return "", ""
    text = "; ".join(f"{name} {significant(error)} ± {significant(se, 1)}" for error, se, name in finite[:3])
    if len(finite) > 1:
        (first, se1, _), (second, se2, _) = finite[:2]
        if second - first < 2 * float(np.hypot(np.nan_to_num(se1), np.nan_to_num(se2))):
            text = f"too close to call: {text}"
    return finite[0][2], text
