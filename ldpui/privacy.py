"""The same privacy for another mechanism, and where the controls stand for it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache

import ldpcore as ldp
from ldpui.address import vocabulary


def eps_inf(s: ldp.Setting) -> float:
    """Return the ε∞ of the longitudinal mechanisms: the chosen one, or twice ε as in the paper."""
    return 2 * s.eps if s.eps_inf is None else s.eps_inf


@lru_cache(maxsize=1024)  # Compare asks it of all mechanisms, and each setting checks itself
def same_privacy(s: ldp.Setting, name: str) -> ldp.Setting:
    """Return the setting with another mechanism, whose first report costs the same ε."""
    return replace(s, mechanism=name, eps_inf=ldp.mechanism_class(name).own_eps_inf(eps_inf(s)))


def privacy_words(eps: float, eps_inf: float, name: str) -> dict[str, str]:
    """Return where the controls of privacy stand for ε, or for ε₁ and ε∞, to six digits."""

    def word(key: str, number: float) -> str:
        return vocabulary.SCALES[key].word(float(f"{number:.6g}"))

    if not ldp.mechanism_class(name).longitudinal:
        return {"eps": word("eps", eps)}
    return {"eps_inf": word("eps_inf", eps_inf), "share": word("share", 100 * eps / eps_inf)}
