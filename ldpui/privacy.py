"""The same privacy for another mechanism, and where the controls stand for it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from itertools import product

import ldpcore as ldp
from ldpui.address import vocabulary


def eps_inf(s: ldp.Setting) -> float:
    """Return the ε∞ of the longitudinal mechanisms: the chosen one, or twice ε as in the paper."""
    return 2 * s.eps if s.eps_inf is None else s.eps_inf


@lru_cache(maxsize=1024)  # Compare asks it of all mechanisms, and each setting checks itself
def same_privacy(s: ldp.Setting, name: str) -> ldp.Setting:
    """Return the setting with another mechanism, whose first report costs the same ε."""
    return replace(s, mechanism=name, eps_inf=ldp.mechanism_class(name).own_eps_inf(eps_inf(s)))


@lru_cache(maxsize=2)
def stand_in(longitudinal: bool) -> str:
    """Return the mechanism that a setting names where a page asks for none: the first that takes all there is to ask.

    That is any number of bins, any ε, and of ε∞ any share. Each is tried at the ends of the scales; if none takes all
    of them, the first stands.

    >>> stand_in(False), stand_in(True)
    ('GRR', 'L-GRR')
    """
    names = ldp.LONGITUDINAL if longitudinal else ldp.ONE_TIME
    return next((name for name in names if _takes_everything(name)), names[0])


def _takes_everything(name: str) -> bool:
    bins, share = vocabulary.SCALES["k"], vocabulary.SCALES["share"]
    longitudinal = ldp.mechanism_class(name).longitudinal
    budgets = vocabulary.SCALES["eps_inf" if longitudinal else "eps"]
    try:
        for k, budget in product((bins.low, bins.high), (budgets.low, budgets.high)):
            if not longitudinal:
                ldp.mechanism(name, k=int(k), eps=budget)
            for end in (share.low, share.high) if longitudinal else ():
                ldp.mechanism(name, k=int(k), eps=budget * end / 100, eps_inf=budget)
    except ldp.Refused:
        return False
    return True


def privacy_words(eps: float, eps_inf: float, name: str) -> dict[str, str]:
    """Return where the controls of privacy stand for ε, or for ε₁ and ε∞, to six digits."""

    def word(key: str, number: float) -> str:
        return vocabulary.SCALES[key].word(float(f"{number:.6g}"))

    if not ldp.mechanism_class(name).longitudinal:
        return {"eps": word("eps", eps)}
    return {"eps_inf": word("eps_inf", eps_inf), "share": word("share", 100 * eps / eps_inf)}
