"""The small phrases of the Advisor: errors, accuracies and settings in words."""

from __future__ import annotations

import math
from collections.abc import Sequence

import ldpcore as ldp
from ldpcore.advisor import Accuracy, Candidate, name_with_ties
from ldpui.format import SMALLEST_POINTS, budget, points, significant, times


def in_points(accuracy: Accuracy) -> bool:
    """Tell whether errors are percentage points, and not total variation."""
    return accuracy.kind == "every bin"


def unit(accuracy: Accuracy) -> float:
    """Return what errors are multiplied by: percentage points, or total variation as it is."""
    return 100.0 if in_points(accuracy) else 1.0


def goal(accuracy: Accuracy, bound: str | None = None) -> str:
    """Say what accuracy means, with the wanted bound or with another one."""
    if not in_points(accuracy):
        return f"total variation {'at most ' if bound is None else ''}{bound or significant(accuracy.bound)} on average"
    shown = bound or significant(100 * accuracy.bound)
    return f"every bin within {plus_minus(shown)} percentage point{'' if shown == '1' else 's'}, 95% of the time"


def plus_minus(shown: str) -> str:
    """Write how far something is off to either side, as it is shown.

    >>> plus_minus("1.94"), plus_minus("less than 0.000001")
    ('±1.94', 'less than 0.000001')
    """
    return f"±{shown}" if shown[:1].isdigit() else shown


def with_error(value: float, se: float) -> tuple[str, str]:
    """Write a number and its standard error, both to the digit that the error allows; no error that is too small.

    >>> with_error(1.9361, 0.0598), with_error(0.100556, 0.000903), with_error(2.5, 0.0)
    (('1.94', '0.06'), ('0.1006', '0.0009'), ('2.5', ''))
    >>> with_error(9e-11, 4e-12)
    ('less than 0.000001', '')
    """
    if value < SMALLEST_POINTS or not (math.isfinite(se) and se > 3e-4 * value):
        return points(value), ""
    places = max(0, -math.floor(math.log10(se)))
    return f"{value:.{places}f}", f"{se:.{places}f}"


def error(value: float, accuracy: Accuracy, se: float = 0.0) -> str:
    """Write an error in its unit, briefly.

    >>> error(0.0194, Accuracy("every bin", 0.01)), error(0.0194, Accuracy("tv", 0.05), 0.0006)
    ('±1.94 points', 'TV 0.0194 (± 0.0006)')
    """
    shown, spread = with_error(unit(accuracy) * value, unit(accuracy) * se)
    text = f"{plus_minus(shown)} points" if in_points(accuracy) else f"TV {shown}"
    return f"{text} (± {spread})" if spread else text


def crowd(s: ldp.Setting, users: bool = True) -> str:
    """Say how many users and bins there are."""
    return (f"{times(s.n, 'user')} and " if users else "") + times(s.k, "bin")


def privacy(s: ldp.Setting) -> str:
    """Say what privacy there is."""
    if s.eps_inf is None:
        return f"ε = {budget(s.eps)}"
    return f"ε₁ = {budget(s.eps)} (ε∞ = {budget(s.eps_inf)})"


def introduction(c: Candidate, candidates: Sequence[Candidate]) -> str:
    """Say what a mechanism and an estimator do, for somebody who meets them for the first time."""
    m, estimator = c.mechanism, ldp.estimator(c.estimator)
    text = f"**{m.name}**, {m.full_name}: {m.summary}"
    # The estimator is introduced only where no other does equally well.
    return f"{text} **{estimator.name}**: {estimator.summary}" if name_with_ties(c, candidates) == c.name else text
