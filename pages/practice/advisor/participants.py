"""The mechanisms that the Advisor compares: all of a kind that can have the privacy and are not another one by name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import ldpcore as ldp
from ldpcore import advisor as core
from ldpui.own import NUMBERS, Upload
from ldpui.privacy import eps_inf, same_privacy
from pages.practice.advisor import runs

EPS_GRID = (0.1, 0.2, 0.5, 1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 10.0)


@dataclass(frozen=True)
class Participants:
    """The setting with each mechanism that takes part, and a sentence on each that does not."""

    settings: tuple[ldp.Setting, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, order=True)
class Twin:
    """A mechanism that is the same as another one somewhere: there noise alone would tell them apart."""

    name: str
    other: str


def suited(estimators: Sequence[str], data: Upload | None) -> tuple[str, ...]:
    """Return the estimators that can have the data: bins with names, of categories or dates, count as without order."""
    ordered = data is None or data.kind == NUMBERS
    return tuple(key for key in estimators if ordered or not ldp.estimator(key).ordered)


def names_like(mechanism: str) -> tuple[str, ...]:
    """Return the mechanisms that answer the same question: all that report once, or all that report repeatedly."""
    return ldp.LONGITUDINAL if ldp.mechanism_class(mechanism).longitudinal else ldp.ONE_TIME


def participants(s: ldp.Setting, sought: str | None = None) -> Participants:
    """Return which mechanisms take part; where ε is sought, each may have any ε that it can."""
    settings, notes = [], []
    for name in names_like(s.mechanism):
        t = _at_any_eps(s, name) if sought == "eps" else _here(s, name)
        n = max(runs.N_GRID) if sought == "n" else s.n
        if runs.too_many_users(name, n, s.k):
            t = "it can only be simulated user by user, and there are too many"
        if isinstance(t, str):
            notes.append(f"{name} is left out: {t}.")
        else:
            settings.append(t)
    return Participants(tuple(settings), tuple(notes))


def _here(s: ldp.Setting, name: str) -> ldp.Setting | str:
    """Return the setting with a mechanism, or why it is left out."""
    try:
        t = same_privacy(s, name)
    except ldp.Refused as refused:
        return str(refused)
    twin = twin_of(t.make_mechanism())
    return t if twin is None else f"here it is the same as {twin.other}"


def _at_any_eps(s: ldp.Setting, name: str) -> ldp.Setting | str:
    """Return the setting with a mechanism at an ε that it can have, the setting's own if it can."""
    reasons = []
    for eps in (s.eps, *EPS_GRID):
        try:
            return same_privacy(core.at(s, "eps", eps), name)
        except ldp.Refused as refused:
            reasons.append(refused)
    if not isinstance(reasons[0], ldp.InfeasibleError):
        return str(reasons[0])
    return f"its first report can't cost {100 * s.eps / eps_inf(s):.0f}% of ε∞, whatever ε∞ is"


def twin_of(m: ldp.Mechanism) -> Twin | None:
    """Return of which other mechanism this one is the same with its parameters, if it is."""
    return None if m.same_as is None else Twin(m.name, m.same_as)


def twins_sentence(twins: Iterable[Twin]) -> str:
    """Say which mechanisms go by the name of another one.

    >>> twins_sentence([Twin("SS", "GRR"), Twin("OLH", "BLH"), Twin("SS", "GRR")])
    'Where OLH is the same as BLH it is called BLH; where SS is the same as GRR it is called GRR.'
    """
    parts = [f"where {twin.name} is the same as {twin.other} it is called {twin.other}" for twin in sorted(set(twins))]
    text = "; ".join(parts)
    return f"{text[:1].upper()}{text[1:]}."
