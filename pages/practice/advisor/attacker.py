"""What an attacker makes of the reports of one user: one to whom all values are alike, and one who knows the shares."""

from __future__ import annotations

import math
from typing import Any

import ldpcore as ldp
from ldpcore.theory.attack import Chance
from ldpui import cache, session
from ldpui.computing import compute
from ldpui.own import Upload
from pages.practice.advisor.phrases import with_error

MANY_REPORTS, AGAIN = 100, 10


def guessed(m: ldp.Mechanism, reports: float) -> Chance:
    """Return how often the best guess from so many reports of a user is right, if all values are equally likely."""
    return _guessed(m.name, None, tuple(m.parameters.items()), reports)


@cache.by_setting(2_000, 1, apart=True)
def _guessed(name: str, _: None, parameters: tuple[tuple[str, Any], ...], reports: float) -> Chance:
    key = cache.same(_guessed, name, None, parameters, reports)
    return compute.run(ldp.theory.attack_success_after, ldp.mechanism(name, **dict(parameters)), reports, key=key)


def guessed_knowing(m: ldp.Mechanism, reports: float, s: ldp.Setting) -> Chance:
    """Return how often it is right for somebody who knows the shares of all values in the setting's data."""
    return _guessed_knowing(s, session.data_of(s), m.name, tuple(m.parameters.items()), reports)


@cache.by_setting(2_000, 500, apart=True)
def _guessed_knowing(
    s: ldp.Setting, data: Upload | None, name: str, parameters: tuple[tuple[str, Any], ...], reports: float
) -> Chance:
    shares = cache.histogram(s, data).frequencies
    m = ldp.mechanism(name, **dict(parameters))
    key = cache.same(_guessed_knowing, s, data, name, parameters, reports)
    return compute.run(ldp.theory.attack_success_after, m, reports, shares, key=key)


def sentence(m: ldp.Mechanism, s: ldp.Setting) -> str:
    """Say what an attacker makes of one report, and of more; the setting says what data there are."""
    once, blind = guessed(m, 1), 1 / m.k
    text = (
        f"Somebody who sees one report of {m.name} and guesses the user's value is right {_share(once)} of the time "
        f"({_share(Chance(blind))} without any report, if all values are equally likely)"
    )
    if m.longitudinal:
        many, ever = guessed(m, MANY_REPORTS), guessed(m, math.inf)
        text = f"{text}; after {MANY_REPORTS} reports {_many(many, ever)}."
    else:
        again = guessed(m, AGAIN)
        text = (
            f"{text}. That holds for **one** report: asked {AGAIN} times with fresh noise, {_share(again)}. For "
            "repeated collections choose *repeatedly* above."
        )
    return f"{text}\n\n{_sentence_knowing(m, s)}"


def _sentence_knowing(m: ldp.Mechanism, s: ldp.Setting) -> str:
    """Say the same of an attacker who knows how common each value is, here as in the data chosen."""
    blind = Chance(float(cache.histogram(s, session.data_of(s)).frequencies.max()))
    once = guessed_knowing(m, 1, s)
    sure = blind.chance >= 1
    text = (
        "An attacker who **knows how common each value is** needs no report to be right "
        f"{_share(blind, sure)} of the time, by always naming the commonest. "
    )
    if once.chance - blind.chance <= 1e-9:
        text += "One report changes nothing: the commonest stays the best guess, whatever it says"
    else:
        text += f"With one report it is {_share(once, sure)}"
    if m.longitudinal:
        many, ever = guessed_knowing(m, MANY_REPORTS, s), guessed_knowing(m, math.inf, s)
        return f"{text}; after {MANY_REPORTS} reports {_many(many, ever, sure)}."
    return f"{text}; asked {AGAIN} times with fresh noise, {_share(guessed_knowing(m, AGAIN, s), sure)}."


def _many(many: Chance, ever: Chance, sure: bool = False) -> str:
    most = "" if _share(many, sure) == _share(ever, sure) else f" than {_share(ever, sure)}"
    return f"{_share(many, sure)}, and never more{most}"


def _share(chance: Chance, sure: bool = False) -> str:
    """Write a chance in percent; certainty only to somebody who is sure without a report, whatever numbers round to.

    >>> _share(Chance(0.04182)), _share(Chance(0.53112, 2e-4)), _share(Chance(0.99999)), _share(Chance(1.0))
    ('4.18%', '53.11 ± 0.02%', 'over 99.9%', 'over 99.9%')
    >>> _share(Chance(1.0), sure=True)
    '100%'
    """
    if chance.chance >= 0.9995 and not sure:
        return "over 99.9%"
    value, spread = with_error(100 * chance.chance, 100 * chance.se)
    return f"{value}{f' ± {spread}' if spread else ''}%"
