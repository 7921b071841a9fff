"""Which mechanism and estimator come first, and why."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ldpcore import _validate as check
from ldpcore.advisor.accuracy import Accuracy, Measured, check_accuracy, normal_error
from ldpcore.estimators import estimator
from ldpcore.mechanisms import Mechanism

# Errors that differ by less, relatively, are one number and rounding: no simulation, however long, tells them apart.
_ROUNDING = 1e-6
FLOAT_NOISE = 1e-8
"""Errors that differ by no more are equal: a millionth of a percentage point, which rounding of floats makes."""


@dataclass(frozen=True)
class Candidate:
    """A mechanism with an estimator, and what it reaches.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.advisor import Candidate, Measured
    >>> Candidate(ldp.mechanism("OUE", k=4, eps=1.0), "limit", Measured(0.01, 0.0)).name
    'OUE with IBU limit'
    """

    mechanism: Mechanism
    estimator: str
    error: Measured

    @property
    def name(self) -> str:
        return f"{self.mechanism.name} with {estimator(self.estimator).name}"

    def has_mechanism_of(self, other: Candidate) -> bool:
        """Tell whether both are of one mechanism, perhaps with other estimators.

        Examples
        --------
        >>> import ldpcore as ldp
        >>> m, error = ldp.mechanism("OUE", k=4, eps=1.0), Measured(0.01, 0.0)
        >>> Candidate(m, "limit", error).has_mechanism_of(Candidate(m.with_eps(2.0), "mi", error))
        True
        """
        return self.mechanism.name == other.mechanism.name


def _candidates(candidates: Any, *, least: int = 0) -> list[Candidate]:
    return check.sequence("candidates", candidates, "ldpcore.advisor.Candidate", Candidate, least=least)


def ranked(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return the candidates, the smallest error first; equal ones as they come.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.advisor import Candidate, Measured, ranked
    >>> made = [(name, Measured(error, 0.001)) for name, error in (("GRR", 0.04), ("OUE", 0.02))]
    >>> [c.name for c in ranked([Candidate(ldp.mechanism(name, k=9, eps=1.0), "ibu", e) for name, e in made])]
    ['OUE with IBU', 'GRR with IBU']
    """
    candidates = _candidates(candidates)
    order = sorted(range(len(candidates)), key=lambda i: candidates[i].error.value)
    groups: list[list[int]] = []
    for i in order:
        # Errors of the same estimate, computed in two ways, differ in their last digits.
        if groups and equal(candidates[groups[-1][0]].error, candidates[i].error):
            groups[-1].append(i)
        else:
            groups.append([i])
    return [candidates[i] for group in groups for i in sorted(group)]


def equal(first: Measured, second: Measured) -> bool:
    """Tell whether two errors are the same but for rounding.

    Examples
    --------
    >>> error = Measured(0.02, 0.001)
    >>> equal(error, Measured(0.02 + 1e-12, 0.001)), equal(error, Measured(0.021, 0.001))
    (True, False)
    >>> equal(Measured(9e-13, 0.0), Measured(2e-12, 0.0)), equal(error, Measured(math.inf, 0.0))
    (True, False)
    """
    for name, error in (("first", first), ("second", second)):
        check.instance(name, error, Measured, "an ldpcore.advisor.Measured")
    return math.isclose(first.value, second.value, rel_tol=_ROUNDING, abs_tol=FLOAT_NOISE)


def name_with_ties(candidate: Candidate, candidates: Sequence[Candidate]) -> str:
    """Return the name of a candidate, with every estimator that comes to the same error with the same reports.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m, one, other = ldp.mechanism("SS", k=9, eps=1.0), Measured(0.02, 0.001), Measured(0.03, 0.001)
    >>> made = [Candidate(m, "mi", one), Candidate(m, "norm-sub", one), Candidate(m, "ibu", other)]
    >>> name_with_ties(made[0], made), name_with_ties(made[0], made[:2]), name_with_ties(made[2], made)
    ('SS with MI or Norm-Sub', 'SS with any estimator of the table', 'SS with IBU')
    """
    check.instance("candidate", candidate, Candidate, "an ldpcore.advisor.Candidate")
    alike = _alike(candidate, _candidates(candidates))
    if len(alike) < 2:
        return candidate.name
    if len(alike) == sum(c.has_mechanism_of(candidate) for c in candidates):
        return f"{candidate.mechanism.name} with any estimator of the table"
    return f"{candidate.mechanism.name} with {listed([estimator(key).name for key in alike], 'or')}"


