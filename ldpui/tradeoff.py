"""What the page Trade-off sweeps over, and how its results become curves and maps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd

import ldpcore as ldp
from ldpui import controls, own, registry
from ldpui.compare import eps_inf
from ldpui.readable import significant

Reference = tuple[str, str, list[float], list[float]]  # name, explanation, x and y
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


def chosen_mechanisms(s: ldp.Setting) -> list[str]:
    """Offer the mechanisms; the sidebar's own is always there, so that the link says only what was added."""
    others = [name for name in ldp.ONE_TIME + ldp.LONGITUDINAL if name != s.mechanism]
    return [s.mechanism, *controls.several(f"{s.mechanism}, and beside it", "beside", others)]


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
        except ValueError as error:
            # What is possible hangs on ε alone, so on a map too its values are all that need be named.
            missing.setdefault(name, set()).add(changes.get("eps", s.eps))
            reasons.setdefault(name, str(error))
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
    if against == "k" and s.data == ldp.OWN_DATA:
        mine = own.needed()
        values = {float(mine.bins(int(k))) for k in values}
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


def table(rows: Sequence[dict[str, Any]], *fields: str) -> pd.DataFrame:
    """Return the results as a frame to take away."""
    return pd.DataFrame(
        {
            "mechanism": row["setting"].mechanism,
            **{f: getattr(row["setting"], f) for f in dict.fromkeys(("eps", "eps_inf", "n", "k", *fields))},
            "quantity": row["estimator"],
            "mean": row["mean"],
            "standard_error": row["se"],
        }
        for row in rows
    )


def reference_settings(s: ldp.Setting, against: str) -> list[ldp.Setting]:
    """Return the settings at which theory is asked; for SS, whose bound takes a second each, every third."""
    points = [(s.mechanism, {against: v}) for v in _points(s, against)]
    settings = _feasible(points, s)[0]
    return settings[::3] + settings[-1:] if s.mechanism == "SS" and len(settings) > 3 else settings


def references(s: ldp.Setting, against: str, limits: Sequence[tuple[ldp.Setting, dict[str, float]]]) -> list[Reference]:
    """Return the lines that theory draws for the mean squared error."""
    x = [float(getattr(t, against)) for t, _ in limits]
    names = {"Cramér–Rao": f"Cramér–Rao ({s.mechanism})"}
    return [
        (names.get(name, name), what, x, [float(limit[name]) for _, limit in limits])
        for name, what in _REFERENCES.items()
        if limits and np.isfinite([limit[name] for _, limit in limits]).all()
    ]


def infinite(rows: Sequence[dict[str, Any]]) -> str | None:
    """Say where an error is infinite, and so not drawn."""
    names = sorted({f"{r['setting'].mechanism} with {_WORDS[r['estimator']]}" for r in rows if r["mean"] == np.inf})
    if not names:
        return None
    return (
        "KL is infinite where an estimate gives 0 to a bin that has users. It is, somewhere on this chart, for "
        f"{', '.join(names)}: those points are not drawn, and gains over an infinite error say nothing."
    )


_WORDS = {key: word for word, key in registry.ESTIMATORS.items()} | {"gain_ibu": "IBU", "gain_limit": "IBU limit"}
_REFERENCES = {
    "Cramér–Rao": "No unbiased estimator that reads all reports can have a smaller squared error than this. Estimators "
    "that lean towards something, as clipped MI and IBU lean towards shares of at least 0, may go below.",
    "Sampling": "How far the users' own histogram lies from that of the population that they were drawn from, with no "
    "privacy at all. Where privacy costs less than this, it is not what limits you.",
    "Central model": "If a trusted server saw the true values and published a noisy histogram with the same ε.",
}
