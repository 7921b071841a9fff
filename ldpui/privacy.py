"""The same privacy for another mechanism, and where the sliders stand for it."""

from __future__ import annotations

from dataclasses import replace

import ldpcore as ldp
from ldpui import vocabulary


def eps_inf(s: ldp.Setting) -> float:
    """Return the ε∞ of the longitudinal mechanisms: the chosen one, or twice ε as in the paper."""
    return 2 * s.eps if s.eps_inf is None else s.eps_inf


def same_privacy(s: ldp.Setting, name: str) -> ldp.Setting:
    """Return the setting with another mechanism, whose first report costs the same ε."""
    return replace(s, mechanism=name, eps_inf=eps_inf(s) if ldp.mechanism_class(name).longitudinal else None)


def privacy_words(eps: float, eps_inf: float, name: str) -> dict[str, str]:
    """Return the positions of the privacy sliders that come nearest to ε, or to ε₁ and ε∞."""

    def nearest(options: list[str], wanted: float) -> str:
        return min(options, key=lambda word: abs(float(word.rstrip("%")) - wanted))

    if not ldp.mechanism_class(name).longitudinal:
        return {"eps": nearest(vocabulary.EPS, eps)}
    return {"eps_inf": nearest(vocabulary.EPS_INF, eps_inf), "share": nearest(vocabulary.SHARES, 100 * eps / eps_inf)}