def _alike(candidate: Candidate, candidates: Sequence[Candidate]) -> list[str]:
    """Return the estimators that come to a candidate's error with the same mechanism, its own among them."""
    return [c.estimator for c in candidates if c.has_mechanism_of(candidate) and equal(c.error, candidate.error)]


def as_good_estimators(candidates: Sequence[Candidate]) -> list[str]:
    """Return the names of the first's other estimators that noise can't tell from it, but for those that are equal.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.advisor import Candidate, Measured, as_good_estimators
    >>> made = [("mi", Measured(0.021, 0.001)), ("limit", Measured(0.02, 0.001)), ("ibu", Measured(0.03, 0.001))]
    >>> as_good_estimators([Candidate(ldp.mechanism("OUE", k=9, eps=1.0), key, e) for key, e in made])
    ['MI']
    """
    first, *others = ranked(_candidates(candidates, least=1))
    return [
        estimator(c.estimator).name
        for c in others
        if c.has_mechanism_of(first) and close(first.error, c.error) and not equal(first.error, c.error)
    ]


def as_good(candidates: Sequence[Candidate]) -> list[str]:
    """Return the mechanisms, other than the first's, that noise can't tell from the first; each with its best.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.advisor import Candidate, Measured, as_good
    >>> made = [("GRR", Measured(0.04, 0.001)), ("OUE", Measured(0.02, 0.001)), ("SUE", Measured(0.021, 0.001))]
    >>> as_good([Candidate(ldp.mechanism(name, k=9, eps=1.0), "ibu", e) for name, e in made])
    ['SUE']
    """
    first, *others = best_of_each(_candidates(candidates, least=1))
    return [c.mechanism.name for c in others if close(first.error, c.error)]


def are_equal(candidates: Sequence[Candidate]) -> bool:
    """Tell whether all mechanisms that noise can't tell from the first come to its very error; each with its best.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> made = [("GRR", Measured(9e-13, 0.0)), ("OUE", Measured(2e-12, 0.0)), ("SUE", Measured(0.021, 0.001))]
    >>> are_equal([Candidate(ldp.mechanism(name, k=9, eps=1.0), "ibu", e) for name, e in made])
    True
    """
    first, *others = best_of_each(_candidates(candidates, least=1))
    return all(equal(first.error, c.error) for c in others if close(first.error, c.error))


def best_of_each(candidates: Sequence[Candidate]) -> list[Candidate]:
    """Return every mechanism with its best estimator, the best first.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> m, made = ldp.mechanism("OUE", k=9, eps=1.0), [("mi", 0.03), ("ibu", 0.02)]
    >>> [c.name for c in best_of_each([Candidate(m, key, Measured(error, 0.0)) for key, error in made])]
    ['OUE with IBU']
    """
    best: dict[str, Candidate] = {}
    for c in ranked(candidates):
        best.setdefault(c.mechanism.name, c)
    return list(best.values())


def close(first: Measured, second: Measured) -> bool:
    """Tell whether two errors are equal, or differ by no more than two standard errors of their difference.

    Examples
    --------
    >>> from ldpcore.advisor import Measured, close
    >>> close(Measured(0.020, 0.001), Measured(0.021, 0.001)), close(Measured(0.02, 0.001), Measured(0.04, 0.001))
    (True, False)
    """
    same = equal(first, second)
    spread = math.hypot(*(0.0 if math.isnan(e.se) else e.se for e in (first, second)))
    return same or abs(second.value - first.value) <= 2 * spread


_AHEAD = {"error": "is {} ahead of", "eps": "needs {} less ε than", "n": "needs {} fewer users than"}


