"""Grids: the settings that come of crossing lists."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from ldpcore import _validate as check
from ldpcore.errors import InfeasibleError, Refused, UnsuitedError
from ldpcore.experiment import Setting
from ldpcore.mechanisms import mechanism_class
from ldpcore.sweep.rows import SETTING_COLUMNS


def cross(grid: Mapping[str, Any]) -> tuple[list[Setting], list[str]]:
    """Return the settings of a grid, and sentences on combinations that were left out.

    Lists are crossed, all else is the same in all settings; `params` is itself a mapping with
    values or lists. Combinations that cannot be are left out: ε₁ that is not below ε∞, or a k or an ε that a mechanism
    can't have. ε∞ is ignored where a one-time mechanism is crossed with it. Anything else that is
    wrong raises the ValueError of `Setting`.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> settings, left_out = ldp.cross({"mechanism": ["GRR", "L-OUE"], "eps": [1, 1.9], "eps_inf": 2})
    >>> [(s.mechanism, s.eps) for s in settings]
    [('GRR', 1.0), ('GRR', 1.9), ('L-OUE', 1.0)]
    >>> len(left_out)
    1
    """
    check.mapping("grid", grid, "names to values or lists")
    unknown = [name for name in grid if name not in SETTING_COLUMNS]
    if unknown:
        raise Refused(f"a grid may hold {', '.join(SETTING_COLUMNS)}; got {check.shown(unknown[0])}")
    params = grid.get("params", {})
    if not isinstance(params, Mapping):
        raise Refused(f"params must be a table of names and values; got {check.shown(params)}")
    axes = {name: _listed(name, values) for name, values in grid.items() if name != "params"}
    points = product(*(_listed(name, values) for name, values in params.items()))
    axes["params"] = [tuple(zip(params, point, strict=True)) for point in points]
    settings: dict[Setting, None] = {}
    left_out: dict[str, None] = {}
    for point in product(*axes.values()):
        try:
            settings[_feasible(dict(zip(axes, point, strict=True)))] = None
        except UnsuitedError as problem:
            left_out[str(problem)] = None
    if not settings:
        raise Refused(f"the grid holds no setting that is possible: {next(iter(left_out))}")
    return list(settings), list(left_out)


def _listed(name: str, values: Any) -> list[Any]:
    if not isinstance(values, (list, tuple)):
        return [values]
    if not values:
        raise Refused(f"{name} must hold at least one value; got an empty list")
    return list(values)


def _feasible(point: dict[str, Any]) -> Setting:
    """Make a setting; ε₁ at or above ε∞ counts as infeasible, because a crossed grid holds such corners."""
    name, eps, eps_inf = point.get("mechanism", Setting.mechanism), point.get("eps", Setting.eps), point.get("eps_inf")
    if eps_inf is not None:
        if mechanism_class(name, argument="mechanism").own_eps_inf(eps_inf) is None:
            return Setting(**(point | {"eps_inf": None}))
        eps, eps_inf = check.real("eps", eps), check.real("eps_inf", eps_inf)
        if eps >= eps_inf:
            raise InfeasibleError(f"eps must be below eps_inf = {eps_inf:g}; got {eps:g}", eps_inf)
    return Setting(**point)