def why(
    candidates: Sequence[Candidate], accuracy: Accuracy, frequencies: object, n: int, measured: str = "error"
) -> str:
    """Say in one sentence, from the numbers, why the first is first.

    Two things can make it so: its reports carry less noise than those of the best other mechanism (raw MI's error in
    closed form tells), and its estimator makes more of the same reports than MI does. What the candidates are ranked by
    may be their "error", or the "eps" or "n" that they need.

    Examples
    --------
    >>> import ldpcore as ldp
    >>> from ldpcore.advisor import Accuracy, Candidate, Measured, why
    >>> made = [("GRR", Measured(0.04, 0.001)), ("OUE", Measured(0.02, 0.001))]
    >>> candidates = [Candidate(ldp.mechanism(name, k=100, eps=1.0), "ibu", e) for name, e in made]
    >>> why(candidates, Accuracy(), [0.01] * 100, 20_000).split(", ")[0]
    'OUE with IBU is 50% ahead of GRR with IBU'
    """
    check.choice("measured", measured, _AHEAD)
    check_accuracy(accuracy)
    order = ranked(_candidates(candidates, least=1))
    first = order[0]
    rival = next((c for c in order if not c.has_mechanism_of(first)), None)
    plain = next((c for c in order if c.has_mechanism_of(first) and c.estimator == "mi"), None)
    helped = _estimators_part(first, plain, measured)
    name = name_with_ties(first, order)
    if rival is None:
        # A mechanism that can not reach the accuracy was asked too, but is no candidate here.
        alone = "was asked" if measured == "error" else "gets there"
        return f"{name}: no other mechanism {alone}{helped}."
    if others := as_good(order):
        return f"{_undecided(order, others)}, so let the size of a report or the attacker's chance decide{helped}."
    gap = 100 * (1 - first.error.value / rival.error.value)
    behind = name_with_ties(rival, order)
    ahead = f"{name} {_AHEAD[measured].format(_less(gap))} {behind}, the best of any other mechanism"
    own, other = (normal_error(c.mechanism, frequencies, n, accuracy) for c in (first, rival))
    less = 100 * (1 - own / other)
    if less >= 1:
        # Users needed go with the square of the noise.
        explained = 100 * (1 - (own / other) ** (2 if measured == "n" else 1))
        because = "because" if gap < 2 * explained else "partly because"
        return f"{ahead}, {because} its reports carry less noise: {_less(less)} less before estimation{helped}."
    noise = "about the same noise" if less > -1 else f"{_percent(-less)} more noise"
    shared = set(_alike(first, order)) & set(_alike(rival, order))
    makes = "" if shared else f": {estimator(first.estimator).name} makes more of them"
    return f"{ahead}, although its reports carry {noise} before estimation{makes}{helped}."


def _undecided(order: Sequence[Candidate], others: Sequence[str]) -> str:
    """Say that the first and other mechanisms do equally well, or that noise can't tell them apart."""
    names = listed([order[0].mechanism.name, *others])
    if are_equal(order):
        return f"{names} do equally well"
    return f"Too close to call: {names} differ by less than the noise of the simulation"


def _estimators_part(first: Candidate, plain: Candidate | None, measured: str) -> str:
    if plain is None or first.estimator == "mi" or close(first.error, plain.error):
        return ""
    ratio = first.error.value / plain.error.value
    if measured != "error":
        return f"; with MI it would need {_percent(100 * (1 / ratio - 1))} more" if math.isfinite(1 / ratio) else ""
    name, less = estimator(first.estimator).name, _less(100 * (1 - ratio))
    return f"; {name} takes {less} off MI's error with the same reports"


def _less(x: float) -> str:
    """Write by how many percent something is less; never by all of it."""
    return "over 99%" if x >= 99.5 else _percent(x)


def _percent(x: float) -> str:
    return f"{x:.0f}%" if x >= 1.5 else f"{x:.1g}%"


def listed(names: Sequence[str], word: str = "and") -> str:
    """Write names one after the other.

    Examples
    --------
    >>> listed(["SS"]), listed(["SS", "OUE", "OLH"]), listed(["MI", "IBU"], "or")
    ('SS', 'SS, OUE and OLH', 'MI or IBU')
    """
    names = check.sequence("names", names, "names", str, least=1)
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} {word} {names[-1]}"
